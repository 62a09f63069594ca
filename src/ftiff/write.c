#include "ftiff/write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ftiff/digest.h"

static void encode_record(const struct scion_fti_image *image, int i, unsigned char *to)
{
    struct scion_fti_record record = {.var = image->vars[i],
                                      .idx = image->idx ? image->idx[i] : 0,
                                      .hascontent = (image->flags[i] & SCION_FTI_CONTENT) != 0,
                                      .hasckpt = (image->flags[i] & SCION_FTI_CKPT) != 0};

    memcpy(record.hash, image->hashes[i], sizeof record.hash);
    scion_fti_record_encode(image->era, &record, to);
}

/* One write, or one skip, of each part of a file but the file block. */
static int write_records(struct scion_fti_sink *sink, const struct scion_fti_image *image, int b)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    int32_t numvars = scion_fti_numvars(image, b);
    size_t bytes = (size_t)scion_fti_block_records(image->era, numvars);
    unsigned char *records = malloc(bytes), *to = records;
    int rc, i;

    if (!records)
        return scion_fail_memory("records of a checkpoint");
    scion_fti_db_encode(image->era, numvars, scion_fti_block_size(image, b), to);
    to += layout->db_bytes;
    for (i = image->first[b]; i < image->first[b + 1]; i++, to += layout->var_bytes)
        encode_record(image, i, to);
    rc = sink->write(sink, records, bytes);
    free(records);
    return rc;
}

static int skip(struct scion_fti_sink *sink, sion_int64 *unused)
{
    sion_int64 bytes = *unused;

    *unused = 0;
    return bytes > 0 ? sink->skip(sink, bytes) : 0;
}

static int write_chunk(struct scion_fti_sink *sink, const struct scion_fti_image *image, int i,
                       const void *from)
{
    size_t bytes = (size_t)image->vars[i].chunksize;

    return sink->chunk ? sink->chunk(sink, i, from, bytes) : sink->write(sink, from, bytes);
}

/* *unused: bytes that are 0 before the containers, then after them; they are not yet in the file.
 */
static int write_containers(struct scion_fti_sink *sink, const struct scion_fti_image *image, int b,
                            const void *const *data, sion_int64 *unused)
{
    int rc = 0, i;

    for (i = image->first[b]; i < image->first[b + 1] && rc == 0; i++) {
        const struct scion_fti_var *var = &image->vars[i];

        if (var->chunksize > 0)
            rc = skip(sink, unused);
        if (rc == 0 && var->chunksize > 0)
            rc = write_chunk(sink, image, i, data[i]);
        *unused += var->containersize - var->chunksize;
    }
    return rc;
}

/* In B, what is unused at the end is not part of the file. */
static int write_blocks(struct scion_fti_sink *sink, const struct scion_fti_image *image,
                        const void *const *data)
{
    int at_end = scion_fti_layout(image->era)->fb_at_end, rc = 0, b;
    sion_int64 unused = 0;

    for (b = 0; b < image->nblocks && rc == 0; b++) {
        if (!at_end)
            rc = skip(sink, &unused);
        if (!at_end && rc == 0)
            rc = write_records(sink, image, b);
        if (rc == 0)
            rc = write_containers(sink, image, b, data, &unused);
    }
    if (rc == 0 && image->era != SCION_FTI_B)
        rc = skip(sink, &unused);
    for (b = 0; at_end && b < image->nblocks && rc == 0; b++)
        rc = write_records(sink, image, b);
    return rc;
}

int scion_fti_write(struct scion_fti_sink *sink, const struct scion_fti_image *image,
                    const void *const *data)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    unsigned char fb[SCION_FTI_FB_MOST];
    int rc = 0;

    scion_fti_fb_encode(image->era, &image->fb, fb);
    if (!layout->fb_at_end)
        rc = sink->write(sink, fb, (size_t)layout->fb_bytes);
    if (rc == 0)
        rc = write_blocks(sink, image, data);
    if (rc == 0 && layout->fb_at_end)
        rc = sink->write(sink, fb, (size_t)layout->fb_bytes);
    return rc;
}

/* ---- digests ---- */

/* A sink that only computes the digest of what it is given. */
struct digest_sink {
    struct scion_fti_sink sink;
    struct md5_ctx md5;
};

static int digest_write(struct scion_fti_sink *sink, const void *from, size_t bytes)
{
    md5_update(&((struct digest_sink *)sink)->md5, bytes, from);
    return 0;
}

static int digest_skip(struct scion_fti_sink *sink, sion_int64 bytes)
{
    static const unsigned char zeros[4096];

    for (; bytes > 0; bytes -= (sion_int64)sizeof zeros)
        digest_write(sink, zeros, bytes < (sion_int64)sizeof zeros ? (size_t)bytes : sizeof zeros);
    return 0;
}

static void hash_hashes(const struct scion_fti_image *image, struct md5_ctx *md5)
{
    int i;

    for (i = 0; i < image->nvars; i++) {
        if (image->flags[i] & SCION_FTI_CONTENT)
            md5_update(md5, SCION_MD5_BYTES, image->hashes[i]);
    }
}

/* A: of all bytes after the file block. B: of all data. Later: of the containers' digests. */
static int compute_checksum(struct scion_fti_image *image, const void *const *data,
                            unsigned char whole_data[SCION_MD5_BYTES])
{
    struct digest_sink whole = {.sink = {.write = digest_write, .skip = digest_skip}};
    unsigned char digest[SCION_MD5_BYTES];
    int rc = 0;

    if (image->era == SCION_FTI_B) {
        scion_fti_hex(whole_data, image->fb.checksum);
        return 0;
    }
    md5_init(&whole.md5);
    if (scion_fti_layout(image->era)->fb_at_end)
        hash_hashes(image, &whole.md5);
    else
        rc = write_blocks(&whole.sink, image, data);
    scion_md5_final(&whole.md5, digest);
    scion_fti_hex(digest, image->fb.checksum);
    return rc;
}

int scion_fti_seal(struct scion_fti_image *image, const void *const *data, long long threads,
                   sion_int64 ckptid, sion_int64 timestamp)
{
    unsigned char whole[SCION_MD5_BYTES];

    image->hashes = calloc((size_t)image->nvars + 1, sizeof *image->hashes);
    if (!image->hashes)
        return scion_fail_memory("structure of a checkpoint");
    scion_fti_digest(image, data, threads, whole);
    image->fb.ckptid = ckptid;
    image->fb.maxfs = image->fb.ptfs = -1;
    image->fb.timestamp = timestamp;
    return compute_checksum(image, data, whole);
}

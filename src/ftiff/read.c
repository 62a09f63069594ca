#include "ftiff/read.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"

enum { PIECE = 4096 /* bytes of records that are read at a time */ };

static int memory_read(struct scion_fti_source *source, void *to, size_t bytes, sion_int64 offset)
{
    memcpy(to, ((struct scion_fti_memory *)source)->bytes + offset, bytes);
    return 0;
}

void scion_fti_memory(struct scion_fti_memory *memory, const void *bytes, size_t size)
{
    *memory = (struct scion_fti_memory){.source = {.size = (sion_int64)size, .read = memory_read},
                                        .bytes = bytes};
}

int scion_fti_read_fb(struct scion_fti_source *source, enum scion_fti_era era,
                      unsigned char bytes[SCION_FTI_FB_MOST])
{
    const struct scion_fti_layout *layout = scion_fti_layout(era);

    return source->read(source, bytes, (size_t)layout->fb_bytes,
                        layout->fb_at_end ? source->size - layout->fb_bytes : 0);
}

/* ---- records ---- */

static int add_block(struct scion_fti_image *image, int32_t numvars, sion_int64 dbsize,
                     int *capacity)
{
    sion_int64 vars = (sion_int64)image->nvars + numvars;
    int rc = 0;

    if (image->nblocks == INT_MAX / 2 || vars > INT_MAX / 2)
        return scion_fail(SION_ERR_DAMAGED, "more containers than a checkpoint can have");
    if (vars > capacity[1] || image->nblocks == capacity[0]) {
        capacity[0] = image->nblocks + image->nblocks / 2 + 1;
        capacity[1] = (int)(vars + vars / 2);
        rc = scion_fti_image_reserve(image, capacity[0], capacity[1]);
    }
    if (rc == 0)
        image->blocks[image->nblocks++] =
            (struct scion_fti_block){.dbsize = dbsize, .numvars = numvars, .first = image->nvars};
    return rc;
}

/* Containers of the last block; they lie within the file. */
static int read_vars(struct scion_fti_source *source, struct scion_fti_image *image, int32_t n,
                     sion_int64 place)
{
    size_t bytes = (size_t)scion_fti_layout(image->era)->var_bytes;
    unsigned char piece[PIECE];
    int32_t done, i;

    for (done = 0; done < n;) {
        int32_t now = n - done < (int32_t)(PIECE / bytes) ? n - done : (int32_t)(PIECE / bytes);
        int rc = source->read(source, piece, (size_t)now * bytes, place);

        if (rc != 0)
            return rc;
        for (i = 0; i < now; i++)
            scion_fti_var_decode(image->era, piece + (size_t)i * bytes,
                                 &image->vars[image->nvars++]);
        done += now;
        place += now * (sion_int64)bytes;
    }
    return 0;
}

/* The block at *place, which is then where the next one is; all records lie before end. */
static int read_block(struct scion_fti_source *source, struct scion_fti_image *image,
                      sion_int64 *place, sion_int64 end, int *capacity)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    unsigned char bytes[SCION_FTI_DB_MOST];
    sion_int64 left = end - *place, dbsize;
    int32_t numvars;
    int rc;

    if (left < layout->db_bytes)
        return scion_fail(SION_ERR_DAMAGED, "block %d is cut off", image->nblocks);
    rc = source->read(source, bytes, (size_t)layout->db_bytes, *place);
    if (rc != 0)
        return rc;
    scion_fti_db_decode(image->era, bytes, &numvars, &dbsize);
    if (numvars <= 0 || numvars > (left - layout->db_bytes) / layout->var_bytes)
        return scion_fail(SION_ERR_DAMAGED, "block %d: numvars is %d", image->nblocks, numvars);
    if (dbsize < (layout->fb_at_end ? 0 : scion_fti_block_records(image->era, numvars)))
        return scion_fail(SION_ERR_DAMAGED, "block %d: dbsize is %lld", image->nblocks, dbsize);
    rc = add_block(image, numvars, dbsize, capacity);
    if (rc == 0)
        rc = read_vars(source, image, numvars, *place + layout->db_bytes);
    if (layout->fb_at_end)
        *place += scion_fti_block_records(image->era, numvars);
    else
        *place = dbsize > left ? end : *place + dbsize;
    return rc;
}

/*
 * Blocks up to the end of the records. In B the file may end before the last containers do, which
 * have no content then.
 */
static int read_blocks(struct scion_fti_source *source, struct scion_fti_image *image)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    sion_int64 place = layout->fb_at_end ? image->fb.datasize : layout->fb_bytes;
    sion_int64 end = layout->fb_at_end ? source->size - layout->fb_bytes : source->size;
    int capacity[2] = {0, 0}, rc = 0;

    if (place < 0 || place > end)
        return scion_fail(SION_ERR_DAMAGED, "dataSize is %lld in a file of %lld bytes", place,
                          source->size);
    while (place < end && rc == 0)
        rc = read_block(source, image, &place, end, capacity);
    return rc;
}

/* ---- digests of digests ---- */

/*
 * Hashes that no digest covers: this library writes 0 there, others what the container had before,
 * in which so many zeros do not occur.
 */
static int check_unused_hashes(const struct scion_fti_image *image)
{
    int i, k;

    for (i = 0; i < image->nvars; i++) {
        const struct scion_fti_var *var = &image->vars[i];
        int zeros = 0;

        for (k = 0; k < SCION_MD5_BYTES; k++)
            zeros += var->hash[k] == 0;
        if (!var->hascontent && zeros > SCION_MD5_BYTES / 2 && zeros < SCION_MD5_BYTES)
            return scion_fail(SION_ERR_DAMAGED, "variable %d, container %d: the hash is damaged",
                              var->id, var->containerid);
    }
    return 0;
}

static int check_hashes(const struct scion_fti_image *image)
{
    char of_content[SCION_FTI_HEX], of_all[SCION_FTI_HEX];

    scion_fti_hash_of_hashes(image, 0, of_content);
    scion_fti_hash_of_hashes(image, 1, of_all);
    if (strcmp(image->fb.checksum, of_content) == 0)
        return check_unused_hashes(image);
    if (strcmp(image->fb.checksum, of_all) == 0)
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "the checksum is %s, but that of the hashes %s",
                      image->fb.checksum, of_content);
}

/* ---- which release wrote it ---- */

static int check_size(const struct scion_fti_source *source, const struct scion_fti_image *image)
{
    sion_int64 fs = image->fb.fs;

    if (fs == source->size || (image->era == SCION_FTI_B && source->size < fs))
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "the file has %lld bytes, but should have %lld",
                      source->size, fs);
}

/* In B the last containers may lie behind the end of the file only if they are empty. */
static int check_ends(const struct scion_fti_source *source, const struct scion_fti_image *image)
{
    int i;

    for (i = 0; i < image->nvars; i++) {
        const struct scion_fti_var *var = &image->vars[i];

        if (var->hascontent && var->chunksize > source->size - var->fptr)
            return scion_fail(SION_ERR_DAMAGED, "variable %d, container %d is cut off", var->id,
                              var->containerid);
    }
    return 0;
}

static int read_as(struct scion_fti_source *source, const unsigned char *fb,
                   struct scion_fti_image *image)
{
    int rc;

    scion_fti_fb_decode(image->era, fb, &image->fb);
    rc = check_size(source, image);
    if (rc == 0)
        rc = read_blocks(source, image);
    if (rc == 0)
        rc = scion_fti_image_sort(image);
    if (rc == 0)
        rc = scion_fti_image_check(image, source->is_differential);
    if (rc == 0)
        rc = check_ends(source, image);
    if (rc == 0 && scion_fti_layout(image->era)->has_id)
        rc = check_hashes(image);
    return rc;
}

/* Whether the file block of an era is there. *plausible: something like one is. */
static int look_for(struct scion_fti_source *source, enum scion_fti_era era,
                    unsigned char fb[SCION_FTI_FB_MOST], int *found, int *plausible)
{
    int rc;

    *found = 0;
    if (source->size < scion_fti_layout(era)->fb_bytes)
        return 0;
    rc = scion_fti_read_fb(source, era, fb);
    if (rc == 0) {
        *found = scion_fti_fb_valid(era, fb);
        *plausible |= scion_fti_fb_plausible(fb);
    }
    return rc;
}

static int not_found(int plausible)
{
    if (plausible)
        return scion_fail(SION_ERR_DAMAGED, "the file block is damaged");
    return scion_fail(SION_ERR_NOT_SION, "not an FTI-FF checkpoint, or cut off");
}

/*
 * C and D have the same file block: D is tried where C makes no sense. A file that makes sense as
 * neither is refused with the first reason.
 */
int scion_fti_read(struct scion_fti_source *source, struct scion_fti_image *image)
{
    int rc = 0, found, plausible = 0, last = -1, era;
    unsigned char fb[SCION_FTI_FB_MOST];
    char reason[SCION_ERROR_TEXT] = "";
    int code = 0;

    *image = (struct scion_fti_image){.era = SCION_FTI_A};
    for (era = 0; era < SCION_FTI_ERAS; era++) {
        rc = look_for(source, (enum scion_fti_era)era, fb, &found, &plausible);
        if (rc != 0)
            return rc;
        if (!found)
            continue;
        last = era;
        image->era = (enum scion_fti_era)era;
        rc = read_as(source, fb, image);
        if (rc == 0)
            return 0;
        if (code == 0) {
            code = rc;
            memcpy(reason, scion_error_text(), sizeof reason);
        }
        scion_fti_image_clear(image);
    }
    return last < 0 ? not_found(plausible) : scion_fail(code, "%s", reason);
}

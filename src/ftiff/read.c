#include "ftiff/read.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "ftiff/records.h"

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

/* ---- blocks ---- */

/* A structure that is being read: its parts are counted first, so that it takes no more memory than
   it needs. */
struct reader {
    struct scion_fti_source *source;
    struct scion_fti_image *image;
    sion_int64 blocks, vars; /* counted */
};

/* A block whose records begin at `place`. */
typedef int block_function(struct reader *reader, sion_int64 place, int32_t numvars,
                           sion_int64 dbsize);

static int count_block(struct reader *reader, sion_int64 place, int32_t numvars, sion_int64 dbsize)
{
    (void)place, (void)dbsize;
    reader->blocks++;
    reader->vars += numvars;
    if (reader->vars > INT_MAX / 2)
        return scion_fail(SION_ERR_DAMAGED, "more containers than a checkpoint can have");
    return 0;
}

static int read_records(struct reader *reader, sion_int64 place, int32_t numvars)
{
    struct scion_fti_source *source = reader->source;
    struct scion_fti_image *image = reader->image;
    struct scion_fti_records records;
    struct scion_fti_record record;
    int rc = 0;

    scion_fti_records(&records, source, image->era, place, numvars);
    for (; numvars > 0 && rc == 0; numvars--) {
        rc = scion_fti_next_record(&records, &record);
        if (rc == 0)
            rc = scion_fti_record_check(&record);
        if (rc != 0)
            return rc;
        image->flags[image->nvars] = (unsigned char)((record.hascontent ? SCION_FTI_CONTENT : 0) |
                                                     (record.hasckpt ? SCION_FTI_CKPT : 0));
        if (image->idx)
            image->idx[image->nvars] = record.idx;
        image->vars[image->nvars++] = record.var;
    }
    return 0;
}

static int fill_block(struct reader *reader, sion_int64 place, int32_t numvars, sion_int64 dbsize)
{
    struct scion_fti_image *image = reader->image;
    sion_int64 size;
    int rc;

    if (image->nblocks == reader->blocks || numvars > reader->vars - image->nvars)
        return scion_fail(SION_ERR_DAMAGED, "the file is being changed");
    rc = read_records(reader, place, numvars);
    if (rc != 0)
        return rc;
    image->first[image->nblocks + 1] = image->nvars;
    size = scion_fti_block_size(image, image->nblocks);
    if (size != dbsize)
        return scion_fail(SION_ERR_DAMAGED, "block %d: dbsize is %lld", image->nblocks, dbsize);
    image->nblocks++;
    return 0;
}

/* Read the block record at `place`: how many containers, which are before end, and how many
   bytes. */
static int read_block(const struct reader *reader, sion_int64 place, sion_int64 end,
                      int32_t *numvars, sion_int64 *dbsize)
{
    enum scion_fti_era era = reader->image->era;
    const struct scion_fti_layout *layout = scion_fti_layout(era);
    unsigned char bytes[SCION_FTI_DB_MOST];
    sion_int64 left = end - place;
    int rc;

    if (left < layout->db_bytes)
        return scion_fail(SION_ERR_DAMAGED, "a block is cut off");
    rc = reader->source->read(reader->source, bytes, (size_t)layout->db_bytes, place);
    if (rc != 0)
        return rc;
    scion_fti_db_decode(era, bytes, numvars, dbsize);
    if (*numvars <= 0 || *numvars > (left - layout->db_bytes) / layout->var_bytes)
        return scion_fail(SION_ERR_DAMAGED, "numvars of a block is %d", *numvars);
    if (*dbsize < (layout->fb_at_end ? 0 : scion_fti_block_records(era, *numvars)))
        return scion_fail(SION_ERR_DAMAGED, "dbsize of a block is %lld", *dbsize);
    return 0;
}

/*
 * Read blocks up to the end of the records. In B the file may end before the last containers do;
 * these then have no content.
 */
static int visit_blocks(struct reader *reader, block_function *visit)
{
    const struct scion_fti_image *image = reader->image;
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);
    sion_int64 place = layout->fb_at_end ? image->fb.datasize : layout->fb_bytes;
    sion_int64 end = reader->source->size - (layout->fb_at_end ? layout->fb_bytes : 0);
    int rc = 0;

    if (place < 0 || place > end)
        return scion_fail(SION_ERR_DAMAGED, "dataSize is %lld in a file of %lld bytes", place,
                          reader->source->size);
    while (place < end && rc == 0) {
        sion_int64 dbsize = 0, bytes;
        int32_t numvars = 0;

        rc = read_block(reader, place, end, &numvars, &dbsize);
        if (rc == 0)
            rc = visit(reader, place + layout->db_bytes, numvars, dbsize);
        bytes = layout->fb_at_end ? scion_fti_block_records(image->era, numvars) : dbsize;
        place = bytes > end - place ? end : place + bytes;
    }
    return rc;
}

static int read_blocks(struct scion_fti_source *source, struct scion_fti_image *image)
{
    struct reader reader = {.source = source, .image = image};
    int rc = visit_blocks(&reader, count_block);

    if (rc == 0)
        rc = scion_fti_image_reserve(image, reader.blocks, reader.vars);
    if (rc == 0)
        rc = visit_blocks(&reader, fill_block);
    if (rc == 0)
        scion_fti_image_sort(image);
    return rc;
}

/* ---- digests of digests ---- */

static int is_damaged_zero(const unsigned char hash[SCION_MD5_BYTES])
{
    int zeros = 0, k;

    for (k = 0; k < SCION_MD5_BYTES; k++)
        zeros += hash[k] == 0;
    return zeros > SCION_MD5_BYTES / 2 && zeros < SCION_MD5_BYTES;
}

/*
 * Hashes that no digest covers: this library writes 0, and others leave an old hash, which is never
 * all zeros.
 */
static int check_unused_hashes(struct scion_fti_source *source, const struct scion_fti_image *image)
{
    struct scion_fti_cursor cursor;
    struct scion_fti_record record;
    int rc = 0;

    scion_fti_cursor(&cursor, source, image);
    while (rc == 0 && cursor.next < image->nvars) {
        rc = scion_fti_cursor_next(&cursor, &record);
        if (rc == 0 && !record.hascontent && is_damaged_zero(record.hash))
            rc = scion_fail(SION_ERR_DAMAGED, "variable %d, container %d: the hash is damaged",
                            record.var.id, record.var.containerid);
    }
    return rc;
}

static int check_hashes(struct scion_fti_source *source, struct scion_fti_image *image)
{
    char of_content[SCION_FTI_HEX], of_all[SCION_FTI_HEX];
    int rc = scion_fti_hash_of_hashes(source, image, of_content, of_all);

    if (rc != 0)
        return rc;
    if (strcmp(image->fb.checksum, of_content) == 0)
        return check_unused_hashes(source, image);
    image->counts_empty = strcmp(image->fb.checksum, of_all) == 0;
    if (image->counts_empty)
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "the checksum is %s, but that of the hashes %s",
                      image->fb.checksum, of_content);
}

/* ---- which release wrote it ---- */

static int check_size(const struct scion_fti_source *source, const struct scion_fti_image *image)
{
    if (scion_fti_is_size(image, source->size))
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "the file has %lld bytes, but should have %lld",
                      source->size, image->fb.fs);
}

/* In B the last containers may be beyond the end of the file only if they are empty. */
static int check_ends(const struct scion_fti_source *source, const struct scion_fti_image *image)
{
    int i;

    for (i = 0; i < image->nvars; i++) {
        const struct scion_fti_var *var = &image->vars[i];

        if (var->chunksize > 0 && var->chunksize > source->size - var->fptr)
            return scion_fail(SION_ERR_DAMAGED, "variable %d, container %d is cut off", var->id,
                              var->containerid);
    }
    return 0;
}

/* *is_walked: 1 if at least the records fit this layout. */
static int read_as(struct scion_fti_source *source, const unsigned char *fb,
                   struct scion_fti_image *image, int *is_walked)
{
    int rc;

    scion_fti_fb_decode(image->era, fb, &image->fb);
    rc = check_size(source, image);
    if (rc == 0)
        rc = read_blocks(source, image);
    *is_walked = rc == 0;
    if (rc == 0)
        rc = scion_fti_image_check(image);
    if (rc == 0)
        rc = check_ends(source, image);
    if (rc == 0 && scion_fti_layout(image->era)->has_id)
        rc = check_hashes(source, image);
    return rc;
}

/* Whether the file block of an era is there. *plausible: bytes that look like one are there. */
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

/* Why a file is refused, according to the layout that fits best. */
struct refusal {
    int code, is_walked; /* code 0: none yet */
    char reason[SCION_ERROR_TEXT];
};

static void refuse(struct refusal *refusal, int code, int is_walked)
{
    if (refusal->code != 0 && refusal->is_walked >= is_walked)
        return;
    refusal->code = code;
    refusal->is_walked = is_walked;
    memcpy(refusal->reason, scion_error_text(), sizeof refusal->reason);
}

/*
 * C and D have the same file block: D is tried if C does not fit. Data may also begin with the file
 * block of another checkpoint.
 */
int scion_fti_read(struct scion_fti_source *source, struct scion_fti_image *image)
{
    int rc = 0, found, plausible = 0, is_walked, era;
    unsigned char fb[SCION_FTI_FB_MOST];
    struct refusal refusal = {.code = 0};

    *image = (struct scion_fti_image){.era = SCION_FTI_A};
    for (era = 0; era < SCION_FTI_ERAS; era++) {
        rc = look_for(source, (enum scion_fti_era)era, fb, &found, &plausible);
        if (rc != 0)
            return rc;
        if (!found)
            continue;
        image->era = (enum scion_fti_era)era;
        rc = read_as(source, fb, image, &is_walked);
        if (rc == 0)
            return 0;
        refuse(&refusal, rc, is_walked);
        scion_fti_image_clear(image);
    }
    return refusal.code == 0 ? not_found(plausible)
                             : scion_fail(refusal.code, "%s", refusal.reason);
}

/* Digests of a checkpoint, compared with its data. */
#include "ftiff/read.h"

#include <string.h>

#include "base/error.h"
#include "ftiff/records.h"

enum { PIECE = 1 << 16 };

/* A verification in progress. */
struct walk {
    struct scion_fti_source *source;
    const struct scion_fti_image *image;
    const struct scion_fti_visitor *visitor;
    struct md5_ctx whole; /* A: all bytes after the file block; B: all data */
    int first_damage;     /* its code; 0: none */
    char text[SCION_ERROR_TEXT];
    struct scion_fti_cursor cursor;
    unsigned char piece[PIECE];
};

/* Damage does not end the walk: the next container may be damaged, too. */
static void note(struct walk *walk, int code)
{
    if (walk->visitor->damage)
        walk->visitor->damage(walk->visitor->data, scion_error_text());
    if (walk->first_damage == 0) {
        walk->first_damage = code;
        strcpy(walk->text, scion_error_text());
    }
}

static void note_var(struct walk *walk, const struct scion_fti_var *var, const char *what)
{
    note(walk,
         scion_fail(SION_ERR_DAMAGED, "variable %d, container %d (%lld bytes at offset %lld): %s",
                    var->id, var->containerid, var->chunksize, var->fptr, what));
}

/*
 * Read bytes of the file into one or two digests, and into `target` if it is not NULL. In A
 * everything goes into the digest of the whole file.
 */
static int hash_range(struct walk *walk, struct md5_ctx *md5, struct md5_ctx *second, void *target,
                      sion_int64 bytes, sion_int64 place)
{
    while (bytes > 0) {
        size_t now = bytes < PIECE ? (size_t)bytes : PIECE;
        void *to = target ? target : walk->piece;
        int rc = walk->source->read(walk->source, to, now, place);

        if (rc != 0)
            return rc;
        if (md5)
            md5_update(md5, now, to);
        if (second)
            md5_update(second, now, to);
        if (target)
            target = (char *)target + now;
        bytes -= (sion_int64)now;
        place += (sion_int64)now;
    }
    return 0;
}

static int verify_chunk(struct walk *walk, int index, const unsigned char hash[SCION_MD5_BYTES])
{
    const struct scion_fti_var *var = &walk->image->vars[index];
    const struct scion_fti_visitor *visitor = walk->visitor;
    int hashes_data = walk->image->era <= SCION_FTI_B, rc;
    unsigned char digest[SCION_MD5_BYTES];
    struct md5_ctx md5;
    void *target;

    if (var->chunksize == 0)
        return 0;
    target = visitor->target ? visitor->target(visitor->data, walk->image, index) : NULL;
    if (visitor->target && !target && !hashes_data)
        return 0;
    md5_init(&md5);
    rc = hash_range(walk, &md5, hashes_data ? &walk->whole : NULL, target, var->chunksize,
                    var->fptr);
    if (rc != 0)
        return rc;
    scion_md5_final(&md5, digest);
    if (memcmp(digest, hash, sizeof digest) != 0)
        note_var(walk, var, "the data do not match their MD5");
    return 0;
}

static int is_zero(const unsigned char *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* The bytes of a container after its content, as far as the file has them. */
static int verify_rest(struct walk *walk, const struct scion_fti_var *var)
{
    sion_int64 place = var->fptr + var->chunksize, end = var->fptr + var->containersize;

    if (walk->image->era == SCION_FTI_A)
        return hash_range(walk, &walk->whole, NULL, NULL, end - place, place);
    if (!walk->visitor->is_thorough || walk->source->is_differential)
        return 0;
    if (end > walk->source->size)
        end = walk->source->size;
    while (place < end) {
        size_t now = end - place < PIECE ? (size_t)(end - place) : PIECE;
        int rc = walk->source->read(walk->source, walk->piece, now, place);

        if (rc != 0)
            return rc;
        if (!is_zero(walk->piece, now)) {
            note_var(walk, var, "the unused bytes after the data are not 0");
            return 0;
        }
        place += (sion_int64)now;
    }
    return 0;
}

static int verify_block(struct walk *walk, int b, sion_int64 place)
{
    const struct scion_fti_image *image = walk->image;
    struct scion_fti_record record;
    int rc = 0, i;

    if (image->era == SCION_FTI_A)
        rc = hash_range(walk, &walk->whole, NULL, NULL,
                        scion_fti_block_records(SCION_FTI_A, scion_fti_numvars(image, b)), place);
    for (i = image->first[b]; i < image->first[b + 1] && rc == 0; i++) {
        rc = scion_fti_cursor_next(&walk->cursor, &record);
        if (rc == 0)
            rc = verify_chunk(walk, i, record.hash);
        if (rc == 0)
            rc = verify_rest(walk, &image->vars[i]);
    }
    return rc;
}

/* The digest over everything, in eras that have one. */
static void verify_whole(struct walk *walk)
{
    unsigned char digest[SCION_MD5_BYTES];
    char text[SCION_FTI_HEX];

    if (walk->image->era > SCION_FTI_B || walk->first_damage != 0)
        return;
    scion_md5_final(&walk->whole, digest);
    scion_fti_hex(digest, text);
    if (strcmp(text, walk->image->fb.checksum) != 0)
        note(walk, scion_fail(SION_ERR_DAMAGED, "the MD5 of %s is %s, not %s",
                              walk->image->era == SCION_FTI_A ? "all bytes after the file block"
                                                              : "all data",
                              text, walk->image->fb.checksum));
}

int scion_fti_verify(struct scion_fti_source *source, const struct scion_fti_image *image,
                     const struct scion_fti_visitor *visitor)
{
    struct walk walk = {.source = source, .image = image, .visitor = visitor};
    sion_int64 place = scion_fti_layout(image->era)->fb_bytes;
    int rc = 0, b;

    md5_init(&walk.whole);
    scion_fti_cursor(&walk.cursor, source, image);
    for (b = 0; b < image->nblocks && rc == 0; b++) {
        rc = verify_block(&walk, b, place);
        place += scion_fti_block_size(image, b);
    }
    if (rc != 0)
        return rc;
    verify_whole(&walk);
    return walk.first_damage == 0 ? 0 : scion_fail(walk.first_damage, "%s", walk.text);
}

#include "ftiff/records.h"

void scion_fti_records(struct scion_fti_records *records, struct scion_fti_source *source,
                       enum scion_fti_era era, sion_int64 place, int32_t n)
{
    records->source = source;
    records->era = era;
    records->place = place;
    records->unread = n;
    records->there = records->at = 0;
}

static int read_piece(struct scion_fti_records *records)
{
    size_t bytes = (size_t)scion_fti_layout(records->era)->var_bytes;
    int32_t most = (int32_t)(sizeof records->piece / bytes);
    int32_t now = records->unread < most ? records->unread : most;
    int rc =
        records->source->read(records->source, records->piece, (size_t)now * bytes, records->place);

    if (rc != 0)
        return rc;
    records->place += now * (sion_int64)bytes;
    records->unread -= now;
    records->there = now;
    records->at = 0;
    return 0;
}

int scion_fti_next_record(struct scion_fti_records *records, struct scion_fti_record *record)
{
    size_t bytes = (size_t)scion_fti_layout(records->era)->var_bytes;
    int rc = records->at == records->there ? read_piece(records) : 0;

    if (rc != 0)
        return rc;
    scion_fti_record_decode(records->era, records->piece + (size_t)records->at * bytes, record);
    records->at++;
    return 0;
}

/* ---- all of a checkpoint ---- */

static void enter_block(struct scion_fti_cursor *cursor)
{
    const struct scion_fti_image *image = cursor->image;

    scion_fti_records(&cursor->records, cursor->records.source, image->era,
                      cursor->place + scion_fti_layout(image->era)->db_bytes,
                      scion_fti_numvars(image, cursor->block));
}

void scion_fti_cursor(struct scion_fti_cursor *cursor, struct scion_fti_source *source,
                      const struct scion_fti_image *image)
{
    const struct scion_fti_layout *layout = scion_fti_layout(image->era);

    cursor->image = image;
    cursor->block = cursor->next = 0;
    cursor->place = layout->fb_at_end ? image->fb.datasize : layout->fb_bytes;
    cursor->records.source = source;
    if (image->nblocks > 0)
        enter_block(cursor);
}

static void leave_block(struct scion_fti_cursor *cursor)
{
    const struct scion_fti_image *image = cursor->image;

    cursor->place +=
        scion_fti_layout(image->era)->fb_at_end
            ? scion_fti_block_records(image->era, scion_fti_numvars(image, cursor->block))
            : scion_fti_block_size(image, cursor->block);
    cursor->block++;
    enter_block(cursor);
}

int scion_fti_cursor_next(struct scion_fti_cursor *cursor, struct scion_fti_record *record)
{
    int rc;

    if (cursor->next == cursor->image->first[cursor->block + 1])
        leave_block(cursor);
    rc = scion_fti_next_record(&cursor->records, record);
    cursor->next += rc == 0;
    return rc;
}

static void finish(struct md5_ctx *md5, char text[SCION_FTI_HEX])
{
    unsigned char digest[SCION_MD5_BYTES];

    scion_md5_final(md5, digest);
    scion_fti_hex(digest, text);
}

int scion_fti_hash_of_hashes(struct scion_fti_source *source, const struct scion_fti_image *image,
                             char of_content[SCION_FTI_HEX], char of_all[SCION_FTI_HEX])
{
    struct scion_fti_cursor cursor;
    struct scion_fti_record record;
    struct md5_ctx content, all;
    int rc = 0;

    md5_init(&content);
    md5_init(&all);
    scion_fti_cursor(&cursor, source, image);
    while (rc == 0 && cursor.next < image->nvars) {
        rc = scion_fti_cursor_next(&cursor, &record);
        if (rc == 0 && record.hascontent)
            md5_update(&content, SCION_MD5_BYTES, record.hash);
        if (rc == 0)
            md5_update(&all, SCION_MD5_BYTES, record.hash);
    }
    finish(&content, of_content);
    finish(&all, of_all);
    return rc;
}

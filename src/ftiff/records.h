/*
 * The records of a checkpoint's containers, read from the source again in their order, because
 * memory does not hold all of them (image.h).
 */
#ifndef SCION_FTIFF_RECORDS_H
#define SCION_FTIFF_RECORDS_H

#include "ftiff/read.h"

/* Records that are one after the other. */
struct scion_fti_records {
    struct scion_fti_source *source;
    enum scion_fti_era era;
    sion_int64 place;          /* of what has not been read yet */
    int32_t unread, there, at; /* there: records in piece, of which `at` have been given out */
    unsigned char piece[4096];
};

/* n records at `place`; they are within the source. */
void scion_fti_records(struct scion_fti_records *records, struct scion_fti_source *source,
                       enum scion_fti_era era, sion_int64 place, int32_t n);

/* To be called at most n times. 0 or an error code. */
int scion_fti_next_record(struct scion_fti_records *records, struct scion_fti_record *record);

/* All records of a checkpoint, block by block. */
struct scion_fti_cursor {
    const struct scion_fti_image *image;
    int block, next;  /* next: the container whose record is to come */
    sion_int64 place; /* of the block's block record */
    struct scion_fti_records records;
};

/* image: as it was read from the source; both must live as long. */
void scion_fti_cursor(struct scion_fti_cursor *cursor, struct scion_fti_source *source,
                      const struct scion_fti_image *image);

/* The record of container cursor->next. To be called at most nvars times. 0 or an error code. */
int scion_fti_cursor_next(struct scion_fti_cursor *cursor, struct scion_fti_record *record);

/*
 * The digest of the containers' digests, as text: over those with content, with which FTI compares,
 * and over all, which FTI writes from 1.3 on. 0 or an error code.
 */
int scion_fti_hash_of_hashes(struct scion_fti_source *source, const struct scion_fti_image *image,
                             char of_content[SCION_FTI_HEX], char of_all[SCION_FTI_HEX]);

#endif

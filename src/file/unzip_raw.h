/* Frames of compressed streams whose data did not shrink: their plain bytes are in the file. */
#ifndef SCION_FILE_UNZIP_RAW_H
#define SCION_FILE_UNZIP_RAW_H

#include "file/unzip_view.h"

/* What the last read has found. All zero: nothing. */
struct scion_zipped_raw {
    const struct scion_zipped_task *task; /* whose frame begins as a raw one does; NULL: none */
    sion_int64 number;                    /* of the frame */
    size_t block;                         /* of its blocks, so does this one */
};

/*
 * Read plain bytes of a frame from `from` on, without a copy, if it is as this library stores those
 * that do not shrink; they are in the frame. *is_raw 0: it is another one, or the file's guard
 * wants all of it together; there may be anything in `to`.
 */
int scion_zipped_read_raw(struct scion_zipped_raw *raw, const struct scion_zipped_task *task,
                          scion_read_some *read, struct scion_file *file, sion_int64 number,
                          size_t from, size_t bytes, unsigned char *to, int *is_raw);

#endif

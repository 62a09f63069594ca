/* Collects numbers of a file's metadata, and writes them in large pieces. */
#ifndef SCION_FILE_PIECE_WRITER_H
#define SCION_FILE_PIECE_WRITER_H

#include <stddef.h>
#include <string.h>

#include "sion_datatypes.h"

#include "vfs/vfs.h"

enum { SCION_SMALL_PIECE = 2048 };

/* In small pieces if there is no memory. */
struct scion_piece_writer {
    struct scion_file *file;
    sion_int64 offset;
    size_t filled, capacity;
    unsigned char *bytes, small[SCION_SMALL_PIECE];
};

/* all: how many bytes will come, from this offset on. */
void scion_piece_writer_begin(struct scion_piece_writer *writer, struct scion_file *file,
                              sion_int64 offset, sion_int64 all);

int scion_piece_writer_put(struct scion_piece_writer *writer, const void *data, size_t bytes);

/* rc: the result so far. Writes what is left, unless it is a failure. */
int scion_piece_writer_end(struct scion_piece_writer *writer, int rc);

/* A million of them are written, so those that do not fill a piece are only copied. */
static inline int scion_piece_writer_put_number(struct scion_piece_writer *writer,
                                                sion_int64 number)
{
    if (writer->capacity - writer->filled <= sizeof number)
        return scion_piece_writer_put(writer, &number, sizeof number);
    memcpy(writer->bytes + writer->filled, &number, sizeof number);
    writer->filled += sizeof number;
    return 0;
}

#endif

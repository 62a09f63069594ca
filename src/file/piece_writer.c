#include "file/piece_writer.h"

#include <stdlib.h>

enum { LARGEST_PIECE = 1 << 20 };

void scion_piece_writer_begin(struct scion_piece_writer *writer, struct scion_file *file,
                              sion_int64 offset, sion_int64 all)
{
    writer->file = file;
    writer->offset = offset;
    writer->filled = 0;
    writer->capacity = all < LARGEST_PIECE ? (size_t)all : LARGEST_PIECE;
    writer->bytes = writer->capacity <= SCION_SMALL_PIECE ? NULL : malloc(writer->capacity);
    if (!writer->bytes) {
        writer->bytes = writer->small;
        writer->capacity =
            writer->capacity < SCION_SMALL_PIECE ? writer->capacity : SCION_SMALL_PIECE;
    }
}

static int write_piece(struct scion_piece_writer *writer)
{
    int rc = scion_file_write(writer->file, writer->bytes, writer->filled, writer->offset, NULL);

    writer->offset += (sion_int64)writer->filled;
    writer->filled = 0;
    return rc;
}

int scion_piece_writer_end(struct scion_piece_writer *writer, int rc)
{
    if (rc == 0)
        rc = write_piece(writer);
    if (writer->bytes != writer->small)
        free(writer->bytes);
    return rc;
}

int scion_piece_writer_put(struct scion_piece_writer *writer, const void *data, size_t bytes)
{
    const char *from = data;
    int rc = 0;

    while (bytes > 0 && rc == 0) {
        size_t room = writer->capacity - writer->filled;
        size_t part = bytes < room ? bytes : room;

        memcpy(writer->bytes + writer->filled, from, part);
        writer->filled += part;
        from += part;
        bytes -= part;
        if (part == room)
            rc = write_piece(writer);
    }
    return rc;
}

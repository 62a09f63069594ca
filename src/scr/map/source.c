#include "scr/map/source.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"

/* Bytes; smaller holes are read as zeros. */
enum { PIECE = 1 << 20, HOLE_LEAST = 1 << 16 };

void scion_source_begin(struct scion_source *source, const char *base, int allow_outside)
{
    *source = (struct scion_source){.base = base, .allow_outside = allow_outside};
}

void scion_source_end(struct scion_source *source)
{
    scion_file_close(source->file);
    free(source->buffer);
    *source = (struct scion_source){0};
}

static int open_file(struct scion_source *source, const char *name)
{
    char path[SCION_PATH];
    struct stat status;
    int rc;

    if (source->file && strcmp(name, source->name) == 0)
        return 0;
    scion_file_close(source->file);
    source->file = NULL;
    rc = scion_path_inside_again(&source->inside, path, source->base, name, source->allow_outside);
    if (rc == 0)
        rc = scion_file_open(path, SCION_OPEN_READ, 0, &source->file);
    if (rc != 0)
        return rc;
    rc = scion_file_status(source->file, &status);
    if (rc != 0) {
        scion_file_close(source->file);
        source->file = NULL;
        return rc;
    }
    source->size = status.st_size;
    source->permissions = status.st_mode & 0777;
    strcpy(source->name, name); /* not longer than path */
    return 0;
}

int scion_source_open(struct scion_source *source, const struct scion_segment *segment)
{
    int rc = open_file(source, segment->file);

    if (rc == 0 && segment->length > source->size - segment->offset)
        rc = scion_fail(SION_ERR_DAMAGED, "%lld bytes at offset %lld of %s, which has %lld",
                        segment->length, segment->offset, segment->file, source->size);
    return rc;
}

int scion_source_size(struct scion_source *source, const char *name, sion_int64 *size)
{
    int rc = open_file(source, name);

    if (rc == 0)
        *size = source->size;
    return rc;
}

/* The CRC with that many zeros more, in time O(log bytes). */
static uint32_t add_zeros(uint32_t crc, sion_int64 bytes)
{
    static const unsigned char zero;
    uLong sum = crc, zeros = crc32_z(0, &zero, 1); /* of `count` zeros */
    sion_int64 count = 1;

    for (; bytes > 0; bytes /= 2) {
        if (bytes % 2 != 0)
            sum = crc32_combine(sum, zeros, (z_off_t)count);
        if (bytes > 1) {
            zeros = crc32_combine(zeros, zeros, (z_off_t)count);
            count *= 2;
        }
    }
    return (uint32_t)sum;
}

/* How many bytes to take next: of a hole that is worth it, or of data. */
static size_t next_run(struct scion_source *source, sion_int64 offset, sion_int64 rest,
                       int *is_hole)
{
    sion_int64 run = rest;

    *is_hole = 0;
    if (rest >= HOLE_LEAST)
        run = scion_file_run(source->file, offset, rest, is_hole);
    *is_hole = *is_hole && run >= HOLE_LEAST;
    if (!*is_hole)
        return run < PIECE ? (size_t)run : PIECE;
    return (uint64_t)run < SIZE_MAX ? (size_t)run : SIZE_MAX;
}

static int read_segment(struct scion_source *source, const struct scion_segment *segment,
                        uint32_t *crc, scion_sink *sink, void *data)
{
    sion_int64 done = 0;
    int rc = scion_source_open(source, segment), is_hole;

    while (done < segment->length && rc == 0) {
        size_t run = next_run(source, segment->offset + done, segment->length - done, &is_hole);

        if (!is_hole)
            rc = scion_file_read(source->file, source->buffer, run, segment->offset + done);
        if (rc == 0)
            *crc = is_hole ? add_zeros(*crc, (sion_int64)run)
                           : (uint32_t)crc32_z(*crc, source->buffer, run);
        if (rc == 0 && sink)
            rc = sink(data, is_hole ? NULL : source->buffer, run);
        done += (sion_int64)run;
    }
    return rc;
}

int scion_source_read(struct scion_source *source, const struct scion_segments *segments,
                      uint32_t *crc, scion_sink *sink, void *data)
{
    int rc = 0, i;

    *crc = (uint32_t)crc32_z(0, NULL, 0);
    if (!source->buffer)
        source->buffer = malloc(PIECE);
    if (!source->buffer)
        return scion_fail_memory("buffer");
    for (i = 0; i < segments->count && rc == 0; i++)
        rc = read_segment(source, &segments->list[i], crc, sink, data);
    return rc;
}

#include "scr/map/source.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"

enum { PIECE = 1 << 20 }; /* bytes */

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

static int read_segment(struct scion_source *source, const struct scion_segment *segment,
                        uint32_t *crc, scion_sink *sink, void *data)
{
    sion_int64 done = 0;
    int rc = scion_source_open(source, segment);

    while (done < segment->length && rc == 0) {
        sion_int64 rest = segment->length - done;
        size_t piece = rest < PIECE ? (size_t)rest : PIECE;

        rc = scion_file_read(source->file, source->buffer, piece, segment->offset + done);
        if (rc == 0)
            *crc = (uint32_t)crc32_z(*crc, source->buffer, piece);
        if (rc == 0 && sink)
            rc = sink(data, source->buffer, piece);
        done += (sion_int64)piece;
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

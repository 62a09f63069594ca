/* The bytes of segments. */
#ifndef SCION_SCR_SOURCE_H
#define SCION_SCR_SOURCE_H

#include <stdint.h>

#include "scr/map/segments.h"
#include "vfs/path.h"

/* Reads segments; keeps the last file open, as neighbours are in the same one. */
struct scion_source {
    const char *base;      /* what names are relative to */
    int allow_outside;     /* names may lead out of it */
    char name[SCION_PATH]; /* of the open file, as the map has it */
    struct scion_inside inside;
    struct scion_file *file;
    sion_int64 size;    /* of it, in bytes */
    mode_t permissions; /* of it */
    unsigned char *buffer;
};

void scion_source_begin(struct scion_source *source, const char *base, int allow_outside);
void scion_source_end(struct scion_source *source);

/* Open the file of a segment and check that the segment is in it. */
int scion_source_open(struct scion_source *source, const struct scion_segment *segment);

/* The size of a file by its name relative to the base. */
int scion_source_size(struct scion_source *source, const char *name, sion_int64 *size);

/* Takes the bytes; where bytes is NULL, they are a hole. No sink: they are dropped. 0 or an error
   code. */
typedef int scion_sink(void *data, const void *bytes, size_t size);

/* Read all segments in order: CRC-32 of all, and the bytes to a sink. A large hole takes no time.
 */
int scion_source_read(struct scion_source *source, const struct scion_segments *segments,
                      uint32_t *crc, scion_sink *sink, void *data);

#endif

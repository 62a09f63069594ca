/* Runs of bytes in files, which together make up another file. */
#ifndef SCION_SCR_SEGMENTS_H
#define SCION_SCR_SEGMENTS_H

#include <stddef.h>

#include "geometry/layout.h"

struct scion_segment {
    const char *file; /* relative to the base of names */
    sion_int64 offset, length;
};

/* A run of bytes being cut into segments. */
struct scion_segments {
    struct scion_segment *list;
    int count, capacity;
    sion_int64 bytes; /* of all */
};

/* Append bytes; if they continue the last segment, it becomes longer. file is not copied. */
int scion_segments_add(struct scion_segments *segments, const char *file, sion_int64 offset,
                       sion_int64 length);
void scion_segments_free(struct scion_segments *segments);

/*
 * Append the bytes of a task of a container: chunk b has used[b * stride] of them, 0 <= b < count.
 */
int scion_segments_add_chunks(struct scion_segments *segments, const char *file,
                              const struct scion_place *place, const sion_int64 *used,
                              size_t stride, sion_int64 count);

#endif

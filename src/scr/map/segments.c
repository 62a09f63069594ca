#include "scr/map/segments.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

int scion_segments_add(struct scion_segments *segments, const char *file, sion_int64 offset,
                       sion_int64 length)
{
    struct scion_segment *last = segments->count > 0 ? &segments->list[segments->count - 1] : NULL;

    if (length == 0)
        return 0;
    segments->bytes += length;
    if (last && strcmp(last->file, file) == 0 && last->offset + last->length == offset) {
        last->length += length;
        return 0;
    }
    if (segments->count == segments->capacity) {
        int capacity = segments->capacity > 0 ? 2 * segments->capacity : 8;
        void *list =
            segments->capacity <= INT_MAX / 2
                ? scion_array_grown(segments->list, (size_t)capacity, sizeof *segments->list)
                : NULL;

        if (!list)
            return scion_fail_memory("segments of a file");
        segments->list = list;
        segments->capacity = capacity;
    }
    segments->list[segments->count++] = (struct scion_segment){file, offset, length};
    return 0;
}

void scion_segments_free(struct scion_segments *segments)
{
    free(segments->list);
    *segments = (struct scion_segments){0};
}

int scion_segments_add_chunks(struct scion_segments *segments, const char *file,
                              const struct scion_place *place, const sion_int64 *used,
                              size_t stride, sion_int64 count)
{
    sion_int64 b, start;
    int rc = 0;

    for (b = 0; b < count && rc == 0; b++) {
        if (scion_chunk_start(place, b, &start))
            return scion_fail(SION_ERR_NO_SPACE, "chunk %lld is beyond the largest offset", b);
        rc = scion_segments_add(segments, file, start, used[(size_t)b * stride]);
    }
    return rc;
}

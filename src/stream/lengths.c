#include "stream/lengths.h"

#include <stdlib.h>

#include "base/error.h"

int scion_lengths_new(struct scion_lengths *lengths)
{
    *lengths = (struct scion_lengths){.stride = 1, .count = 1, .capacity = 1};
    lengths->used = calloc(1, sizeof *lengths->used);
    return lengths->used ? 0 : scion_fail_memory("chunk lengths");
}

void scion_lengths_view(struct scion_lengths *lengths, sion_int64 *used, size_t stride,
                        sion_int64 count)
{
    *lengths = (struct scion_lengths){.used = used, .stride = stride, .count = count};
}

void scion_lengths_free(struct scion_lengths *lengths)
{
    if (lengths->capacity > 0)
        free(lengths->used);
    free(lengths->before);
    *lengths = (struct scion_lengths){.stride = 1};
}

int scion_lengths_append(struct scion_lengths *lengths)
{
    if (lengths->count == lengths->capacity) {
        sion_int64 capacity = 2 * lengths->capacity;
        sion_int64 *used = realloc(lengths->used, (size_t)capacity * sizeof *used);

        if (!used)
            return scion_fail_memory("chunk lengths");
        lengths->used = used;
        lengths->capacity = capacity;
    }
    lengths->used[lengths->count++] = 0;
    return 0;
}

static int make_sums(struct scion_lengths *lengths)
{
    sion_int64 b;

    lengths->before = malloc((size_t)(lengths->count + 1) * sizeof *lengths->before);
    if (!lengths->before)
        return scion_fail_memory("chunk index");
    lengths->before[0] = 0;
    for (b = 0; b < lengths->count; b++)
        lengths->before[b + 1] = lengths->before[b] + scion_lengths_used(lengths, b);
    return 0;
}

int scion_lengths_before(struct scion_lengths *lengths, sion_int64 chunk, sion_int64 *bytes)
{
    int rc = 0;

    if (chunk == 0)
        *bytes = 0;
    else if (lengths->before || (rc = make_sums(lengths)) == 0)
        *bytes = lengths->before[chunk];
    return rc;
}

int scion_lengths_find(struct scion_lengths *lengths, sion_int64 offset, int later,
                       sion_int64 *chunk)
{
    sion_int64 low = 0, high = lengths->count - 1;
    int rc = lengths->before ? 0 : make_sums(lengths);

    while (rc == 0 && low < high) {
        sion_int64 middle = low + (high - low) / 2;
        sion_int64 end = lengths->before[middle + 1];

        if (end < offset || (later && end == offset))
            low = middle + 1;
        else
            high = middle;
    }
    *chunk = low;
    return rc;
}

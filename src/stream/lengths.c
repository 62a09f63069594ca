#include "stream/lengths.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stream/stream.h"

/* An array that an application has, and that has become too small. */
struct scion_old_lengths {
    struct scion_old_lengths *next;
    sion_int64 *used;
};

int scion_lengths_new(struct scion_lengths *lengths)
{
    *lengths = (struct scion_lengths){.stride = 1};
    lengths->used = calloc(1, sizeof *lengths->used);
    if (!lengths->used)
        return scion_fail_memory("chunk lengths");
    lengths->count = lengths->capacity = 1;
    return 0;
}

static int copy_column(struct scion_lengths *lengths)
{
    sion_int64 *copy = scion_array((uint64_t)lengths->count, sizeof *copy), b;

    if (!copy)
        return scion_fail_memory("chunk lengths");
    for (b = 0; b < lengths->count; b++)
        copy[b] = scion_lengths_used(lengths, b);
    lengths->used = copy;
    lengths->stride = 1;
    lengths->capacity = lengths->count;
    return 0;
}

int scion_lengths_go_on(struct scion_lengths *lengths, const struct scion_lengths *old,
                        struct scion_mark *mark)
{
    sion_int64 count = old->count, b;
    int rc;

    while (count > 1 && scion_lengths_used(old, count - 1) == 0)
        count--;
    *lengths = *old;
    lengths->count = count;
    rc = copy_column(lengths);
    if (rc != 0) {
        *lengths = (struct scion_lengths){.stride = 1};
        return rc;
    }
    scion_lengths_tell(lengths);
    *mark = (struct scion_mark){.chunk = count - 1, .pos = lengths->used[count - 1]};
    for (b = 0; b < count - 1; b++)
        mark->before += lengths->used[b];
    return 0;
}

void scion_lengths_view(struct scion_lengths *lengths, sion_int64 *used, size_t stride,
                        sion_int64 count)
{
    *lengths = (struct scion_lengths){.used = used, .stride = stride, .count = count};
}

void scion_lengths_free(struct scion_lengths *lengths)
{
    struct scion_old_lengths *shown;

    while ((shown = lengths->shown)) {
        lengths->shown = shown->next;
        free(shown->used);
        free(shown);
    }
    if (lengths->capacity > 0)
        free(lengths->used);
    free(lengths->before);
    *lengths = (struct scion_lengths){.stride = 1};
}

/* The old array stays with the application; the stream goes on with a copy. */
static sion_int64 *grow_shown(struct scion_lengths *lengths, sion_int64 capacity)
{
    struct scion_old_lengths *shown = malloc(sizeof *shown);
    sion_int64 *used = scion_array((uint64_t)capacity, sizeof *used);

    if (!shown || !used) {
        free(shown);
        free(used);
        return NULL;
    }
    memcpy(used, lengths->used, (size_t)lengths->count * sizeof *used);
    *shown = (struct scion_old_lengths){lengths->shown, lengths->used};
    lengths->shown = shown;
    lengths->is_shown = 0;
    return used;
}

static int grow(struct scion_lengths *lengths)
{
    sion_int64 capacity = 2 * lengths->capacity;
    sion_int64 *used = lengths->is_shown
                           ? grow_shown(lengths, capacity)
                           : scion_array_grown(lengths->used, (uint64_t)capacity, sizeof *used);

    if (!used)
        return scion_fail_memory("chunk lengths");
    lengths->used = used;
    lengths->capacity = capacity;
    return 0;
}

int scion_lengths_show(struct scion_lengths *lengths, sion_int64 **used)
{
    if (lengths->stride != 1 && copy_column(lengths) != 0)
        return SION_ERR_MEMORY;
    lengths->is_shown = 1;
    *used = lengths->used;
    return 0;
}

int scion_lengths_append(struct scion_lengths *lengths)
{
    if (lengths->count == lengths->capacity && grow(lengths) != 0)
        return SION_ERR_MEMORY;
    lengths->used[lengths->count++] = 0;
    return 0;
}

int scion_lengths_extend(struct scion_lengths *lengths, sion_int64 count)
{
    int rc = 0;

    while (rc == 0 && lengths->count < count)
        rc = scion_lengths_append(lengths);
    return rc;
}

/* Of very many chunks, which may all be in a hole of a small file, not every one has a sum. */
enum { MANY = 1 << 20, MANY_SHIFT = 6 };

/* before[i] is the sum of the chunks before chunk i << shift. */
static int shift_of(const struct scion_lengths *lengths)
{
    return lengths->count > MANY ? MANY_SHIFT : 0;
}

static int make_sums(struct scion_lengths *lengths)
{
    int shift = shift_of(lengths);
    sion_int64 n = (lengths->count >> shift) + 1, sum = 0, b;

    lengths->before = scion_array((uint64_t)n, sizeof *lengths->before);
    if (!lengths->before)
        return scion_fail_memory("chunk index");
    for (b = 0; b <= lengths->count; b++) {
        if (b == b >> shift << shift)
            lengths->before[b >> shift] = sum;
        if (b < lengths->count)
            sum += scion_lengths_used(lengths, b);
    }
    return 0;
}

int scion_lengths_before(struct scion_lengths *lengths, sion_int64 chunk, sion_int64 *bytes)
{
    int shift = shift_of(lengths), rc = 0;
    sion_int64 b;

    *bytes = 0;
    if (chunk == 0)
        return 0;
    if (!lengths->before)
        rc = make_sums(lengths);
    if (rc != 0)
        return rc;
    *bytes = lengths->before[chunk >> shift];
    for (b = chunk >> shift << shift; b < chunk; b++)
        *bytes += scion_lengths_used(lengths, b);
    return 0;
}

/* Whether a byte is after chunks that end there. */
static int is_after(sion_int64 offset, sion_int64 end, int later)
{
    return end < offset || (later && end == offset);
}

int scion_lengths_find(struct scion_lengths *lengths, sion_int64 offset, int later,
                       sion_int64 *chunk)
{
    int shift = shift_of(lengths), rc = lengths->before ? 0 : make_sums(lengths);
    sion_int64 last = lengths->count - 1, low = 0, high = last >> shift, end;

    while (rc == 0 && low < high) {
        sion_int64 middle = low + (high - low) / 2;

        if (is_after(offset, lengths->before[middle + 1], later))
            low = middle + 1;
        else
            high = middle;
    }
    *chunk = low << shift;
    if (rc != 0 || shift == 0)
        return rc;
    end = lengths->before[low] + scion_lengths_used(lengths, *chunk);
    while (*chunk < last && is_after(offset, end, later))
        end += scion_lengths_used(lengths, ++*chunk);
    return 0;
}

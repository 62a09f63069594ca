#include "format/strides.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

int scion_strides_reserve(struct scion_strides *strides, sion_int64 more)
{
    sion_int64 least = strides->n + more, capacity = 2 * strides->capacity;
    struct scion_stride *list;

    if (least <= strides->capacity)
        return 0;
    capacity = capacity < least ? least : capacity;
    list = scion_array_grown(strides->list, (uint64_t)capacity, sizeof *list);
    if (!list)
        return scion_fail_memory("pieces of a merged stream");
    strides->list = list;
    strides->capacity = capacity;
    return 0;
}

static int push(struct scion_strides *strides, const struct scion_stride *run)
{
    int rc = scion_strides_reserve(strides, 1);

    if (rc != 0)
        return rc;
    strides->list[strides->n++] = *run;
    strides->bytes += run->size * run->count;
    return 0;
}

/* Whether a piece goes on where the only piece of the last run ends. */
static int continues(const struct scion_stride *last, sion_int64 offset)
{
    return last->count == 1 && offset == last->offset + last->size;
}

/* Whether a piece is the next one of the last run. */
static int repeats(const struct scion_stride *last, sion_int64 offset, sion_int64 bytes)
{
    if (bytes != last->size)
        return 0;
    return last->count == 1 ? offset > last->offset + last->size
                            : offset == last->offset + last->count * last->stride;
}

int scion_strides_add_piece(struct scion_strides *strides, sion_int64 offset, sion_int64 bytes)
{
    const struct scion_stride run = {.offset = offset, .size = bytes, .count = 1};
    struct scion_stride *last = strides->n > 0 ? &strides->list[strides->n - 1] : NULL;

    if (bytes == 0)
        return 0;
    if (last && continues(last, offset)) {
        last->size += bytes;
    } else if (last && repeats(last, offset, bytes)) {
        if (last->count == 1)
            last->stride = offset - last->offset;
        last->count++;
    } else {
        return push(strides, &run);
    }
    strides->bytes += bytes;
    return 0;
}

int scion_strides_add(struct scion_strides *strides, const struct scion_stride *run)
{
    return run->count == 1 ? scion_strides_add_piece(strides, run->offset, run->size)
                           : push(strides, run);
}

int scion_strides_cut(struct scion_strides *strides, sion_int64 end)
{
    while (strides->n > 0) {
        struct scion_stride *last = &strides->list[strides->n - 1];
        sion_int64 size = last->size, over = scion_stride_end(last) - end;

        if (over <= 0)
            return 0;
        strides->bytes -= size;
        if (--last->count == 0)
            strides->n--;
        if (over < size)
            return scion_strides_add_piece(strides, end - (size - over), size - over);
    }
    return 0;
}

void scion_strides_free(struct scion_strides *strides)
{
    free(strides->list);
    *strides = (struct scion_strides){0};
}

/* A part of a piece. Returns its bytes, or an error code. */
static sion_int64 take_part(struct scion_strides_cursor *cursor, sion_int64 bytes,
                            struct scion_strides *to)
{
    const struct scion_stride *run = &cursor->from->list[cursor->run];
    sion_int64 left = run->size - cursor->done, part = bytes < left ? bytes : left;
    int rc = scion_strides_add_piece(to, run->offset + cursor->piece * run->stride + cursor->done,
                                     part);

    cursor->done += part;
    if (cursor->done == run->size) {
        cursor->done = 0;
        cursor->piece++;
    }
    return rc != 0 ? rc : part;
}

/* Whole pieces. Returns their bytes, or an error code. */
static sion_int64 take_pieces(struct scion_strides_cursor *cursor, sion_int64 bytes,
                              struct scion_strides *to)
{
    const struct scion_stride *run = &cursor->from->list[cursor->run];
    sion_int64 left = run->count - cursor->piece, n = bytes / run->size;
    struct scion_stride part = *run;
    int rc;

    part.offset += cursor->piece * run->stride;
    part.count = n < left ? n : left;
    rc = scion_strides_add(to, &part);
    cursor->piece += part.count;
    return rc != 0 ? rc : part.count * part.size;
}

int scion_strides_take(struct scion_strides_cursor *cursor, sion_int64 bytes,
                       struct scion_strides *to)
{
    while (bytes > 0 && cursor->run < cursor->from->n) {
        const struct scion_stride *run = &cursor->from->list[cursor->run];
        sion_int64 taken = cursor->done > 0 || bytes < run->size ? take_part(cursor, bytes, to)
                                                                 : take_pieces(cursor, bytes, to);

        if (taken < 0)
            return (int)taken;
        bytes -= taken;
        if (cursor->piece == run->count) {
            cursor->piece = 0;
            cursor->run++;
        }
    }
    return 0;
}

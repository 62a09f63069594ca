/*
 * Pieces of a stream, in the order of their bytes. Programs write records of equal sizes again and
 * again, so pieces of one size at one distance from each other are kept as one run. Pure.
 */
#ifndef SCION_FORMAT_STRIDES_H
#define SCION_FORMAT_STRIDES_H

#include "sion_datatypes.h"

/* `count` pieces of `size` bytes: at `offset`, offset + stride, ... */
struct scion_stride {
    sion_int64 offset, size, stride, count;
};

/* All zero: none. */
struct scion_strides {
    struct scion_stride *list; /* [n] */
    sion_int64 n, capacity;
    sion_int64 bytes; /* of all pieces */
};

/* Make room for so many runs more, so that they can be appended without a failure. */
int scion_strides_reserve(struct scion_strides *strides, sion_int64 more);

/* Append a run; constant time on average. It fails only for lack of memory. */
int scion_strides_add(struct scion_strides *strides, const struct scion_stride *run);

/* The same of one piece. */
int scion_strides_add_piece(struct scion_strides *strides, sion_int64 offset, sion_int64 bytes);

/* Drop what is at `end` and after it. The runs are in the order of their offsets. It fails only
   for lack of memory. */
int scion_strides_cut(struct scion_strides *strides, sion_int64 end);

void scion_strides_free(struct scion_strides *strides);

/* The byte after the last piece of a run. */
static inline sion_int64 scion_stride_end(const struct scion_stride *run)
{
    return run->offset + (run->count - 1) * run->stride + run->size;
}

/* How far the pieces have been taken. All zero but `from`: not at all. */
struct scion_strides_cursor {
    const struct scion_strides *from;
    sion_int64 run, piece, done; /* run, piece of it, bytes of that */
};

/* Append the next `bytes` bytes to other pieces; fewer if there are no more. */
int scion_strides_take(struct scion_strides_cursor *cursor, sion_int64 bytes,
                       struct scion_strides *to);

#endif

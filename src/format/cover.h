/*
 * Whether pieces are all bytes of a stream, each once. Pieces are added in any order, in a time
 * that does not depend on how many bytes or pieces a run has, and without memory. Pure.
 */
#ifndef SCION_FORMAT_COVER_H
#define SCION_FORMAT_COVER_H

#include <stdint.h>

#include "format/strides.h"

/* All zero: nothing is covered. */
struct scion_cover {
    uint64_t sum;
    sion_int64 bytes; /* of all pieces; -1: too many */
    sion_int64 end;   /* of the last one */
};

void scion_cover_add(struct scion_cover *cover, const struct scion_stride *run);

/* Whether the pieces are the bytes 0 .. bytes - 1. */
int scion_cover_is_whole(const struct scion_cover *cover, sion_int64 bytes);

#endif

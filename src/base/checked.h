/* Arithmetic on sizes and offsets that come from outside: each returns 1 on overflow. */
#ifndef SCION_BASE_CHECKED_H
#define SCION_BASE_CHECKED_H

#include "sion_datatypes.h"

static inline int scion_add(sion_int64 a, sion_int64 b, sion_int64 *sum)
{
    return __builtin_add_overflow(a, b, sum);
}

static inline int scion_mul(sion_int64 a, sion_int64 b, sion_int64 *product)
{
    return __builtin_mul_overflow(a, b, product);
}

/* Smallest multiple of block (> 0) that is not below value (>= 0). */
static inline int scion_round_up(sion_int64 value, sion_int64 block, sion_int64 *result)
{
    sion_int64 rest = block == 1 ? 0 : value % block; /* dividing costs more than all else here */

    return rest == 0 ? (*result = value, 0) : scion_add(value, block - rest, result);
}

#endif

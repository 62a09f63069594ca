/* Elements of one type as elements of another. Pure. */
#ifndef SCION_ARRAY_CONVERT_H
#define SCION_ARRAY_CONVERT_H

#include "array/types.h"

/*
 * Convert n elements in this machine's byte order; the memory may be at any address. Returns n, or
 * the index of the first element that the type `into` cannot represent; those before it are
 * converted. Only c128 and f64 are rounded, to f32 and its pairs; complex numbers whose imaginary
 * part is 0 are real ones, too.
 */
size_t scion_array_convert(int type, const void *from, size_t n, int into, void *to);

#endif

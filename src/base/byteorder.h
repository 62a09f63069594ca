/* Byte order of the host, and reversing the bytes of array elements. */
#ifndef SCION_BASE_BYTEORDER_H
#define SCION_BASE_BYTEORDER_H

#include <stddef.h>
#include <stdint.h>

/* 1 on a big-endian host, 0 on a little-endian one. */
int scion_host_is_big(void);

/*
 * Copy n elements of size bytes from source to target, reversing the bytes of each. target may
 * be source; otherwise the two must not overlap.
 */
void scion_swap_copy(void *target, const void *source, size_t size, size_t n);

/* Load an unaligned integer; swap != 0 reverses its bytes. */
int32_t scion_load_i32(const void *from, int swap);
int64_t scion_load_i64(const void *from, int swap);

#endif

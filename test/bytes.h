/* Writes numbers in a given byte order, without the library. */
#ifndef TEST_UNIT_BYTES_H
#define TEST_UNIT_BYTES_H

#include <stdint.h>
#include <string.h>

static inline int bytes_host_is_big(void)
{
    const union {
        uint32_t number;
        unsigned char first;
    } probe = {.number = 1};

    return probe.first == 0;
}

static inline void bytes_put(unsigned char *to, uint64_t value, int size, int big)
{
    int i;

    for (i = 0; i < size; i++)
        to[big ? size - 1 - i : i] = (unsigned char)(value >> (8 * i));
}

static inline void bytes_put_i32(unsigned char *to, long long value, int big)
{
    bytes_put(to, (uint64_t)value, 4, big);
}

static inline void bytes_put_i64(unsigned char *to, long long value, int big)
{
    bytes_put(to, (uint64_t)value, 8, big);
}

#endif

#include "base/byteorder.h"

#include <string.h>

int scion_host_is_big(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 0;
}

static void reverse(unsigned char *target, const unsigned char *source, size_t size)
{
    size_t i;

    for (i = 0; i < size - i; i++) {
        unsigned char low = source[i];

        target[i] = source[size - 1 - i];
        target[size - 1 - i] = low;
    }
}

void scion_swap_copy(void *target, const void *source, size_t size, size_t n)
{
    unsigned char *to = target;
    const unsigned char *from = source;
    size_t i;

    if (size == 0)
        return;
    for (i = 0; i < n; i++)
        reverse(to + i * size, from + i * size, size);
}

int32_t scion_load_i32(const void *from, int swap)
{
    uint32_t value;

    memcpy(&value, from, sizeof value);
    return (int32_t)(swap ? __builtin_bswap32(value) : value);
}

int64_t scion_load_i64(const void *from, int swap)
{
    uint64_t value;

    memcpy(&value, from, sizeof value);
    return (int64_t)(swap ? __builtin_bswap64(value) : value);
}

/*
 * The pieces are seen as a polynomial in which byte k is x^k; its value at one x, modulo a prime,
 * is what is kept. If a byte is in two pieces and another one in none, the polynomial is another
 * one than that of the whole stream. Its value then is the same by chance only, 1 in about 2^61.
 */
#include "format/cover.h"

#include "base/checked.h"

#define PRIME (((uint64_t)1 << 61) - 1)
#define LOW31 (((uint64_t)1 << 31) - 1)
#define LOW30 (((uint64_t)1 << 30) - 1)

/* A primitive root modulo PRIME, so that no two bytes of a file have the same power. */
static const uint64_t x = 0x171e273a7984a8ab;

/* Modulo PRIME 2^61 is 1. */
static uint64_t reduce(uint64_t number)
{
    number = (number & PRIME) + (number >> 61);
    return number >= PRIME ? number - PRIME : number;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t ah = a >> 31, al = a & LOW31, bh = b >> 31, bl = b & LOW31, middle = ah * bl + al * bh;

    return reduce(2 * ah * bh + (middle >> 30) + ((middle & LOW30) << 31) + al * bl);
}

static uint64_t power(uint64_t base, sion_int64 exponent)
{
    uint64_t result = 1;

    for (; exponent > 0; exponent >>= 1, base = times(base, base)) {
        if (exponent & 1)
            result = times(result, base);
    }
    return result;
}

/* 1 + ratio + ratio^2 + ..., so many terms. */
static uint64_t geometric(uint64_t ratio, sion_int64 terms)
{
    uint64_t result = 0, block = 1; /* of 1, 2, 4, ... terms; ratio: to its power */

    for (; terms > 0; terms >>= 1) {
        if (terms & 1)
            result = reduce(times(result, ratio) + block);
        block = reduce(times(block, ratio) + block);
        ratio = times(ratio, ratio);
    }
    return result;
}

void scion_cover_add(struct scion_cover *cover, const struct scion_stride *run)
{
    uint64_t pieces = times(power(x, run->offset), geometric(x, run->size));
    sion_int64 bytes, end = scion_stride_end(run);

    if (run->count > 1)
        pieces = times(pieces, geometric(power(x, run->stride), run->count));
    cover->sum = reduce(cover->sum + pieces);
    cover->end = end > cover->end ? end : cover->end;
    if (cover->bytes < 0 || scion_mul(run->size, run->count, &bytes) ||
        scion_add(cover->bytes, bytes, &cover->bytes))
        cover->bytes = -1;
}

int scion_cover_is_whole(const struct scion_cover *cover, sion_int64 bytes)
{
    return cover->end == bytes && cover->bytes == bytes && cover->sum == geometric(x, bytes);
}

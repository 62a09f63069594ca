#include "base/shuffle.h"

#include <stdint.h>
#include <string.h>

enum { SHUFFLE_BLOCK = 8192 };

/* n of a block's `all` elements, from number `first` on. They are few, so that they stay in the
   cache while each of their bytes is looked at. */
struct tile {
    size_t first, n, all, element;
};

static void scatter(const struct tile *tile, const unsigned char *from, unsigned char *to)
{
    size_t i, j;

    for (j = 0; j < tile->element; j++) {
        unsigned char *row = to + j * tile->all + tile->first;

        for (i = 0; i < tile->n; i++)
            row[i] = from[(tile->first + i) * tile->element + j];
    }
}

static void gather(const struct tile *tile, const unsigned char *from, unsigned char *to)
{
    size_t i, j;

    for (j = 0; j < tile->element; j++) {
        const unsigned char *row = from + j * tile->all + tile->first;

        for (i = 0; i < tile->n; i++)
            to[(tile->first + i) * tile->element + j] = row[i];
    }
}

/* ---- elements of 2, 4, 8 or 16 bytes ---- */

/*
 * The numbers of the bytes of 16 elements are bits: 4 say which element, the others which byte of
 * it. Each round rotates these numbers by a bit: as many rounds as a number of a byte has bits make
 * elements of 16 bytes of each kind, 4 more make the opposite.
 */
#if defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef MIX
#define MIX(a, b, ...) __builtin_shuffle(a, b, (vector){__VA_ARGS__})
#endif

enum { AT_ONCE = 16, MOST_FAST = 16 };

typedef unsigned char vector __attribute__((vector_size(AT_ONCE)));

static inline void rotate(vector *v, size_t element)
{
    vector mixed[MOST_FAST];
    size_t k;

#pragma GCC unroll 8
    for (k = 0; k < element / 2; k++) {
        const vector a = v[k], b = v[k + element / 2];

        mixed[2 * k] = MIX(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        mixed[2 * k + 1] = MIX(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    memcpy(v, mixed, element * sizeof *v);
}

/* Of a tile, all elements but at most 15; how many. rows: of bytes of a kind. is_back: from rows.
 */
static inline __attribute__((always_inline)) size_t turn(const struct tile *tile, size_t element,
                                                         int bits, int is_back,
                                                         const unsigned char *from,
                                                         unsigned char *to)
{
    size_t stride = tile->all, i, k;
    int round;
    vector v[MOST_FAST];

    for (i = tile->first; i + AT_ONCE <= tile->first + tile->n; i += AT_ONCE) {
#pragma GCC unroll 16
        for (k = 0; k < element; k++)
            memcpy(&v[k], is_back ? from + k * stride + i : from + i * element + k * AT_ONCE,
                   sizeof *v);
        for (round = 0; round < (is_back ? bits : 4); round++)
            rotate(v, element);
#pragma GCC unroll 16
        for (k = 0; k < element; k++)
            memcpy(is_back ? to + i * element + k * AT_ONCE : to + k * stride + i, &v[k],
                   sizeof *v);
    }
    return i - tile->first;
}

/* The rest of the tile is left. */
static void turn_fast(struct tile *tile, int is_back, const unsigned char *from, unsigned char *to)
{
    size_t done = tile->element == 2    ? turn(tile, 2, 1, is_back, from, to)
                  : tile->element == 4  ? turn(tile, 4, 2, is_back, from, to)
                  : tile->element == 8  ? turn(tile, 8, 3, is_back, from, to)
                  : tile->element == 16 ? turn(tile, 16, 4, is_back, from, to)
                                        : 0;

    tile->first += done;
    tile->n -= done;
}

/* ---- all elements ---- */

typedef void transpose(const struct tile *tile, const unsigned char *from, unsigned char *to);

/* Blocks of so many elements, the last one of fewer. */
static void shuffle(const unsigned char *from, size_t bytes, size_t element, size_t block,
                    transpose *rest, unsigned char *to)
{
    size_t left = bytes / element, all;

    for (; left > 0; left -= all, from += all * element, to += all * element) {
        struct tile tile = {.all = all = left < block ? left : block, .element = element};

        for (; tile.first < all; tile.first += tile.n) {
            tile.n = all - tile.first < SHUFFLE_BLOCK ? all - tile.first : SHUFFLE_BLOCK;
            turn_fast(&tile, rest == gather, from, to);
            rest(&tile, from, to);
        }
    }
    memcpy(to, from, bytes % element);
}

void scion_shuffle(const void *from, size_t bytes, size_t element, void *to)
{
    shuffle(from, bytes, element, SHUFFLE_BLOCK, scatter, to);
}

void scion_unshuffle(const void *from, size_t bytes, size_t element, void *to)
{
    shuffle(from, bytes, element, SHUFFLE_BLOCK, gather, to);
}

void scion_shuffle_all(const void *from, size_t bytes, size_t element, void *to)
{
    shuffle(from, bytes, element, SIZE_MAX, scatter, to);
}

void scion_unshuffle_all(const void *from, size_t bytes, size_t element, void *to)
{
    shuffle(from, bytes, element, SIZE_MAX, gather, to);
}

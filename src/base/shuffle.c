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

typedef void transpose(const struct tile *tile, const unsigned char *from, unsigned char *to);

/* Blocks of so many elements, the last one of fewer. */
static void shuffle(const unsigned char *from, size_t bytes, size_t element, size_t block,
                    transpose *turn, unsigned char *to)
{
    size_t left = bytes / element, all;

    for (; left > 0; left -= all, from += all * element, to += all * element) {
        struct tile tile = {.all = all = left < block ? left : block, .element = element};

        for (; tile.first < all; tile.first += tile.n) {
            tile.n = all - tile.first < SHUFFLE_BLOCK ? all - tile.first : SHUFFLE_BLOCK;
            turn(&tile, from, to);
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

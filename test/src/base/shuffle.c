/* The bytes of elements of every size, in blocks and all at once, against the plain loops. */
#include <stdlib.h>
#include <string.h>

#include "base/shuffle.h"
#include "check.h"

enum { BYTES = 300000, LARGEST = 64, BLOCK = 8192 };

static unsigned char plain[BYTES], wanted[BYTES], found[BYTES];

static void shuffle(size_t bytes, size_t element, size_t block)
{
    const unsigned char *from = plain;
    unsigned char *to = wanted;
    size_t left = bytes / element, n, i, j;

    memcpy(wanted, plain, bytes);
    for (; left > 0; left -= n, from += n * element, to += n * element) {
        n = left < block ? left : block;
        for (i = 0; i < n; i++) {
            for (j = 0; j < element; j++)
                to[j * n + i] = from[i * element + j];
        }
    }
}

static void compare(size_t bytes, size_t element, int is_all)
{
    shuffle(bytes, element, is_all ? bytes + 1 : BLOCK);
    found[bytes] = 77;
    (is_all ? scion_shuffle_all : scion_shuffle)(plain, bytes, element, found);
    CHECK(memcmp(found, wanted, bytes) == 0);
    (is_all ? scion_unshuffle_all : scion_unshuffle)(wanted, bytes, element, found);
    CHECK(memcmp(found, plain, bytes) == 0);
    CHECK_INT(found[bytes], 77);
}

static void every_element(int is_all)
{
    size_t element, i;

    for (element = 1; element <= LARGEST; element++) {
        for (i = 0; i < 40; i++) /* up to all ends of 16 elements */
            compare(i * element + i % element, element, is_all);
        compare((BLOCK * element + 5 * element) % (BYTES - 1), element, is_all);
        compare((size_t)rand() % (BYTES - 1), element, is_all);
    }
}

static void in_blocks(void)
{
    every_element(0);
}

static void all_at_once(void)
{
    every_element(1);
}

int main(void)
{
    size_t i;

    for (i = 0; i < BYTES; i++)
        plain[i] = (unsigned char)rand();
    RUN(in_blocks);
    RUN(all_at_once);
    return check_done();
}

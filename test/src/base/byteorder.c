/* Byte order, and arithmetic that detects overflow. */
#include "check.h"

#include <limits.h>

#include "base/byteorder.h"
#include "base/checked.h"
#include "bytes.h"

enum { ELEMENTS = 9, LARGEST = 16 };

static const size_t sizes[] = {1, 2, 3, 4, 8, 16};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void fill(unsigned char *to)
{
    check_fill(to, 1, 0, ELEMENTS * LARGEST);
}

/* Whether `to` holds the elements of `from` with their bytes reversed. */
static int is_reversed(const unsigned char *to, const unsigned char *from, size_t size)
{
    size_t i;

    for (i = 0; i < ELEMENTS * size; i++) {
        if (to[i] != from[i / size * size + (size - 1 - i % size)])
            return 0;
    }
    return 1;
}

static void the_host_order_is_known(void)
{
    CHECK_INT(scion_host_is_big(), bytes_host_is_big());
}

static void copies_are_reversed(void)
{
    unsigned char from[ELEMENTS * LARGEST], to[ELEMENTS * LARGEST + 1];
    int i;

    fill(from);
    for (i = 0; i < SIZES; i++) {
        size_t n = ELEMENTS * sizes[i];

        memset(to, 0xee, sizeof to);
        scion_swap_copy(to, from, sizes[i], ELEMENTS);
        CHECK(is_reversed(to, from, sizes[i]));
        CHECK_INT(to[n], 0xee);
        CHECK_INT(check_compare(from, 1, 0, sizeof from), -1);
    }
}

static void elements_are_reversed_in_place(void)
{
    unsigned char from[ELEMENTS * LARGEST], to[ELEMENTS * LARGEST];
    int i;

    fill(from);
    for (i = 0; i < SIZES; i++) {
        fill(to);
        scion_swap_copy(to, to, sizes[i], ELEMENTS);
        CHECK(is_reversed(to, from, sizes[i]));
        scion_swap_copy(to, to, sizes[i], ELEMENTS);
        CHECK(memcmp(to, from, sizeof to) == 0);
    }
}

static void no_elements_are_reversed_without_effect(void)
{
    unsigned char byte = 7;

    scion_swap_copy(&byte, &byte, 0, 100);
    scion_swap_copy(&byte, &byte, 8, 0);
    CHECK_INT(byte, 7);
}

static void unaligned_numbers_are_loaded(void)
{
    unsigned char bytes[16];
    int at, swap;

    for (at = 0; at < 8; at++) {
        for (swap = 0; swap < 2; swap++) {
            int big = bytes_host_is_big() ^ swap;

            bytes_put_i32(bytes + at, -1234567, big);
            CHECK_INT(scion_load_i32(bytes + at, swap), -1234567);
            bytes_put_i64(bytes + at, -123456789012345678LL, big);
            CHECK_INT(scion_load_i64(bytes + at, swap), -123456789012345678LL);
        }
    }
}

static void overflow_is_detected(void)
{
    sion_int64 result;

    CHECK_INT(scion_add(LLONG_MAX - 1, 1, &result), 0);
    CHECK_INT(result, LLONG_MAX);
    CHECK_INT(scion_add(LLONG_MAX, 1, &result), 1);
    CHECK_INT(scion_mul(1LL << 31, 1LL << 31, &result), 0);
    CHECK_INT(result, 1LL << 62);
    CHECK_INT(scion_mul(1LL << 32, 1LL << 31, &result), 1);
}

static void sizes_are_rounded_up_to_blocks(void)
{
    sion_int64 value, block, result;

    for (value = 0; value < 50; value++) {
        for (block = 1; block < 20; block++) {
            CHECK_INT(scion_round_up(value, block, &result), 0);
            CHECK(result % block == 0 && result >= value && result < value + block);
        }
    }
    CHECK_INT(scion_round_up(LLONG_MAX, LLONG_MAX, &result), 0);
    CHECK_INT(scion_round_up(LLONG_MAX, 1, &result), 0);
    CHECK_INT(scion_round_up(LLONG_MAX, 4096, &result), 1);
}

int main(void)
{
    RUN(the_host_order_is_known);
    RUN(copies_are_reversed);
    RUN(elements_are_reversed_in_place);
    RUN(no_elements_are_reversed_without_effect);
    RUN(unaligned_numbers_are_loaded);
    RUN(overflow_is_detected);
    RUN(sizes_are_rounded_up_to_blocks);
    return check_done();
}

/* CRCs of bytes that change are those of the bytes as they are then. */
#include <stdlib.h>
#include <string.h>

#include "sion_checksum.h"

#include "base/crc_sum.h"
#include "check.h"

enum { BYTES = 5000 };

static unsigned char bytes[BYTES];

static void fill(void)
{
    check_fill(bytes, 1, 0, sizeof bytes);
}

static void parts_are_joined(void)
{
    size_t at;

    fill();
    for (at = 0; at <= BYTES; at += 1 + at / 3) {
        uint32_t first = sion_crc32(0, bytes, at), second = sion_crc32(0, bytes + at, BYTES - at);

        CHECK(scion_crc_join(first, second, BYTES - at) == sion_crc32(0, bytes, BYTES));
    }
}

static void zeros_follow(void)
{
    size_t at;

    fill();
    for (at = 0; at <= BYTES; at += 1 + at / 3) {
        uint32_t before = sion_crc32(0, bytes, BYTES - at);

        memset(bytes + BYTES - at, 0, at);
        CHECK(scion_crc_extend(before, at) == sion_crc32(0, bytes, BYTES));
    }
}

static void bytes_change(void)
{
    uint32_t before, changed = 0;
    size_t at = 0, next;

    fill();
    before = sion_crc32(0, bytes, BYTES);
    for (next = 3; next + 8 <= BYTES; next = at + check_below(900)) {
        unsigned char xors[8];

        check_fill(xors, 2, (long)next, sizeof xors);
        changed = scion_crc_skip(changed, next - at);
        changed = scion_crc_change(sion_crc32, changed, xors, sizeof xors);
        for (at = next; at < next + 8; at++)
            bytes[at] ^= xors[at - next];
    }
    CHECK((before ^ scion_crc_skip(changed, BYTES - at)) == sion_crc32(0, bytes, BYTES));
}

int main(void)
{
    RUN(parts_are_joined);
    RUN(zeros_follow);
    RUN(bytes_change);
    return check_done();
}

/* The head of the checksums reads back, and one that is cut, or has a wrong bit, is refused. */
#include <string.h>

#include "check.h"

#include "sion_error.h"

#include "format/checksum.h"

enum { ROOM = 100 };

static const struct scion_checksum_head good = {
    .piece = 4096, .count = 7, .of_meta1 = 11, .of_tables = 12, .of_all = 13};

/* Not a CRC, but it sees each bit. */
static uint32_t sum(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;

    for (; size > 0; size--)
        crc = crc * 31 + *from++ + 1;
    return crc;
}

static int decode(const unsigned char *bytes, size_t length, sion_int64 room,
                  struct scion_checksum_head *head)
{
    return scion_checksum_decode(bytes, length, 0, room, sum, head);
}

static void what_was_written_is_read(void)
{
    unsigned char bytes[SCION_CHECKSUM_HEAD];
    struct scion_checksum_head head;

    scion_checksum_encode(&good, sum, bytes);
    CHECK(scion_checksum_is_head(bytes, sizeof bytes));
    CHECK_INT(decode(bytes, sizeof bytes, ROOM, &head), 0);
    CHECK(head.piece == good.piece && head.count == good.count);
    CHECK(head.of_meta1 == good.of_meta1 && head.of_tables == good.of_tables &&
          head.of_all == good.of_all);
}

/* Its table may be anywhere, so its place is no number of CRCs. */
static void a_head_in_an_area_says_where_its_table_is(void)
{
    const struct scion_checksum_head in_area = {.is_in_area = 1, .piece = 4096, .count = 1 << 30};
    unsigned char bytes[SCION_CHECKSUM_HEAD];
    struct scion_checksum_head head;
    uint32_t version;

    scion_checksum_encode(&in_area, sum, bytes);
    memcpy(&version, bytes + 8, sizeof version);
    CHECK_INT(version, 2);
    CHECK_INT(decode(bytes, sizeof bytes, ROOM, &head), 0);
    CHECK(head.is_in_area && head.count == in_area.count);
    scion_checksum_encode(&good, sum, bytes);
    CHECK_INT(decode(bytes, sizeof bytes, ROOM, &head), 0);
    CHECK(!head.is_in_area);
}

static void a_head_that_is_cut_is_refused(void)
{
    unsigned char bytes[SCION_CHECKSUM_HEAD];
    struct scion_checksum_head head;
    size_t length;

    scion_checksum_encode(&good, sum, bytes);
    for (length = 0; length < sizeof bytes; length++)
        CHECK_INT(decode(bytes, length, ROOM, &head), SION_ERR_DAMAGED);
}

static void a_wrong_bit_is_refused(void)
{
    unsigned char bytes[SCION_CHECKSUM_HEAD];
    struct scion_checksum_head head;
    size_t at;
    int bit;

    scion_checksum_encode(&good, sum, bytes);
    for (at = 0; at < sizeof bytes; at++) {
        for (bit = 0; bit < 8; bit++) {
            bytes[at] ^= (unsigned char)(1 << bit);
            CHECK(decode(bytes, sizeof bytes, ROOM, &head) != 0);
            bytes[at] ^= (unsigned char)(1 << bit);
        }
    }
}

static void impossible_numbers_are_refused(void)
{
    struct scion_checksum_head heads[] = {good, good, good, good}, head;
    unsigned char bytes[SCION_CHECKSUM_HEAD];
    size_t i;

    heads[0].piece = 0;
    heads[1].piece = SCION_CHECKSUM_PIECE_MOST + 1u;
    heads[2].count = -1;
    heads[3].count = ROOM;
    for (i = 0; i < sizeof heads / sizeof *heads; i++) {
        scion_checksum_encode(&heads[i], sum, bytes);
        CHECK(decode(bytes, sizeof bytes, ROOM, &head) != 0);
    }
}

int main(void)
{
    RUN(what_was_written_is_read);
    RUN(a_head_in_an_area_says_where_its_table_is);
    RUN(a_head_that_is_cut_is_refused);
    RUN(a_wrong_bit_is_refused);
    RUN(impossible_numbers_are_refused);
    return check_done();
}

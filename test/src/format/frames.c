/* Compressed streams as bytes: the head, the seek table, frames that zstd did not make. */
#include "base/shuffle.h"
#include "format/frames.h"

#include "check.h"

static void a_head_comes_back(void)
{
    const struct scion_zip_head head = {1 << 20, 8};
    struct scion_zip_head found;
    unsigned char bytes[SCION_ZIP_HEAD];

    scion_zip_head_encode(&head, bytes);
    CHECK(memcmp(bytes, "\x54\x2a\x4d\x18\x20\0\0\0SIONZST1\1\0\0\0\0\0\x10\0\x08\0\0\0", 28) == 0);
    CHECK(!scion_zip_head_decode(bytes, sizeof bytes, &found));
    CHECK_INT(found.frame, head.frame);
    CHECK_INT(found.shuffle, head.shuffle);
    CHECK(scion_zip_head_decode(bytes, sizeof bytes - 1, &found) != NULL);
}

static void any_other_byte_makes_it_none(void)
{
    const struct scion_zip_head head = {1 << 20, 8};
    struct scion_zip_head found;
    unsigned char bytes[SCION_ZIP_HEAD];
    size_t i;

    for (i = 0; i < sizeof bytes; i++) {
        scion_zip_head_encode(&head, bytes);
        bytes[i] ^= 1;
        CHECK(scion_zip_head_decode(bytes, sizeof bytes, &found) != NULL);
    }
}

static void sizes_have_bounds(void)
{
    static const struct scion_zip_head heads[] = {
        {0, 1}, {SCION_FRAME_MOST + 1u, 1}, {4096, 0}, {4096, SCION_SHUFFLE_MOST + 1}};
    struct scion_zip_head found;
    unsigned char bytes[SCION_ZIP_HEAD];
    size_t i;

    for (i = 0; i < sizeof heads / sizeof *heads; i++) {
        scion_zip_head_encode(&heads[i], bytes);
        CHECK(scion_zip_head_decode(bytes, sizeof bytes, &found) != NULL);
    }
}

static void a_seek_table_comes_back(void)
{
    unsigned char head[SCION_SEEK_HEAD], entry[SCION_SEEK_ENTRY], footer[SCION_SEEK_FOOTER];
    uint32_t entries, stored, plain;
    size_t size;

    scion_seek_head_encode(3, head);
    CHECK(memcmp(head, "\x5e\x2a\x4d\x18\x21\0\0\0", sizeof head) == 0);
    scion_seek_entry_encode(0x01020304, 0x05060708, entry);
    CHECK(memcmp(entry, "\4\3\2\1\x8\7\6\5", sizeof entry) == 0);
    scion_seek_entry_decode(entry, &stored, &plain);
    CHECK_INT(stored, 0x01020304);
    CHECK_INT(plain, 0x05060708);
    scion_seek_footer_encode(3, footer);
    CHECK(memcmp(footer, "\3\0\0\0\0\xb1\xea\x92\x8f", sizeof footer) == 0);
    CHECK_INT(scion_seek_footer_decode(footer, &entries, &size), 1);
    CHECK_INT(entries, 3);
    CHECK_INT(size, 8);
    CHECK_INT(scion_seek_head_check(head, entries, size), 1);
    CHECK_INT(scion_seek_head_check(head, entries + 1, size), 0);
    footer[4] = 0x80; /* tables of others may have checksums */
    CHECK_INT(scion_seek_footer_decode(footer, &entries, &size), 1);
    CHECK_INT(size, 12);
    footer[4] = 4;
    CHECK_INT(scion_seek_footer_decode(footer, &entries, &size), 0);
    scion_seek_footer_encode(SCION_SEEK_MOST + 1u, footer);
    CHECK_INT(scion_seek_footer_decode(footer, &entries, &size), 0);
}

/* Walk over a frame as a reader without a table does. */
static size_t measure(const unsigned char *bytes, size_t length, sion_int64 *plain)
{
    struct scion_frame_head head;
    sion_int64 block;
    size_t at;
    int is_last = 0;

    if (!scion_frame_head_decode(bytes, length, &head))
        return 0;
    *plain = head.plain;
    for (at = (size_t)head.bytes; !head.is_skippable && !is_last; at += (size_t)block + 3) {
        if (!scion_block_head_decode(bytes + at, &block, &is_last))
            return 0;
    }
    return at + (size_t)head.bytes_more;
}

static void put_raw(const unsigned char *from, size_t plain, unsigned char *to)
{
    size_t part;

    scion_raw_head_encode((uint32_t)plain, to);
    for (to += 9; plain > 0; from += part, to += part, plain -= part) {
        part = plain < SCION_RAW_BLOCK ? plain : SCION_RAW_BLOCK;
        scion_raw_block_encode((uint32_t)part, part == plain, to);
        to += 3;
        memcpy(to, from, part);
    }
}

static void a_raw_frame_is_a_frame(void)
{
    static unsigned char from[300000], to[310000];
    static const size_t sizes[] = {1, 100, 131072, 131073, 300000};
    sion_int64 plain = -1;
    size_t i;

    for (i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * i >> 7);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(to, 0xee, sizeof to);
        put_raw(from, sizes[i], to);
        CHECK_INT(to[scion_raw_size(sizes[i])], 0xee);
        CHECK_INT(measure(to, sizeof to, &plain), scion_raw_size(sizes[i]));
        CHECK_INT(plain, sizes[i]);
        CHECK(memcmp(to + 9 + 3, from, sizes[i] < 131072 ? sizes[i] : 131072) == 0);
        CHECK(scion_raw_size(sizes[i]) <= scion_zip_most(sizes[i]));
    }
}

static void heads_of_frames(void)
{
    struct scion_frame_head head;

    /* "abc" by zstd, with a checksum */
    CHECK(scion_frame_head_decode((const unsigned char *)"\x28\xb5\x2f\xfd\x24\x03\x19\0\0abc", 12,
                                  &head));
    CHECK_INT(head.bytes, 6);
    CHECK_INT(head.plain, 3);
    CHECK_INT(head.bytes_more, 4);
    /* of a stream: it does not say how much it holds */
    CHECK(!scion_frame_head_decode((const unsigned char *)"\x28\xb5\x2f\xfd\x04\x58\x19\0\0abc", 12,
                                   &head));
    CHECK(scion_frame_head_decode((const unsigned char *)"\x57\x2a\x4d\x18\x05\0\0\0", 8, &head));
    CHECK_INT(head.is_skippable, 1);
    CHECK_INT(head.bytes, 13);
    CHECK(!scion_frame_head_decode((const unsigned char *)"\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0", 12,
                                   &head));
    CHECK(!scion_frame_head_decode((const unsigned char *)"zzzzzzzzzzzz", 12, &head));
    CHECK(!scion_frame_head_decode((const unsigned char *)"\x57\x2a\x4d\x18\x05\0\0", 7, &head));
}

static void shuffling_is_undone(void)
{
    static unsigned char from[200003], to[200003], back[200003];
    size_t element, bytes, i;

    for (i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7919 >> 3);
    scion_shuffle("abcdefgh", 8, 3, to);
    CHECK(memcmp(to, "adbecfgh", 8) == 0);
    for (element = 1; element <= 64; element += 7) {
        for (bytes = 0; bytes <= sizeof from; bytes = 3 * bytes + 1) {
            scion_shuffle(from, bytes, element, to);
            scion_unshuffle(to, bytes, element, back);
            CHECK(memcmp(from, back, bytes) == 0);
        }
    }
    scion_shuffle(from, sizeof from, 8, to);
    scion_unshuffle(to, sizeof from, 8, back);
    CHECK(memcmp(from, back, sizeof from) == 0);
}

/* The first byte of the elements, then the second one, and so on: as numcodecs has it. */
static void all_elements_may_be_in_one_block(void)
{
    static unsigned char from[200003], to[200003], back[200003];
    const size_t n = sizeof from / 8;
    size_t i, j;

    for (i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7919 >> 3);
    scion_shuffle_all(from, sizeof from, 8, to);
    for (i = 0; i < n; i++) {
        for (j = 0; j < 8; j++)
            CHECK(to[j * n + i] == from[8 * i + j]);
    }
    CHECK(memcmp(from + 8 * n, to + 8 * n, sizeof from % 8) == 0);
    scion_unshuffle_all(to, sizeof from, 8, back);
    CHECK(memcmp(from, back, sizeof from) == 0);
}

int main(void)
{
    RUN(a_head_comes_back);
    RUN(any_other_byte_makes_it_none);
    RUN(sizes_have_bounds);
    RUN(a_seek_table_comes_back);
    RUN(a_raw_frame_is_a_frame);
    RUN(heads_of_frames);
    RUN(shuffling_is_undone);
    RUN(all_elements_may_be_in_one_block);
    return check_done();
}

/* Commit records are read back, also from slots that were written in part. */
#include "check.h"

#include "base/byteorder.h"
#include "base/crc32c.h"
#include "format/slot.h"

enum { ROOM = 5000, NONCE = 0x89abcdef, TASK = 7, CHUNK = 3 };

static const struct scion_slot wanted = {
    .nonce = NONCE, .task = TASK, .chunk = CHUNK, .sequence = -1};

static struct scion_slot slot_of(sion_int64 sequence)
{
    struct scion_slot slot = wanted;

    slot.sequence = sequence;
    slot.used = 100 + sequence;
    slot.flushed = 50 + sequence;
    return slot;
}

/* The place of a slot. */
static unsigned char *place_of(unsigned char *trailer, sion_int64 sequence)
{
    return trailer + (sequence & 1) * SCION_SLOT_SIZE;
}

static void put(unsigned char *trailer, const struct scion_slot *slot)
{
    scion_slot_encode(slot, place_of(trailer, slot->sequence));
}

static int find(const unsigned char *trailer, struct scion_slot *slot)
{
    return scion_slot_find(trailer, 0, &wanted, ROOM, slot);
}

static void only_a_marker_is_recognized(void)
{
    uint32_t nonce = 0;

    CHECK_INT(scion_marker_trailer(scion_marker_make(NONCE), &nonce), 128);
    CHECK_INT(nonce, NONCE);
    CHECK_INT(scion_marker_make(NONCE), 0x0001008089abcdef);
    CHECK_INT(scion_marker_trailer(0, NULL), 0);
    CHECK_INT(scion_marker_trailer(-1, NULL), 0);
    CHECK_INT(scion_marker_trailer(scion_marker_make(0) + ((sion_int64)1 << 32), NULL), 0);
    CHECK_INT(scion_marker_trailer(scion_marker_make(0) + ((sion_int64)2 << 48), NULL), 0);
    CHECK_INT(scion_marker_is_zipped(scion_marker_make(0) + ((sion_int64)2 << 48)), 0);
}

/* The second version says that streams are compressed, and the rest as before. */
static void a_marker_tells_of_compressed_streams(void)
{
    sion_int64 trailers = scion_marker_zip(scion_marker_make(NONCE)),
               plain = scion_marker_zip(scion_marker_plain(NONCE));
    uint32_t nonce = 0;

    CHECK_INT(trailers, 0x0002008089abcdef);
    CHECK_INT(plain, 0x0002000089abcdef);
    CHECK_INT(scion_marker_is_zipped(trailers), 1);
    CHECK_INT(scion_marker_is_zipped(plain), 1);
    CHECK_INT(scion_marker_is_zipped(scion_marker_make(NONCE)), 0);
    CHECK_INT(scion_marker_is_zipped(plain + ((sion_int64)1 << 32)), 0);
    CHECK_INT(scion_marker_is_zipped(0), 0);
    CHECK_INT(scion_marker_trailer(trailers, &nonce), 128);
    CHECK_INT(nonce, NONCE);
    CHECK_INT(scion_marker_trailer(plain, NULL), 0);
    CHECK_INT(scion_marker_nonce(plain, &nonce), 1);
    CHECK_INT(nonce, NONCE);
    CHECK_INT(scion_marker_fits(trailers, scion_marker_make(NONCE)), 0);
    CHECK_INT(scion_marker_fits(trailers, trailers), 1);
}

static void a_slot_reads_back(void)
{
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};
    struct scion_slot in = slot_of(41), out;

    CHECK(!find(trailer, &out));
    put(trailer, &in);
    CHECK(find(trailer, &out));
    CHECK(memcmp(&in, &out, sizeof in) == 0);
}

static void a_slot_reads_back_on_a_host_of_the_other_byte_order(void)
{
    static const int sizes[] = {4, 4, 4, 4, 8, 8, 8, 8, 16, 4};
    unsigned char trailer[SCION_TRAILER_SIZE] = {0}, *slot = trailer;
    struct scion_slot in = slot_of(40), out;
    uint32_t crc;
    size_t i, at = 4;

    put(trailer, &in);
    for (i = 1; i < sizeof sizes / sizeof sizes[0] - 1; at += (size_t)sizes[i++])
        scion_swap_copy(slot + at, slot + at, (size_t)sizes[i], 1);
    crc = scion_crc32c(0, slot, SCION_SLOT_SIZE - 4);
    scion_swap_copy(slot + SCION_SLOT_SIZE - 4, &crc, 4, 1);
    CHECK(!find(trailer, &out));
    CHECK(scion_slot_find(trailer, 1, &wanted, ROOM, &out));
    CHECK_INT(out.used, in.used);
    CHECK_INT(out.flushed, in.flushed);
    CHECK_INT(out.sequence, in.sequence);
}

static void a_slot_never_exceeds_the_chunk(void)
{
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};
    struct scion_slot in = slot_of(40), out;

    in.used = in.flushed = ROOM;
    put(trailer, &in);
    CHECK(find(trailer, &out));
    in.used = in.flushed = ROOM + 1;
    put(trailer, &in);
    CHECK(!find(trailer, &out));
}

static void the_newest_slot_counts(void)
{
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};
    sion_int64 sequence;

    for (sequence = 0; sequence < 9; sequence++) {
        struct scion_slot in = slot_of(sequence), out;

        put(trailer, &in);
        CHECK(find(trailer, &out));
        CHECK_INT(out.sequence, sequence);
    }
}

/* A write of slot 6 over slot 4 that stopped after any number of bytes, from either end. */
static void a_torn_write_leaves_the_slot_before(void)
{
    unsigned char old[SCION_TRAILER_SIZE], new[SCION_TRAILER_SIZE], torn[SCION_TRAILER_SIZE];
    struct scion_slot slot;
    sion_int64 sequence;
    int cut, i;

    for (sequence = 4; sequence <= 6; sequence++) {
        struct scion_slot in = slot_of(sequence);

        if (sequence == 6)
            memcpy(new, old, sizeof new);
        put(sequence == 6 ? new : old, &in);
    }
    for (cut = 0; cut <= SCION_SLOT_SIZE; cut++) {
        for (i = 0; i < 2; i++) {
            memcpy(torn, i ? new : old, sizeof torn);
            memcpy(torn, i ? old : new, (size_t)cut);
            CHECK(find(torn, &slot));
            CHECK(slot.sequence == 5 || memcmp(torn, new, sizeof torn) == 0);
        }
    }
}

/* The first slot of a chunk has no predecessor. */
static void a_torn_first_slot_does_not_count(void)
{
    unsigned char whole[SCION_TRAILER_SIZE] = {0}, torn[SCION_TRAILER_SIZE];
    struct scion_slot in = slot_of(0), slot;
    int cut;

    put(whole, &in);
    for (cut = 0; cut < SCION_SLOT_SIZE; cut++) {
        memset(torn, 0, sizeof torn);
        memcpy(torn, whole, (size_t)cut);
        CHECK(!find(torn, &slot) || memcmp(torn, whole, sizeof torn) == 0);
    }
}

static void every_bit_counts(void)
{
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};
    struct scion_slot in = slot_of(10), slot;
    int bit;

    put(trailer, &in);
    for (bit = 0; bit < 8 * SCION_SLOT_SIZE; bit++) {
        trailer[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(!find(trailer, &slot));
        trailer[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK(find(trailer, &slot));
}

static void refuse(struct scion_slot slot)
{
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};
    struct scion_slot found;

    put(trailer, &slot);
    CHECK(!find(trailer, &found));
}

/* Complete slots of another container, task or chunk, or with impossible numbers. */
static void foreign_slots_do_not_count(void)
{
    struct scion_slot slot = slot_of(2), other, found;
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};

    refuse((other = slot, other.nonce++, other));
    refuse((other = slot, other.task++, other));
    refuse((other = slot, other.chunk--, other));
    refuse((other = slot, other.used = ROOM + 1, other));
    refuse((other = slot, other.used = other.flushed = -1, other));
    refuse((other = slot, other.flushed = slot.used + 1, other));
    refuse((other = slot, other.flushed = -1, other));
    refuse((other = slot, other.sequence = -2, other));
    scion_slot_encode(&slot, trailer + SCION_SLOT_SIZE);
    CHECK(!find(trailer, &found));
}

/* A chunk that was entered, left after a failure, and not entered again. */
static void older_slots_do_not_count(void)
{
    unsigned char trailer[SCION_TRAILER_SIZE] = {0};
    struct scion_slot in = slot_of(8), after = wanted, slot;

    put(trailer, &in);
    after.sequence = 7;
    CHECK(scion_slot_find(trailer, 0, &after, ROOM, &slot));
    after.sequence = 8;
    CHECK(!scion_slot_find(trailer, 0, &after, ROOM, &slot));
}

static void small_chunks_have_no_room_for_data(void)
{
    CHECK_INT(scion_trailer_room(0, 128), 0);
    CHECK_INT(scion_trailer_room(128, 128), 0);
    CHECK_INT(scion_trailer_room(129, 128), 1);
    CHECK_INT(scion_trailer_room(129, 0), 129);
}

int main(void)
{
    RUN(only_a_marker_is_recognized);
    RUN(a_marker_tells_of_compressed_streams);
    RUN(a_slot_reads_back);
    RUN(a_slot_reads_back_on_a_host_of_the_other_byte_order);
    RUN(a_slot_never_exceeds_the_chunk);
    RUN(the_newest_slot_counts);
    RUN(a_torn_write_leaves_the_slot_before);
    RUN(a_torn_first_slot_does_not_count);
    RUN(every_bit_counts);
    RUN(foreign_slots_do_not_count);
    RUN(older_slots_do_not_count);
    RUN(small_chunks_have_no_room_for_data);
    return check_done();
}

/* Checksums after the tables. With them, a task has the same data as without, or is locked. */
#include "container.h"

#include "base/byteorder.h"
#include "format/checksum.h"
#include "format/meta1.h"
#include "format/meta2.h"
#include "sion_checksum.h"
#include "sion_common.h"
#include "sion_const.h"
#include "sion_error.h"
#include "sion_serial.h"

enum { AT_PIECE = 12, AT_COUNT = 16, AT_META1 = 24, AT_TABLES = 28, AT_ALL = 32, AT_SELF = 36 };

static int agrees(const struct container *verified, const struct container *plain)
{
    int t;

    for (t = 0; verified->ntasks == plain->ntasks && t < plain->ntasks; t++) {
        if (!verified->streams[t].is_locked &&
            !container_same(&verified->streams[t], &plain->streams[t]))
            return 0;
    }
    return verified->ntasks == plain->ntasks;
}

/* 1: all of the selected task has been read; else a read has failed. */
static int read_task(int sid, struct container_stream *stream)
{
    char piece[1000];

    *stream = (struct container_stream){.bytes = 0};
    while (sion_feof(sid) == 0) {
        sion_int64 left = sion_bytes_avail_in_chunk(sid);
        size_t now = left < (sion_int64)sizeof piece ? (size_t)left : sizeof piece;

        if (sion_fread(piece, 1, now, sid) != now)
            return 0;
        container_mix(stream, piece, now);
        stream->bytes += (sion_int64)now;
    }
    return 1;
}

/* The same when it is read: a task fails if an open that compares everything has locked it. */
static void read_watched(const struct container *verified)
{
    char name[] = CONTAINER;
    int ntasks = 0, nfiles = 0, t;
    int sid = sion_open(name, "rb,checksum", &ntasks, &nfiles, NULL, NULL, NULL, NULL);
    struct container_stream stream;

    FUZZ_CHECK(sid >= 0 || !verified);
    for (t = 0; sid >= 0 && t < ntasks; t++) {
        int is_good = sion_seek(sid, t, 0, 0) == 1 && read_task(sid, &stream);

        FUZZ_CHECK(is_good || sion_error_code() == SION_ERR_DAMAGED);
        if (!verified || sion_get_keyval_mode(sid) == SION_KEYVAL_INLINE)
            continue;
        FUZZ_CHECK(is_good == !verified->streams[t].is_locked);
        FUZZ_CHECK(!is_good || container_same(&stream, &verified->streams[t]));
    }
    FUZZ_CHECK(sid < 0 || sion_close(sid) == 1);
}

static void run(const uint8_t *bytes, size_t size)
{
    struct container *verified, *plain;

    sion_checksum_use(sion_crc32);
    memory_begin();
    memory_add(CONTAINER, bytes, size);
    verified = container_read("rb,checksum=open");
    plain = container_read("rb");
    FUZZ_CHECK(!verified || (plain && agrees(verified, plain)));
    if (verified)
        container_compare_ranks(verified, "rb,checksum=open");
    read_watched(verified);
    container_free(verified);
    container_free(plain);
    memory_end();
}

/* The head of the checksums; size: there is none. */
static size_t find_head(const uint8_t *bytes, size_t size, const struct container_places *places)
{
    size_t at = places->end;
    sion_int64 table;

    if (scion_checksum_is_head(bytes + at, size - at))
        return at;
    if (size - at < 4)
        return size;
    table = scion_load_i32(bytes + at, places->swapped);
    at += 4;
    if (table > 0 && table <= (sion_int64)(size - at) / 8)
        at += 8 * (size_t)table;
    return scion_checksum_is_head(bytes + at, size - at) ? at : size;
}

static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    struct container_places places;

    *end = size;
    if (!container_find(bytes, size, &places))
        return 0;
    *end = dice % 4 == 0 ? find_head(bytes, size, &places) : size;
    return dice % 4 == 0 ? places.meta2 : find_head(bytes, size, &places);
}

static void put(uint8_t *to, uint32_t crc, int swapped)
{
    int32_t number = (int32_t)crc;

    number = scion_load_i32((const uint8_t *)&number, swapped);
    memcpy(to, &number, sizeof number);
}

/* All CRCs but those of the data. */
static void seal(uint8_t *bytes, size_t size)
{
    struct container_places places;
    size_t head, crcs;
    sion_int64 count;

    if (!container_find(bytes, size, &places))
        return;
    head = find_head(bytes, size, &places);
    if (size - head < SCION_CHECKSUM_HEAD)
        return;
    crcs = head + SCION_CHECKSUM_HEAD;
    count = scion_load_i64(bytes + head + AT_COUNT, places.swapped);
    put(bytes + head + AT_META1, sion_crc32(0, bytes, places.tail + SCION_META1_TAIL),
        places.swapped);
    put(bytes + head + AT_TABLES, sion_crc32(0, bytes + places.meta2, head - places.meta2),
        places.swapped);
    if (count >= 0 && count <= (sion_int64)(size - crcs) / 4)
        put(bytes + head + AT_ALL, sion_crc32(0, bytes + crcs, 4 * (size_t)count), places.swapped);
    put(bytes + head + AT_SELF, sion_crc32(0, bytes + head, AT_SELF), places.swapped);
}

/* Two tasks with `records` records of 400 bytes in chunks of 512. */
static size_t write_one(uint8_t *copy, size_t most, const char *mode, int records)
{
    int n = 2, nfiles = 1, ranks[] = {0, 1}, *r = ranks, i, sid;
    sion_int64 sizes[] = {512, 512}, *s = sizes;
    sion_int32 block = 512;
    char name[] = CONTAINER;
    const uint8_t *bytes;
    uint8_t data[400];
    size_t size;

    sion_checksum_use(sion_crc32);
    memory_begin();
    sid = sion_open(name, mode, &n, &nfiles, &s, &block, &r, NULL);
    for (i = 0; i < 2 * records && sid >= 0; i++) {
        memset(data, i + 1, sizeof data);
        FUZZ_CHECK(sion_seek(sid, i % 2, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
        FUZZ_CHECK(sion_fwrite(data, sizeof data, 1, sid) == 1);
    }
    FUZZ_CHECK(sid >= 0 && sion_close(sid) == 1);
    bytes = memory_get(CONTAINER, &size);
    FUZZ_CHECK(size <= most);
    memcpy(copy, bytes, size);
    memory_end();
    return size;
}

/* The same with two CRCs for each chunk of 400 bytes, in pieces of 300. */
static size_t cut_pieces(uint8_t *bytes, size_t size)
{
    enum { PIECE = 300, USED = 400, TASKS = 2, CHUNKS = 3, START = 1536 };
    const sion_int64 count = 2 * TASKS * CHUNKS;
    struct container_places places;
    size_t head, at, t, b;

    FUZZ_CHECK(container_find(bytes, size, &places));
    head = find_head(bytes, size, &places);
    put(bytes + head + AT_PIECE, PIECE, 0);
    memcpy(bytes + head + AT_COUNT, &count, sizeof count);
    at = head + SCION_CHECKSUM_HEAD;
    for (t = 0; t < TASKS; t++) {
        for (b = 0; b < CHUNKS; b++, at += 8) {
            const uint8_t *chunk = bytes + START + (b * TASKS + t) * 512;

            put(bytes + at, sion_crc32(0, chunk, PIECE), 0);
            put(bytes + at + 4, sion_crc32(0, chunk + PIECE, USED - PIECE), 0);
        }
    }
    seal(bytes, at);
    return at;
}

static void make(fuzz_take *take)
{
    static uint8_t copy[1 << 16];
    size_t size = write_one(copy, sizeof copy, "bw,posix,checksum", 3);
    struct container *container;

    take(copy, size);
    size = cut_pieces(copy, size);
    memory_begin();
    memory_add(CONTAINER, copy, size);
    container = container_read("rb,checksum");
    FUZZ_CHECK(container != NULL);
    container_free(container);
    memory_end();
    take(copy, size);
    take(copy, write_one(copy, sizeof copy, "bw,posix,checksum", 0));
    take(copy, write_one(copy, sizeof copy, "bw,posix", 1));
}

const struct fuzz_target fuzz_target = {
    .run = run, .focus = focus, .seal = seal, .make = make, .rounds = 500, .most = 8192};

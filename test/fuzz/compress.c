/*
 * Compressed streams. Whatever heads, tables and frames say: a task has the bytes that its open
 * says, or a read fails; and as it is stored, every container is read.
 */
#include "container.h"

#include "base/crc32c.h"
#include "format/frames.h"
#include "sion_common.h"
#include "sion_const.h"
#include "sion_error.h"
#include "sion_serial.h"

enum { AT_MAGIC = 8, AT_CRC = SCION_ZIP_HEAD - 4, MOST_READ = 1 << 27 };

/* Bytes of the selected task, or -1: a read has failed. */
static sion_int64 read_task(int sid)
{
    static char piece[100000];
    sion_int64 bytes = 0;
    int at_end;

    for (at_end = sion_feof(sid); at_end == 0 && bytes < MOST_READ; at_end = sion_feof(sid)) {
        sion_int64 left = sion_bytes_avail_in_chunk(sid);
        size_t now = left < (sion_int64)sizeof piece ? (size_t)left : sizeof piece;

        FUZZ_CHECK(left > 0);
        if (sion_fread(piece, 1, now, sid) != now)
            return -1;
        bytes += (sion_int64)now;
    }
    return at_end < 0 ? -1 : bytes;
}

static void read_plain(int *is_read)
{
    char name[] = CONTAINER;
    int ntasks = 0, nfiles = 0, t;
    int sid = sion_open(name, "rb", &ntasks, &nfiles, NULL, NULL, NULL, NULL);

    *is_read = sid >= 0;
    for (t = 0; sid >= 0 && t < ntasks; t++) {
        sion_int64 said, bytes;

        if (sion_seek(sid, t, SION_ABSOLUTE_POS, 0) != 1) {
            FUZZ_CHECK(sion_error_code() == SION_ERR_DAMAGED);
            continue;
        }
        said = sion_bytes_avail_in_chunk(sid);
        bytes = read_task(sid);
        FUZZ_CHECK(bytes >= 0 || sion_error_code() == SION_ERR_DAMAGED);
        FUZZ_CHECK(bytes < 0 || bytes >= MOST_READ || bytes == said ||
                   said < bytes); /* what was not compressed has chunks */
        if (bytes > 1 && bytes < MOST_READ) {
            char byte;

            FUZZ_CHECK(sion_seek(sid, t, SION_ABSOLUTE_POS, bytes / 2) == 1);
            FUZZ_CHECK(sion_fread(&byte, 1, 1, sid) == 1);
        }
    }
    FUZZ_CHECK(sid < 0 || sion_close(sid) == 1);
}

static void run(const uint8_t *bytes, size_t size)
{
    struct container *stored;
    int is_read;

    memory_begin();
    memory_add(CONTAINER, bytes, size);
    stored = container_read("rb,compress=stored");
    read_plain(&is_read);
    FUZZ_CHECK(!is_read || stored);
    container_free(stored);
    memory_end();
}

static size_t find_head(const uint8_t *bytes, size_t size, size_t from)
{
    const uint8_t *found = memmem(bytes + from, size - from, "SIONZST1", 8);
    size_t at = found ? (size_t)(found - bytes) : 0;

    return at >= AT_MAGIC && size - (at - AT_MAGIC) >= SCION_ZIP_HEAD ? at - AT_MAGIC : size;
}

static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    struct container_places places;
    size_t at = find_head(bytes, size, 0);

    *end = size;
    if (at == size)
        return 0;
    if (container_find(bytes, size, &places) && places.meta2 > at)
        *end = places.meta2;
    if (dice % 3 == 0 && *end - at > SCION_ZIP_HEAD)
        *end = at + SCION_ZIP_HEAD;
    return at;
}

static void seal(uint8_t *bytes, size_t size)
{
    size_t at;

    for (at = find_head(bytes, size, 0); at < size; at = find_head(bytes, size, at + AT_CRC)) {
        uint32_t crc = scion_crc32c(0, bytes + at, AT_CRC);
        int i;

        for (i = 0; i < 4; i++)
            bytes[at + AT_CRC + (size_t)i] = (uint8_t)(crc >> 8 * i);
    }
}

/* Two tasks with records that shrink and such that do not, and flushes between them. */
static size_t write_one(uint8_t *copy, size_t most, const char *mode, int records, int is_whole)
{
    int n = 2, nfiles = 1, ranks[] = {0, 1}, *r = ranks, i, sid;
    sion_int64 sizes[] = {512, 512}, *s = sizes;
    sion_int32 block = 512;
    char name[] = CONTAINER;
    const uint8_t *bytes;
    uint8_t data[1500];
    size_t size, j;

    memory_begin();
    sid = sion_open(name, mode, &n, &nfiles, &s, &block, &r, NULL);
    if (sid < 0) { /* there is no zstd */
        memory_end();
        return 0;
    }
    for (i = 0; i < 2 * records; i++) {
        for (j = 0; j < sizeof data; j++)
            data[j] = (uint8_t)(i % 3 == 2 ? j * j * j >> 5 : j % 7);
        FUZZ_CHECK(sion_seek(sid, i % 2, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
        FUZZ_CHECK(sion_fwrite(data, sizeof data, 1, sid) == 1);
    }
    FUZZ_CHECK(sion_close(sid) == 1);
    bytes = memory_get(CONTAINER, &size);
    FUZZ_CHECK(size <= most);
    memcpy(copy, bytes, size);
    memory_end();
    if (!is_whole) { /* the footer of the last table is none: frames are found one by one */
        uint8_t *footer = memmem(copy, size, "\xb1\xea\x92\x8f", 4);

        FUZZ_CHECK(footer != NULL);
        footer[0] ^= 1;
    }
    return size;
}

static void make(fuzz_take *take)
{
    static const char *const modes[] = {"bw,posix,compress=zstd,compress_frame=4096",
                                        "bw,posix,compress=zstd,shuffle=4",
                                        "bw,posix,compress=zstd,recover"};
    static uint8_t copy[1 << 16];
    size_t i, size;

    for (i = 0; i < 6; i++) {
        size = write_one(copy, sizeof copy, modes[i / 2], 4, i % 2);
        if (size > 0)
            take(copy, size);
    }
}

static const char *const samples[] = {"serial/s04_multichunk.sion", NULL};

const struct fuzz_target fuzz_target = {.run = run,
                                        .focus = focus,
                                        .seal = seal,
                                        .make = make,
                                        .samples = samples,
                                        .rounds = 500,
                                        .most = 16384};

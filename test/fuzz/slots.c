/*
 * Containers that were never closed, with commit records and without. Nothing reads beyond the
 * file; what is recovered can be read; and a container that was closed in place has the same bytes.
 */
#include "container.h"

#include "base/byteorder.h"
#include "base/crc32c.h"
#include "format/meta1.h"
#include "format/slot.h"
#include "sion_common.h"
#include "sion_const.h"
#include "sion_recover.h"
#include "sion_serial.h"

enum { PIECE = 4096, AT_CRC = SCION_SLOT_SIZE - 4 };

static void read_task(const sion_recovery *recovery, int task, struct container_stream *stream)
{
    sion_recover_task found = {.size = sizeof found};
    char piece[PIECE];

    FUZZ_CHECK(sion_recover_get_task(recovery, task, &found) == 1);
    FUZZ_CHECK(found.bytes >= 0 && found.certain >= 0 && found.possible >= 0 && found.lost >= 0);
    *stream = (struct container_stream){.bytes = 0};
    while (stream->bytes < found.bytes) {
        sion_int64 left = found.bytes - stream->bytes;
        size_t now = left < PIECE ? (size_t)left : PIECE;

        FUZZ_CHECK(sion_recover_read(recovery, task, stream->bytes, piece, now) == 1);
        container_mix(stream, piece, now);
        stream->bytes += (sion_int64)now;
    }
    FUZZ_CHECK(sion_recover_read(recovery, task, found.bytes, piece, 1) == 0);
}

/* The streams that recovery finds; freed by the caller. */
static struct container_stream *read_all(const sion_recovery *recovery, sion_recover_info *info)
{
    struct container_stream *streams;
    int t;

    FUZZ_CHECK(sion_recover_get_info(recovery, info) == 1 && info->ntasks >= 1);
    streams = calloc((size_t)info->ntasks, sizeof *streams);
    FUZZ_CHECK(streams != NULL);
    for (t = 0; t < info->ntasks; t++)
        read_task(recovery, t, &streams[t]);
    return streams;
}

static void compare(const struct container_stream *recovered, const sion_recover_info *info)
{
    struct container *container = container_read("rb");
    int t;

    FUZZ_CHECK(container != NULL && container->ntasks == info->ntasks);
    for (t = 0; t < info->ntasks && info->keyval != SION_KEYVAL_INLINE; t++)
        FUZZ_CHECK(container_same(&container->streams[t], &recovered[t]));
    container_compare_ranks(container, "rb");
    container_free(container);
}

static void recover(void)
{
    sion_recovery *recovery = sion_recover_open(CONTAINER, 0);
    struct container_stream *streams;
    sion_recover_info info = {.size = sizeof info};
    int is_closed;

    if (!recovery)
        return;
    streams = read_all(recovery, &info);
    is_closed = sion_recover_in_place(recovery) == 1;
    sion_recover_close(recovery);
    if (is_closed)
        compare(streams, &info);
    free(streams);
}

static void run(const uint8_t *bytes, size_t size)
{
    memory_begin();
    memory_add(CONTAINER, bytes, size);
    recover();
    memory_end();
}

/* ---- slots ---- */

static size_t next_slot(const uint8_t *bytes, size_t size, size_t at)
{
    const uint8_t *found = at < size ? memmem(bytes + at, size - at, "slot", 4) : NULL;

    at = found ? (size_t)(found - bytes) : size;
    return size - at >= SCION_SLOT_SIZE ? at : size;
}

/* A slot, or the header and what follows it. */
static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    unsigned n = dice / 8 % 16, i;
    size_t at = 0, found = size;

    for (i = 0; i <= n && (at = next_slot(bytes, size, at)) < size; i++, at += SCION_SLOT_SIZE)
        found = at;
    if (dice % 8 == 0 || found == size) {
        *end = size < 60 ? size : dice % 16 == 0 ? 60 : size;
        return size > SCION_META1_FIXED && *end == size ? SCION_META1_FIXED : 0;
    }
    *end = found + AT_CRC;
    return found;
}

/* All slots get the nonce of the header, and their CRCs. */
static void seal(uint8_t *bytes, size_t size)
{
    enum { AT_FLAG2 = 44 };
    size_t at = 0;

    if (size < SCION_META1_FIXED)
        return;
    for (; (at = next_slot(bytes, size, at)) < size; at += SCION_SLOT_SIZE) {
        uint32_t crc;

        memcpy(bytes + at + 4, bytes + AT_FLAG2 + (scion_host_is_big() ? 4 : 0), 4);
        crc = scion_crc32c(0, bytes + at, AT_CRC);
        memcpy(bytes + at + AT_CRC, &crc, sizeof crc);
    }
}

/* Writes records, flushes after each, and takes the file before it is closed. */
static void make_one(fuzz_take *take, const char *mode, size_t record, int is_closed)
{
    enum { TASKS = 2, RECORDS = 5 };
    int n = TASKS, nfiles = 1, ranks[] = {0, 1}, *r = ranks, i, sid;
    sion_int64 sizes[] = {300, 700}, *s = sizes, flag2 = scion_marker_make(7);
    sion_int32 block = 512;
    static uint8_t data[400], copy[1 << 16];
    char name[] = CONTAINER;
    const uint8_t *bytes;
    size_t size;

    memory_begin();
    sid = sion_open(name, mode, &n, &nfiles, &s, &block, &r, NULL);
    for (i = 0; i < 2 * RECORDS && sid >= 0; i++) {
        memset(data, i + 1, sizeof data);
        FUZZ_CHECK(sion_seek(sid, i % 2, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
        FUZZ_CHECK(strstr(mode, "keyval") ? sion_fwrite_key(data, (uint64_t)i, record, 1, sid) == 1
                                          : sion_fwrite(data, record, 1, sid) == 1);
        FUZZ_CHECK(sion_flush(sid) == 1);
    }
    FUZZ_CHECK(sid >= 0 && (!is_closed || sion_close(sid) == 1));
    bytes = memory_get(CONTAINER, &size);
    FUZZ_CHECK(size <= sizeof copy);
    memcpy(copy, bytes, size);
    if (!is_closed)
        FUZZ_CHECK(sion_close(sid) == 1);
    memory_end();
    /* A nonce that is always the same. */
    if (strstr(mode, "recover") && !strstr(mode, "none"))
        memcpy(copy + 44, &flag2, sizeof flag2);
    seal(copy, size);
    take(copy, size);
}

static void make(fuzz_take *take)
{
    make_one(take, "bw,posix,recover", 270, 0);
    make_one(take, "bw,posix,recover,keyval=inline", 150, 0);
    make_one(take, "bw,posix,recover,keyval=inline", 390, 0);
    make_one(take, "bw,posix,recover", 100, 1);
    make_one(take, "bw,posix,recover=none", 270, 0);
}

static const char *const samples[] = {"serial/s01_single.sion", "invalid/i12_unclosed_zero.sion",
                                      "invalid/i07_trunc_no_varinfo.sion", NULL};

const struct fuzz_target fuzz_target = {.run = run,
                                        .focus = focus,
                                        .seal = seal,
                                        .make = make,
                                        .samples = samples,
                                        .rounds = 300,
                                        .most = 16384};

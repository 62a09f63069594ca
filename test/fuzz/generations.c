/*
 * Records of states, the areas that they name, and records of generations. What can be opened, of
 * all generations or of one of them, can be read, or is locked out; and a writer that goes on with
 * such a file neither crashes nor hangs.
 */
#include "container.h"

#include "base/byteorder.h"
#include "base/crc32c.h"
#include "format/generations.h"
#include "format/state.h"
#include "sion_common.h"
#include "sion_serial.h"

enum {
    STATE_CRC = SCION_STATE_RECORD - 4,
    HEAD = SCION_GENERATIONS_HEAD,
    HEAD_CRC = HEAD - 4,
    N = 12
};

static void write_on(const uint8_t *bytes, size_t size, const char *mode)
{
    sion_int64 sizes[8] = {0}, *chunksizes = sizes;
    int ranks[8] = {0}, *globalranks = ranks, ntasks = 2, nfiles = 1, sid;
    sion_int32 fsblksize = 512;
    char name[] = CONTAINER;

    memory_begin();
    memory_add(CONTAINER, bytes, size);
    sid = sion_open(name, mode, &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
    if (sid >= 0) {
        sion_fwrite("more", 1, 4, sid);
        sion_publish(sid);
        sion_fwrite("more", 1, 4, sid);
        sion_close(sid);
        container_free(container_read("rb"));
    }
    memory_end();
}

static void run(const uint8_t *bytes, size_t size)
{
    container_try(bytes, size, "rb,generation=newest");
    container_try(bytes, size, "rb,generation=all");
    container_try(bytes, size, "rb,generation=-1");
    memory_begin();
    memory_add(CONTAINER, bytes, size);
    container_free(container_read("rb")); /* goes back until one is sound */
    memory_end();
    write_on(bytes, size, "ab,keep=2");
    write_on(bytes, size, "ab");
}

/* The record number `dice` of those that begin so; size: there is none. */
static size_t find_record(const uint8_t *bytes, size_t size, const char *magic, unsigned dice)
{
    size_t found[16], n = 0, at;

    for (at = 0; at + 8 <= size && n < 16; at++) {
        if (memcmp(bytes + at, magic, 8) == 0)
            found[n++] = at;
    }
    return n > 0 ? found[dice % n] : size;
}

static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    int is_state = dice % 2;
    size_t at = find_record(bytes, size, is_state ? "SIONPUB1" : "SIONGEN1", dice / 2);

    *end = size;
    if (at == size)
        return 0;
    if (size - at > SCION_STATE_RECORD)
        *end = at + SCION_STATE_RECORD;
    return at + 8;
}

static void put_crc(uint8_t *to, uint32_t crc)
{
    memcpy(to, &crc, sizeof crc);
}

static void seal(uint8_t *bytes, size_t size)
{
    size_t at;

    for (at = 0; at + HEAD <= size; at++) {
        uint8_t *record = bytes + at;
        int32_t n;

        if (memcmp(record, "SIONPUB1", 8) == 0 && size - at >= SCION_STATE_RECORD)
            put_crc(record + STATE_CRC, scion_crc32c(0, record, STATE_CRC));
        if (memcmp(record, "SIONGEN1", 8) != 0)
            continue;
        n = scion_load_i32(record + N, 0);
        if (n >= 0 && n <= SCION_GENERATIONS_MOST + 1 && scion_generations_bytes(n) <= size - at)
            put_crc(record + HEAD_CRC,
                    scion_crc32c(scion_crc32c(0, record, HEAD_CRC), record + HEAD,
                                 scion_generations_bytes(n) - HEAD));
    }
}

static const char *const samples[] = {"grown/g01.sion",
                                      "grown/g02.sion",
                                      "grown/g03.sion",
                                      "grown/g04.sion",
                                      "grown/p01.sion",
                                      "grown/p02.sion",
                                      NULL};

const struct fuzz_target fuzz_target = {
    .run = run, .focus = focus, .seal = seal, .samples = samples, .rounds = 150, .most = 1 << 17};

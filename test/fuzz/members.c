/*
 * The record of members of merged streams. An open that goes by members finds bytes that are there,
 * as many as the streams have, or locks out what is damaged; the streams are read in any case.
 */
#include "container.h"

#include "base/byteorder.h"
#include "base/crc32c.h"
#include "format/members.h"
#include "sion_common.h"
#include "sion_serial.h"

enum { AT_WORDS = 16, AT_CRC = 24, AT_SELF = 28, HEAD = SCION_MEMBERS_HEAD, WORD = 8 };

/* Bytes of all tasks; -1: one of them is damaged. */
static sion_int64 count_bytes(const struct container *container)
{
    sion_int64 bytes = 0;
    int t;

    for (t = 0; t < container->ntasks; t++) {
        if (container->streams[t].is_locked)
            return -1;
        bytes += container->streams[t].bytes;
    }
    return bytes;
}

static void run(const uint8_t *bytes, size_t size)
{
    struct container *members, *plain;

    memory_begin();
    memory_add(CONTAINER, bytes, size);
    members = container_read("rb,cmerge");
    plain = container_read("rb");
    FUZZ_CHECK(!members || plain);
    if (members) {
        sion_int64 found = count_bytes(members);

        FUZZ_CHECK(found < 0 || found == count_bytes(plain));
        container_compare_ranks(members, "rb,cmerge");
    }
    container_free(members);
    container_free(plain);
    memory_end();
}

/* size: there is none. */
static size_t find_record(const uint8_t *bytes, size_t size, int *swapped)
{
    struct container_places places;
    const uint8_t *found;

    if (!container_find(bytes, size, &places))
        return size;
    *swapped = places.swapped;
    found = memmem(bytes + places.end, size - places.end, "SIONMBR1", 8);
    return found && size - (size_t)(found - bytes) >= HEAD ? (size_t)(found - bytes) : size;
}

static size_t focus(const uint8_t *bytes, size_t size, unsigned dice, size_t *end)
{
    struct container_places places;
    int swapped;
    size_t at = find_record(bytes, size, &swapped);

    *end = size;
    if (at == size)
        return 0;
    if (dice % 8 == 0 && container_find(bytes, size, &places)) {
        *end = places.end;
        return places.meta2;
    }
    return dice % 8 == 1 ? at : at + HEAD;
}

static void put_words(uint8_t *record, sion_int64 words, int swapped)
{
    words = scion_load_i64((const uint8_t *)&words, swapped);
    memcpy(record + AT_WORDS, &words, sizeof words);
}

static void resized(uint8_t *bytes, size_t size, size_t from, long change)
{
    int swapped;
    size_t at = find_record(bytes, size, &swapped);

    if (at < size && from >= at + HEAD)
        put_words(bytes + at, ((sion_int64)(size - at - HEAD) + change) / WORD, swapped);
}

static void put_crc(uint8_t *to, const void *bytes, size_t size, int swapped)
{
    uint32_t crc = scion_crc32c(0, bytes, size);
    int32_t number = scion_load_i32((const uint8_t *)&crc, swapped);

    memcpy(to, &number, sizeof number);
}

static void seal(uint8_t *bytes, size_t size)
{
    int swapped;
    size_t at = find_record(bytes, size, &swapped);
    sion_int64 words;

    if (at == size)
        return;
    words = scion_load_i64(bytes + at + AT_WORDS, swapped);
    if (words >= 0 && words <= (sion_int64)(size - at - HEAD) / WORD)
        put_crc(bytes + at + AT_CRC, bytes + at + HEAD, WORD * (size_t)words, swapped);
    put_crc(bytes + at + AT_SELF, bytes + at, AT_SELF, swapped);
}

/* ---- inputs ---- */

static void add(struct scion_members *members, int task, sion_int64 offset, sion_int64 bytes)
{
    FUZZ_CHECK(scion_strides_add_piece(&members->pieces[task], offset, bytes) == 0);
}

/* As the two collective writes of mpi/m03_cmerge.sion. */
static void fill_golden(struct scion_members *members)
{
    static const int sizes[][2] = {{10, 20},  {200, 100}, {600, 500}, {1, 2},
                                   {500, 20}, {1000, 24}, {1, 1},     {0, 700}};
    sion_int64 at[2] = {0, 0};
    int call, t;

    for (call = 0; call < 2; call++) {
        for (t = 0; t < members->ntasks; t++) {
            int group = t >= 5;

            members->collectors[t] = 5 * group;
            add(members, t, at[group], sizes[t][call]);
            at[group] += sizes[t][call];
        }
    }
}

enum { TASKS = 4, RECORD = 40, RECORDS = 30, OWN = 100, PIECE = 20 };

/* Runs over several chunks; task 2 has also written by itself; task 3 is alone. */
static void fill_runs(struct scion_members *members)
{
    int i, t;

    for (t = 0; t < TASKS; t++)
        members->collectors[t] = t == 3 ? 3 : 0;
    for (i = 0; i < RECORDS; i++) {
        if (i == 7)
            add(members, 2, SCION_MEMBER_OWN, OWN);
        add(members, i % 3, (sion_int64)i * RECORD, RECORD);
    }
    add(members, 3, 0, OWN);
}

/* The streams of which fill_runs() tells. */
static size_t write_streams(uint8_t *copy, const char *mode)
{
    static const sion_int64 bytes[TASKS] = {(sion_int64)RECORD * RECORDS, 0, OWN, OWN};
    int n = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2, 3}, *r = ranks, sid, t;
    sion_int64 sizes[TASKS] = {500, 500, 500, 500}, *s = sizes;
    static uint8_t data[RECORD * RECORDS];
    sion_int32 block = 512;
    char name[] = CONTAINER;
    const uint8_t *found;
    sion_int64 done;
    size_t size, i;

    for (i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    memory_begin();
    sid = sion_open(name, mode, &n, &nfiles, &s, &block, &r, NULL);
    for (t = 0; t < TASKS && sid >= 0; t++) {
        FUZZ_CHECK(sion_seek(sid, t, 0, 0) == 1);
        for (done = 0; done < bytes[t]; done += PIECE)
            FUZZ_CHECK(sion_fwrite(data + done, 1, PIECE, sid) == PIECE);
    }
    FUZZ_CHECK(sid >= 0 && sion_close(sid) == 1);
    found = memory_get(CONTAINER, &size);
    memcpy(copy, found, size);
    memory_end();
    return size;
}

/* What a writer puts there must be read by members. */
static void append(fuzz_take *take, uint8_t *copy, size_t size, int ntasks,
                   void fill(struct scion_members *members))
{
    struct scion_members members;
    struct container *container;
    sion_int64 words[400];

    FUZZ_CHECK(scion_members_make(&members, ntasks) == 0);
    fill(&members);
    FUZZ_CHECK(scion_members_words(&members) <= (sion_int64)(sizeof words / sizeof words[0]));
    scion_members_encode(&members, copy + size, words);
    memcpy(copy + size + HEAD, words, WORD * (size_t)scion_members_words(&members));
    size += HEAD + WORD * (size_t)scion_members_words(&members);
    scion_members_free(&members);
    memory_begin();
    memory_add(CONTAINER, copy, size);
    container = container_read("rb,cmerge");
    FUZZ_CHECK(container && count_bytes(container) > 0 && container->streams[1].bytes > 0);
    container_free(container);
    memory_end();
    take(copy, size);
}

static void make(fuzz_take *take)
{
    static uint8_t copy[1 << 16];
    size_t size;
    uint8_t *golden = fuzz_golden("mpi/m03_cmerge.sion", &size);

    FUZZ_CHECK(size < sizeof copy / 2);
    memcpy(copy, golden, size);
    free(golden);
    if (!scion_host_is_big()) /* the record has the byte order of the golden file */
        append(take, copy, size, 8, fill_golden);
    append(take, copy, write_streams(copy, "bw,posix"), TASKS, fill_runs);
}

const struct fuzz_target fuzz_target = {.run = run,
                                        .focus = focus,
                                        .resized = resized,
                                        .seal = seal,
                                        .make = make,
                                        .rounds = 500,
                                        .most = 16384};

/*
 * The guard of a file: whatever is read in whatever order, all bytes of sound pieces are delivered,
 * and no byte of a damaged one; bytes are read once.
 */
#include "file/guard.h"

#include "base/crc.h"
#include "base/error.h"
#include "format/checksum.h"
#include "support.h"
#include "vfs/fault.h"
#include "vfs/vfs.h"

enum { TASKS = 5, MOST_CHUNKS = 4, MOST_PIECES = 64, MOST_FILE = 20 << 20 };

static uint32_t simple_crc(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    while (size-- > 0)
        crc = 31 * crc + *at++ + 1;
    return crc;
}

/* The file: first the CRCs, then the chunks. */
static struct {
    struct scion_guard_facts facts;
    sion_int64 starts[TASKS], used[TASKS][MOST_CHUNKS], chunksize[TASKS], crcs_at[TASKS];
    int chunks;
    sion_int64 size, damaged[MOST_PIECES]; /* first bytes of damaged pieces */
    int ndamaged;
    unsigned char bytes[MOST_FILE];
} model;

static sion_int64 chunk_at(int task, int chunk)
{
    return model.starts[task] + chunk * model.facts.globalskip;
}

static void place(sion_int64 piece, sion_int64 most, int chunks)
{
    sion_int64 at = 4096;
    int t, c;

    model.facts = (struct scion_guard_facts){.piece = piece};
    model.chunks = chunks;
    model.ndamaged = 0;
    for (t = 0; t < TASKS; t++) {
        model.starts[t] = at;
        model.chunksize[t] = (sion_int64)check_below((size_t)most);
        at += model.chunksize[t] + (sion_int64)check_below(3) * 16;
    }
    model.facts.globalskip = at - 4096;
    model.size = 4096 + chunks * model.facts.globalskip;
    CHECK(model.size <= MOST_FILE);
    for (t = 0; t < TASKS; t++) {
        for (c = 0; c < chunks; c++)
            model.used[t][c] = (sion_int64)check_below((size_t)model.chunksize[t] + 1);
    }
    check_fill(model.bytes, 1, 0, (size_t)model.size);
}

/* From a byte of a chunk on. */
static size_t piece_size(int task, int chunk, sion_int64 pos)
{
    sion_int64 left = model.used[task][chunk] - pos;

    return (size_t)(left < model.facts.piece ? left : model.facts.piece);
}

static void write_file(int swapped)
{
    size_t at = 0;
    FILE *file = fopen("guarded", "wb");
    sion_int64 pos;
    int t, c;

    model.facts.swapped = swapped;
    for (t = 0; t < TASKS; t++) {
        model.crcs_at[t] = (sion_int64)at;
        for (c = 0; c < model.chunks; c++) {
            for (pos = 0; pos < model.used[t][c]; pos += model.facts.piece, at += 4) {
                uint32_t crc =
                    simple_crc(0, model.bytes + chunk_at(t, c) + pos, piece_size(t, c, pos));

                crc = swapped ? __builtin_bswap32(crc) : crc;
                memcpy(model.bytes + at, &crc, sizeof crc);
            }
        }
    }
    CHECK(at <= 4096);
    CHECK_INT(fwrite(model.bytes, 1, (size_t)model.size, file), model.size);
    CHECK_INT(fclose(file), 0);
}

/* A byte of every nth piece is changed in the file. */
static void damage(int n)
{
    FILE *file = fopen("guarded", "r+b");
    sion_int64 pos;
    int t, c, number = 0;

    for (t = 0; t < TASKS; t++) {
        for (c = 0; c < model.chunks; c++) {
            for (pos = 0; pos < model.used[t][c]; pos += model.facts.piece) {
                sion_int64 first = chunk_at(t, c) + pos;
                size_t at = (size_t)first + check_below(piece_size(t, c, pos));

                if (number++ % n > 0 || model.ndamaged == MOST_PIECES)
                    continue;
                model.damaged[model.ndamaged++] = first;
                CHECK(fseek(file, (long)at, SEEK_SET) == 0 &&
                      fputc(model.bytes[at] ^ 1, file) >= 0);
            }
        }
    }
    CHECK_INT(fclose(file), 0);
}

/* The end of the damaged piece that begins there. */
static sion_int64 end_of_damaged(sion_int64 first)
{
    int t, c;

    for (t = 0; t < TASKS; t++) {
        for (c = 0; c < model.chunks; c++) {
            sion_int64 pos = first - chunk_at(t, c);

            if (pos >= 0 && pos < model.used[t][c])
                return first + (sion_int64)piece_size(t, c, pos);
        }
    }
    return first;
}

/* How many bytes from there on can be read. */
static sion_int64 good_from(sion_int64 offset, sion_int64 bytes)
{
    int i;

    for (i = 0; i < model.ndamaged; i++) {
        if (offset < end_of_damaged(model.damaged[i]) && offset + bytes > model.damaged[i])
            bytes = model.damaged[i] > offset ? model.damaged[i] - offset : 0;
    }
    return bytes;
}

/* The tasks are added in another order than in the file. */
static struct scion_guard *make(void)
{
    struct scion_guard *guard;
    int t;

    CHECK_INT(scion_guard_new(&model.facts, TASKS, (sion_int64)TASKS * model.chunks, &guard), 0);
    for (t = TASKS - 1; t >= 0; t--) {
        struct scion_lengths lengths;

        scion_lengths_view(&lengths, model.used[t], 1, model.chunks);
        scion_guard_add(guard, t, model.starts[t], model.crcs_at[t], &lengths);
    }
    return guard;
}

static struct scion_file *open_file(struct scion_guard *guard)
{
    struct scion_file *file;

    CHECK_INT(scion_file_open("guarded", SCION_OPEN_READ, 0, &file), 0);
    scion_guard_watch(guard, file);
    return file;
}

static void read_one(struct scion_file *file, sion_int64 offset, sion_int64 bytes)
{
    static unsigned char to[MOST_FILE];
    sion_int64 good = good_from(offset, bytes), i;
    size_t got;
    int rc;

    memset(to, 0, (size_t)bytes);
    rc = scion_file_read_some(file, to, (size_t)bytes, offset, &got);
    CHECK_INT(got, good);
    CHECK_INT(rc, good == 0 && bytes > 0 ? SION_ERR_DAMAGED : 0);
    CHECK(memcmp(to, model.bytes + offset, (size_t)good) == 0);
    for (i = good; i < bytes && to[i] == 0; i++)
        ;
    CHECK_INT(i, bytes);
    CHECK_INT(scion_file_read(file, to, (size_t)bytes, offset),
              good == bytes ? 0 : SION_ERR_DAMAGED);
    if (good < bytes) {
        CHECK_CONTAINS(scion_error_text(), "guarded: piece");
        CHECK_CONTAINS(scion_error_text(), "is damaged: its checksum is");
    }
    CHECK_INT(scion_file_check(file, offset, bytes), good == bytes ? 0 : SION_ERR_DAMAGED);
}

static void read_in_any_order(int times, size_t most)
{
    struct scion_guard *guard = make();
    struct scion_file *file = open_file(guard);
    int i;

    for (i = 0; i < times; i++) {
        sion_int64 offset = 4096 + (sion_int64)check_below((size_t)model.size - 4096);
        sion_int64 left = model.size - offset, bytes = (sion_int64)check_below(most);

        read_one(file, offset, bytes < left ? bytes : left);
    }
    CHECK_INT(scion_file_close(file), 0);
    scion_guard_free(guard);
}

static void small_pieces(void)
{
    int round;

    for (round = 0; round < 40; round++) {
        place(1 + (sion_int64)check_below(200), 1 + (sion_int64)check_below(900),
              1 + (int)check_below(MOST_CHUNKS));
        if (model.facts.piece < 20)
            model.facts.piece += 20;
        write_file(round % 2);
        read_in_any_order(30, 2000);
        damage(1 + (int)check_below(6));
        read_in_any_order(60, 2000);
    }
}

/* Also those that do not fit into the room of a guard. */
static void large_pieces(void)
{
    static const sion_int64 pieces[] = {1 << 20, (1 << 20) + 1, 3 << 20};
    int i;

    for (i = 0; i < 3; i++) {
        place(pieces[i], 3 << 20, 1);
        write_file(0);
        damage(3);
        read_in_any_order(20, 5 << 20);
        read_in_any_order(20, 5000);
    }
}

/* ---- how much is read ---- */

/* One task with 9 1/2 pieces of 1 MiB. */
static void place_stream(void)
{
    int t;

    place(1 << 20, 10, 1);
    for (t = 0; t < TASKS; t++)
        model.used[t][0] = 0;
    model.starts[1] = 4096;
    model.used[1][0] = 19 << 19;
    model.facts.globalskip = 10 << 20;
    model.size = 4096 + (10 << 20);
    check_fill(model.bytes, 1, 0, (size_t)model.size);
    write_file(0);
}

static long count_read(size_t record, sion_int64 from)
{
    static unsigned char to[10 << 20];
    struct scion_guard *guard = make();
    struct scion_file *file;
    sion_int64 pos;
    long bytes;

    scion_fault_arm(0, 0, 0, 0);
    file = open_file(guard);
    for (pos = from; pos < model.used[1][0]; pos += (sion_int64)record) {
        sion_int64 left = model.used[1][0] - pos;
        size_t now = left < (sion_int64)record ? (size_t)left : record;

        CHECK_INT(scion_file_read(file, to, now, 4096 + pos), 0);
        CHECK(memcmp(to, model.bytes + 4096 + pos, now) == 0);
    }
    bytes = scion_fault_bytes_read();
    CHECK_INT(scion_file_close(file), 0);
    scion_fault_disarm();
    scion_guard_free(guard);
    return bytes;
}

/* 4 bytes of each CRC, and all data. */
static void a_stream_is_read_once(void)
{
    static const size_t records[] = {1000, 65536, 1 << 20, 1000000, 3 << 20, 2500000, 10 << 20};
    int i;

    place_stream();
    for (i = 0; i < 7; i++)
        CHECK_INT(count_read(records[i], 0), 10 * 4 + (19 << 19));
    /* The first piece is read as a whole, and whole pieces are not. */
    CHECK_INT(count_read(1 << 20, (1 << 20) - 1), 10 * 4 + (19 << 19));
}

static void a_small_read_compares_its_piece_once(void)
{
    struct scion_guard *guard;
    struct scion_file *file;
    char to[100];
    int i;

    place_stream();
    guard = make();
    scion_fault_arm(0, 0, 0, 0);
    file = open_file(guard);
    CHECK_INT(scion_file_read(file, to, 100, 4096 + (5 << 20) + 7777), 0);
    CHECK_INT(scion_fault_bytes_read(), 40 + (1 << 20));
    CHECK_INT(scion_file_read(file, to, 100, 4096 + 7777), 0);
    CHECK_INT(scion_fault_bytes_read(), 40 + (2 << 20));
    for (i = 0; i < 10; i++)
        CHECK_INT(scion_file_read(file, to, 100, 4096 + (5 << 20) + 100 * i), 0);
    CHECK_INT(scion_fault_bytes_read(), 40 + (2 << 20) + 1000);
    scion_fault_disarm();
    CHECK_INT(scion_file_close(file), 0);
    scion_guard_free(guard);
}

/* ---- special cases ---- */

static void a_file_that_is_cut_off_is_an_error(void)
{
    struct scion_guard *guard;
    struct scion_file *file;
    static char to[1 << 20];

    place_stream();
    CHECK_INT(truncate("guarded", 4096 + (2 << 20) + 5000), 0);
    guard = make();
    file = open_file(guard);
    CHECK_INT(scion_file_read(file, to, 1 << 20, 4096 + (1 << 20)), 0);
    CHECK_INT(scion_file_read(file, to, 100, 4096 + (2 << 20)), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "is cut off");
    CHECK_INT(scion_file_check(file, 4096, 3 << 20), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "is cut off");
    CHECK_INT(scion_file_close(file), 0);
    scion_guard_free(guard);
}

/* Zeros that were not written: who passes over holes must not take them for data. */
static void a_hole_is_no_hole_if_it_is_damage(void)
{
    struct scion_guard *guard;
    struct scion_file *file;
    int is_hole;

    place_stream();
    memset(model.bytes + 4096 + (4 << 20), 0, 1 << 20);
    write_file(0);
    CHECK_INT(truncate("guarded", 4096 + (4 << 20)), 0);
    CHECK_INT(truncate("guarded", model.size), 0);
    guard = make();
    file = open_file(guard);
    scion_file_run(file, 4096 + (4 << 20), 1 << 20, &is_hole);
    if (!is_hole)
        SKIP("no holes here");
    scion_file_run(file, 4096 + (5 << 20), 1 << 20, &is_hole);
    CHECK_INT(is_hole, 0);
    CHECK_INT(scion_file_close(file), 0);
    scion_guard_free(guard);
}

static void a_copy_passes_the_guard(void)
{
    struct scion_guard *guard, *other;
    struct scion_file *file, *to;

    place_stream();
    damage(1);
    guard = make();
    CHECK_INT(scion_guard_copy(guard, &other), 0);
    file = open_file(other);
    scion_guard_free(guard);
    CHECK_INT(scion_file_open("copy", SCION_OPEN_NEW, 0600, &to), 0);
    CHECK_INT(scion_file_copy(file, 4096, to, 0, 1000), SION_ERR_DAMAGED);
    CHECK_INT(scion_file_close(to), 0);
    CHECK_INT(scion_file_close(file), 0);
    scion_guard_free(other);
}

int main(void)
{
    support_enter_folder();
    scion_crc_use(simple_crc);
    RUN(small_pieces);
    RUN(large_pieces);
    RUN(a_stream_is_read_once);
    RUN(a_small_read_compares_its_piece_once);
    RUN(a_file_that_is_cut_off_is_an_error);
    RUN(a_hole_is_no_hole_if_it_is_damage);
    RUN(a_copy_passes_the_guard);
    support_leave_folder();
    return check_done();
}

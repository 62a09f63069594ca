/*
 * Damage. If any byte of headers, indexes or trailers is wrong, all data can still be read: where
 * an index is damaged, from the headers. No damage makes a reader crash or read beyond the data.
 */
#include "model.h"

#include <fcntl.h>

#include "array/codec.h"
#include "damage.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "damaged.sion"

enum { N = 2, ELEMENTS = 6 };

static const sion_int64 shape[] = {N * ELEMENTS}, all[] = {0};
static sion_int64 start; /* where the data begin in the file */

static void write_container(int steps)
{
    sion_int64 sizes[N] = {4096, 4096}, *chunksizes = sizes, count[] = {ELEMENTS};
    int ranks[N] = {0, 1}, *globalranks = ranks, ntasks = N, nfiles = 1, sid, t, step;
    sion_int32 fsblksize = 512;
    char name[] = NAME;
    short data[ELEMENTS];

    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
    start = sion_get_position(sid);
    CHECK_INT(sion_array_define(sid, "T", SION_I16, 1, shape), 1);
    CHECK_INT(sion_array_set_attribute(sid, "T", "_FillValue", "-5"), 1);
    for (step = 0; step < steps; step++) {
        for (t = 0; t < N; t++) {
            sion_int64 offset[] = {t * ELEMENTS};
            int i;

            for (i = 0; i < ELEMENTS; i++)
                data[i] = (short)(1000 * step + 100 * t + i);
            CHECK_INT(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(put_any(sid, "T", step, offset, count, data), 1);
        }
    }
    CHECK_INT(sion_close(sid), 1);
}

/* The number of elements that have the value that was put; -1 if the arrays cannot be opened. */
static int count_right(int steps)
{
    short data[N * ELEMENTS];
    sion_array_reader *arrays = sion_array_reader_open(NAME);
    int right = 0, step, i;

    if (!arrays)
        return -1;
    for (step = 0; step < steps; step++) {
        if (get_any(arrays, "T", step, all, shape, data) != 1)
            break;
        for (i = 0; i < N * ELEMENTS; i++)
            right += data[i] == 1000 * step + 100 * (i / ELEMENTS) + i % ELEMENTS;
    }
    sion_array_reader_close(arrays);
    return right;
}

/* Smallest and largest element are those of all blocks, or are not known. */
static int has_right_range(int steps)
{
    sion_array_reader *arrays = sion_array_reader_open(NAME);
    struct sion_array_info info = {.size = sizeof info};
    int is_right =
        sion_array_reader_info(arrays, "T", &info) == 1 &&
        (!info.has_range ||
         (info.low.i == 0 && info.high.i == 1000 * (steps - 1) + 100 * (N - 1) + ELEMENTS - 1));

    sion_array_reader_close(arrays);
    return is_right;
}

/* Whether a byte in a task's chunk is outside of the data of arrays. */
static int is_around(const unsigned char *bytes, size_t at, size_t size)
{
    size_t head = at - at % SCION_ARRAY_ALIGN;
    struct scion_array_header header;
    size_t length;

    /* 12 bytes of data follow a header of two lines */
    if (head < (size_t)start + 128)
        return 1;
    length = scion_array_header_decode(bytes + head - 128, size - head + 128, &header);
    return length != 128 || header.kind != SCION_ARRAY_BLOCK || at - head >= 12;
}

static void any_wrong_byte_does_no_harm(void)
{
    enum { STEPS = 2 };
    size_t size, i, end;
    unsigned char *bytes;
    int tried = 0;

    write_container(STEPS);
    bytes = model_read_file(NAME, &size);
    end = (size_t)start + 2 * 4096;
    for (i = (size_t)start; i < end; i++) {
        unsigned char old = bytes[i];
        FILE *file;
        int right;

        if (!is_around(bytes, i, size))
            continue;
        file = fopen(NAME, "r+b");
        bytes[i] = (unsigned char)(old ^ (1u << i % 8));
        fseek(file, (long)i, SEEK_SET);
        putc(bytes[i], file);
        fclose(file);
        right = count_right(STEPS);
        if (right != STEPS * N * ELEMENTS || !has_right_range(STEPS)) {
            CHECK_INT(right, STEPS * N * ELEMENTS);
            CHECK(has_right_range(STEPS));
            printf("# byte %zu\n", i - (size_t)start);
            break;
        }
        bytes[i] = old;
        file = fopen(NAME, "r+b");
        fseek(file, (long)i, SEEK_SET);
        putc(old, file);
        fclose(file);
        tried++;
    }
    CHECK(tried > 1000);
    free(bytes);
}

/* Without an index, the record gives the length of an attribute: its value ends before the next
   name. */
static void attributes_are_found_by_their_headers(void)
{
    sion_int64 size = 8192, *sizes = &size, offset[] = {0}, count[] = {1};
    int rank = 0, *ranks = &rank, ntasks = 1, nfiles = 1, sid;
    sion_int32 fsblksize = 512;
    char name[] = NAME;
    short data = 1;
    sion_array_reader *arrays;

    sid = sion_open(name, "bw", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_array_define(sid, "T", SION_I16, 1, shape), 1);
    CHECK_INT(put_any(sid, "T", 0, offset, count, &data), 1);
    CHECK_INT(sion_array_set_attribute(sid, NULL, "title", "a run"), 1);
    CHECK_INT(sion_array_set_attribute(sid, "T", "units", "K"), 1);
    CHECK_INT(sion_array_set_attribute(sid, "T", "none", ""), 1);
    CHECK_INT(sion_array_set_attribute(sid, "T", "long_name", "temperature"), 1);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(model_break_trailers(NAME), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_STR(sion_array_reader_attribute(arrays, NULL, "title"), "a run");
    CHECK_STR(sion_array_reader_attribute(arrays, "T", "units"), "K");
    CHECK_STR(sion_array_reader_attribute(arrays, "T", "none"), "");
    CHECK_STR(sion_array_reader_attribute(arrays, "T", "long_name"), "temperature");
    sion_array_reader_close(arrays);
}

static void random_damage_does_no_harm(void)
{
    size_t size, i;
    unsigned char *bytes, *damaged;
    int round, opened = 0;

    write_container(20);
    bytes = model_read_file(NAME, &size);
    damaged = malloc(size);
    support_catch();
    for (round = 0; round < 1500; round++) {
        int n = 1 + (int)check_below(12);

        memcpy(damaged, bytes, size);
        if (round % 3 == 0) /* now only the headers are left */
            memset(damaged + start + 4096 - 64, 0, 64);
        for (i = 0; i < (size_t)n; i++)
            damaged[(size_t)start + check_below(size - (size_t)start)] =
                (unsigned char)(check_below(3) ? check_random() : 255);
        model_write_file(NAME, damaged, size - (round % 5 == 0 ? check_below(4000) : 0));
        opened += count_right(20) >= 0;
    }
    CHECK(opened > 100);
    free(bytes);
    free(damaged);
}

enum { RECORD = 256 }; /* bytes of a block and its header */

/* A stream with a block, a hole of 1 TiB and a copy of the block, and without an index. */
static int write_around_a_hole(void)
{
    sion_int64 tib = 1LL << 40, chunk = tib + 65536, *chunksizes = &chunk, one[] = {ELEMENTS};
    int rank = 0, *ranks = &rank, ntasks = 1, nfiles = 1, sid, file, is_hole;
    static const short data[ELEMENTS] = {7, 8};
    sion_int32 fsblksize = 512;
    char name[] = NAME, record[RECORD];

    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);
    start = sion_get_position(sid);
    CHECK_INT(sion_array_define(sid, "T", SION_I16, 1, shape), 1);
    CHECK_INT(put_any(sid, "T", 0, all, one, data), 1);
    CHECK_INT(sion_close(sid), 1);
    file = open(NAME, O_RDWR);
    CHECK_INT(pread(file, record, RECORD, start), RECORD);
    CHECK_INT(pwrite(file, record, RECORD, start + tib), RECORD);
    CHECK_INT(pwrite(file, &chunk, sizeof chunk, start + chunk + 8), sizeof chunk); /* its length */
    is_hole = lseek(file, start + 65536, SEEK_DATA) > start + tib / 2;
    CHECK_INT(close(file), 0);
    return is_hole;
}

static void holes_are_not_searched(void)
{
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;

    if (!write_around_a_hole()) {
        SKIP("no sparse files of this size here");
        return;
    }
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK_INT(info.blocks, 2);
    sion_array_reader_close(arrays);
}

/* Two blocks with bytes of the application between them. */
static void write_apart(const char *bytes, size_t between)
{
    sion_int64 chunk = 4096, *chunksizes = &chunk, first[] = {ELEMENTS};
    int rank = 0, *ranks = &rank, ntasks = 1, nfiles = 1, sid;
    static const short data[2][ELEMENTS] = {{0, 1, 2, 3, 4, 5}, {100, 101, 102, 103, 104, 105}};
    char name[] = NAME;
    sion_int32 fsblksize = 512;
    sion_int64 one[] = {ELEMENTS};

    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_array_define(sid, "T", SION_I16, 1, shape), 1);
    CHECK_INT(put_any(sid, "T", 0, all, one, data[0]), 1);
    CHECK_INT(sion_fwrite(bytes, 1, between, sid), between);
    CHECK_INT(put_any(sid, "T", 0, first, one, data[1]), 1);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(model_break_trailers(NAME), 1);
}

/* The bytes that are searched at a time may end in the middle of a header. */
static void headers_are_found_behind_bytes_of_the_application(void)
{
    static const char with_magic[1024] = "\x89SIONARR", without[1024];
    size_t between;

    for (between = 8; between < 1024 && !check_failed_here; between += 4) {
        write_apart(between % 8 == 0 ? with_magic : without, between);
        support_catch();
        CHECK_INT(count_right(1), N * ELEMENTS);
        CHECK_INT(support_warnings, 0);
    }
}

/* A stream that is an index of 4 GiB and 5 bytes, which are holes, and its trailer. */
static void write_large_index(void)
{
    struct scion_array_header header = {.kind = SCION_ARRAY_INDEX, .bytes = (1LL << 32) + 5};
    struct scion_array_trailer trailer = {.bytes = (1LL << 32) + 5, .parts = 1};
    sion_int64 chunk = 5LL << 30, *chunksizes = &chunk, used;
    int rank = 0, *ranks = &rank, ntasks = 1, nfiles = 1, sid, file;
    unsigned char bytes[SCION_ARRAY_HEADER];
    size_t size = scion_array_header_size(0, 0);
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    sid = sion_open(name, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &ranks, NULL);
    start = sion_get_position(sid);
    scion_array_header_encode(&header, bytes);
    CHECK_INT(sion_fwrite(bytes, 1, size, sid), size);
    CHECK_INT(sion_close(sid), 1);
    used = (sion_int64)size + header.bytes + SCION_ARRAY_TRAILER;
    scion_array_trailer_encode(&trailer, bytes);
    file = open(NAME, O_WRONLY);
    CHECK_INT(pwrite(file, bytes, SCION_ARRAY_TRAILER, start + used - SCION_ARRAY_TRAILER),
              SCION_ARRAY_TRAILER);
    CHECK_INT(pwrite(file, &used, sizeof used, start + chunk + 8), sizeof used);
    CHECK_INT(close(file), 0);
}

static void an_index_larger_than_memory_is_refused(void)
{
    support_catch();
    write_large_index();
    CHECK(!sion_array_reader_open(NAME));
    CHECK_CONTAINS(support_message, "index");
}

/* Of 4 GiB and 5 bytes. */
static void parts_larger_than_memory_are_refused(void)
{
    sion_int64 large[] = {(1LL << 32) + 5}, size = 5LL << 30, *sizes = &size;
    int rank = 0, *ranks = &rank, ntasks = 1, nfiles = 1, sid;
    unsigned char data[5] = {0};
    sion_int32 fsblksize = 512;
    char name[] = NAME;
    sion_array_reader *arrays;

    support_catch();
    sid = sion_open(name, "bw", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    CHECK_INT(sion_array_define(sid, "T", SION_U8, 1, large), 1);
    CHECK_INT(put_any(sid, "T", 0, all, large, data), 0);
    CHECK_INT(put_any(sid, "T", 0, all, (const sion_int64[]){5}, data), 1);
    CHECK_INT(sion_close(sid), 1);
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(get_any(arrays, "T", 0, all, large, data), 0);
    CHECK_INT(get_any(arrays, "T", 0, all, (const sion_int64[]){5}, data), 1);
    sion_array_reader_close(arrays);
    CHECK_INT(support_errors, 2);
}

/* ---- damaged numbers of a task's chunks ---- */

/* Task t has the elements from t * ELEMENTS on. Says that chunk 0 of a task has too many bytes. */
static void damage_task(int task)
{
    CHECK(damage_write(NAME, damage_used_at(NAME, task, 0), 5000));
}

static int get_part(sion_array_reader *arrays, sion_int64 step, sion_int64 first, sion_int64 n,
                    short *data)
{
    const sion_int64 offset[] = {first}, count[] = {n};

    support_catch();
    return sion_array_reader_get(arrays, "T", step, offset, count, SION_I16, data,
                                 sizeof *data * (size_t)n);
}

static int is_right_part(const short *data, sion_int64 step, sion_int64 first, sion_int64 n)
{
    sion_int64 i, at;

    for (i = 0; i < n; i++) {
        at = first + i;
        if (data[i] != 1000 * step + 100 * (at / ELEMENTS) + at % ELEMENTS)
            return 0;
    }
    return 1;
}

static sion_array_reader *open_damaged(int task)
{
    sion_array_reader *arrays;
    char text[64];

    support_catch();
    arrays = sion_array_reader_open(NAME);
    CHECK(arrays != NULL);
    CHECK_INT(support_errors, 0);
    CHECK_INT(support_warnings, 1);
    snprintf(text, sizeof text, "chunk 0 of task %d says 5000 bytes used of", task);
    CHECK_CONTAINS(support_message, text);
    CHECK_CONTAINS(support_message, "nothing is read of this task");
    return arrays;
}

/* The index of all tasks says which parts are the damaged task's: all others are read. */
static void a_damaged_task_locks_out_its_blocks(void)
{
    short data[N * ELEMENTS];
    sion_int64 step, first, n;
    sion_array_reader *arrays;

    write_container(3);
    damage_task(1);
    arrays = open_damaged(1);
    for (step = -1; step < 3; step++) {
        for (first = 0; first < N * ELEMENTS; first++) {
            for (n = 1; first + n <= N * ELEMENTS; n++) {
                int is_task_0 = first + n <= ELEMENTS;
                sion_int64 from = step < 0 ? SION_ARRAY_NEWEST : step;

                CHECK_INT(get_part(arrays, from, first, n, data), is_task_0);
                CHECK(!is_task_0 || is_right_part(data, step < 0 ? 2 : step, first, n));
                CHECK_INT(support_errors, !is_task_0);
            }
        }
    }
    CHECK_INT(get_part(arrays, 0, ELEMENTS, 1, data), 0);
    CHECK_CONTAINS(support_message, "chunk 0 of task 1 says 5000 bytes used of");
    sion_array_reader_close(arrays);
}

/* Without an index, a damaged header hides only its own block. */
static void a_damaged_header_hides_only_its_block(void)
{
    struct sion_array_info info = {.size = sizeof info};
    short data[N * ELEMENTS];
    sion_array_reader *arrays;
    sion_int64 task;
    size_t size;
    unsigned char *bytes;

    write_container(2);
    CHECK_INT(model_break_trailers(NAME), 2);
    CHECK_INT(count_right(2), 2 * N * ELEMENTS);
    bytes = model_read_file(NAME, &size);
    bytes[start + 4096 + 20] ^= 1; /* the first block of task 1 */
    model_write_file(NAME, bytes, size);
    support_catch();
    arrays = sion_array_reader_open(NAME);
    CHECK_INT(support_warnings, 1);
    CHECK_STR(support_message,
              NAME ": 1 header of records is damaged, so their blocks are missing");
    for (task = 0; task < N; task++) {
        CHECK_INT(get_part(arrays, 1, task * ELEMENTS, ELEMENTS, data), 1);
        CHECK(is_right_part(data, 1, task * ELEMENTS, ELEMENTS));
        CHECK_INT(get_part(arrays, 0, task * ELEMENTS, ELEMENTS, data), task != 1);
        CHECK(task == 1 || is_right_part(data, 0, task * ELEMENTS, ELEMENTS));
    }
    CHECK_INT(get_part(arrays, SION_ARRAY_NEWEST, 0, ELEMENTS, data), 0);
    CHECK_CONTAINS(support_message, "array T: task 1 is damaged, so blocks with elements");
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK(!info.has_range);
    sion_array_reader_close(arrays);
    free(bytes);
}

/*
 * Task 0 has the index of all. Without it, nobody knows what it had: only blocks of a step that
 * count more than its own are right.
 */
static void without_an_index_only_blocks_that_count_more_are_read(void)
{
    struct sion_array_info info = {.size = sizeof info};
    short data[N * ELEMENTS];
    sion_int64 first, n;
    sion_array_reader *arrays;

    write_container(3);
    damage_task(0);
    arrays = open_damaged(0);
    for (first = 0; first < N * ELEMENTS; first++) {
        for (n = 1; first + n <= N * ELEMENTS; n++) {
            int is_task_1 = first >= ELEMENTS;

            CHECK_INT(get_part(arrays, 1, first, n, data), is_task_1);
            CHECK(!is_task_1 || is_right_part(data, 1, first, n));
            CHECK_INT(get_part(arrays, SION_ARRAY_NEWEST, first, n, data), 0);
            CHECK_CONTAINS(support_message,
                           "task 0 is damaged, so blocks with elements of this part may be missing");
        }
    }
    CHECK_INT(get_part(arrays, 7, ELEMENTS, 1, data), 0);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK(!info.has_range);
    support_catch();
    CHECK_INT(sion_array_reader_blocks(arrays, "T", 1, 0, 0, NULL), -1);
    CHECK_CONTAINS(support_message, "task 0 is damaged, and its blocks are not known");
    sion_array_reader_close(arrays);

    write_container(3); /* a higher task counts more */
    CHECK_INT(model_break_trailers(NAME), 2);
    damage_task(1);
    arrays = open_damaged(1);
    CHECK_INT(get_part(arrays, 1, 0, 1, data), 0);
    CHECK_CONTAINS(support_message,
                   "task 1 is damaged, so blocks with elements of this part may be missing");
    sion_array_reader_close(arrays);

    write_container(3);
    damage_task(0);
    damage_task(1);
    support_catch();
    arrays = sion_array_reader_open(NAME);
    CHECK_CONTAINS(support_message, ", nor of 1 other");
    CHECK_INT(sion_array_reader_count(arrays), 0);
    sion_array_reader_close(arrays);
}

int main(void)
{
    check_seed(20261122);
    support_enter_folder();
    RUN(any_wrong_byte_does_no_harm);
    RUN(a_damaged_header_hides_only_its_block);
    RUN(attributes_are_found_by_their_headers);
    RUN(random_damage_does_no_harm);
    RUN(headers_are_found_behind_bytes_of_the_application);
    RUN(holes_are_not_searched);
    RUN(a_damaged_task_locks_out_its_blocks);
    RUN(without_an_index_only_blocks_that_count_more_are_read);
    if (sizeof(size_t) == 4) {
        RUN(an_index_larger_than_memory_is_refused);
        RUN(parts_larger_than_memory_are_refused);
    }
    support_leave_folder();
    return check_done();
}

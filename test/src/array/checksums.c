/*
 * Arrays of a container with checksums: bytes are compared when they are read, and only reads that
 * need a damaged piece fail; checksum=open compares all data before.
 */
#include "model.h"

#include <fcntl.h>

#include "base/zstd.h"
#include "sion_checksum.h"
#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define NAME "sums.sion"

/* Each block is in three pieces of 1 MiB. */
enum { TASKS = 3, ROWS = 2, ROW = 300000, STEPS = 2, BLOCK = 4 * ROWS * ROW, CHUNK = 6000000 };

static const sion_int64 shape[] = {TASKS * ROWS, ROW};
static sion_int64 starts[TASKS]; /* where each task's chunk begins */
static int data[ROWS * ROW];

static int value_of(int step, int row, int column)
{
    return 1000000 * (10 * step + row) + column;
}

static void write_container(void)
{
    sion_int64 sizes[TASKS] = {CHUNK, CHUNK, CHUNK}, *chunksizes = sizes, count[] = {ROWS, ROW};
    int ranks[TASKS] = {0, 1, 2}, *globalranks = ranks, ntasks = TASKS, nfiles = 1, sid, t, step, i;
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    sid = sion_open(name, "bw,checksum", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks,
                    NULL);
    CHECK_INT(sion_array_define(sid, "T", SION_I32, 2, shape), 1);
    for (t = 0; t < TASKS; t++) {
        CHECK_INT(sion_seek(sid, t, 0, 0), 1);
        starts[t] = sion_get_position(sid);
    }
    for (step = 0; step < STEPS; step++) {
        for (t = 0; t < TASKS; t++) {
            sion_int64 offset[] = {t * ROWS, 0};

            for (i = 0; i < ROWS * ROW; i++)
                data[i] = value_of(step, t * ROWS + i / ROW, i % ROW);
            CHECK_INT(sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(put_any(sid, "T", step, offset, count, data), 1);
        }
    }
    CHECK_INT(sion_close(sid), 1);
}

/* Change a byte of a task's stream; twice: as it was. */
static void change(int task, sion_int64 position)
{
    FILE *file = fopen(NAME, "r+b");
    int byte;

    fseek(file, (long)(starts[task] + position), SEEK_SET);
    byte = getc(file);
    fseek(file, -1, SEEK_CUR);
    putc(byte ^ 1, file);
    fclose(file);
}

/* Where the index at the end of a task's stream is. */
static sion_int64 end_of(int task)
{
    sion_int64 length = 0;
    struct sion_layer_parts *parts;
    struct sion_layer_part part;

    CHECK_INT(sion_layer_parts_open(NAME, "rb", 1, &parts), 0);
    sion_layer_parts_get(parts, task, &part);
    length = part.used[0];
    sion_layer_parts_close(parts);
    return length - 10;
}

/* 1: a row and some of its columns are right; 0: they are refused, -1: anything else. */
static int read_part(sion_array_reader *arrays, int step, int row, int column, int columns)
{
    sion_int64 offset[] = {row, column}, count[] = {1, columns};
    int i;

    support_catch();
    memset(data, 0, sizeof data);
    if (get_any(arrays, "T", step, offset, count, data) != 1)
        return support_errors == 1 && strstr(support_message, "damaged") ? 0 : -1;
    for (i = 0; i < columns; i++) {
        if (data[i] != value_of(step, row, column + i))
            return -1;
    }
    return 1;
}

static sion_array_reader *open_arrays(const char *checksum)
{
    sion_array_reader *arrays;

    support_catch();
    setenv("SION_CHECKSUM", checksum, 1);
    arrays = sion_array_reader_open(NAME);
    unsetenv("SION_CHECKSUM");
    CHECK(arrays != NULL);
    return arrays;
}

/* The second block of task 1 begins in piece 2 of its stream, and ends in piece 4. */
static void only_the_damaged_piece_is_refused(void)
{
    sion_array_reader *arrays;
    int step, row, right = 0;

    change(1, 3 * 1048576 + 500000);
    arrays = open_arrays("1");
    CHECK_INT(support_warnings, 0);
    for (step = 0; step < STEPS; step++) {
        for (row = 0; row < TASKS * ROWS; row++)
            right += read_part(arrays, step, row, 0, ROW) == 1;
    }
    CHECK_INT(right, STEPS * TASKS * ROWS - 2);
    CHECK_INT(read_part(arrays, 1, 2, 0, ROW), 0);
    CHECK_CONTAINS(support_message, "piece 3 of chunk 0 of task 1 is damaged: its checksum is");
    CHECK_INT(read_part(arrays, 1, 3, 0, ROW), 0);
    CHECK_INT(read_part(arrays, 1, 2, 0, 1000), 1);
    CHECK_INT(read_part(arrays, 1, 3, ROW - 1000, 1000), 1);
    CHECK_INT(read_part(arrays, 1, 2, ROW - 10, 10), 0);
    sion_array_reader_close(arrays);
    arrays = open_arrays("0");
    CHECK_INT(support_warnings, 0);
    CHECK_INT(read_part(arrays, 1, 2, ROW - 10, 10), 1);
    sion_array_reader_close(arrays);
    change(1, 3 * 1048576 + 500000);
}

static void the_open_may_compare_all(void)
{
    sion_array_reader *arrays;

    change(1, 3 * 1048576 + 500000);
    arrays = open_arrays("open");
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, "of task 1 is damaged");
    CHECK_INT(read_part(arrays, 0, 2, 0, ROW), 0);
    CHECK_INT(read_part(arrays, 0, 1, 0, ROW), 1);
    CHECK_INT(read_part(arrays, 0, 4, 0, ROW), 1);
    sion_array_reader_close(arrays);
    change(1, 3 * 1048576 + 500000);
}

/* Task 0 has the index of all: without it, only its own blocks are not known. */
static void a_damaged_index_locks_its_task_out(void)
{
    sion_array_reader *arrays;
    sion_int64 end = end_of(0);

    change(0, end);
    arrays = open_arrays("1");
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, "of task 0 is damaged: its checksum is");
    CHECK_CONTAINS(support_message, ": nothing is read of this task");
    CHECK_INT(read_part(arrays, 0, 1, 0, 10), 0);
    CHECK_INT(read_part(arrays, 0, 2, 0, ROW), 1);
    CHECK_INT(read_part(arrays, 1, 5, 0, ROW), 1);
    sion_array_reader_close(arrays);
    change(0, end);
    arrays = open_arrays("1");
    CHECK_INT(support_warnings, 0);
    CHECK_INT(read_part(arrays, 0, 1, 0, ROW), 1);
    sion_array_reader_close(arrays);
}

/* And so does one of the others, if that of all is damaged. */
static void damaged_indexes(void)
{
    sion_array_reader *arrays;
    sion_int64 first = end_of(0), last = end_of(2);

    change(0, first);
    change(2, last);
    arrays = open_arrays("1");
    CHECK_INT(support_warnings, 1);
    CHECK_CONTAINS(support_message, "nothing is read of this task, nor of 1 other");
    CHECK_INT(read_part(arrays, 0, 2, 0, 10), 0);
    sion_array_reader_close(arrays);
    change(0, first);
    change(2, last);
}

/* Of what is stored: a wrong piece is refused before it is decompressed; without checksums, zstd
   refuses the block. */
static void compressed_blocks(void)
{
    enum { NUMBERS = 400000 };
    static int wide[NUMBERS], found[NUMBERS];
    const sion_int64 all[] = {TASKS * (sion_int64)NUMBERS}, count[] = {NUMBERS};
    sion_int64 sizes[TASKS] = {CHUNK, CHUNK, CHUNK}, *chunksizes = sizes, t, step, i;
    int ranks[TASKS] = {0, 1, 2}, *globalranks = ranks, ntasks = TASKS, nfiles = 1, sid, right = 0;
    struct sion_array_block block = {.size = sizeof block};
    sion_int32 fsblksize = 512;
    char name[] = NAME;
    sion_array_reader *arrays;

    if (scion_zstd_need("compressed arrays") != 0) {
        SKIP("there is no libzstd");
        return;
    }
    for (i = 0; i < NUMBERS; i++)
        wide[i] = (int)(check_random() & 0xffffff);
    sid = sion_open(name, "bw,checksum", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks,
                    NULL);
    CHECK_INT(sion_array_define(sid, "Z", SION_I32, 1, all), 1);
    CHECK_INT(sion_array_codec(sid, "Z", "zstd,shuffle"), 1);
    for (step = 0; step < STEPS; step++) {
        for (t = 0; t < TASKS; t++) {
            const sion_int64 offset[] = {t * NUMBERS};

            CHECK_INT(sion_seek(sid, (int)t, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            CHECK_INT(put_any(sid, "Z", step, offset, count, wide), 1);
        }
    }
    CHECK_INT(sion_close(sid), 1);
    arrays = open_arrays("1");
    CHECK(sion_array_reader_blocks(arrays, "Z", 0, 1, 1, &block) > 0);
    CHECK(block.stored > 0 && block.stored < 4 * NUMBERS);
    sion_array_reader_close(arrays);
    starts[1] = block.stored_position;
    change(1, block.stored / 2);
    for (i = 0; i < 2; i++) {
        arrays = open_arrays(i == 0 ? "1" : "0");
        right = 0;
        for (step = 0; step < STEPS; step++) {
            for (t = 0; t < TASKS; t++) {
                const sion_int64 offset[] = {t * NUMBERS};
                int done;

                memset(found, 0, sizeof found);
                done = get_any(arrays, "Z", step, offset, count, found);
                right += done == 1 && memcmp(found, wide, sizeof wide) == 0;
                if (done != 1)
                    CHECK_CONTAINS(support_message, i == 0 ? "of task 1 is damaged: its checksum is"
                                                           : "the compressed block of task 1");
            }
        }
        CHECK_INT(right, STEPS * TASKS - 1);
        CHECK_INT(support_errors, 1);
        sion_array_reader_close(arrays);
    }
}

int main(void)
{
    support_enter_folder();
    sion_checksum_use(sion_crc32);
    write_container();
    RUN(only_the_damaged_piece_is_refused);
    RUN(the_open_may_compare_all);
    RUN(a_damaged_index_locks_its_task_out);
    RUN(damaged_indexes);
    RUN(compressed_blocks);
    support_leave_folder();
    return check_done();
}

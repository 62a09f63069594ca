/*
 * Streams that were put into another container in another order, or with those of others, as
 * sionmerge does: an index holds the numbers that the tasks had, and must not be believed then.
 */
#include "model.h"

#include <fcntl.h>

#include "sion_common.h"
#include "sion_serial.h"
#include "support.h"

#define ONE  "one.sion"
#define TWO  "two.sion"
#define MADE "made.sion"

enum { TASKS = 12, COLUMNS = 3, STEPS = 2, STREAM = 65536 };

static const sion_int64 shape[] = {TASKS, COLUMNS}, origin[] = {0, 0};

static int create(const char *name, int ntasks)
{
    sion_int64 sizes[2 * TASKS], *chunksizes = sizes;
    int ranks[2 * TASKS], *globalranks = ranks, nfiles = 1, t;
    sion_int32 fsblksize = 512;
    char file[32];

    for (t = 0; t < ntasks; t++) {
        sizes[t] = STREAM;
        ranks[t] = t;
    }
    strcpy(file, name);
    return sion_open(file, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
}

static int go_to(int sid, int task)
{
    return sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS;
}

static int value_of(int row, int column, int step)
{
    return 10000 * step + 100 * row + column;
}

/* Task t has row t of an array at two steps; uneven: and as many other bytes as its number says. */
static void write_rows(const char *file, const char *array, int is_uneven)
{
    int sid = create(file, TASKS), t, step, i, data[COLUMNS];
    sion_int64 count[] = {1, COLUMNS};

    CHECK_INT(sion_array_define(sid, array, SION_I32, 2, shape), 1);
    for (t = 0; t < TASKS; t++) {
        sion_int64 offset[] = {t, 0};

        CHECK_INT(go_to(sid, t), 1);
        for (i = 0; is_uneven && i < 100 * t; i++)
            CHECK_INT((int)sion_fwrite("x", 1, 1, sid), 1);
        for (step = 0; step < STEPS; step++) {
            for (i = 0; i < COLUMNS; i++)
                data[i] = value_of(t, i, step);
            CHECK_INT(put_any(sid, array, step, offset, count, data), 1);
        }
    }
    CHECK_INT(sion_close(sid), 1);
}

/* Append the stream of a task to the selected one. */
static void copy_stream(char *from, int task, int to)
{
    static char bytes[STREAM];
    sion_int32 fsblksize;
    sion_int64 chunksize;
    int sid = sion_open_rank(from, "rb", &chunksize, &fsblksize, &task, NULL);
    while (sid >= 0 && !sion_feof(sid)) {
        size_t n = (size_t)sion_bytes_avail_in_block(sid);

        CHECK_INT((int)sion_fread(bytes, 1, n, sid), (int)n);
        CHECK_INT((int)sion_fwrite(bytes, 1, n, to), (int)n);
    }
    CHECK_INT(sion_close(sid), 1);
}

/* A container with the streams of the tasks, one file after the other. */
static void make(const int *tasks, int n, const int *more, int nmore)
{
    int sid = create(MADE, n + nmore), t;
    char one[] = ONE, two[] = TWO;

    for (t = 0; t < n + nmore; t++) {
        CHECK_INT(go_to(sid, t), 1);
        copy_stream(t < n ? one : two, t < n ? tasks[t] : more[t - n], sid);
    }
    CHECK_INT(sion_close(sid), 1);
}

/* The number of right elements of an array at all steps, read as a whole and then row by row. */
static int count_right(sion_array_reader *arrays, const char *name)
{
    int data[TASKS * COLUMNS], right = 0, step, i;
    sion_int64 row[] = {0, 0}, one[] = {1, COLUMNS};

    for (step = 0; step < STEPS; step++) {
        CHECK_INT(get_any(arrays, name, step, origin, shape, data), 1);
        for (i = 0; i < TASKS * COLUMNS; i++)
            right += data[i] == value_of(i / COLUMNS, i % COLUMNS, step);
    }
    for (row[0] = 0; row[0] < TASKS; row[0]++) {
        CHECK_INT(get_any(arrays, name, 1, row, one, data), 1);
        right += data[1] == value_of((int)row[0], 1, 1);
    }
    return right;
}

enum { ALL = STEPS * TASKS * COLUMNS + TASKS };

static int read_right(const char *name)
{
    sion_array_reader *arrays = sion_array_reader_open(MADE);
    int right = arrays ? count_right(arrays, name) : -1;

    sion_array_reader_close(arrays);
    return right;
}

/* How many blocks have the first number that they should have at the place that is said of them. */
static int blocks_right(const char *name)
{
    sion_array_reader *arrays = sion_array_reader_open(MADE);
    struct sion_array_block blocks[TASKS] = {{.size = sizeof *blocks}};
    int right = 0, i, number, file;
    sion_int64 n = sion_array_reader_blocks(arrays, name, 1, 0, TASKS, blocks);

    CHECK_INT(n, TASKS);
    file = open(MADE, O_RDONLY);
    for (i = 0; i < TASKS && n == TASKS; i++)
        right += pread(file, &number, sizeof number, blocks[i].position) == sizeof number &&
                 number == value_of((int)blocks[i].offset[0], 0, 1);
    close(file);
    sion_array_reader_close(arrays);
    return right;
}

static const int in_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const int as_names_are_sorted[] = {0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9};
static const int reversed[] = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

static void streams_in_another_order(int is_uneven)
{
    struct sion_array_info info = {.size = sizeof info};
    sion_array_reader *arrays;

    write_rows(ONE, "T", is_uneven);
    make(in_order, TASKS, NULL, 0);
    CHECK_INT(read_right("T"), ALL);
    make(as_names_are_sorted, TASKS, NULL, 0);
    CHECK_INT(read_right("T"), ALL);
    CHECK_INT(blocks_right("T"), TASKS);
    make(reversed, TASKS, NULL, 0);
    CHECK_INT(read_right("T"), ALL);
    CHECK_INT(blocks_right("T"), TASKS);

    /* Each stream's own index is used, with its ranges: that of all has the first task's. */
    arrays = sion_array_reader_open(MADE);
    CHECK_INT(sion_array_reader_info(arrays, "T", &info), 1);
    CHECK_INT(info.blocks, STEPS * TASKS);
    CHECK_INT(info.has_range, 1);
    CHECK_INT(info.low.i, 0);
    CHECK_INT(info.high.i, value_of(TASKS - 1, COLUMNS - 1, 1));
    sion_array_reader_close(arrays);
}

static void streams_of_equal_length(void)
{
    streams_in_another_order(0);
}

static void streams_of_different_length(void)
{
    streams_in_another_order(1);
}

/* What a handle has given out stays valid when it finds that its index is of other streams. */
static void names_stay_valid(void)
{
    sion_array_reader *arrays;
    const char *name;

    write_rows(ONE, "T", 0);
    make(as_names_are_sorted, TASKS, NULL, 0);
    arrays = sion_array_reader_open(MADE);
    name = sion_array_reader_name(arrays, 0);
    CHECK_INT(count_right(arrays, name), ALL);
    CHECK_STR(name, "T");
    sion_array_reader_close(arrays);
}

static void some_streams_are_missing(void)
{
    static const int two[] = {0, 5};
    static const sion_int64 row[] = {5, 0}, one[] = {1, COLUMNS};
    int data[COLUMNS] = {0};
    sion_array_reader *arrays;

    write_rows(ONE, "T", 0);
    make(two, 2, NULL, 0);
    arrays = sion_array_reader_open(MADE);
    CHECK_INT(get_any(arrays, "T", 1, row, one, data), 1);
    CHECK_INT(data[2], value_of(5, 2, 1));
    sion_array_reader_close(arrays);
}

static void streams_of_two_containers(void)
{
    write_rows(ONE, "T", 0);
    write_rows(TWO, "U", 1);
    make(in_order, TASKS, in_order, TASKS);
    CHECK_INT(read_right("T"), ALL);
    CHECK_INT(read_right("U"), ALL);
    CHECK_INT(blocks_right("U"), TASKS);
}

int main(void)
{
    support_enter_folder();
    RUN(streams_of_equal_length);
    RUN(streams_of_different_length);
    RUN(names_stay_valid);
    RUN(some_streams_are_missing);
    RUN(streams_of_two_containers);
    support_leave_folder();
    return check_done();
}

/*
 * The nth system call fails, or the nth allocation, for every n: then some call says so, nothing
 * that was reported as written is lost, no descriptor stays open, and the next try succeeds.
 */
#include "model.h"

#include <errno.h>

#include "sion_common.h"
#include "sion_serial.h"
#include "vfs/fault.h"

#include "lack.h"
#include "support.h"

#define NAME "faults.sion"

enum { TASKS = 2, ROWS = 8, COLUMNS = 60, CHUNK = 1024, STEPS = 2 };

static const sion_int64 shape[] = {TASKS * ROWS, COLUMNS};

/* Each task's rows are larger than a chunk: they are written in parts. */
static float element(int step, int i)
{
    return (float)(step * 10000 + i) + 0.5f;
}

static int create(void)
{
    sion_int64 sizes[TASKS] = {CHUNK, CHUNK}, *chunksizes = sizes;
    int ranks[TASKS] = {0, 1}, *globalranks = ranks, ntasks = TASKS, nfiles = 1;
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    return sion_open(name, "bw,posix", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks,
                     NULL);
}

static int put_rows(int sid, int step, int task)
{
    const sion_int64 offset[] = {task * ROWS, 0}, count[] = {ROWS, COLUMNS};
    float data[ROWS * COLUMNS];
    int i;

    for (i = 0; i < ROWS * COLUMNS; i++)
        data[i] = element(step, task * ROWS * COLUMNS + i);
    return sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS &&
           put_any(sid, "T", step, offset, count, data) == SION_SUCCESS;
}

/* What succeeded. */
struct written {
    int defined, noted, rows[STEPS][TASKS], closed, all;
};

static void write_all(int sid, const char *array, struct written *written)
{
    static const sion_int64 wide[] = {1, 2, 3, 4, 5, 6, 7, 8};
    int step, task;

    *written = (struct written){
        .defined = sion_array_define(sid, "T", SION_F32, 2, shape) == SION_SUCCESS,
        .noted = sion_array_set_attribute(sid, NULL, "title", "a run") == SION_SUCCESS};
    written->all = sion_array_define(sid, array, SION_I8, 8, wide) == SION_SUCCESS;
    written->all &= sion_array_set_attribute(sid, "T", "units", array) == SION_SUCCESS;
    for (step = 0; step < STEPS; step++) {
        for (task = 0; task < TASKS; task++)
            written->all &= written->rows[step][task] = put_rows(sid, step, task);
    }
    written->closed = sion_close(sid) == SION_SUCCESS;
    written->all &= written->defined && written->noted && written->closed;
}

/* The elements of a step and a task that are right, through any open arrays. */
static int count_right(sion_array_reader *arrays, int step, int task)
{
    const sion_int64 offset[] = {task * ROWS, 0}, count[] = {ROWS, COLUMNS};
    float data[ROWS * COLUMNS];
    int i, right = 0;

    if (get_any(arrays, "T", step, offset, count, data) != SION_SUCCESS)
        return -1;
    for (i = 0; i < ROWS * COLUMNS; i++) {
        float wanted = element(step, task * ROWS * COLUMNS + i);

        right += memcmp(&data[i], &wanted, sizeof wanted) == 0;
    }
    return right;
}

static int has_what_was_put(const struct written *written)
{
    sion_array_reader *arrays = sion_array_reader_open(NAME);
    const char *title = sion_array_reader_attribute(arrays, NULL, "title");
    int step, task, good = arrays != NULL;

    for (step = 0; step < STEPS && good; step++) {
        for (task = 0; task < TASKS && good; task++)
            good = !written->rows[step][task] || count_right(arrays, step, task) == ROWS * COLUMNS;
    }
    good &= !written->noted || (title && strcmp(title, "a run") == 0);
    sion_array_reader_close(arrays);
    return good;
}

/* ---- writing ---- */

static const unsigned every_call = (1u << SCION_FAULT_CALLS) - 1;

/* One call fails, or all from the nth on. */
static void write_with_faults(long times)
{
    struct written written;
    long n, hits = 1;

    for (n = 1; hits > 0 && n < 200; n++) {
        int sid, descriptors;

        scion_fault_arm(0, 0, 0, 0); /* a file keeps the calls with which it was opened */
        sid = create();
        descriptors = support_descriptors();
        support_errors = 0;
        scion_fault_arm(every_call & ~(1u << SCION_FAULT_CLOSE), n, times, ENOSPC);
        write_all(sid, "S", &written);
        hits = scion_fault_hits();
        scion_fault_disarm();
        CHECK(hits > 0 ? !written.all && support_errors > 0 : written.all && support_errors == 0);
        CHECK(support_descriptors() < descriptors);
        CHECK(!written.all || has_what_was_put(&written));
    }
    CHECK(n > 5 && n < 200);
}

static void a_writer_without_a_disk_says_so(void)
{
    support_catch();
    write_with_faults(1);
    write_with_faults(1000);
}

/* Names of other lengths move the places where the tables of the index grow. */
static void a_writer_without_memory_says_so(void)
{
    char array[80] = "";
    struct written written;
    int length, failures = 0, lost = 0;
    long n;

    support_catch();
    for (length = 1; length < (int)sizeof array; length += 2) {
        memset(array, 'a', (size_t)length);
        written.all = 0;
        for (n = 1; !written.all && n < 300; n++) {
            int sid = create(), descriptors = support_descriptors();

            support_errors = 0;
            lack_in = n;
            write_all(sid, array, &written);
            written.all &= lack_in > 0;
            lack_in = 0;
            failures += support_errors > 0;
            CHECK(support_descriptors() < descriptors);
            lost += !has_what_was_put(&written);
        }
        CHECK(n > 20 && n < 300);
    }
    CHECK(failures > 500);
    CHECK_INT(lost, 0);
}

/* ---- reading ---- */

/* Let readers use the index of all tasks, those of the tasks, or headers. */
static void write_container(int breaks)
{
    struct written written;
    unsigned char *bytes;
    size_t size, i;

    write_all(create(), "S", &written);
    CHECK(written.all);
    bytes = model_read_file(NAME, &size);
    for (i = 0; i + 8 <= size && breaks > 0; i++) {
        /* "2" in its third field: of all tasks */
        if (memcmp(bytes + i, "\x89SIONARE", 8) == 0 && (breaks == 2 || bytes[i + 10] == 2))
            bytes[i] = 0;
    }
    model_write_file(NAME, bytes, size);
    free(bytes);
}

/* The newest elements of every second column: rows with gaps. */
static int read_columns(sion_array_reader *arrays)
{
    const sion_int64 offset[] = {1, 1}, count[] = {TASKS * ROWS - 2, COLUMNS / 2};
    static float data[TASKS * ROWS * COLUMNS];
    int i, right = 0;

    if (get_any(arrays, "T", SION_ARRAY_NEWEST, offset, count, data) != SION_SUCCESS)
        return -1;
    for (i = 0; i < count[0] * count[1]; i++) {
        float wanted = element(STEPS - 1, (int)((1 + i / count[1]) * COLUMNS + 1 + i % count[1]));

        right += memcmp(&data[i], &wanted, sizeof wanted) == 0;
    }
    return right == count[0] * count[1];
}

/* What a reader got: 1: all of it, and it is right. -1: a call failed. 0: wrong elements. */
static int read_all(sion_array_reader **arrays)
{
    struct sion_array_block blocks[64] = {{.size = sizeof *blocks}};
    int columns, rows;

    if (!*arrays)
        *arrays = sion_array_reader_open(NAME);
    if (!*arrays)
        return -1;
    if (sion_array_reader_blocks(*arrays, "T", SION_ARRAY_NEWEST, 0, 64, blocks) < 0)
        return -1;
    columns = read_columns(*arrays);
    rows = count_right(*arrays, 0, 1);
    return columns < 0 || rows < 0 ? -1 : columns && rows == ROWS * COLUMNS;
}

/* Call the reader again and again, and let each time another call fail. */
static void read_with_faults(int breaks, void (*arm)(long n), int (*disarm)(void), long least)
{
    int failed = 1, rc, again, descriptors = support_descriptors();
    long n;

    write_container(breaks);
    for (n = 1; failed && n < 500; n++) {
        sion_array_reader *arrays = NULL;

        support_errors = 0;
        arm(n);
        rc = read_all(&arrays);
        failed = disarm();
        CHECK(rc != 0);
        CHECK_INT(support_errors > 0, rc < 0);
        again = read_all(&arrays);
        CHECK_INT(again, 1);
        sion_array_reader_close(arrays);
        CHECK_INT(support_descriptors(), descriptors);
    }
    CHECK(n > least && n < 500);
}

static void arm_disk(long n)
{
    scion_fault_arm(every_call & ~(1u << SCION_FAULT_CLOSE), n, 1, EIO);
}

static int disarm_disk(void)
{
    int hits = scion_fault_hits() > 0;

    scion_fault_arm(0, 0, 0, 0); /* for the files that are open */
    scion_fault_disarm();
    return hits;
}

static void arm_memory(long n)
{
    lack_in = n;
}

static int disarm_memory(void)
{
    int hits = lack_in == 0;

    lack_in = 0;
    return hits;
}

static void a_reader_without_a_disk_says_so(void)
{
    int breaks;

    support_catch();
    for (breaks = 0; breaks < 3; breaks++)
        read_with_faults(breaks, arm_disk, disarm_disk, 10);
}

static void a_reader_without_memory_says_so(void)
{
    int breaks;

    support_catch();
    for (breaks = 0; breaks < 3; breaks++)
        read_with_faults(breaks, arm_memory, disarm_memory, 30);
}

int main(void)
{
    support_enter_folder();
    RUN(a_writer_without_a_disk_says_so);
    RUN(a_writer_without_memory_says_so);
    RUN(a_reader_without_a_disk_says_so);
    RUN(a_reader_without_memory_says_so);
    support_leave_folder();
    return check_done();
}

/* One call that reads the whole streams of many tasks: what it returns, costs and refuses. */
#include <errno.h>

#include "sion.h"

#include "support.h"
#include "vfs/fault.h"

enum { TASKS = 1000, CHUNK = 64, MOST = 200 };

static char name[] = "t.sion";
static int ranks[TASKS];
static sion_int64 starts[TASKS + 1];
static unsigned char data[TASKS * MOST];

/* No bytes, a part of a chunk, or several chunks. */
static sion_int64 size_of(int task)
{
    return task * 37 % MOST;
}

static int create(const char *mode, sion_int64 chunk, sion_int32 fsblksize)
{
    int n = TASKS, nfiles = 1, *r = ranks, task;
    sion_int64 sizes[TASKS], *s = sizes;

    for (task = 0; task < TASKS; task++) {
        ranks[task] = task;
        sizes[task] = chunk;
    }
    return sion_open(name, mode, &n, &nfiles, &s, &fsblksize, &r, NULL);
}

static void write_tasks(sion_int64 chunk, sion_int32 fsblksize)
{
    int sid = create("bw", chunk, fsblksize), task;

    for (task = 0; task < TASKS; task++) {
        CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
        check_fill(data, task, 0, (size_t)size_of(task));
        CHECK_INT(sion_stream_write(sid, data, size_of(task)), size_of(task));
    }
    CHECK_INT(sion_close(sid), 1);
}

static int open_again(const char *mode)
{
    int n, nfiles;

    scion_fault_arm(0, 0, 0, 0); /* files opened from here on count their calls */
    support_catch();
    return sion_open(name, mode, &n, &nfiles, NULL, NULL, NULL, NULL);
}

/* Read the tasks that are in `ranks` now, and compare each. */
static void read_and_compare(int sid, int n)
{
    sion_int64 bytes = 0;
    int i;

    for (i = 0; i < n; i++)
        bytes += size_of(ranks[i]);
    CHECK_INT(sion_stream_sizes(sid, n, ranks, starts), bytes);
    CHECK_INT(starts[n], bytes);
    memset(data, 0xee, sizeof data);
    CHECK_INT(sion_stream_read_tasks(sid, n, ranks, starts, data, bytes), bytes);
    for (i = 0; i < n; i++) {
        CHECK_INT(starts[i + 1] - starts[i], size_of(ranks[i]));
        CHECK_INT(check_compare(data + starts[i], ranks[i], 0, (size_t)size_of(ranks[i])), -1);
    }
    CHECK_INT(data[bytes], 0xee);
    CHECK_INT(support_errors, 0);
}

/* Tasks of one chunk and of several chunks, near and far from each other; at last in posix mode. */
static void each_task_is_at_its_place(void)
{
    static const struct {
        int chunk, fsblksize;
        const char *mode;
    } kinds[] = {
        {MOST, 1, "br"}, {CHUNK, CHUNK, "br"}, {CHUNK, 16384, "br"}, {CHUNK, CHUNK, "br,posix"}};
    int k, sid, i;

    for (k = 0; k < 4; k++) {
        write_tasks(kinds[k].chunk, kinds[k].fsblksize);
        sid = open_again(kinds[k].mode);
        read_and_compare(sid, TASKS);
        for (i = 0; i < TASKS; i++) /* in another order, and the first ones repeatedly */
            ranks[i] = i < TASKS / 2 ? TASKS - 1 - 2 * i : (i - TASKS / 2) / 3;
        read_and_compare(sid, TASKS);
        CHECK_INT(sion_stream_read_tasks(sid, 0, NULL, NULL, NULL, 0), 0);
        CHECK_INT(sion_stream_sizes(sid, 0, NULL, starts), 0);
        CHECK_INT(sion_close(sid), 1);
    }
}

static void tasks_that_are_close_are_read_together(void)
{
    int sid;

    write_tasks(MOST, 1);
    sid = open_again("br");
    scion_fault_arm(0, 0, 0, 0);
    read_and_compare(sid, TASKS);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), 1);
    CHECK_INT(sion_close(sid), 1);

    write_tasks(MOST, 16384); /* gaps between tasks cost more than another read */
    sid = open_again("br");
    scion_fault_arm(0, 0, 0, 0);
    read_and_compare(sid, TASKS);
    CHECK_INT(scion_fault_count(SCION_FAULT_PREAD), TASKS - TASKS / MOST); /* no empty ones */
    CHECK_INT(sion_close(sid), 1);
}

static void positions_do_not_change(void)
{
    unsigned char part[10];
    int sid;

    write_tasks(CHUNK, CHUNK);
    sid = open_again("br");
    CHECK_INT(sion_seek(sid, 5, SION_ABSOLUTE_POS, 100), 1);
    CHECK_INT(sion_stream_read(sid, part, 10), 10);
    CHECK_INT(sion_stream_sizes(sid, 20, ranks, starts), starts[20]);
    CHECK_INT(sion_stream_read_tasks(sid, 20, ranks, starts, data, starts[20]), starts[20]);
    CHECK_INT(sion_stream_tell(sid), 110);
    CHECK_INT(sion_stream_read(sid, part, 10), 10);
    CHECK_INT(check_compare(part, 5, 110, 10), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void one_rank_reads_its_stream_alone(void)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int rank = 7, sid;

    write_tasks(CHUNK, CHUNK);
    support_catch();
    sid = sion_open_rank(name, "br", &chunksize, &fsblksize, &rank, NULL);
    ranks[0] = 7;
    read_and_compare(sid, 1);
    ranks[0] = 8;
    CHECK_INT(sion_stream_sizes(sid, 1, ranks, starts), -1);
    CHECK_INT(sion_close(sid), 1);
}

static void refused(sion_int64 result, const char *text)
{
    CHECK_INT(result, -1);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, text);
    support_catch();
}

static void wrong_calls_are_refused(void)
{
    int sid, list[2] = {1, TASKS};
    sion_int64 places[2] = {0, 0};

    write_tasks(MOST, 1);
    sid = open_again("br");
    refused(sion_stream_sizes(sid, 2, list, starts), "1000");
    refused(sion_stream_read_tasks(sid, 2, list, places, data, MOST), "1000");
    refused(sion_stream_sizes(sid, -1, list, starts), "-1 tasks");
    refused(sion_stream_sizes(sid, 1, NULL, starts), "NULL");
    refused(sion_stream_sizes(sid, 1, list, NULL), "NULL");
    refused(sion_stream_read_tasks(sid, 1, list, NULL, data, MOST), "NULL");
    refused(sion_stream_read_tasks(sid, 1, list, places, NULL, MOST), "NULL");
    refused(sion_stream_read_tasks(sid, 1, list, places, data, -1), "-1 bytes");
    refused(sion_stream_read_tasks(sid, 1, list, places, data, 36),
            "37 bytes of task 1 do not fit");
    places[0] = -1;
    refused(sion_stream_read_tasks(sid, 1, list, places, data, MOST), "do not fit at -1");
    places[0] = MOST + 1;
    refused(sion_stream_read_tasks(sid, 1, list, places, data, MOST), "do not fit at 201");
    refused(sion_stream_sizes(sid + 1000, 1, list, starts), "invalid sion_filedesc");
    CHECK_INT(sion_close(sid), 1);

    sid = create("bw", MOST, 1);
    refused(sion_stream_sizes(sid, 1, list, starts), "writing");
    CHECK_INT(sion_close(sid), 1);
    sid = create("bw,keyval=inline", MOST, 1);
    CHECK_INT(sion_close(sid), 1);
    sid = open_again("br,keyval=inline");
    refused(sion_stream_read_tasks(sid, 1, list, starts, data, MOST), "key-value");
    CHECK_INT(sion_close(sid), 1);
}

static void unreadable_data_are_an_error(void)
{
    int sid;

    write_tasks(MOST, 1);
    sid = open_again("br");
    CHECK_INT(sion_stream_sizes(sid, TASKS, ranks, starts), starts[TASKS]);
    scion_fault_arm(1 << SCION_FAULT_PREAD, 1, 1, EIO);
    refused(sion_stream_read_tasks(sid, TASKS, ranks, starts, data, sizeof data), "t.sion");
    scion_fault_disarm();
    CHECK_INT(truncate(name, 5000), 0);
    refused(sion_stream_read_tasks(sid, TASKS, ranks, starts, data, sizeof data), "is cut off");
    CHECK_INT(sion_close(sid), 1);
}

/* The call reads what it wants of a file before it goes on to the next one of the set. */
static void an_unreadable_file_of_a_set_is_an_error(void)
{
    enum { SET_TASKS = 8, SET_FILES = 3 };
    int n, nfiles, sid, task;
    sion_int64 bytes;
    long reads, bad;

    for (task = 0; task < SET_TASKS; task++)
        ranks[task] = task;
    scion_fault_arm(0, 0, 0, 0);
    support_catch();
    sid = sion_open((char *)support_golden("mpi/m01_multi.sion"), "br", &n, &nfiles, NULL, NULL,
                    NULL, NULL);
    CHECK_INT(n, SET_TASKS);
    bytes = sion_stream_sizes(sid, SET_TASKS, ranks, starts);
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(sion_stream_read_tasks(sid, SET_TASKS, ranks, starts, data, bytes), bytes);
    reads = scion_fault_count(SCION_FAULT_PREAD);
    CHECK(reads >= SET_FILES);
    for (bad = 1; bad <= reads; bad++) {
        scion_fault_arm(1 << SCION_FAULT_PREAD, bad, 1, EIO);
        refused(sion_stream_read_tasks(sid, SET_TASKS, ranks, starts, data, bytes),
                "m01_multi.sion");
    }
    scion_fault_disarm();
    CHECK_INT(sion_stream_read_tasks(sid, SET_TASKS, ranks, starts, data, bytes), bytes);
    CHECK_INT(sion_close(sid), 1);
}

/* Needs a file system that allows a file of an exbibyte, nearly all of which is a hole. */
static void more_bytes_than_a_number_holds_are_refused(void)
{
    enum { TIMES = 8 };
    int n = 1, nfiles = 1, rank = 0, *r = &rank, sid, i, is_written;
    sion_int64 size = (sion_int64)1 << 60, *s = &size;
    sion_int32 fsblksize = 512;
    FILE *fp;

    sid = sion_open(name, "bw", &n, &nfiles, &s, &fsblksize, &r, &fp);
    is_written = fseeko(fp, (off_t)(size - 1), SEEK_CUR) == 0 && fputc('x', fp) == 'x';
    support_catch();
    if (sion_close(sid) != 1 || !is_written) {
        SKIP("the file system allows no file of that size");
        return;
    }
    sid = open_again("br");
    for (i = 0; i < TIMES; i++)
        ranks[i] = 0;
    CHECK_INT(sion_stream_sizes(sid, TIMES - 1, ranks, starts), (TIMES - 1) * size);
    refused(sion_stream_sizes(sid, TIMES, ranks, starts), "8 tasks have too many bytes");
    refused(sion_stream_read_tasks(sid, 1, ranks, starts, data, sizeof data), "do not fit");
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(each_task_is_at_its_place);
    RUN(tasks_that_are_close_are_read_together);
    RUN(positions_do_not_change);
    RUN(one_rank_reads_its_stream_alone);
    RUN(wrong_calls_are_refused);
    RUN(unreadable_data_are_an_error);
    RUN(an_unreadable_file_of_a_set_is_an_error);
    RUN(more_bytes_than_a_number_holds_are_refused);
    support_leave_folder();
    return check_done();
}

/*
 * Writers of arrays are killed (signal 9) at every system call, or each of their calls fails. With
 * commit records, every block that was flushed is read as it was put after the recovery; with
 * generations, the newest one that was published, or the next one.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model.h"

#include "base/zstd.h"
#include "sion_common.h"
#include "sion_recover.h"
#include "sion_serial.h"
#include "support.h"
#include "vfs/fault.h"

#define NAME "killed.sion"

enum { N = 3, ROWS = 7, COLUMNS = 9, PUTS = 12, SWITCH = 12 /* bytes that are written at once */ };

static const sion_int64 whole[] = {0, 0}, shape[] = {N * ROWS, COLUMNS};

/* How the blocks are stored; NULL: as they are. */
static const char *codec;

/* Each put makes a generation; each third one lets the others be forgotten. */
static int keeps;

/* The number of puts that were flushed, or published, before the writer was killed, in memory that
 * outlives it. */
static volatile int *flushed;

static int element(int put, int row, int column)
{
    return 1000000 * (put + 1) + 100 * row + column;
}

/* Put number `put`: one step of one task's rows. */
static int put_rows(int sid, int put)
{
    sion_int64 offset[] = {put % N * ROWS, 0}, count[] = {ROWS, COLUMNS};
    int data[ROWS * COLUMNS], i;

    for (i = 0; i < ROWS * COLUMNS; i++)
        data[i] = element(put, put % N * ROWS + i / COLUMNS, i % COLUMNS);
    return sion_seek(sid, put % N, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS &&
           put_any(sid, "T", put, offset, count, data) == SION_SUCCESS;
}

static int make_certain(int sid, int put)
{
    if (!keeps)
        return sion_flush(sid) == SION_SUCCESS;
    return (put % 3 != 2 || sion_forget(sid, put + 1) == SION_SUCCESS) &&
           sion_publish(sid) == SION_SUCCESS;
}

/* Puts from the first one to the last, as far as that can be done. 0: one of them has failed. */
static int put_all(int sid, int first, int last)
{
    int put;

    for (put = first; put < last; put++) {
        if (!put_rows(sid, put))
            return 0;
        if (!make_certain(sid, put))
            return 1;
        *flushed = put + 1;
    }
    return 1;
}

static int open_to_write(const char *mode, sion_int64 chunksize)
{
    sion_int64 sizes[N] = {chunksize, chunksize, chunksize}, *chunksizes = sizes;
    int ranks[N] = {0, 1, 2}, *globalranks = ranks, ntasks = N, nfiles = 1;
    sion_int32 fsblksize = 512;
    char name[] = NAME;

    return sion_open(name, mode, &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
}

static void write_container(const char *mode, sion_int64 chunksize)
{
    int sid = open_to_write(mode, chunksize);

    if (sid < 0 || sion_array_define(sid, "T", SION_I32, 2, shape) != SION_SUCCESS ||
        sion_array_set_attribute(sid, "T", "_FillValue", "-1") != SION_SUCCESS ||
        (codec && sion_array_codec(sid, "T", codec) != SION_SUCCESS))
        return;
    put_all(sid, 0, PUTS);
    if (*flushed == PUTS)
        sion_close(sid);
}

/* 1: killed before its end */
static int run_killed_in(const char *mode, sion_int64 chunksize, long call)
{
    pid_t child;
    int status;

    *flushed = 0;
    unlink(NAME);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        scion_fault_keep_whole(keeps ? SWITCH + 1 : 0);
        scion_fault_kill_in(call);
        write_container(mode, chunksize);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == 9;
}

/* Whether a step reads as it was put: its rows, and the fill value around them. */
static int step_is_right(sion_array_reader *arrays, int put)
{
    static int data[N * ROWS * COLUMNS];
    int row, column, wrong = 0;

    if (get_any(arrays, "T", put, whole, shape, data) != SION_SUCCESS)
        return 0;
    for (row = 0; row < N * ROWS; row++) {
        for (column = 0; column < COLUMNS; column++)
            wrong += data[row * COLUMNS + column] !=
                     (row / ROWS == put % N ? element(put, row, column) : -1);
    }
    return wrong == 0;
}

/* The number of blocks that were flushed, but are missing or wrong. */
static int lost(void)
{
    sion_recovery *recovery;
    sion_array_reader *arrays;
    int put, missing = 0;

    if (*flushed == 0)
        return 0; /* there may be no file yet */
    recovery = sion_recover_open(NAME, 0);
    if (!recovery || sion_recover_in_place(recovery) != SION_SUCCESS) {
        sion_recover_close(recovery);
        return *flushed;
    }
    sion_recover_close(recovery);
    arrays = sion_array_reader_open(NAME);
    for (put = 0; put < *flushed; put++)
        missing += !arrays || !step_is_right(arrays, put);
    sion_array_reader_close(arrays);
    return missing;
}

/* Whether a generation has another step than the last one that was published, or the one after it.
 */
static int is_wrong_in(const char *mode)
{
    sion_array_reader *arrays;
    int put = *flushed, wrong;

    if (put == 0)
        return 0;
    arrays = sion_array_reader_open_mode(NAME, mode);
    wrong = !arrays || step_is_right(arrays, put - 1) + step_is_right(arrays, put) != 1;
    sion_array_reader_close(arrays);
    support_catch();
    return wrong;
}

static int is_wrong(void)
{
    return is_wrong_in("rb");
}

static void kill_at_every_call(const char *mode, sion_int64 chunksize)
{
    int killed = 1, some = 0;
    long call;

    for (call = 1; killed; call++) {
        killed = run_killed_in(mode, chunksize, call);
        some += *flushed > 0 && *flushed < PUTS;
        CHECK_INT(keeps ? is_wrong() : lost(), 0);
    }
    CHECK_INT(*flushed, PUTS); /* the last writer reached its end */
    CHECK(some >= PUTS - 1);
}

static void no_flushed_block_is_lost(void)
{
    kill_at_every_call("bw,recover,posix", 8192);
    kill_at_every_call("bw,recover,ansi", 8192);
}

/* Each block is divided into several, in several chunks. */
static void no_flushed_block_in_parts_is_lost(void)
{
    kill_at_every_call("bw,recover,posix", 512);
}

static void no_flushed_compressed_block_is_lost(void)
{
    if (scion_zstd_need("compressed arrays") != 0) {
        SKIP("there is no libzstd");
        return;
    }
    codec = "zstd,shuffle";
    kill_at_every_call("bw,recover,posix", 8192);
    kill_at_every_call("bw,recover,ansi", 8192);
    kill_at_every_call("bw,recover,posix", 250); /* in halves */
    codec = NULL;
}

static void a_generation_is_whole(void)
{
    keeps = 1;
    kill_at_every_call("bw,keep=2,posix", 8192);
    kill_at_every_call("bw,keep=2", 8192);
    kill_at_every_call("bw,keep=3", 512); /* in parts */
    keeps = 0;
    support_catch();
}

/* ---- calls that fail ---- */

/* A close publishes what there is of a put that has failed, which is no step; the array stays. */
static int has_no_step(void)
{
    sion_array_reader *arrays = sion_array_reader_open(NAME);
    struct sion_array_info info = {.size = sizeof info};
    const char *text = sion_array_reader_attribute(arrays, "T", "_FillValue");

    CHECK_INT(sion_array_reader_info(arrays, "T", &info), SION_SUCCESS);
    CHECK(text && strcmp(text, "-1") == 0);
    sion_array_reader_close(arrays);
    support_catch();
    return info.steps == 0;
}

/* In call n. Whether one has. A writer that fails closes, which publishes what it has put. */
static int fail_once(const char *mode, sion_int64 chunksize, long n)
{
    const unsigned calls = 1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_FSYNC;
    int sid, is_hit, before, all_put;

    *flushed = 0;
    unlink(NAME);
    scion_fault_arm(0, 0, 0, 0);
    sid = open_to_write(mode, chunksize);
    CHECK(sid >= 0);
    CHECK_INT(sion_array_define(sid, "T", SION_I32, 2, shape), SION_SUCCESS);
    CHECK_INT(sion_array_set_attribute(sid, "T", "_FillValue", "-1"), SION_SUCCESS);
    CHECK(put_all(sid, 0, 3));
    support_catch();
    scion_fault_arm(calls, n, 1, n % 2 ? ENOSPC : EIO);
    all_put = put_all(sid, 3, 6);
    is_hit = scion_fault_hits() > 0;
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(support_errors > 0, *flushed < 6);
    CHECK(is_hit || *flushed == 6);
    CHECK_INT(is_wrong(), 0);
    before = *flushed;
    sion_close(sid);
    CHECK_INT(!all_put && has_no_step() ? is_wrong_in("rb,generation=-1") : is_wrong(), 0);
    sid = open_to_write("ab", chunksize);
    CHECK(sid >= 0);
    CHECK_INT(sion_array_define(sid, "T", SION_I32, 2, shape), SION_SUCCESS);
    CHECK(put_all(sid, 9, 10));
    CHECK_INT(*flushed, 10);
    CHECK_INT(sion_close(sid), SION_SUCCESS);
    CHECK_INT(is_wrong(), 0);
    if (check_failed_here)
        printf("# '%s', chunks of %lld, call %ld, after %d puts\n", mode, chunksize, n, before);
    return is_hit && !check_failed_here;
}

static void a_generation_is_whole_after_a_failure(void)
{
    static const struct {
        const char *mode;
        sion_int64 chunksize;
    } ways[] = {{"bw,keep=2,posix", 8192},
                {"bw,keep=2,sync=close", 8192},
                {"bw,keep=3,sync=close", 512}}; /* in parts */
    size_t i;
    long n;

    keeps = 1;
    for (i = 0; i < sizeof ways / sizeof *ways && !check_failed_here; i++) {
        for (n = 1; fail_once(ways[i].mode, ways[i].chunksize, n); n++)
            CHECK(n < 200);
        CHECK(n > 6);
    }
    keeps = 0;
    scion_fault_disarm();
    support_catch();
}

int main(void)
{
    support_enter_folder();
    flushed =
        mmap(NULL, sizeof *flushed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    RUN(no_flushed_block_is_lost);
    RUN(no_flushed_block_in_parts_is_lost);
    RUN(no_flushed_compressed_block_is_lost);
    RUN(a_generation_is_whole);
    RUN(a_generation_is_whole_after_a_failure);
    support_leave_folder();
    return check_done();
}

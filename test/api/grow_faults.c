/*
 * A writer that is killed in any call of a publish, of mode "a" or of a close, and one of whose
 * calls fails: readers see the old state or the new one, whole, and the next writer goes on.
 */
#include "serial.h"

#include <errno.h>
#include <sys/wait.h>

#include "vfs/fault.h"

#ifdef HAVE_CHECKSUM
#include "sion_checksum.h"
#define WITH_SUMS "wb,checksum"
#define TO_READ   "rb,checksum"
#else
#define WITH_SUMS "wb,sync=flush"
#define TO_READ   "rb"
#endif

enum { TASKS = 2, TAIL = 12 };

static const sion_int64 sizes[TASKS] = {700, 600};

static int open_some(const char *mode)
{
    sion_int32 fsblksize = 512;

    return create(mode, TASKS, sizes, &fsblksize);
}

/* Both tasks write the same number of bytes. 0: one could not. */
static int write_both(int sid, sion_int64 done, size_t bytes)
{
    unsigned char data[600];
    int task, all = 1;

    for (task = 0; task < TASKS; task++) {
        check_fill(data, task, done, bytes);
        all = all && sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
              sion_fwrite(data, 1, bytes, sid) == bytes;
    }
    return all;
}

/* What readers see of both tasks; -1: nothing, -2: a mixture. */
static sion_int64 readable(void)
{
    unsigned char data[8192];
    sion_int64 bytes[TASKS];
    int sid = open_to_read(TO_READ), task;

    if (sid < 0)
        return -1;
    for (task = 0; task < TASKS; task++) {
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        bytes[task] = sion_stream_read(sid, data, sizeof data);
        CHECK_INT(check_compare(data, task, 0, (size_t)bytes[task]), -1);
    }
    CHECK_INT(sion_close(sid), 1);
    return bytes[0] == bytes[1] ? bytes[0] : -2;
}

enum what { PUBLISH_FIRST, PUBLISH_AGAIN, CLOSE, APPEND_AND_CLOSE, NOTHING };

static const char *modes[] = {"wb", "wb,sync=close", WITH_SUMS};

/* Brings the container to the state before the step. Returns the sid, or 0 if it is closed. */
static int prepare(enum what what, const char *mode)
{
    sion_int64 done;
    int sid;

    scion_fault_arm(0, 0, 0, 0); /* files that are opened from now on can fail */
    sid = open_some(mode);
    if (what == PUBLISH_FIRST)
        return sid;
    for (done = 0; done < 500; done += 100) { /* the areas of states are used again */
        write_both(sid, done, 100);
        CHECK_INT(sion_publish(sid), 1);
    }
    if (what != APPEND_AND_CLOSE)
        return sid;
    CHECK_INT(sion_close(sid), 1);
    return 0;
}

/* *is_written: both tasks have written what they should. */
static int step(enum what what, int sid, const char *mode, int *is_written)
{
    sion_int64 before = what == PUBLISH_FIRST ? 0 : 500;

    *is_written = 1;

    if (what == APPEND_AND_CLOSE)
        sid = open_some(strchr(mode, ',') ? "a,sync=close" : "a");
    if (sid < 0)
        return 0;
    *is_written = write_both(sid, before, 400);
    return what == CLOSE || what == APPEND_AND_CLOSE ? sion_close(sid) == 1
                                                     : sion_publish(sid) == 1;
}

static void check_state(enum what what, int is_done)
{
    sion_int64 old = what == PUBLISH_FIRST ? -1 : 500, new = what == PUBLISH_FIRST ? 400 : 900;
    sion_int64 found = readable();

    if (is_done)
        CHECK_INT(found, new);
    else
        CHECK(found == old || found == new);
}

static void check_next_writer(void)
{
    sion_int64 now = readable();
    int sid;

    if (now < 0)
        return;
    sid = open_some("a");
    CHECK(sid >= 0);
    write_both(sid, now, 300);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(readable(), now + 300);
}

/* In a process of its own. 1: it was killed. */
static int kill_in(enum what what, const char *mode, long n)
{
    int status;
    pid_t child;

    unlink(name);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int sid = prepare(what, mode), is_written;

        scion_fault_keep_whole(TAIL + 1);
        scion_fault_kill_in(n);
        _exit(step(what, sid, mode, &is_written) ? 0 : 1);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

static void kill_in_all(enum what what)
{
    size_t i;
    long n;

    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        int is_killed = 1;

        for (n = 1; is_killed && n < 100; n++) {
            is_killed = kill_in(what, modes[i], n);
            support_catch();
            check_state(what, !is_killed);
            check_next_writer();
        }
        CHECK(n > 4 && n < 100);
    }
}

static void a_first_publish_is_killed(void)
{
    kill_in_all(PUBLISH_FIRST);
}

static void a_publish_is_killed(void)
{
    kill_in_all(PUBLISH_AGAIN);
}

static void a_close_is_killed(void)
{
    kill_in_all(CLOSE);
}

static void an_append_is_killed(void)
{
    kill_in_all(APPEND_AND_CLOSE);
}

/* ---- calls that fail ---- */

/* A close that could not write all data of a task, and said so, has the others' data. */
static void check_after_failure(enum what what, int is_done)
{
    if (is_done || what == PUBLISH_FIRST || what == PUBLISH_AGAIN || readable() != -2)
        check_state(what, is_done);
}

static int fail_in(enum what what, const char *mode, long n)
{
    const unsigned calls = 1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_FSYNC;
    int sid, is_done, hits, is_written;

    unlink(name);
    sid = prepare(what, mode);
    support_catch();
    scion_fault_arm(calls, n, 1, ENOSPC);
    is_done = step(what, sid, mode, &is_written);
    hits = (int)scion_fault_hits();
    scion_fault_arm(0, 0, 0, 0);
    CHECK(is_done || support_errors > 0);
    if (is_written)
        check_after_failure(what, is_done);
    if (what == PUBLISH_FIRST || what == PUBLISH_AGAIN) { /* it is open, and goes on */
        sion_int64 now = what == PUBLISH_FIRST ? 400 : 900;

        if (hits == 0)
            CHECK(write_both(sid, now, 200));
        CHECK(sion_close(sid) == 1 || hits > 0);
        if (is_written)
            CHECK(readable() >= (what == PUBLISH_FIRST ? 0 : 500));
    }
    support_catch();
    return hits;
}

static void each_write_and_sync_fails(void)
{
    enum what what;
    size_t i;
    long n;

    for (what = PUBLISH_FIRST; what < NOTHING; what++) {
        for (i = 0; i < sizeof modes / sizeof *modes; i++) {
            for (n = 1; fail_in(what, modes[i], n) && n < 100; n++)
                ;
            CHECK(n > 3 && n < 100);
        }
    }
}

int main(void)
{
    support_enter_folder();
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    RUN(a_first_publish_is_killed);
    RUN(a_publish_is_killed);
    RUN(a_close_is_killed);
    RUN(an_append_is_killed);
    RUN(each_write_and_sync_fails);
    support_leave_folder();
    return check_done();
}

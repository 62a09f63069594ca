/* Writers of containers with generations that are killed, or whose calls fail: old or new. */
#include "generations.h"

#include <sys/wait.h>

#include "vfs/fault.h"

static const struct kind {
    const char *words;
    int has_keys;
} kinds[] = {
    {"", 0},
    {",keyval=inline", 1},
#ifdef HAVE_CHECKSUM
    {",checksum", 0},
    {",checksum,keyval=inline", 1},
    {",checksum,compress=zstd,compress_frame=4096", 0},
#endif
    {",compress=zstd", 0},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Whether the library can make it. */
static int take(const struct kind *kind)
{
    int sid;

    scion_fault_arm(0, 0, 0, 0);
    has_keys = kind->has_keys;
    if (!strstr(kind->words, "compress"))
        return 1;
    sid = open_some("wb,compress=zstd");
    support_catch();
    return sid >= 0 && sion_close(sid) == 1;
}

static const char *reading(const struct kind *kind)
{
    return strstr(kind->words, "checksum") ? ",checksum" : "";
}

/* Four generations, of which two are left, and a fifth that is not published. */
static int write_five(const struct kind *kind)
{
    char mode[80];
    int sid, g;

    scion_fault_arm(0, 0, 0, 0);
    start(2);
    snprintf(mode, sizeof mode, "wb,keep=2,sync=close%s", kind->words);
    sid = open_some(mode);
    for (g = 0; g < 5; g++) {
        write_generation(sid);
        if (g < 4)
            CHECK_INT(sion_publish(sid), 1);
        if (g < 4)
            settle(0, 0);
    }
    return sid;
}

/* What there is after that: the fifth one, with the fourth if that was not to be forgotten, or the
   four. */
static void find_what_is_left(int forgets)
{
    int sid = open_to_read("rb,generation=5"), task;

    newest = sid >= 0 ? 5 : 4;
    oldest = forgets && newest == 5 ? 5 : newest - 1;
    if (sid >= 0)
        CHECK_INT(sion_close(sid), 1);
    support_catch();
    for (task = 1; task <= 5; task++) {
        model[task][0] = SIZE_0;
        model[task][1] = SIZE_1;
    }
    for (task = 0; task < TASKS; task++) {
        at[task] = start_of(newest + 1, task);
        pending[task] = pending_records[task] = 0;
    }
}

static int finish(int sid, int closes)
{
    return closes ? sion_close(sid) == 1 : sion_publish(sid) == 1;
}

/* ---- a writer that is killed ---- */

/* In call n of a publish, or of a close, which forgets the fourth one, or does not. Whether it was.
 */
static int kill_once(const struct kind *kind, int closes, int forgets, long n)
{
    int status, is_killed, sid;
    pid_t child;

    start(2);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        sid = write_five(kind);
        if (forgets && sion_forget(sid, 5) != 1)
            _exit(2);
        scion_fault_keep_whole(13);
        scion_fault_kill_in(n);
        _exit(finish(sid, closes) && !check_failed_here ? 0 : 1);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    is_killed = WIFSIGNALED(status);
    CHECK(is_killed || WEXITSTATUS(status) == 0);
    find_what_is_left(forgets);
    CHECK(is_killed || newest == 5);
    check_readers(reading(kind));
    sid = open_some("ab");
    CHECK(sid >= 0);
    write_to(sid, 2, 300);
    CHECK_INT(sion_close(sid), 1);
    settle(0, 1);
    check_readers(reading(kind));
    return is_killed;
}

static void a_writer_is_killed(void)
{
    int i, way;
    long n;

    for (i = 0; i < KINDS; i++) {
        for (way = 0; take(&kinds[i]) && way < 4 && !check_failed_here; way++) {
            for (n = 1; kill_once(&kinds[i], way & 1, way & 2, n) && !check_failed_here; n++)
                CHECK(n < 200);
            CHECK(n > 5);
            if (check_failed_here)
                printf("# '%s', way %d, call %ld\n", kinds[i].words, way, n);
        }
    }
    has_keys = 0;
}

/* ---- calls that fail ---- */

/* In call n. Whether one has. */
static int fail_once(const struct kind *kind, int closes, int forgets, int flushes, unsigned calls,
                     long n, int errnum)
{
    int sid = write_five(kind), is_done, is_hit;

    if (flushes)
        CHECK_INT(sion_flush(sid), 1);
    if (forgets)
        CHECK_INT(sion_forget(sid, 5), 1);
    support_catch();
    scion_fault_arm(calls, n, 1, errnum);
    is_done = finish(sid, closes);
    is_hit = scion_fault_hits() > 0;
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(support_errors > 0, !is_done);
    find_what_is_left(forgets);
    CHECK(!is_done || newest == 5);
    check_readers(reading(kind));
    if (!closes && is_done)
        CHECK_INT(sion_close(sid), 1);
    else if (!closes)
        sion_close(sid);
    find_what_is_left(forgets);
    check_readers(reading(kind));
    support_catch();
    return is_hit;
}

static void calls_fail(void)
{
    const unsigned calls = 1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_FSYNC;
    int i, way;
    long n;

    for (i = 0; i < KINDS; i++) {
        for (way = 0; take(&kinds[i]) && way < 6 && !check_failed_here; way++) {
            for (n = 1;
                 fail_once(&kinds[i], way & 1, way & 2, way < 4, calls, n, n % 2 ? ENOSPC : EIO) &&
                 !check_failed_here;
                 n++)
                CHECK(n < 200);
            CHECK(n > 4);
            if (check_failed_here)
                printf("# '%s', way %d, call %ld\n", kinds[i].words, way, n);
        }
    }
    has_keys = 0;
}

int main(void)
{
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    support_enter_folder();
    RUN(a_writer_is_killed);
    RUN(calls_fail);
    support_leave_folder();
    return check_done();
}

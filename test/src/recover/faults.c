/*
 * Recoveries in which one system call fails, or one allocation, each in turn: they end with a
 * reason, nothing stays open, and the next recovery finds all data that were flushed. Sets whose
 * headers or names say something wrong are left as they are.
 */
#include <errno.h>
#include <sys/wait.h>

#include "sion_recover.h"

#include "lack.h"
#include "recover/recover.h"
#include "support.h"
#include "unclosed.h"
#include "vfs/fault.h"

enum { FILES = 3, BLOCK = 4096, MOST = 2000 };

static char name[] = "c.sion";
static int (*operation)(void); /* in which something fails: 1, or 0 with a reason */

/* ---- the files of a container that was not closed ---- */

static struct {
    unsigned char *bytes;
    size_t size;
} files[FILES];

static const char *path_of(int number)
{
    static char path[64];

    snprintf(path, sizeof path, number > 0 ? "%s.%06d" : "%s", name, number);
    return path;
}

static void write_unclosed(const char *mode, int nfiles)
{
    pid_t child = fork();
    int status = -1, f;

    if (child == 0)
        _exit(!unclosed_write(name, mode, nfiles));
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    for (f = 0; f < nfiles; f++)
        files[f].bytes = support_load(path_of(f), &files[f].size);
}

/* Blocks of zeros become holes again. */
static void restore_file(int number)
{
    static const unsigned char zeros[BLOCK];
    int fd = open(path_of(number), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    size_t at, size = files[number].size;

    for (at = 0; at < size; at += BLOCK) {
        const unsigned char *block = files[number].bytes + at;
        size_t bytes = size - at < BLOCK ? size - at : BLOCK;

        if (memcmp(block, zeros, bytes) != 0)
            CHECK(pwrite(fd, block, bytes, (off_t)at) == (ssize_t)bytes);
    }
    CHECK(ftruncate(fd, (off_t)size) == 0);
    close(fd);
}

static void restore(int nfiles)
{
    int f;

    for (f = 0; f < nfiles; f++) {
        if (files[f].bytes)
            restore_file(f);
    }
}

static void forget(int nfiles)
{
    int f;

    for (f = 0; f < nfiles; f++) {
        free(files[f].bytes);
        remove(path_of(f));
    }
}

/* ---- recoveries ---- */

static int is_known_data(const sion_recovery *recovery, int index)
{
    unsigned char data[MOST], expected[BYTES + 10];
    sion_recover_task task = {.size = sizeof task};

    if (sion_recover_get_task(recovery, index, &task) != 1 || task.bytes > MOST)
        return 0;
    if (sion_recover_read(recovery, index, 0, data, (size_t)task.bytes) != 1)
        return 0;
    check_fill(expected, (int)task.globalrank, 0, BYTES + (size_t)task.globalrank);
    CHECK(task.bytes >= RECORDS * (BYTES + task.globalrank));
    CHECK(memcmp(data, expected, BYTES) == 0 || memcmp(data + 16, expected, BYTES) == 0);
    return 1;
}

static int can_be_closed(const sion_recover_info *info)
{
    return info->evidence != SION_RECOVER_UPPER_BOUND && info->missing_files == 0;
}

/* Reads all tasks, and closes the container in place if that is possible. 1, or 0 with a reason. */
static int recover(void)
{
    sion_recovery *recovery = sion_recover_open(name, SION_RECOVER_ALLOW_MISSING);
    sion_recover_info info = {.size = sizeof info};
    int good = recovery && sion_recover_get_info(recovery, &info) == 1, t;

    for (t = 0; t < info.ntasks && good; t++)
        good = is_known_data(recovery, t);
    if (good && can_be_closed(&info))
        good = sion_recover_in_place(recovery) == 1;
    if (recovery)
        sion_recover_close(recovery);
    return good;
}

static int has_flushed_data(struct scion_container *container, int task)
{
    unsigned char data[BYTES + 10], expected[BYTES + 10];
    size_t bytes = BYTES + (size_t)task;
    const struct scion_physical *physical;
    int file, lrank;

    scion_container_locate(container, task, &file, &lrank);
    physical = scion_container_file(container, file);
    CHECK_INT(physical->counts[lrank], (RECORDS + 1) / 2); /* two records fill a chunk */
    CHECK_INT(physical->used[lrank], 2 * (sion_int64)bytes);
    if (scion_container_read_chunk(container, task, 0, 0, data, bytes) != 0)
        return 0;
    check_fill(expected, task, 0, bytes);
    CHECK(memcmp(data, expected, bytes) == 0);
    return 1;
}

/* As tools read what was never closed: nothing is changed. */
static int view(void)
{
    static const struct scion_mode mode = {.access = SCION_ACCESS_READ, .posix = 1};
    struct scion_salvage *salvage = NULL;
    struct scion_container *container = NULL;
    int good = scion_salvage_open(name, 0, &salvage) == 0, t;

    good = good && scion_salvage_view(salvage, &mode, &container) == 0;
    if (good)
        CHECK_INT(scion_container_ntasks(container), salvage->nfiles * TASKS);
    for (t = 0; good && t < salvage->nfiles * TASKS; t++)
        good = has_flushed_data(container, t);
    if (container)
        good = scion_container_close(container) == 0 && good;
    scion_salvage_free(salvage);
    return good;
}

static long fail_call(long n, int *good)
{
    long hits;

    scion_fault_arm((1u << SCION_FAULT_CALLS) - 1, n, 1, EIO);
    *good = operation();
    hits = scion_fault_hits();
    scion_fault_disarm();
    return hits;
}

static long fail_allocation(long n, int *good)
{
    long left;

    lack_in = n;
    *good = operation();
    left = lack_in;
    lack_in = 0;
    return left == 0;
}

static void fail_in_turn(long (*fail)(long n, int *good), int (*run)(void), int nfiles)
{
    int failed = 0, good = 1, descriptors = support_descriptors();
    long n;

    operation = run;
    for (n = 1; n < 5000; n++) {
        restore(nfiles);
        if (!fail(n, &good))
            break;
        failed += !good;
        CHECK(good || sion_error_text()[0] != '\0');
        CHECK_INT(support_descriptors(), descriptors);
        CHECK_INT(recover(), 1);
    }
    CHECK(good);
    CHECK(failed > 3 && n < 5000);
}

static void fail_in(const char *mode, int nfiles)
{
    write_unclosed(mode, nfiles);
    fail_in_turn(fail_call, recover, nfiles);
    fail_in_turn(fail_allocation, recover, nfiles);
    forget(nfiles);
}

static void fail_in_view(const char *mode, int nfiles)
{
    write_unclosed(mode, nfiles);
    fail_in_turn(fail_call, view, nfiles);
    fail_in_turn(fail_allocation, view, nfiles);
    forget(nfiles);
}

static void of_one_file(void)
{
    fail_in("bw,ansi,recover", 1);
    fail_in("bw,posix,recover", 1);
}

static void with_keys(void)
{
    fail_in("bw,posix,keyval=inline,recover", 1);
}

static void of_a_set(void)
{
    fail_in("bw,posix,recover", FILES);
}

static void of_a_set_that_lacks(int number)
{
    write_unclosed("bw,posix,recover", FILES);
    remove(path_of(number));
    free(files[number].bytes);
    files[number].bytes = NULL;
    fail_in_turn(fail_call, recover, FILES);
    fail_in_turn(fail_allocation, recover, FILES);
    forget(FILES);
}

static void of_a_set_that_lacks_a_file(void)
{
    of_a_set_that_lacks(1);
}

static void of_a_set_that_lacks_its_first_file(void)
{
    of_a_set_that_lacks(0);
}

static void in_views(void)
{
    fail_in_view("bw,posix,recover", 1);
    fail_in_view("bw,posix,recover", FILES);
}

static void without_commit_records(void)
{
    fail_in("bw,posix", 1);
}

static void wrong_arguments_are_refused(void)
{
    sion_recover_task task = {.size = sizeof task};
    sion_recovery *recovery;
    unsigned char data[MOST];

    write_unclosed("bw,posix,recover", 1);
    recovery = sion_recover_open(name, 0);
    CHECK(recovery && sion_recover_get_task(recovery, 1, &task) == 1);
    CHECK_INT(sion_recover_get_task(recovery, -1, &task), 0);
    CHECK_CONTAINS(sion_error_text(), "has no task -1, only 0 .. 1");
    CHECK_INT(sion_recover_get_task(recovery, 2, &task), 0);
    CHECK_INT(sion_recover_read(recovery, 2, 0, data, 1), 0);
    CHECK_CONTAINS(sion_error_text(), "has no task 2");
    CHECK_INT(sion_recover_read(recovery, 1, -1, data, 1), 0);
    CHECK_CONTAINS(sion_error_text(), "not 1 after -1");
    CHECK_INT(sion_recover_read(recovery, 1, task.bytes + 1, data, 0), 0);
    CHECK_INT(sion_recover_read(recovery, 1, task.bytes - 1, data, 2), 0);
    CHECK_INT(sion_recover_read(recovery, 1, 0, data, SIZE_MAX), 0);
    CHECK_INT(sion_recover_read(recovery, 1, task.bytes - 1, data, 1), 1);
    CHECK_INT(sion_recover_read(recovery, 1, task.bytes, data, 0), 1);
    sion_recover_close(recovery);
    sion_recover_close(NULL);
    forget(1);
}

/* ---- headers that say something wrong ---- */

enum { AT_NUMBER = 32 };

static void put(const char *path, off_t at, int value)
{
    int fd = open(path, O_WRONLY);

    CHECK(pwrite(fd, &value, sizeof value, at) == sizeof value);
    close(fd);
}

static void a_set_with_a_wrong_header_is_refused(void)
{
    static const struct {
        int file, at, value;
        const char *reason;
    } headers[] = {
        {0, AT_NFILES, 2000000, "c.sion says that it is one of 2000000 files"},
        {1, AT_NFILES, FILES + 1, "c.sion.000001 says it is file 1 of 4, not file 1 of 3"},
        {2, AT_NUMBER, 1, "c.sion.000002 says it is file 1 of 3, not file 2 of 3"},
        {1, AT_FLAG2, 4711, "c.sion.000001 was not written together with file 0"},
    };
    sion_recovery *recovery;
    size_t i;

    write_unclosed("bw,posix,recover", FILES);
    for (i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        restore(FILES);
        put(path_of(headers[i].file), headers[i].at, headers[i].value);
        recovery = sion_recover_open(name, 0);
        CHECK(!recovery);
        CHECK_CONTAINS(sion_error_text(), headers[i].reason);
        sion_recover_close(recovery);
    }
    forget(FILES);
}

/* An atomic writer gave file 1 its name, and was killed before it named the other ones. */
static void move_beside(const char *beside)
{
    char other[80];

    snprintf(other, sizeof other, "%s.%06d", beside, 2);
    CHECK_INT(rename(path_of(2), other), 0);
    CHECK_INT(rename(path_of(0), beside), 0);
}

static void move_back(const char *beside)
{
    char other[80];

    snprintf(other, sizeof other, "%s.%06d", beside, 2);
    rename(other, path_of(2));
    rename(beside, path_of(0));
}

/* Only a whole set next to the name is given the name. */
static void a_set_is_completed_only_from_its_own_files(void)
{
    static const struct {
        const char *beside;
        int at, value, completed; /* in file 0; at 0: nothing is changed */
    } sets[] = {
        {".c.sion.0123abcd.new", 0, 0, 1},
        {".c.sion.0123abcd.new", AT_NFILES, 2000000, 0},
        {".c.sion.0123abcd.new", AT_NFILES, FILES - 1, 0},
        {".c.sion.0123abcd.new", AT_NUMBER, 1, 0},
        {".c.sion.0123abcd.new", AT_FLAG2, 4711, 0},
        {".c.sion.0123abcd.new", AT_FLAG2 + 4, 0, 0},
        {".c.sion.0123abcd.new", 0, 4711, 0}, /* no container */
        {".c.sion.0123abcg.new", 0, 0, 0},
        {".c.sion.0123abc.new", 0, 0, 0},
        {".c.sion.0123abcd.old", 0, 0, 0},
        {".c.sion.0123abcd.new2", 0, 0, 0},
        {".c.sionx0123abcd.new", 0, 0, 0},
        {".d.sion.0123abcd.new", 0, 0, 0},
        {"xc.sion.0123abcd.new", 0, 0, 0},
    };
    int completed;
    size_t i;

    write_unclosed("bw,posix,recover", FILES);
    for (i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        restore(FILES);
        CHECK_INT(recover(), 1); /* closes it */
        move_beside(sets[i].beside);
        if (sets[i].at > 0 || sets[i].value > 0)
            put(sets[i].beside, sets[i].at, sets[i].value);
        CHECK_INT(scion_salvage_complete(name, &completed), 0);
        if (completed != sets[i].completed)
            printf("# %s, %d at byte %d\n", sets[i].beside, sets[i].value, sets[i].at);
        CHECK_INT(completed, sets[i].completed);
        CHECK_INT(access(path_of(0), F_OK) == 0, completed);
        CHECK_INT(access(path_of(2), F_OK) == 0, completed);
        CHECK_INT(completed ? recover() : 1, 1);
        move_back(sets[i].beside);
    }
    forget(FILES);
}

int main(void)
{
    support_enter_folder();
    support_catch();
    RUN(of_one_file);
    RUN(with_keys);
    RUN(of_a_set);
    RUN(of_a_set_that_lacks_a_file);
    RUN(of_a_set_that_lacks_its_first_file);
    RUN(in_views);
    RUN(without_commit_records);
    RUN(wrong_arguments_are_refused);
    RUN(a_set_with_a_wrong_header_is_refused);
    RUN(a_set_is_completed_only_from_its_own_files);
    support_leave_folder();
    return check_done();
}

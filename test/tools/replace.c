/*
 * Files that tools write: whatever call fails, the old file is unchanged or the new one is
 * complete; files of a group get their names together; and after success, the data are on the disk.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "base/error.h"
#include "lib/builder.h"
#include "lib/output.h"
#include "lib/replace.h"
#include "lib/tool.h"
#include "vfs/fault.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

#include "check.h"

#include "scratch.h"

enum { FILES = 3 };
static const char *const names[FILES] = {"a", "b", "c"};

static void write_old(void)
{
    int i;

    for (i = 0; i < FILES; i++)
        scratch_write(scratch_path(names[i]), "old", 3);
}

static int holds(const char *name, const char *text)
{
    char got[16] = "";
    size_t bytes = scratch_read(scratch_path(name), got, sizeof got - 1);

    return bytes == strlen(text) && memcmp(got, text, bytes) == 0;
}

static int count_holding(const char *text)
{
    int i, count = 0;

    for (i = 0; i < FILES; i++)
        count += holds(names[i], text);
    return count;
}

/* The number of other names in the folder. */
static int left_behind(void)
{
    DIR *folder = opendir(scratch_directory);
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(folder)) != NULL)
        count += entry->d_name[0] == '.' && strlen(entry->d_name) > 2;
    closedir(folder);
    return count;
}

static int write_new(const char *name, struct replace_group *group)
{
    struct scion_file *file;
    struct replace replace;
    char path[600];
    int status;

    snprintf(path, sizeof path, "%s", scratch_path(name));
    status = replace_begin(&replace, group, path, 0444);
    if (status != TOOL_RUN)
        return status;
    if (replace_open(&replace, &file) != 0)
        return replace_end(&replace, TOOL_FAILED);
    status = scion_file_write(file, "newer", 5, 0, NULL) == 0 ? TOOL_RUN : TOOL_FAILED;
    if (scion_file_close(file) != 0)
        status = TOOL_FAILED;
    return replace_end(&replace, status);
}

static int write_group(void)
{
    struct replace_group group = {NULL};
    int status = TOOL_RUN, i;

    for (i = 0; i < FILES && status == TOOL_RUN; i++)
        status = write_new(names[i], &group);
    return replace_end_group(&group, status);
}

static void after_success_the_data_are_on_the_disk(void)
{
    write_old();
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(write_new("a", NULL), TOOL_RUN);
    CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC), 2); /* the file, the folder */
    CHECK(holds("a", "newer") && holds("b", "old"));

    unlink(scratch_path("a"));
    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(write_new("a", NULL), TOOL_RUN);
    CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC), 2);

    scion_fault_arm(0, 0, 0, 0);
    CHECK_INT(write_group(), TOOL_RUN);
    CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC), FILES + 1);
    CHECK_INT(count_holding("newer"), FILES);
    CHECK_INT(left_behind(), 0);
    scion_fault_disarm();
}

/* Calls that remove new files do not fail here. */
static const unsigned mask = 1u << SCION_FAULT_OPEN | 1u << SCION_FAULT_PWRITE |
                             1u << SCION_FAULT_FSYNC | 1u << SCION_FAULT_CLOSE |
                             1u << SCION_FAULT_CHMOD | 1u << SCION_FAULT_MKDIR |
                             1u << SCION_FAULT_STAT | 1u << SCION_FAULT_ACCESS |
                             1u << SCION_FAULT_RENAME | 1u << SCION_FAULT_FSTAT;

static void a_failure_leaves_the_old_or_the_new_file(void)
{
    long n = 0, hits;

    do {
        int status;

        write_old();
        scion_fault_arm(mask, ++n, 1, EIO);
        status = write_new("a", NULL);
        hits = scion_fault_hits();
        scion_fault_disarm();
        if (status == TOOL_RUN)
            CHECK(holds("a", "newer"));
        else
            CHECK(holds("a", "old") || holds("a", "newer"));
        CHECK_INT(left_behind(), 0);
    } while (hits > 0);
    CHECK(n > 10);
}

/* The first file gets its name only when all files are complete. */
static void a_group_is_replaced_when_all_files_are_complete(void)
{
    long n = 0, hits, failed = 0;

    do {
        int status;

        write_old();
        scion_fault_arm(mask & ~(1u << SCION_FAULT_RENAME), ++n, 1, EIO);
        status = write_group();
        hits = scion_fault_hits();
        if (status != TOOL_RUN && scion_fault_count(SCION_FAULT_RENAME) == 0) {
            CHECK_INT(count_holding("old"), FILES);
            failed++;
        } else {
            CHECK_INT(count_holding("newer"), FILES);
        }
        scion_fault_disarm();
        CHECK_INT(left_behind(), 0);
    } while (hits > 0);
    CHECK(failed > 20);
}

/* Links, read-only files and folders with the name of an output. */
static void a_link_is_replaced_and_a_folder_refused(void)
{
    struct stat status;

    write_old();
    unlink(scratch_path("b"));
    CHECK_INT(symlink("a", scratch_path("b")), 0);
    CHECK_INT(write_group(), TOOL_RUN);
    CHECK(lstat(scratch_path("b"), &status) == 0 && S_ISREG(status.st_mode));
    CHECK_INT(status.st_mode & 0777, 0444);

    unlink(scratch_path("c"));
    mkdir(scratch_path("c"), 0777);
    scratch_write(scratch_path("d"), "", 0);
    unlink(scratch_path("a"));
    CHECK_INT(write_group(), TOOL_FAILED);
    CHECK_INT(scratch_size(scratch_path("a")), -1);
    CHECK_INT(left_behind(), 0);
    rmdir(scratch_path("c"));
}

/* A container that a job is writing is not replaced. */
static void a_container_that_is_being_written_is_refused(void)
{
    struct scion_writer_lock *lock;
    struct replace replace;

    write_old();
    CHECK_INT(scion_writer_lock_take(scratch_path("a"), 0, &lock), 0);
    CHECK(replace_begin(&replace, NULL, scratch_path("a"), 0666) == TOOL_FAILED);
    CHECK(holds("a", "old"));
    CHECK_INT(scion_writer_lock_release(lock, 0), 0);
    CHECK(replace_begin(&replace, NULL, scratch_path("a"), 0666) == TOOL_RUN);
    CHECK(replace_end(&replace, TOOL_FAILED) != TOOL_RUN);
    CHECK(holds("a", "old"));
    CHECK_INT(left_behind(), 0);
}

/* ---- others put files of theirs in the place of a new one ---- */

static struct {
    int at;      /* before which open for writing; 1 is the first after the file was made */
    int by_link; /* a symbolic link, else a hard one */
    int opens;
} theft;

static int steal_and_open(const char *path, int flags, mode_t mode)
{
    if (strstr(path, ".new") && !(flags & O_EXCL) && ++theft.opens == theft.at) {
        CHECK_INT(unlink(path), 0);
        CHECK_INT(theft.by_link ? symlink(scratch_path("c"), path) : link(scratch_path("c"), path),
                  0);
    }
    return scion_vfs_posix.open(path, flags, mode);
}

static int refuse_chmod(const char *path, mode_t mode)
{
    (void)path;
    (void)mode;
    errno = EPERM;
    return -1;
}

static int build(const char *base, int nfiles)
{
    static const sion_int64 ranks[] = {0, 1};
    struct builder_plan plan = {
        .ntasks = 2, .nfiles = nfiles, .fsblksize = 512, .permissions = 0640, .globalranks = ranks};
    struct builder builder;
    char name[600];
    int status;

    snprintf(name, sizeof name, "%s", scratch_path(base));
    plan.name = name;
    plan.used = calloc(2, sizeof *plan.used);
    plan.used[0] = plan.used[1] = 5;
    status = builder_create(&builder, &plan);
    if (status != TOOL_RUN)
        return status;
    status = builder_write(&builder, 0, 0, "bytes", 5);
    return builder_end(&builder, status);
}

/* Raw data, as sioncat writes them. */
static int write_raw(void)
{
    char from[600], to[600];
    struct input input;
    struct output output;
    int status;

    snprintf(from, sizeof from, "%s", scratch_path("in"));
    snprintf(to, sizeof to, "%s", scratch_path("a"));
    CHECK_INT(input_open(from, &input), TOOL_RUN);
    status = output_open(&output, NULL, to, &input);
    if (status == TOOL_RUN)
        status = output_close(&output, TOOL_RUN);
    return input_close(&input, status);
}

enum { ONE_FILE, TWO_FILES, RAW_DATA, OTHER, KINDS };

static int make(int kind)
{
    switch (kind) {
    case ONE_FILE:
    case TWO_FILES:
        return build("a", kind + 1);
    case RAW_DATA:
        return write_raw();
    default:
        return write_new("a", NULL);
    }
}

/* 0: no file of theirs was opened. */
static int is_stolen(int kind)
{
    struct scion_vfs thief = scion_vfs_posix;
    int status;

    write_old();
    CHECK_INT(chmod(scratch_path("c"), 0600), 0);
    theft.opens = 0;
    thief.open = steal_and_open;
    thief.chmod = refuse_chmod;
    scion_vfs_use(&thief);
    status = make(kind);
    scion_vfs_use(NULL);
    if (theft.opens < theft.at) {
        CHECK_INT(status, TOOL_RUN);
        return 0;
    }
    CHECK(status != TOOL_RUN);
    return 1;
}

static void a_file_of_others_in_the_place_of_a_new_one_is_not_touched(void)
{
    int kind;

    CHECK_INT(build("in", 1), TOOL_RUN);
    for (kind = 0; kind < KINDS; kind++) {
        for (theft.by_link = 0; theft.by_link < 2; theft.by_link++) {
            for (theft.at = 1; is_stolen(kind); theft.at++) {
                struct stat status;

                CHECK(holds("a", "old") && holds("c", "old"));
                CHECK(stat(scratch_path("c"), &status) == 0 && (status.st_mode & 0777) == 0600);
            }
            CHECK(theft.at > 1);
            unlink(scratch_path("a.000001"));
        }
    }
}

int main(void)
{
    umask(022);
    scratch_begin();
    RUN(after_success_the_data_are_on_the_disk);
    RUN(a_failure_leaves_the_old_or_the_new_file);
    RUN(a_group_is_replaced_when_all_files_are_complete);
    RUN(a_link_is_replaced_and_a_folder_refused);
    RUN(a_container_that_is_being_written_is_refused);
    RUN(a_file_of_others_in_the_place_of_a_new_one_is_not_touched);
    scratch_end();
    return check_done();
}

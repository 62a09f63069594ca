/*
 * The mode word `atomic` in one process: whatever fails, and whenever the writer is killed, either
 * the old container or the new one exists.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "sion.h"

#include "support.h"
#include "vfs/fault.h"

#define NAME "atomic.sion"

enum { MOST_CALLS = 300, RECORD = 75, BYTES = 4 * RECORD };

static int lost; /* a write has failed, and has returned the failure */

static int create(const char *name, const char *mode)
{
    int ntasks = 2, nfiles = 1, ranks[2] = {0, 1}, *ranks_pointer = ranks;
    sion_int64 sizes[2] = {100, 100}, *sizes_pointer = sizes;
    sion_int32 fsblksize = 16;
    char path[64];

    snprintf(path, sizeof path, "%s", name);
    support_catch();
    return sion_open(path, mode, &ntasks, &nfiles, &sizes_pointer, &fsblksize, &ranks_pointer,
                     NULL);
}

/* 1 if the open and the close succeed. */
static int write_generation(int generation, const char *mode)
{
    int sid = create(NAME, mode), task, i;
    unsigned char data[BYTES];

    lost = 0;
    for (task = 0; task < 2 && sid >= 0; task++) {
        check_fill(data, 10 * generation + task, 0, BYTES);
        lost |= sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) != 1;
        for (i = 0; i < BYTES; i += RECORD)
            lost |= sion_fwrite(data + i, 1, RECORD, sid) != RECORD;
    }
    return sid >= 0 && sion_close(sid) == 1;
}

static int is_generation(int generation)
{
    int ntasks, nfiles, sid, task, is = 1, i;
    sion_int32 fsblksize;
    unsigned char data[BYTES];

    support_catch();
    sid = sion_open(NAME, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    if (sid < 0)
        return -1;
    for (task = 0; task < 2; task++) {
        CHECK_INT(sion_seek(sid, task, 0, 0), 1);
        for (i = 0; i < BYTES; i += RECORD)
            is &= sion_fread(data + i, 1, RECORD, sid) == RECORD;
        is &= is && check_compare(data, 10 * generation + task, 0, BYTES) == -1;
    }
    CHECK_INT(sion_close(sid), 1);
    return is;
}

/* The number of other files next to the container; *name is set to the name of the last one. */
static int count_others(char *name)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    int n = 0;

    while (folder && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, NAME) == 0)
            continue;
        n++;
        if (name)
            snprintf(name, 256, "%s", entry->d_name);
    }
    closedir(folder);
    return n;
}

static void remove_others(void)
{
    char name[256];

    while (count_others(name) > 0 && unlink(name) == 0)
        ;
}

static void the_old_container_can_be_read_until_the_close(void)
{
    char other[256] = "";
    int sid;

    CHECK(write_generation(1, "wb"));
    sid = create(NAME, "wb,atomic");
    CHECK(sid >= 0);
    CHECK_INT(sion_fwrite("x", 1, 1, sid), 1);
    CHECK_INT(sion_flush(sid), 1);
    CHECK_INT(is_generation(1), 1);
    CHECK_INT(count_others(other), 1);
    CHECK(strncmp(other, "." NAME ".", strlen(NAME) + 2) == 0);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(count_others(NULL), 0);
    CHECK_INT(is_generation(1), 0);
}

static void killed(const char *mode)
{
    int has_ended = 0, seen[2] = {0}, status;
    long call;
    pid_t child;

    for (call = 1; call < MOST_CALLS && !has_ended; call++) {
        CHECK(write_generation(1, "wb"));
        fflush(stdout);
        child = fork();
        if (child == 0) {
            scion_fault_kill_in(call);
            _exit(write_generation(2, mode) ? 0 : 1);
        }
        waitpid(child, &status, 0);
        has_ended = WIFEXITED(status);
        CHECK(is_generation(1) + is_generation(2) == 1);
        seen[is_generation(2) == 1]++;
        if (has_ended)
            CHECK_INT(is_generation(2), 1);
        remove_others();
    }
    CHECK(has_ended);
    CHECK(seen[0] > 5);
    CHECK(seen[1] > 1);
}

static void a_killed_writer_leaves_the_old_or_the_new_container(void)
{
    killed("wb,atomic");
    killed("wb,atomic,posix");
    killed("wb,atomic,recover");
}

static void failed(const char *mode)
{
    unsigned all = 1u << SCION_FAULT_OPEN | 1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_FSYNC |
                   1u << SCION_FAULT_RENAME;
    int hit = 1, done;
    long n;

    for (n = 1; n < MOST_CALLS && hit; n++) {
        CHECK(write_generation(1, "wb"));
        scion_fault_arm(all, n, 1, ENOSPC);
        done = write_generation(2, mode);
        hit = scion_fault_hits() > 0;
        scion_fault_disarm();
        CHECK_INT(done, !hit);
        if (lost) /* the application has closed it nevertheless */
            CHECK_INT(is_generation(1), 1);
        else if (!done) /* the rename may succeed, and the sync of the folder fail */
            CHECK(is_generation(1) + is_generation(2) == 1);
        else
            CHECK_INT(is_generation(2), 1);
        CHECK_INT(count_others(NULL), 0);
    }
    CHECK(!hit);
    CHECK(n > 8);
}

static void a_failure_leaves_only_the_old_container(void)
{
    failed("wb,atomic");
    failed("wb,atomic,posix");
}

static void the_close_waits_for_the_disk(void)
{
    scion_fault_arm(0, 0, 0, 0);
    CHECK(write_generation(1, "wb,atomic"));
    /* Data and META2, the tail, the folder; all once more before the rename, the folder after it.
     * */
    CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC), 5);
    CHECK_INT(scion_fault_count(SCION_FAULT_RENAME), 1);
    scion_fault_arm(0, 0, 0, 0);
    CHECK(write_generation(1, "wb,atomic=none"));
    CHECK_INT(scion_fault_count(SCION_FAULT_FSYNC), 0);
    CHECK_INT(scion_fault_count(SCION_FAULT_RENAME), 0);
    scion_fault_disarm();
}

static void a_replaced_container_keeps_its_permissions(void)
{
    struct stat status;

    CHECK(write_generation(1, "wb"));
    CHECK_INT(chmod(NAME, 0600), 0);
    CHECK(write_generation(2, "wb,atomic"));
    CHECK_INT(stat(NAME, &status), 0);
    CHECK_INT(status.st_mode & 0777, 0600);
}

static void a_link_is_replaced_not_followed(void)
{
    struct stat status;

    CHECK(write_generation(1, "wb"));
    CHECK_INT(rename(NAME, "target"), 0);
    CHECK_INT(symlink("target", NAME), 0);
    CHECK(write_generation(2, "wb,atomic"));
    CHECK_INT(is_generation(2), 1);
    CHECK_INT(lstat(NAME, &status), 0);
    CHECK(S_ISREG(status.st_mode));
    CHECK_INT(rename("target", NAME), 0);
    CHECK_INT(is_generation(1), 1);
}

static void only_regular_files_can_be_replaced(void)
{
    CHECK_INT(mkdir("folder", 0777), 0);
    CHECK_INT(create("folder", "wb,atomic"), -1);
    CHECK_INT(create("folder", "wb,atomic,lock=no"), -1);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "folder");
    CHECK_INT(rmdir("folder"), 0);
    CHECK_INT(mkfifo("pipe", 0600), 0);
    CHECK_INT(create("pipe", "wb,atomic,lock=no"), -1);
    CHECK_CONTAINS(support_message, "not a regular file");
    CHECK_INT(unlink("pipe"), 0);
    CHECK_INT(count_others(NULL), 0);
}

static void a_second_writer_is_refused(void)
{
    int sid;

    CHECK(write_generation(1, "wb"));
    sid = create(NAME, "wb,atomic");
    CHECK(sid >= 0);
    CHECK_INT(create(NAME, "wb"), -1);
    CHECK_CONTAINS(support_message, "is being written by process");
    CHECK_INT(create(NAME, "wb,atomic"), -1);
    CHECK_CONTAINS(support_message, "is being written by process");
    CHECK_INT(is_generation(1), 1);
    CHECK_INT(sion_close(sid), 1);
}

int main(void)
{
    support_enter_folder();
    RUN(the_old_container_can_be_read_until_the_close);
    RUN(a_killed_writer_leaves_the_old_or_the_new_container);
    RUN(a_failure_leaves_only_the_old_container);
    RUN(the_close_waits_for_the_disk);
    RUN(a_replaced_container_keeps_its_permissions);
    RUN(a_link_is_replaced_not_followed);
    RUN(only_regular_files_can_be_replaced);
    RUN(a_second_writer_is_refused);
    support_leave_folder();
    return check_done();
}

/* Whenever a checkpoint fails or is killed, either the old one or the new one exists. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "fti_check.h"
#include "codes.h"
#include "sion_ftiff.h"
#include "vfs/fault.h"

static char state[3][200];

static void set_state(int value)
{
    memset(state, value, sizeof state);
}

static sion_ftiff *open_state(int version, int incremental)
{
    sion_ftiff *handle = sion_ftiff_open("state.fti");
    int i;

    CHECK_INT(code_of(sion_ftiff_set_version(handle, version)), 0);
    CHECK_INT(code_of(sion_ftiff_set_incremental(handle, incremental)), 0);
    for (i = 0; i < 3; i++)
        CHECK_INT(code_of(sion_ftiff_protect(handle, i, state[i], sizeof state[i])), 0);
    return handle;
}

/* The existing checkpoint, 1 or 2, if it is complete; else 0. */
static int which_is_there(int version)
{
    sion_ftiff *handle = open_state(version, 0);
    int i, value, rc;

    memset(state, 0, sizeof state);
    rc = code_of(sion_ftiff_recover(handle));
    sion_ftiff_close(handle);
    if (rc != 0) {
        printf("# %s\n", support_message);
        return 0;
    }
    value = state[0][0];
    for (i = 0; i < (int)sizeof state[2]; i++) {
        if (state[1][i] != value || state[2][i] != 1)
            value = 0;
    }
    return value;
}

/* One of the three arrays is the same in both checkpoints. */
static int write_second(sion_ftiff *handle)
{
    set_state(2);
    memset(state[2], 1, sizeof state[2]);
    return code_of(sion_ftiff_checkpoint(handle, 2));
}

static void every_failure_keeps_the_old_checkpoint(void)
{
    int version, incremental;

    support_catch();
    for (version = 1; version <= 6; version += 5) {
        for (incremental = 0; incremental < 2; incremental++) {
            unsigned all = (1u << SCION_FAULT_CALLS) - 1 - (1u << SCION_FAULT_UNLINK) -
                           (1u << SCION_FAULT_CLOSE) - (1u << SCION_FAULT_LSEEK);
            long n, hits = 1, failures = 0;

            for (n = 1; hits > 0 && n < 100; n++) {
                sion_ftiff *handle = open_state(version, incremental);
                int rc, there, descriptors, is_folder;

                set_state(1);
                CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
                descriptors = support_descriptors();
                scion_fault_arm(all, n, 1, EIO);
                rc = write_second(handle);
                hits = scion_fault_hits();
                scion_fault_disarm();
                CHECK_INT(support_descriptors(), descriptors);
                is_folder = strstr(support_message, "flush folder") != NULL;
                there = which_is_there(version);
                CHECK(rc == 0 ? there == 2 : there == (is_folder ? 2 : 1));
                CHECK_INT(support_count_new(), 0);
                failures += rc != 0;
                sion_ftiff_close(handle);
            }
            CHECK(n < 100 && failures >= (incremental ? 8 : 9));
        }
    }
}

/* As a network file system tells what it could not read. */
static void a_close_that_fails_is_told(void)
{
    sion_ftiff *handle = open_state(SION_FTIFF_LATEST, 0);
    int rc, hits;

    support_catch();
    set_state(1);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
    scion_fault_arm(1u << SCION_FAULT_CLOSE, 1, 1, EIO);
    rc = code_of(sion_ftiff_recover(handle));
    hits = scion_fault_hits() > 0;
    scion_fault_disarm();
    CHECK_INT(hits, 1);
    CHECK_INT(rc, SION_ERR_SYSTEM);
    CHECK_INT(code_of(sion_ftiff_recover(handle)), 0);
    sion_ftiff_close(handle);
}

/* A link with a name that the library will use cannot make it write to another file. */
static void links_are_replaced_not_followed(void)
{
    sion_ftiff *handle = open_state(SION_FTIFF_LATEST, 0);
    struct stat status;

    CHECK_INT(symlink("victim", "state.fti.new"), 0);
    set_state(1);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
    CHECK(access("victim", F_OK) != 0);
    CHECK_INT(chmod("state.fti", 0600), 0);
    CHECK_INT(write_second(handle), 0);
    CHECK_INT(stat("state.fti", &status), 0);
    CHECK_INT(status.st_mode & 0777, 0600);
    CHECK(access("victim", F_OK) != 0);
    CHECK_INT(unlink("state.fti.new"), 0);
    CHECK_INT(support_count_new(), 0);
    sion_ftiff_close(handle);
}

static void a_full_disk_keeps_the_old_checkpoint(void)
{
    sion_ftiff *handle = open_state(SION_FTIFF_LATEST, 0);

    support_catch();
    set_state(1);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
    scion_fault_arm(1 << SCION_FAULT_PWRITE, 2, 1000, ENOSPC);
    CHECK_INT(write_second(handle), SION_ERR_SYSTEM);
    scion_fault_disarm();
    CHECK_CONTAINS(support_message, "No space left on device");
    CHECK_CONTAINS(support_message, "state.fti: ");
    CHECK_INT(which_is_there(SION_FTIFF_LATEST), 1);
    CHECK_INT(write_second(handle), 0);
    sion_ftiff_close(handle);
    CHECK_INT(which_is_there(SION_FTIFF_LATEST), 2);
}

/* Whether the child was killed in its nth changing call; 0: it made fewer calls. */
static int killed_in(int version, int incremental, long n)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        sion_ftiff *handle = open_state(version, incremental);

        if (number_or_code(sion_ftiff_status(handle, NULL)) != 1)
            _exit(3);
        scion_fault_kill_in(n);
        status = write_second(handle);
        sion_ftiff_close(handle);
        _exit(status == 0 ? 0 : 4);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : status == 0);
    return WIFSIGNALED(status);
}

static void a_kill_at_any_moment_leaves_the_old_or_the_new(void)
{
    int version, incremental;

    for (version = 1; version <= 6; version += 5) {
        for (incremental = 0; incremental < 2; incremental++) {
            int killed = 1, seen[3] = {0, 0, 0};
            long n;

            for (n = 1; killed && n < 100; n++) {
                sion_ftiff *handle = open_state(version, 0);
                int there;

                set_state(1);
                CHECK_INT(code_of(sion_ftiff_checkpoint(handle, 1)), 0);
                sion_ftiff_close(handle);
                killed = killed_in(version, incremental, n);
                there = which_is_there(version);
                CHECK(there == 1 || there == 2);
                CHECK(killed || there == 2);
                seen[there]++;
            }
            /* The number of calls depends on the file system. */
            CHECK(seen[1] >= 5 && seen[2] >= 1 && n < 100);
        }
    }
}

int main(void)
{
    support_enter_folder();
    RUN(a_close_that_fails_is_told);
    RUN(every_failure_keeps_the_old_checkpoint);
    RUN(links_are_replaced_not_followed);
    RUN(a_full_disk_keeps_the_old_checkpoint);
    RUN(a_kill_at_any_moment_leaves_the_old_or_the_new);
    support_leave_folder();
    return check_done();
}

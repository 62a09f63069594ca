/* The lock that allows one writer of a container at a time: who has it, and whom it does not
 * affect. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "sion.h"

#include "support.h"
#include "vfs/fault.h"

#define NAME "lock.sion"

static int create(const char *mode)
{
    int ntasks = 2, nfiles = 1, ranks[2] = {0, 1}, *ranks_pointer = ranks;
    sion_int64 sizes[2] = {1000, 1000}, *sizes_pointer = sizes;
    sion_int32 fsblksize = 512;

    support_catch();
    return sion_open(NAME, mode, &ntasks, &nfiles, &sizes_pointer, &fsblksize, &ranks_pointer,
                     NULL);
}

static int holds(const char *text)
{
    int ntasks, nfiles, sid;
    sion_int32 fsblksize;
    char data[16];
    size_t bytes = strlen(text);

    support_catch();
    sid = sion_open(NAME, "rb", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    if (sid < 0)
        return 0;
    CHECK_INT(sion_fread(data, 1, bytes, sid), bytes);
    CHECK(memcmp(data, text, bytes) == 0);
    return sion_close(sid) == 1;
}

/* The message of a refused open names a process and this host. */
static void check_refused(const char *mode, pid_t process)
{
    char host[64] = "", expected[128];

    gethostname(host, sizeof host - 1);
    host[60] = '\0'; /* as much of it as the locks hold */
    snprintf(expected, sizeof expected, NAME " is being written by process %ld on %s",
             (long)process, host);
    CHECK_INT(create(mode), -1);
    CHECK_INT(support_errors, 1);
    CHECK(strstr(support_message, expected) != NULL);
    if (!strstr(support_message, expected))
        printf("# %s, not %s\n", support_message, expected);
}

static void a_second_writer_is_refused_and_the_first_goes_on(void)
{
    int sid = create("wb");

    CHECK_INT(sion_fwrite("0123", 1, 4, sid), 4);
    CHECK_INT(sion_flush(sid), 1);
    check_refused("wb", getpid());
    check_refused("wb,posix", getpid());
    check_refused("wb,recover", getpid());
    CHECK_INT(sion_fwrite("456789", 1, 6, sid), 6);
    CHECK_INT(sion_close(sid), 1);
    CHECK(holds("0123456789"));
    sid = create("wb");
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
}

/* Start another process, which has the container open until this signal ends it. */
static pid_t start_writer(void)
{
    int ready[2];
    pid_t child;
    char byte = 0;

    if (pipe(ready) != 0)
        exit(99);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int sid = create("wb");

        CHECK_INT(sion_fwrite("child", 1, 5, sid), 5);
        (void)!write(ready[1], "x", 1);
        close(ready[1]);
        close(ready[0]);
        for (;;)
            pause();
    }
    close(ready[1]);
    CHECK_INT(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void another_process_is_named_and_its_death_ends_the_lock(void)
{
    pid_t child = start_writer();
    int sid;

    check_refused("wb", child);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    sid = create("wb");
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
}

/* A refused open must not remove, empty or lengthen the file. */
static void a_refused_open_changes_nothing(void)
{
    pid_t child = start_writer();
    struct stat before, after;

    CHECK_INT(stat(NAME, &before), 0);
    check_refused("wb", child);
    CHECK_INT(stat(NAME, &after), 0);
    CHECK_INT(before.st_ino, after.st_ino);
    CHECK_INT(before.st_size, after.st_size);
    CHECK_INT(before.st_mtime, after.st_mtime);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void descriptors_of_the_application_do_not_matter(void)
{
    int sid = create("wb"), fd = dup(sion_get_fd(sid));
    FILE *fp = sion_get_fp(sid);

    CHECK(fp != NULL);
    CHECK_INT(fprintf(fp, "text"), 4);
    check_refused("wb", getpid());
    close(open(NAME, O_RDWR));
    check_refused("wb", getpid());
    CHECK_INT(sion_close(sid), 1);
    sid = create("wb"); /* although the application still has a descriptor */
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
    close(fd);
}

/* A child shares the open file description of the lock. Neither its end nor its life matters. */
static void children_neither_end_nor_keep_the_lock(void)
{
    int sid = create("wb");
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(sion_close(sid) == 1 ? 0 : 1);
    waitpid(child, NULL, 0);
    check_refused("wb", getpid());
    child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    CHECK_INT(sion_close(sid), 1);
    sid = create("wb");
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void readers_are_not_affected(void)
{
    int sid = create("wb"), other;

    CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
    CHECK_INT(sion_close(sid), 1);
    sid = create("wb,lock=no");
    CHECK(sid >= 0);
    CHECK_INT(sion_close(sid), 1);
    sid = sion_open_rank(NAME, "rb", NULL, NULL, &(int){0}, NULL);
    other = create("wb");
    CHECK(other >= 0);
    CHECK_INT(sion_close(other), 1);
    if (sid >= 0)
        sion_close(sid);
}

static void locking_can_be_switched_off(void)
{
    int sid = create("wb"), other;

    other = create("wb,lock=no");
    CHECK(other >= 0);
    CHECK_INT(sion_close(other), 1);
    check_refused("wb", getpid());
    setenv("SION_LOCK", "no", 1);
    other = create("wb");
    CHECK(other >= 0);
    CHECK_INT(sion_close(other), 1);
    check_refused("wb,lock=yes", getpid());
    unsetenv("SION_LOCK");
    CHECK_INT(sion_close(sid), 1);
    sid = create("wb,lock=perhaps");
    CHECK_INT(support_warnings, 1);
    CHECK(strstr(support_message, "lock=perhaps") != NULL);
    CHECK_INT(sion_close(sid), 1);
}

/* ---- file systems without locks ---- */

static void file_systems_without_locks_cause_one_warning_only(void)
{
    static const int reasons[] = {ENOSYS, ENOLCK, EOPNOTSUPP, EINVAL};
    int warnings = 0, sid;
    size_t i;

    for (i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        scion_fault_arm(0, 0, 0, 0);
        scion_fault_refuse_locks(reasons[i]);
        sid = create("wb");
        CHECK(sid >= 0);
        if (i == 0)
            CHECK(strstr(support_message, NAME " cannot be locked") != NULL);
        warnings += support_warnings;
        CHECK_INT(sion_fwrite("0123456789", 1, 10, sid), 10);
        CHECK_INT(sion_close(sid), 1);
        scion_fault_disarm();
        CHECK(holds("0123456789"));
    }
    CHECK_INT(warnings, 1);
}

/* A container that cannot be created leaves no file behind, although the lock made one. */
static void a_failed_open_leaves_nothing(void)
{
    long n;

    for (n = 1; n < 20; n++) {
        int sid;

        unlink(NAME);
        scion_fault_arm(1 << SCION_FAULT_OPEN | 1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_STAT, n,
                        1, EIO);
        sid = create("wb");
        if (sid >= 0)
            sion_close(sid);
        scion_fault_disarm();
        CHECK(sid >= 0 || access(NAME, F_OK) != 0);
        if (sid >= 0)
            break;
    }
    CHECK(n > 2);
    CHECK(n < 20);
}

int main(void)
{
    support_enter_folder();
    RUN(a_second_writer_is_refused_and_the_first_goes_on);
    RUN(another_process_is_named_and_its_death_ends_the_lock);
    RUN(a_refused_open_changes_nothing);
    RUN(descriptors_of_the_application_do_not_matter);
    RUN(children_neither_end_nor_keep_the_lock);
    RUN(readers_are_not_affected);
    RUN(locking_can_be_switched_off);
    RUN(file_systems_without_locks_cause_one_warning_only);
    RUN(a_failed_open_leaves_nothing);
    support_leave_folder();
    return check_done();
}

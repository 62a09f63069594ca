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
static pid_t start_writer_as(const char *mode)
{
    int ready[2];
    pid_t child;
    char byte = 0;

    if (pipe(ready) != 0)
        exit(99);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int sid = create(mode);

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

static pid_t start_writer(void)
{
    return start_writer_as("wb");
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

/* Names in the folder; *last is set to one of them that is not NAME. */
static int count_names(char *last)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    int n = 0;

    while (folder && (entry = readdir(folder))) {
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        if (last && entry->d_name[0] == '.' && entry->d_name[1] == 'l')
            snprintf(last, 300, "%s", entry->d_name);
    }
    closedir(folder);
    return n;
}

/* A container that cannot be created leaves no file behind, although the lock made one. */
static void a_failed_open_leaves_nothing(void)
{
    int hit = 1;
    long n;

    for (n = 1; n < 20 && hit; n++) {
        int sid;

        unlink(NAME);
        scion_fault_arm(1 << SCION_FAULT_OPEN | 1 << SCION_FAULT_PWRITE | 1 << SCION_FAULT_STAT, n,
                        1, EIO);
        sid = create("wb");
        hit = scion_fault_hits() > 0;
        scion_fault_disarm();
        CHECK(sid >= 0 || count_names(NULL) == 0);
        if (sid >= 0)
            sion_close(sid);
    }
    CHECK(n > 4);
    CHECK(!hit);
}

/* ---- a name that no file has yet ---- */

static int write_text(int sid, const char *text)
{
    size_t bytes = strlen(text);

    return sid >= 0 && sion_fwrite(text, 1, bytes, sid) == bytes && sion_close(sid) == 1;
}

static void clear(void)
{
    char last[300] = "";

    unlink(NAME);
    while (count_names(last) > 0 && unlink(last) == 0)
        ;
    CHECK_INT(count_names(NULL), 0);
}

static void a_first_atomic_writer_has_the_name_until_its_close(void)
{
    int sid;

    clear();
    sid = create("wb,atomic");
    CHECK(sid >= 0);
    check_refused("wb", getpid());
    check_refused("wb,atomic", getpid());
    check_refused("wb,atomic,recover", getpid());
    CHECK(access(NAME, F_OK) != 0);
    CHECK(write_text(sid, "first"));
    CHECK(holds("first"));
    CHECK_INT(count_names(NULL), 1);
    CHECK(write_text(create("wb"), "second"));
    CHECK(holds("second"));
    CHECK_INT(count_names(NULL), 1);
}

static void a_first_plain_writer_has_the_name_until_its_close(void)
{
    int sid;

    clear();
    sid = create("wb");
    CHECK_INT(count_names(NULL), 1);
    check_refused("wb", getpid());
    check_refused("wb,atomic", getpid());
    CHECK(write_text(sid, "first"));
    CHECK(holds("first"));
    CHECK_INT(count_names(NULL), 1);
}

static void a_killed_first_writer_leaves_no_lock(void)
{
    static const char *const modes[] = {"wb", "wb,atomic"};
    pid_t child;
    size_t i;

    for (i = 0; i < 4; i++) {
        clear();
        child = start_writer_as(modes[i / 2]);
        check_refused(modes[i % 2], child);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        CHECK(write_text(create(modes[i % 2]), "later"));
        CHECK(holds("later"));
        CHECK(access("." NAME ".lock", F_OK) != 0);
    }
}

/*
 * Killed at any moment of the open, it keeps nobody out. Where it had made the file, it may leave
 * an empty file, at which nobody looks any more.
 */
static void a_writer_that_is_killed_in_the_open_leaves_no_lock(void)
{
    static const char *const modes[] = {"wb", "wb,atomic"};
    int status, has_ended, was_made, sid, n, i;
    pid_t child;

    for (i = 0; i < 2; i++) {
        has_ended = 0;
        for (n = 1; n < 40 && !has_ended; n++) {
            clear();
            fflush(stdout);
            child = fork();
            if (child == 0) {
                scion_fault_kill_in(n);
                sid = create(modes[i]);
                _exit(sid >= 0);
            }
            waitpid(child, &status, 0);
            has_ended = WIFEXITED(status);
            was_made = access(NAME, F_OK) == 0;
            CHECK(write_text(create(modes[1 - i]), "later"));
            CHECK(holds("later"));
            CHECK(was_made ? unlink("." NAME ".lock") == 0 || errno == ENOENT
                           : access("." NAME ".lock", F_OK) != 0);
        }
        CHECK(n > 4 && n < 40);
    }
    clear();
}

static void a_failed_first_open_leaves_nothing(void)
{
    static const char *const modes[] = {"wb", "wb,atomic"};
    unsigned all = (1u << SCION_FAULT_CALLS) - 1 - (1u << SCION_FAULT_UNLINK);
    int n, hit, i;

    for (i = 0; i < 2; i++) {
        hit = 1;
        for (n = 1; n < 80 && hit; n++) {
            int sid;

            clear();
            scion_fault_arm(all, n, 1, EIO);
            sid = create(modes[i]);
            hit = scion_fault_hits() > 0;
            scion_fault_disarm();
            if (sid < 0)
                CHECK_INT(count_names(NULL), 0);
            else
                sion_close(sid);
        }
        CHECK(n > 10 && !hit);
    }
}

static void the_file_of_a_lock_is_no_link_and_has_no_data(void)
{
    clear();
    CHECK_INT(symlink("target", "." NAME ".lock"), 0);
    CHECK_INT(create("wb"), -1);
    CHECK_CONTAINS(support_message, "it is a link, which could lead elsewhere");
    CHECK(access("target", F_OK) != 0);
    CHECK_INT(unlink("." NAME ".lock"), 0);
    support_store("." NAME ".lock", "data", 4);
    CHECK_INT(create("wb,atomic"), -1);
    CHECK_CONTAINS(support_message, "has data");
    CHECK(write_text(create("wb,atomic,lock=no"), "unlocked"));
    CHECK_INT(unlink("." NAME ".lock"), 0);
}

/* ---- what the open did not see ---- */

/* A close that may not replace the file of another program; its own data stay next to it. */
static void check_not_replaced(int sid, const char *text)
{
    char last[300] = "", path[sizeof support_message];
    const char *at;
    size_t size = 0;
    unsigned char *bytes;

    support_catch();
    CHECK(!write_text(sid, "own data"));
    CHECK_INT(sion_error_code(), SION_ERR_BUSY);
    CHECK_CONTAINS(support_message, NAME " was made by another program after the open");
    bytes = support_load(NAME, &size);
    CHECK(bytes && size == strlen(text) && memcmp(bytes, text, size) == 0);
    free(bytes);
    count_names(last);
    at = strstr(support_message, " is in ");
    snprintf(path, sizeof path, "%s", at ? at + 7 : "");
    CHECK(at && strncmp(path, last, strlen(last)) == 0);
    CHECK_INT(rename(last, NAME), 0);
    CHECK(holds("own data"));
    clear();
}

static void what_another_program_has_made_is_not_replaced(void)
{
    int sid;

    clear();
    sid = create("wb,atomic");
    support_store(NAME, "foreign", 7);
    check_not_replaced(sid, "foreign");
    CHECK(write_text(create("wb"), "old"));
    sid = create("wb,atomic");
    support_store("other", "foreign", 7);
    CHECK_INT(rename("other", NAME), 0);
    check_not_replaced(sid, "foreign");
    sid = create("wb,atomic,recover,lock=no");
    CHECK_INT(symlink("nowhere", NAME), 0);
    CHECK(!write_text(sid, "own data"));
    clear();
}

/* It has the same inode, but another nonce. */
static void what_another_program_has_written_again_is_not_replaced(void)
{
    int sid, other;

    CHECK(write_text(create("wb,recover"), "old"));
    sid = create("wb,atomic,lock=no");
    other = create("wb,recover,lock=no");
    CHECK(write_text(other, "other"));
    CHECK(!write_text(sid, "own data"));
    CHECK_CONTAINS(support_message, NAME " was made by another program after the open");
    CHECK(holds("other"));
    clear();
}

static void what_was_removed_is_made_again(void)
{
    int sid;

    CHECK(write_text(create("wb"), "old"));
    sid = create("wb,atomic");
    CHECK_INT(unlink(NAME), 0);
    CHECK(write_text(sid, "new"));
    CHECK(holds("new"));
    CHECK_INT(count_names(NULL), 1);
}

static int no_rename(const char *from, const char *to)
{
    (void)from, (void)to;
    errno = EINVAL;
    return -1;
}

static int no_link(const char *from, const char *to)
{
    (void)from, (void)to;
    errno = EPERM;
    return -1;
}

static void file_systems_that_cannot_rename_without_replacing_are_served(void)
{
    struct scion_vfs table = scion_vfs_posix;
    int sid, i;

    table.rename_new = no_rename;
    for (i = 0; i < 2; i++) {
        scion_vfs_use(&table);
        clear();
        CHECK(write_text(create("wb,atomic"), "new"));
        CHECK(holds("new"));
        CHECK_INT(count_names(NULL), 1);
        clear();
        sid = create("wb,atomic");
        support_store(NAME, "foreign", 7);
        check_not_replaced(sid, "foreign");
        table.link = no_link;
    }
    scion_vfs_use(NULL);
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
    RUN(a_first_atomic_writer_has_the_name_until_its_close);
    RUN(a_first_plain_writer_has_the_name_until_its_close);
    RUN(a_killed_first_writer_leaves_no_lock);
    RUN(a_writer_that_is_killed_in_the_open_leaves_no_lock);
    RUN(a_failed_first_open_leaves_nothing);
    RUN(the_file_of_a_lock_is_no_link_and_has_no_data);
    RUN(what_another_program_has_made_is_not_replaced);
    RUN(what_another_program_has_written_again_is_not_replaced);
    RUN(what_was_removed_is_made_again);
    RUN(file_systems_that_cannot_rename_without_replacing_are_served);
    support_leave_folder();
    return check_done();
}

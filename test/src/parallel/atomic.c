/*
 * Containers that replace others of their name: whatever fails, and whenever the writer is killed,
 * either the old one or the new one exists. Four tasks, which are threads, write one file or
 * several, mapped or not, and buddy checkpoints.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "sion.h"

#include "callbacks.h"
#include "lack.h"
#include "recover/recover.h"
#include "support.h"
#include "src/comm/thread_tasks.h"
#include "vfs/fault.h"

enum { TASKS = 4, RECORD = 75, BYTES = 4 * RECORD, CHUNK = 100, MOST_CALLS = 500 };

static char name[256];

static struct {
    int aid, nfiles, mapped, copies;
    const char *mode, *reader;
    int generation;
    int failed[TASKS], wrong[TASKS]; /* what the tasks found */
    int lost[TASKS];                 /* writes have failed, and have returned so */
} sample;

static int do_open(struct scion_comm *comm, const char *mode)
{
    int nfiles = sample.nfiles, rank = comm->rank, file = rank % nfiles, place = rank / nfiles;
    int n = 1, *ranks = &rank, *files = &file, *places = &place, lsize = TASKS / nfiles;
    sion_int64 chunksize = CHUNK, *chunks = &chunksize;
    sion_int32 fsblksize = 16;

    return sample.mapped ? sion_generic_paropen_mapped(sample.aid, name, mode, &nfiles, comm,
                                                       comm->rank, comm->size, &n, &ranks, &chunks,
                                                       &files, &places, &fsblksize, NULL)
                         : sion_generic_paropen(sample.aid, name, mode, &chunksize, &fsblksize,
                                                comm, comm->rank, comm->size, &file, &nfiles,
                                                &place, &lsize, NULL, NULL);
}

static int put(int sid, const unsigned char *record)
{
    return (sample.copies > 0 ? sion_coll_fwrite(record, 1, RECORD, sid)
                              : sion_fwrite(record, 1, RECORD, sid)) == RECORD;
}

static int get(int sid, unsigned char *record)
{
    int is_collective = strcmp(sample.reader, "br") != 0;

    return (is_collective ? sion_coll_fread(record, 1, RECORD, sid)
                          : sion_fread(record, 1, RECORD, sid)) == RECORD;
}

static int do_close(int sid)
{
    return sample.mapped ? sion_generic_parclose_mapped(sid) : sion_generic_parclose(sid);
}

static void write_task(struct scion_comm *comm, void *unused)
{
    int sid = do_open(comm, sample.mode), done = 0, lost = 0, i;
    unsigned char data[BYTES];

    (void)unused;
    check_fill(data, 10 * sample.generation + comm->rank, 0, BYTES);
    for (i = 0; i < BYTES && sid >= 0; i += RECORD)
        lost |= !put(sid, data + i);
    if (sid >= 0)
        done = do_close(sid) == 1;
    sample.lost[comm->rank] = lost;
    sample.failed[comm->rank] = !done;
}

static void read_task(struct scion_comm *comm, void *unused)
{
    int sid = do_open(comm, sample.reader), i;
    unsigned char data[BYTES];

    (void)unused;
    sample.failed[comm->rank] = sid < 0;
    sample.wrong[comm->rank] = 0;
    for (i = 0; i < BYTES && sid >= 0; i += RECORD)
        sample.wrong[comm->rank] |= !get(sid, data + i);
    sample.wrong[comm->rank] |=
        sid >= 0 && check_compare(data, 10 * sample.generation + comm->rank, 0, BYTES) != -1;
    if (sid >= 0)
        CHECK_INT(do_close(sid), 1);
}

static int sum(const int *numbers)
{
    return numbers[0] + numbers[1] + numbers[2] + numbers[3];
}

/* Write a container of this generation. Returns 1 if open and close succeeded on all tasks. */
static int write_all(int generation, const char *mode)
{
    support_catch();
    sample.generation = generation;
    sample.mode = mode;
    run_tasks(TASKS, write_task, NULL);
    CHECK(sum(sample.failed) == 0 || sum(sample.failed) == TASKS);
    return sum(sample.failed) == 0;
}

static const char *atomic_mode(void)
{
    return sample.copies > 0 ? "bw,atomic,buddy" : "bw,atomic";
}

/* 1 if the container is of this generation, 0 if of another one, -1 if it cannot be read. */
static int is_generation(int generation)
{
    support_catch();
    sample.generation = generation;
    run_tasks(TASKS, read_task, NULL);
    if (sum(sample.failed) == TASKS)
        return -1;
    CHECK_INT(sum(sample.failed), 0);
    return sum(sample.wrong) == 0;
}

static void remove_all(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;

    while (folder && (entry = readdir(folder)))
        unlink(entry->d_name);
    closedir(folder);
}

/* The number of files next to the container and its members. */
static int count_others(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    int n = 0;

    while (folder && (entry = readdir(folder)))
        n += entry->d_name[0] == '.' && strlen(entry->d_name) > 2;
    closedir(folder);
    return n;
}

/* ---- what must hold ---- */

/* Without any one of its files, the container is read from the copies. */
static void check_copies(int generation)
{
    char path[300];
    int file;

    sample.reader = "br,buddy";
    for (file = 0; file < sample.nfiles; file++) {
        snprintf(path, sizeof path, file == 0 ? "%s" : "%s.%06d", name, file);
        CHECK_INT(rename(path, "lost"), 0);
        CHECK_INT(is_generation(generation), 1);
        CHECK_INT(rename("lost", path), 0);
    }
    sample.reader = "br";
}

/* 1 if a set without file 1 is read wrong, or files of two writers are read together. */
static int is_mixed(void)
{
    char path[300];
    int old, new;

    snprintf(path, sizeof path, "%s.%06d", name, 1);
    sample.reader = "br,buddy";
    CHECK_INT(rename(path, "lost"), 0);
    old = is_generation(1);
    new = is_generation(2);
    CHECK_INT(rename("lost", path), 0);
    sample.reader = "br";
    return old == 0 && new == 0;
}

static int check_set(void);

/* After a writer of generation 2 that failed, generation 1 or 2 exists as a whole. */
static int check_whole(void)
{
    int found;

    CHECK(sample.copies == 0 || !is_mixed());
    found = check_set();
    if (sample.copies > 0)
        check_copies(found == 1 ? 1 : 2);
    return found;
}

static int check_set(void)
{
    int completed = 0, old, new;

    old = is_generation(1);
    if (old < 0) { /* a mixture, which only a set can be */
        CHECK(sample.nfiles > 1);
        CHECK_CONTAINS(support_message, "not written together");
        CHECK_INT(scion_salvage_complete(name, &completed), 0);
        CHECK(completed);
        CHECK_INT(is_generation(2), 1);
        return 3;
    }
    new = is_generation(2);
    CHECK_INT(old + new, 1);
    CHECK_INT(scion_salvage_complete(name, &completed), 0);
    CHECK(!completed || (new &&sample.copies > 0));
    return old ? 1 : 2;
}

static void is_killed_in(long call, int *has_ended)
{
    pid_t child;
    int status = 0;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        scion_fault_kill_in(call);
        _exit(write_all(2, atomic_mode()) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    *has_ended = WIFEXITED(status);
    CHECK(!*has_ended || WEXITSTATUS(status) == 0);
}

static void kill_in_every_call(void)
{
    int has_ended = 0, seen[4] = {0}, found;
    long call;

    for (call = 1; call < MOST_CALLS && !has_ended; call++) {
        remove_all();
        CHECK(write_all(1, sample.copies > 0 ? "bw,buddy" : "bw"));
        is_killed_in(call, &has_ended);
        found = check_whole();
        seen[found]++;
        if (has_ended)
            CHECK_INT(found, 2);
    }
    CHECK(has_ended);
    CHECK(seen[1] > 10); /* the old one, a mixture, and the new one all occur */
    CHECK(seen[2] > 0);
    CHECK(sample.nfiles == 1 ? seen[3] == 0 : seen[3] >= sample.nfiles - 1);
}

static void fail_in_every_call(void)
{
    unsigned all = 1u << SCION_FAULT_OPEN | 1u << SCION_FAULT_PWRITE | 1u << SCION_FAULT_FSYNC |
                   1u << SCION_FAULT_RENAME;
    int hit = 1, found, done;
    long n;

    for (n = 1; n < MOST_CALLS && hit; n++) {
        remove_all();
        CHECK(write_all(1, sample.copies > 0 ? "bw,buddy" : "bw"));
        scion_fault_arm(all, n, 1, EIO);
        done = write_all(2, atomic_mode());
        hit = scion_fault_hits() > 0;
        scion_fault_disarm();
        CHECK_INT(done, !hit);
        found = check_whole();
        if (sum(sample.lost) > 0) /* the application has closed it nevertheless */
            CHECK_INT(found, 1);
        CHECK(!done || found == 2);
        if (found == 1 && sample.nfiles == 1) /* some files of a set may be renamed already */
            CHECK_INT(count_others(), 0);
    }
    CHECK(!hit);
    CHECK(n > 10);
}

/* ---- one file and several, mapped and not ---- */

static void use(int nfiles, int mapped)
{
    sample.nfiles = nfiles;
    sample.mapped = mapped;
    strcpy(name, "a.sion");
}

/* A name of this length; that of a file next to it cannot hold all of one of 225. */
static void use_name(size_t length)
{
    memset(name, 'a', length);
    name[length] = '\0';
}

#define EVERY_WAY(what)                                                                            \
    static void what##_one_file(void)                                                              \
    {                                                                                              \
        use(1, 0);                                                                                 \
        what();                                                                                    \
    }                                                                                              \
    static void what##_two_files(void)                                                             \
    {                                                                                              \
        use(2, 0);                                                                                 \
        what();                                                                                    \
    }                                                                                              \
    static void what##_four_files(void)                                                            \
    {                                                                                              \
        use(4, 0);                                                                                 \
        what();                                                                                    \
    }                                                                                              \
    static void what##_mapped(void)                                                                \
    {                                                                                              \
        use(1, 1);                                                                                 \
        what();                                                                                    \
    }                                                                                              \
    static void what##_mapped_two_files(void)                                                      \
    {                                                                                              \
        use(2, 1);                                                                                 \
        what();                                                                                    \
    }                                                                                              \
    static void what##_copies(void)                                                                \
    {                                                                                              \
        use(2, 0);                                                                                 \
        use_name(225);                                                                             \
        sample.copies = 1;                                                                         \
        what();                                                                                    \
        sample.copies = 0;                                                                         \
    }

EVERY_WAY(kill_in_every_call)
EVERY_WAY(fail_in_every_call)

#define RUN_EVERY_WAY(what)                                                                        \
    do {                                                                                           \
        RUN(what##_one_file);                                                                      \
        RUN(what##_two_files);                                                                     \
        RUN(what##_four_files);                                                                    \
        RUN(what##_mapped);                                                                        \
        RUN(what##_mapped_two_files);                                                              \
        RUN(what##_copies);                                                                        \
    } while (0)

static void a_new_container_leaves_no_other_files(void)
{
    int nfiles;

    for (nfiles = 1; nfiles <= 4; nfiles *= 2) {
        use(nfiles, nfiles == 4);
        remove_all();
        CHECK(write_all(1, "bw,atomic"));
        CHECK_INT(is_generation(1), 1);
        CHECK_INT(count_others(), 0);
        CHECK(write_all(2, "bw,atomic,recover"));
        CHECK_INT(is_generation(2), 1);
        CHECK(write_all(3, "bw,atomic,posix,sync=flush"));
        CHECK_INT(is_generation(3), 1);
        CHECK_INT(count_others(), 0);
        setenv("SION_ATOMIC", "1", 1);
        CHECK(write_all(4, "bw"));
        unsetenv("SION_ATOMIC");
        CHECK_INT(is_generation(4), 1);
    }
}

static void copies_of_several_levels_have_names_of_their_own(void)
{
    size_t length;

    use(4, 0);
    sample.copies = 2;
    for (length = 213; length <= 229; length += 4) {
        use_name(length);
        remove_all();
        CHECK(write_all(1, "bw,atomic,buddy=2"));
        CHECK_INT(count_others(), 0);
        CHECK_INT(check_set(), 1);
        check_copies(1);
    }
    sample.copies = 0;
}

/* The writer was killed before it had replaced all copies, and then a file was lost. */
static void an_old_copy_does_not_hide_a_new_one(void)
{
    use(4, 0);
    sample.copies = 2;
    remove_all();
    CHECK(write_all(1, "bw,buddy=2"));
    CHECK_INT(rename("a.sion_BUDDY_00.000001", "old"), 0);
    CHECK(write_all(2, "bw,atomic,buddy=2"));
    CHECK_INT(rename("old", "a.sion_BUDDY_00.000001"), 0);
    CHECK_INT(unlink("a.sion.000001"), 0);
    sample.reader = "br,buddy=2";
    CHECK_INT(is_generation(2), 1);
    CHECK_INT(unlink("a.sion_BUDDY_01.000001"), 0);
    CHECK_INT(is_generation(2), -1);
    CHECK_CONTAINS(support_message, "a.sion_BUDDY_00.000001 was not written together");
    sample.reader = "br";
    sample.copies = 0;
}

/* ---- files of others ---- */

/* After the open, somebody else makes the file `other` before this container is closed. */
static void write_with_other(struct scion_comm *comm, void *other)
{
    int sid = do_open(comm, sample.mode), done;
    unsigned char data[RECORD] = {0};

    CHECK(sid >= 0);
    CHECK(put(sid, data));
    if (comm->rank == 0)
        support_store(other, "foreign", 7);
    done = do_close(sid) == 1; /* collective: no task gets to the end before rank 0 */
    sample.failed[comm->rank] = !done;
}

static int is_foreign(const char *path)
{
    size_t size = 0;
    unsigned char *bytes = support_load(path, &size);
    int is = bytes && size == 7 && memcmp(bytes, "foreign", 7) == 0;

    free(bytes);
    return is;
}

/* All tasks fail, nothing is replaced, and what they have written stays next to it. */
static void check_kept(const char *other, int older)
{
    remove_all();
    if (older)
        CHECK(write_all(1, "bw"));
    unlink(other);
    support_catch();
    sample.mode = "bw,atomic";
    run_tasks(TASKS, write_with_other, (void *)other);
    CHECK_INT(sum(sample.failed), TASKS);
    CHECK_CONTAINS(support_message, other);
    CHECK_CONTAINS(support_message, "was made by another program after the open");
    CHECK(is_foreign(other));
    CHECK_INT(count_others(), sample.nfiles);
}

static void a_file_of_another_program_is_not_replaced(void)
{
    int mapped, older;

    for (mapped = 0; mapped < 2; mapped++) {
        for (older = 0; older < 2; older++) {
            use(1, mapped);
            check_kept("a.sion", older);
            use(2, mapped);
            check_kept("a.sion", older);
            check_kept("a.sion.000001", older);
        }
    }
}

static void check_not_followed(const char *link, const char *mode)
{
    remove_all();
    support_store("target", "foreign", 7);
    CHECK_INT(symlink("target", link), 0);
    CHECK(!write_all(1, mode));
    CHECK_CONTAINS(support_message, "it is a link, which could lead elsewhere");
    CHECK_CONTAINS(support_message, link);
    CHECK(is_foreign("target"));
}

/* What a user calls a container may be a link, but not what the library makes of that name. */
static void derived_names_are_not_followed(void)
{
    int mapped;

    for (mapped = 0; mapped < 2; mapped++) {
        use(2, mapped);
        check_not_followed("a.sion.000001", "bw");
        check_not_followed("a.sion.000001", "bw,recover,lock=no");
        remove_all();
        CHECK_INT(symlink("target", "a.sion"), 0);
        CHECK(write_all(1, "bw"));
        CHECK_INT(is_generation(1), 1);
        CHECK_INT(access("target", F_OK), 0);
    }
    use(2, 0);
    sample.copies = 1;
    check_not_followed("a.sion_BUDDY_00", "bw,buddy");
    check_not_followed("a.sion_BUDDY_00.000001", "bw,buddy");
    sample.copies = 0;
}

/* ---- to complete a set that the writer could not ---- */

/* The writer is killed when one of its files has its name already. */
static void make_mixture(void)
{
    static long call = 1; /* the last one that did */
    int has_ended;

    for (;; call++) {
        remove_all();
        CHECK(write_all(1, sample.copies > 0 ? "bw,buddy" : "bw"));
        is_killed_in(call, &has_ended);
        if (has_ended || is_generation(1) < 0)
            break;
    }
    CHECK(!has_ended);
}

static int complete(int *completed)
{
    *completed = 0;
    return scion_salvage_complete(name, completed);
}

/* Whatever failed: the set is complete, or can be completed by the next attempt. */
static void check_completion(int rc, int completed)
{
    CHECK(rc == 0 || sion_error_text()[0] != '\0');
    if (rc != 0 || !completed)
        CHECK_INT(complete(&completed), 0);
    CHECK_INT(is_generation(2), 1);
}

static int fail_call(long n, int *completed, int *rc)
{
    int hit;

    scion_fault_arm((1u << SCION_FAULT_CALLS) - 1, n, 1, EIO);
    *rc = complete(completed);
    hit = scion_fault_hits() > 0;
    scion_fault_disarm();
    return hit;
}

static int fail_allocation(long n, int *completed, int *rc)
{
    int hit;

    lack_in = n;
    *rc = complete(completed);
    hit = lack_in == 0;
    lack_in = 0;
    return hit;
}

static void completion_fails(int (*fail)(long n, int *completed, int *rc))
{
    int hit = 1, completed, rc, failures = 0, descriptors = support_descriptors();
    long n;

    use(4, 0);
    for (n = 1; n < MOST_CALLS && hit; n++) {
        make_mixture();
        hit = fail(n, &completed, &rc);
        CHECK(hit || (rc == 0 && completed));
        failures += rc != 0;
        check_completion(rc, completed);
        CHECK_INT(support_descriptors(), descriptors);
    }
    CHECK(!hit);
    CHECK(failures > 3);
}

static void a_completion_fails_in_every_call(void)
{
    completion_fails(fail_call);
}

static void a_completion_fails_in_every_allocation(void)
{
    completion_fails(fail_allocation);
}

int main(void)
{
    sample.aid = generic_make_api();
    generic_add_transfers(sample.aid);
    sample.reader = "br";
    support_enter_folder();
    RUN(a_new_container_leaves_no_other_files);
    RUN(copies_of_several_levels_have_names_of_their_own);
    RUN(an_old_copy_does_not_hide_a_new_one);
    RUN(a_file_of_another_program_is_not_replaced);
    RUN(derived_names_are_not_followed);
    RUN_EVERY_WAY(kill_in_every_call);
    RUN_EVERY_WAY(fail_in_every_call);
    RUN(a_completion_fails_in_every_call);
    RUN(a_completion_fails_in_every_allocation);
    support_leave_folder();
    return check_done();
}

/*
 * Staged containers: whenever the program or the drain is killed, and whichever call fails, the
 * older container or the new one is there, and nothing is lost that a close has promised. Four
 * tasks, which are threads, write one file or two; all of them are on one node.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>

#include "sion.h"
#include "sion_drain.h"
#include "sion_error.h"

#include "api/parallel.h"
#include "callbacks.h"
#include "src/comm/thread_tasks.h"
#include "stage/drain.h"
#include "stage/find.h"
#include "support.h"
#include "vfs/fault.h"

enum { TASKS = 4, RECORD = 75, BYTES = 4 * RECORD, CHUNK = 100, MOST_CALLS = 700 };

static const char name[] = "a.sion", folder[] = "node";

static struct {
    int aid, nfiles;
    const char *mode;
    int generation;
    int failed[TASKS], wrong[TASKS];
} sample;

static int do_open(struct scion_comm *comm, const char *mode)
{
    int nfiles = sample.nfiles, rank = comm->rank, file = rank % nfiles, place = rank / nfiles;
    int lsize = TASKS / nfiles;
    sion_int64 chunksize = CHUNK;
    sion_int32 fsblksize = 16;

    return sion_generic_paropen(sample.aid, name, mode, &chunksize, &fsblksize, comm, comm->rank,
                                comm->size, &file, &nfiles, &place, &lsize, NULL, NULL);
}

static void write_task(struct scion_comm *comm, void *unused)
{
    int sid = do_open(comm, sample.mode), done = sid >= 0, i;
    unsigned char data[BYTES];

    (void)unused;
    check_fill(data, 10 * sample.generation + comm->rank, 0, BYTES);
    for (i = 0; i < BYTES && sid >= 0; i += RECORD)
        done &= sion_fwrite(data + i, 1, RECORD, sid) == RECORD;
    if (sid >= 0)
        done &= sion_generic_parclose(sid) == SION_SUCCESS;
    sample.failed[comm->rank] = !done;
}

static void read_task(struct scion_comm *comm, void *unused)
{
    int sid = do_open(comm, "br"), i;
    unsigned char data[BYTES];

    (void)unused;
    sample.failed[comm->rank] = sid < 0;
    sample.wrong[comm->rank] = 0;
    for (i = 0; i < BYTES && sid >= 0; i += RECORD)
        sample.wrong[comm->rank] |= sion_fread(data + i, 1, RECORD, sid) != RECORD;
    sample.wrong[comm->rank] |=
        sid >= 0 && check_compare(data, 10 * sample.generation + comm->rank, 0, BYTES) != -1;
    if (sid >= 0)
        CHECK_INT(sion_generic_parclose(sid), SION_SUCCESS);
}

static int sum(const int *numbers)
{
    return numbers[0] + numbers[1] + numbers[2] + numbers[3];
}

/* 1 if open, writes and close succeeded on all tasks. */
static int write_all(int generation, const char *mode)
{
    support_catch();
    sample.generation = generation;
    sample.mode = mode;
    run_tasks(TASKS, write_task, NULL);
    return sum(sample.failed) == 0;
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

static void remove_all(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    char file[600];

    while (dir && (entry = readdir(dir))) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        unlink(file);
    }
    closedir(dir);
}

/* Names that begin with a point, but for the lock of a writer that was killed. */
static int count_hidden(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int n = 0;

    while (dir && (entry = readdir(dir)))
        n +=
            entry->d_name[0] == '.' && strlen(entry->d_name) > 2 && !strstr(entry->d_name, ".lock");
    closedir(dir);
    return n;
}

static void begin_anew(void)
{
    remove_all(".");
    remove_all(folder);
    CHECK(write_all(1, "bw"));
}

/* Generation 1 or 2, as a whole; 3: some files of a set have got their names, and no file 0. */
static int found_generation(void)
{
    int old = is_generation(1), new = is_generation(2);

    if (sample.nfiles > 1 && old == -1 && new == -1) {
        CHECK_CONTAINS(support_message, "not written together");
        return 3;
    }
    CHECK_INT(old + new, 1);
    return old == 1 ? 1 : 2;
}

/* What a child has been told. */
static struct promise {
    int is_closed, is_drained;
} * promise;

/* As siondrain does it; what was not closed is given up. */
static int drain_all(void)
{
    char **records;
    int n, i, rc = scion_stage_find(folder, &records, &n);

    for (i = 0; i < n && rc == 0; i++) {
        struct scion_drain drain = {0};
        struct scion_stage_part part;

        if (scion_stage_part_read(records[i], &part) != 0) { /* the open was killed */
            CHECK(!promise->is_closed && sion_error_code() == SION_ERR_DAMAGED);
            continue;
        }
        if (scion_stage_is_closed(&part))
            rc = scion_stage_drain(&part, &drain);
        else
            scion_stage_discard(&part);
        scion_stage_part_free(&part);
    }
    scion_stage_free_list(records, n);
    return rc;
}

/* ---- kills ---- */

static void write_and_wait(const char *mode)
{
    promise->is_closed = write_all(2, mode);
    promise->is_drained = sion_drain_wait(NULL);
    _exit(0);
}

static int is_killed(pid_t child)
{
    int status = 0;

    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL
                              : WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* The record of an open that was killed is not there yet: nothing but a file of a part. */
static void check_folder(void)
{
    CHECK(count_hidden(folder) == 0 || !promise->is_closed);
    CHECK(count_hidden(folder) <= sample.nfiles + 1);
}

static void kill_in_every_call(const char *mode)
{
    int killed = 1, seen[4] = {0}, found;
    pid_t child;
    long call;

    for (call = 1; call < MOST_CALLS && killed; call++) {
        begin_anew();
        *promise = (struct promise){0};
        fflush(stdout);
        child = fork();
        if (child == 0) {
            scion_fault_kill_in(call);
            write_and_wait(mode);
        }
        killed = is_killed(child);
        found = found_generation();
        seen[found]++;
        CHECK(!promise->is_drained || found == 2);
        CHECK_INT(drain_all(), 0);
        found = found_generation();
        CHECK(found == 2 || (found == 1 && !promise->is_closed));
        check_folder();
        CHECK(killed || (promise->is_closed && promise->is_drained));
    }
    CHECK(!killed);
    CHECK(seen[1] > 30 && seen[2] > 3);
}

static void a_kill_in_every_call(void)
{
    sample.nfiles = 1;
    kill_in_every_call("bw,stage=node");
}

static void a_kill_in_every_call_of_two_files(void)
{
    sample.nfiles = 2;
    kill_in_every_call("bw,stage=node,sync=close");
}

static void a_kill_in_every_call_of_a_compressed_one(void)
{
#ifdef HAVE_ZSTD
    sample.nfiles = 1;
    kill_in_every_call("bw,stage=node,compress=zstd");
#else
    SKIP("no zstd");
#endif
}

/* The program has closed it, and ends without a drain. */
static void leave_it(void)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        setenv("SION_STAGE_EXIT", "leave", 1);
        setenv("SION_DRAIN_RATE", "1", 1);
        promise->is_closed = write_all(2, "bw,stage=node");
        _exit(0);
    }
    CHECK(!is_killed(child));
    CHECK(promise->is_closed);
}

/* Again and again, until it is done. */
static void a_drain_that_is_killed(void)
{
    int killed = 1, runs = 0;
    pid_t child;
    long call;

    sample.nfiles = 2;
    begin_anew();
    leave_it();
    for (call = 1; call < MOST_CALLS && killed; call++, runs++) {
        fflush(stdout);
        child = fork();
        if (child == 0) {
            scion_fault_kill_in(call);
            _exit(drain_all() == 0 ? 0 : 1);
        }
        killed = is_killed(child);
        (void)found_generation();
    }
    CHECK(!killed && runs > 5);
    CHECK_INT(found_generation(), 2);
    CHECK_INT(count_hidden(folder), 0);
    CHECK_INT(count_hidden("."), 0);
}

static void stop(void *drain, sion_int64 bytes)
{
    (void)bytes;
    ((struct scion_drain *)drain)->stop = 1;
}

/* The only record of the staging folder; the caller frees the part. */
static void read_part(struct scion_stage_part *part)
{
    char **records;
    int n;

    CHECK_INT(scion_stage_find(folder, &records, &n), 0);
    CHECK_INT(n, 1);
    CHECK_INT(scion_stage_part_read(records[0], part), 0);
    scion_stage_free_list(records, n);
}

/* The program ends while its last piece is copied, which may also be the first one. */
static void a_drain_that_is_stopped_in_its_last_piece(void)
{
    struct scion_drain drain = {.step = stop, .context = &drain};
    struct scion_stage_part part;
    sion_int64 bytes;

    sample.nfiles = 1;
    begin_anew();
    leave_it();
    read_part(&part);
    CHECK_INT(scion_stage_bytes(&part, &bytes), 0);
    do {
        drain.stop = 0;
        CHECK_INT(scion_stage_drain(&part, &drain), SCION_DRAIN_STOPPED);
    } while (drain.done < bytes && check_failed_here == 0);
    CHECK_INT(part.at_file, 0);
    CHECK_INT(is_generation(1), 1);
    scion_stage_part_free(&part);
    CHECK_INT(drain_all(), 0);
    CHECK_INT(is_generation(2), 1);
    CHECK_INT(count_hidden(folder), 0);
}

/* ---- failures ---- */

/* What was copied before a flush that has failed may be lost, and a second flush does not tell. */
static void a_flush_that_fails(void)
{
    struct scion_drain drain = {0};
    struct scion_stage_part part;

    sample.nfiles = 1;
    begin_anew();
    leave_it();
    read_part(&part);
    part.at = 1 << 30; /* an earlier drain has copied up to here */
    scion_fault_arm(1u << SCION_FAULT_FSYNC, 1, 1, EIO);
    CHECK_INT(scion_stage_drain(&part, &drain), SION_ERR_SYSTEM);
    scion_fault_disarm();
    CHECK_INT(part.at_file, 0);
    CHECK_INT(part.at, 0);
    scion_stage_part_free(&part);
    CHECK_INT(drain_all(), 0);
    CHECK_INT(is_generation(2), 1);
    CHECK_INT(count_hidden(folder), 0);
}

static const unsigned failing = 1u << SCION_FAULT_OPEN | 1u << SCION_FAULT_PWRITE |
                                1u << SCION_FAULT_FSYNC | 1u << SCION_FAULT_RENAME |
                                1u << SCION_FAULT_COPY | 1u << SCION_FAULT_FTRUNCATE |
                                1u << SCION_FAULT_FSTAT | 1u << SCION_FAULT_PREAD |
                                1u << SCION_FAULT_STAT | 1u << SCION_FAULT_CLOSE;

/* The failure is told by the close or by the drain, or it has done no harm. */
static int fail_in_call(long n, long times, int errnum)
{
    int closed, drained, hit, found;

    begin_anew();
    scion_fault_arm(failing, n, times, errnum);
    closed = write_all(2, "bw,stage=node");
    drained = sion_drain_wait(NULL) == SION_SUCCESS;
    hit = scion_fault_hits() > 0;
    CHECK(hit || (closed && drained));
    CHECK(drained || *sion_error_text());
    scion_fault_disarm();
    if (closed && !drained)
        CHECK_INT(sion_drain_wait(NULL), SION_SUCCESS);
    found = found_generation();
    CHECK(!closed || found == 2);
    CHECK_INT(count_hidden(folder), 0);
    CHECK(closed || count_hidden(".") == 0);
    return hit;
}

static void fail_in_every_call(int errnum, long times)
{
    long n;

    for (n = 1; n < MOST_CALLS && fail_in_call(n, times, errnum); n++)
        continue;
    CHECK(n > 60 && n < MOST_CALLS);
}

static void a_failure_in_every_call(void)
{
    sample.nfiles = 1;
    fail_in_every_call(EIO, 1);
}

static void a_full_disk_in_every_call(void)
{
    sample.nfiles = 2;
    fail_in_every_call(ENOSPC, 1000000);
}

/* A failed drain is told by an open for reading, and tried again by the next staged open. */
static void a_failure_is_told(void)
{
    sion_drain_progress progress;

    sample.nfiles = 1;
    begin_anew();
    scion_fault_arm(1u << SCION_FAULT_RENAME, 1, 1000000, EIO);
    CHECK(write_all(2, "bw,stage=node"));
    while (sion_drain_test(name) == 0)
        continue;
    CHECK_INT(sion_drain_test(name), -1);
    CHECK_CONTAINS(sion_error_text(), "Input/output error");
    CHECK_INT(sion_drain_test("other"), 1);
    SION_INIT(&progress);
    CHECK_INT(sion_drain_get_progress(NULL, &progress), SION_SUCCESS);
    CHECK_INT(progress.failed, 1);
    CHECK_CONTAINS(progress.failure, "Input/output error");
    CHECK_INT(is_generation(2), -1);
    CHECK_CONTAINS(support_message, "the drain of");
    scion_fault_disarm();
    CHECK(write_all(3, "bw,stage=node"));
    CHECK_INT(is_generation(3), 1);
    CHECK_INT(count_hidden(folder), 0);
}

/* The exit status of a program whose drain fails, and which calls `ask` before its exit(0). */
static int status_after(void (*ask)(void))
{
    int status = 0;
    pid_t child;

    begin_anew();
    unlink("output");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        scion_fault_arm(1u << SCION_FAULT_RENAME, 1, 1000000, EIO);
        if (!write_all(2, "bw,stage=node") || !freopen("output", "w", stdout))
            _exit(1);
        printf("not flushed");
        ask();
        exit(0);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void do_nothing(void)
{
}

static void wait_for_all(void)
{
    CHECK_INT(sion_drain_wait(NULL), SION_NOT_SUCCESS);
}

static void end_mpi_and_wait(void)
{
    sion_layer_end_mpi();
    wait_for_all();
}

/* A failure that no call has told of is told by the exit status, after all output. */
static void the_exit_status(void)
{
    size_t size = 0;
    unsigned char *output;

    sample.nfiles = 1;
    CHECK_INT(status_after(do_nothing), EX_IOERR);
    output = support_load("output", &size);
    CHECK(output && size == 11 && memcmp(output, "not flushed", 11) == 0);
    free(output);
    CHECK_INT(is_generation(1), 1);
    CHECK_INT(drain_all(), 0);
    CHECK_INT(is_generation(2), 1);
    CHECK_INT(status_after(wait_for_all), 0);
    CHECK_INT(status_after(sion_layer_end_mpi), EX_IOERR);
    CHECK_INT(status_after(end_mpi_and_wait), 0);
    CHECK_INT(drain_all(), 0);
}

/* ---- others ---- */

/* Until the drain has ended, no other program writes the container. */
static void a_second_job(void)
{
    int answer[2], question[2];
    char byte = 0;
    pid_t child;

    sample.nfiles = 1;
    begin_anew();
    CHECK(pipe(answer) == 0 && pipe(question) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        setenv("SION_DRAIN_RATE", "1", 1); /* it does not end by itself */
        promise->is_closed = write_all(2, "bw,stage=node");
        _exit(write(answer[1], &byte, 1) == 1 && read(question[0], &byte, 1) == 1 ? 0 : 1);
    }
    CHECK_INT(read(answer[0], &byte, 1), 1);
    CHECK(promise->is_closed);
    CHECK(!write_all(3, "bw"));
    CHECK_CONTAINS(support_message, "is being written by process");
    CHECK(!write_all(3, "bw,stage=node"));
    CHECK_INT(is_generation(1), 1);
    CHECK_INT(write(question[1], &byte, 1), 1);
    CHECK(!is_killed(child));
    CHECK_INT(drain_all(), 0);
    CHECK_INT(is_generation(2), 1);
    CHECK(write_all(3, "bw,stage=node"));
    CHECK_INT(is_generation(3), 1);
    CHECK_INT(count_hidden(folder), 0);
}

/* In a folder of its own, while the drain of the parent is at work, for ever. */
static void write_in_child(void)
{
    int done;

    alarm(60);
    setenv("SION_DRAIN_RATE", "0", 1);
    done = !write_all(3, "bw,stage=node") &&
           strstr(support_message, "is being written by process") && mkdir("child", 0700) == 0 &&
           chdir("child") == 0 && mkdir(folder, 0700) == 0 && write_all(3, "bw,stage=node") &&
           sion_drain_wait(NULL) == SION_SUCCESS && is_generation(3) == 1 &&
           count_hidden(folder) == 0;
    remove_all(".");
    rmdir(folder);
    done &= chdir("..") == 0 && rmdir("child") == 0;
    _exit(!done);
}

/* It has no thread of its own yet, whatever that of its parent does. */
static void a_child(void)
{
    int status = -1;
    pid_t child;

    sample.nfiles = 1;
    begin_anew();
    fflush(stdout);
    child = fork();
    if (child == 0) {
        setenv("SION_DRAIN_RATE", "1", 1);
        promise->is_closed = write_all(2, "bw,stage=node");
        child = fork();
        if (child == 0)
            write_in_child();
        _exit(waitpid(child, &status, 0) == child && status == 0 ? 0 : 1);
    }
    CHECK(!is_killed(child) && promise->is_closed);
    CHECK_INT(drain_all(), 0);
    CHECK_INT(is_generation(2), 1);
}

/* Another program has made the file since: it stays, and so does the part. */
static void a_container_of_others(void)
{
    sample.nfiles = 1;
    begin_anew();
    leave_it();
    CHECK(write_all(4, "bw"));
    CHECK_INT(drain_all(), SION_ERR_BUSY);
    CHECK_INT(is_generation(4), 1);
    CHECK(count_hidden(folder) > 0);
}

int main(void)
{
    support_enter_folder();
    mkdir(folder, 0700);
    promise =
        mmap(NULL, sizeof *promise, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sample.aid = generic_make_api();
    RUN(a_kill_in_every_call);
    RUN(a_kill_in_every_call_of_two_files);
    RUN(a_kill_in_every_call_of_a_compressed_one);
    RUN(a_drain_that_is_killed);
    RUN(a_drain_that_is_stopped_in_its_last_piece);
    RUN(a_flush_that_fails);
    RUN(a_failure_in_every_call);
    RUN(a_full_disk_in_every_call);
    RUN(a_failure_is_told);
    RUN(the_exit_status);
    RUN(a_second_job);
    RUN(a_child);
    RUN(a_container_of_others);
    remove_all(folder);
    support_leave_folder();
    return check_done();
}

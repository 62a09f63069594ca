/*
 * Serial writers of containers with commit records are killed at every system call, and at any
 * instruction. CHECK_ROUNDS: how many are killed at any instruction.
 */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "sion.h"

#include "support.h"
#include "vfs/fault.h"

#include "journal.h"

static char name[] = "c.sion";
static struct journal *journal;

enum how { BY_CALLS, BY_FILE, BY_DESCRIPTOR, BY_KEY };

static const struct flavour {
    const char *mode;
    enum how how;
} flavours[] = {
    {"bw,ansi,recover", BY_CALLS},
    {"bw,posix,recover", BY_CALLS},
    {"bw,posix,buffered,recover", BY_CALLS},
    {"bw,ansi,recover", BY_FILE},
    {"bw,posix,recover", BY_DESCRIPTOR},
    {"bw,ansi,keyval=inline,recover", BY_KEY},
    {"bw,posix,keyval=inline,recover", BY_KEY},
};

enum { FLAVOURS = sizeof flavours / sizeof flavours[0], LARGEST = 3000, MOST_BYTES = 64 << 20 };

/* ---- the writer ---- */

struct writer {
    const struct flavour *flavour;
    int sid, ntasks;
    sion_int64 sizes[JOURNAL_TASKS];
};

static int create(struct writer *writer)
{
    static const int blocks[] = {1, 128, 512, 4096};
    int nfiles = 1, ranks[JOURNAL_TASKS], *r = ranks, t;
    sion_int64 *sizes = writer->sizes;
    sion_int32 fsblksize = blocks[check_below(4)];

    writer->ntasks = 1 + (int)check_below(4);
    for (t = 0; t < writer->ntasks; t++) {
        ranks[t] = t;
        sizes[t] = 1 + (sion_int64)check_below(check_below(2) ? 200 : LARGEST);
    }
    journal->ntasks = writer->ntasks;
    journal->is_keyval = writer->flavour->how == BY_KEY;
    writer->sid = sion_open(name, writer->flavour->mode, &writer->ntasks, &nfiles, &sizes,
                            &fsblksize, &r, NULL);
    journal->is_open = writer->sid >= 0;
    return writer->sid >= 0;
}

static int write_file(const struct writer *writer, const unsigned char *data, size_t bytes)
{
    FILE *fp;

    if (sion_ensure_free_space(writer->sid, (sion_int64)bytes) != 1)
        return 0;
    fp = sion_get_fp(writer->sid); /* none after some failures */
    return fp && fwrite(data, 1, bytes, fp) == bytes;
}

static int write_descriptor(const struct writer *writer, const unsigned char *data, size_t bytes)
{
    return sion_ensure_free_space(writer->sid, (sion_int64)bytes) == 1 &&
           write(sion_get_fd(writer->sid), data, bytes) == (ssize_t)bytes;
}

static int write_bytes(const struct writer *writer, const unsigned char *data, int record,
                       size_t bytes)
{
    switch (writer->flavour->how) {
    case BY_FILE:
        return write_file(writer, data, bytes);
    case BY_DESCRIPTOR:
        return write_descriptor(writer, data, bytes);
    case BY_KEY:
        return sion_fwrite_key(data, (uint64_t)record, bytes, 1, writer->sid) == 1;
    default:
        return sion_fwrite(data, 1, bytes, writer->sid) == bytes;
    }
}

static void write_record(const struct writer *writer)
{
    unsigned char data[4 * LARGEST];
    int task = (int)check_below((size_t)writer->ntasks), record, done;
    size_t most = (size_t)writer->sizes[task], bytes;

    if (writer->flavour->how == BY_KEY)
        most = 3 * most;
    bytes = 1 + check_below(check_below(2) ? most : 1 + most / 8);
    if (sion_seek(writer->sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) != 1)
        return;
    record = journal_begin(journal, task, (int)bytes);
    if (record < 0)
        return;
    journal_fill(data, task, record, bytes);
    done = write_bytes(writer, data, record, bytes);
    journal_end(journal, task, record, done ? WRITTEN : REFUSED);
}

static void flush_all(const struct writer *writer)
{
    int t;

    if (sion_flush(writer->sid) != 1)
        return;
    for (t = 0; t < writer->ntasks; t++)
        journal_flushed(journal, t);
}

/* Write records, sometimes flush, and close at the end. */
static void write_container(const struct flavour *flavour, uint64_t seed, int steps)
{
    struct writer writer = {.flavour = flavour};

    check_random_state = seed;
    if (!create(&writer))
        return;
    while (steps-- > 0) {
        if (check_below(4) == 0)
            flush_all(&writer);
        else
            write_record(&writer);
    }
    if (sion_close(writer.sid) == 1)
        journal->is_closed = 1;
}

/* ---- the judgement ---- */

/* Readers find an ordinary container with these bytes. */
static int read_again(const char *where)
{
    int n, nfiles, t, faults = 0;
    int sid = sion_open(name, "br", &n, &nfiles, NULL, NULL, NULL, NULL);

    if (sid < 0) {
        printf("# %s: cannot be opened: %s\n", where, sion_error_text());
        return 1;
    }
    for (t = 0; t < n; t++) {
        size_t bytes = 0, left;
        unsigned char *stream = malloc(MOST_BYTES);
        const char *fault;

        sion_seek(sid, t, 0, 0);
        while (!sion_feof(sid) && (left = (size_t)sion_bytes_avail_in_block(sid)) > 0 &&
               sion_fread(stream + bytes, 1, left, sid) == left)
            bytes += left;
        fault = journal_judge(journal, t, stream, bytes);
        if (fault)
            printf("# %s: task %d read again with %zu bytes: %s\n", where, t, bytes, fault);
        faults += fault != NULL;
        free(stream);
    }
    return faults + (sion_close(sid) != 1);
}

/* Key-value streams can be parsed to their ends. */
static int read_keys(const char *where)
{
    int n, nfiles, t, faults = 0;
    int sid = sion_open(name, "br,keyval=inline", &n, &nfiles, NULL, NULL, NULL, NULL);

    for (t = 0; sid >= 0 && t < n; t++) {
        sion_seek(sid, t, 0, 0);
        if (sion_key_full_scan(sid) != 1) {
            printf("# %s: records of task %d: %s\n", where, t, sion_error_text());
            faults++;
        }
    }
    return faults + (sid < 0 || sion_close(sid) != 1);
}

static int recover(const char *where)
{
    sion_recovery *recovery = sion_recover_open(name, 0);
    int faults;

    if (!recovery) {
        faults = journal->is_open;
        if (faults)
            printf("# %s: %s\n", where, sion_error_text());
        return faults;
    }
    faults = journal_compare(journal, recovery, where);
    if (sion_recover_in_place(recovery) != 1) {
        printf("# %s: %s\n", where, sion_error_text());
        faults++;
    }
    sion_recover_close(recovery);
    faults += read_again(where);
    if (journal->is_keyval)
        faults += read_keys(where);
    return faults;
}

/* ---- at every system call ---- */

/* *killed: whether the writer was killed before its end. */
static void run_killed_in(const struct flavour *flavour, uint64_t seed, long call, int *killed)
{
    pid_t child;
    int status;

    memset(journal, 0, sizeof *journal);
    unlink(name);
    child = fork();
    if (child == 0) {
        scion_fault_kill_in(call);
        write_container(flavour, seed, 24);
        _exit(0);
    }
    waitpid(child, &status, 0);
    *killed = WIFSIGNALED(status);
}

static void kill_at_every_call(const struct flavour *flavour)
{
    char where[200];
    uint64_t seed;
    int killed = 1, faults = 0, points = 0, rounds;
    long call;

    for (rounds = 0; rounds < 3; rounds++) {
        seed = check_random();
        for (call = 1, killed = 1; killed && faults < 5; call++, points++) {
            uint64_t state = check_random_state;

            run_killed_in(flavour, seed, call, &killed);
            snprintf(where, sizeof where, "%s by %d, seed %llu, killed in call %ld", flavour->mode,
                     flavour->how, (unsigned long long)seed, call);
            faults += recover(where);
            check_random_state = state;
        }
    }
    CHECK_INT(faults, 0);
    CHECK(points > 20);
}

static void nothing_flushed_is_lost_in_ansi_mode(void)
{
    kill_at_every_call(&flavours[0]);
}

static void nothing_flushed_is_lost_in_posix_mode(void)
{
    kill_at_every_call(&flavours[1]);
    kill_at_every_call(&flavours[2]);
}

static void nothing_flushed_is_lost_through_a_file(void)
{
    kill_at_every_call(&flavours[3]);
}

static void nothing_flushed_is_lost_through_a_descriptor(void)
{
    kill_at_every_call(&flavours[4]);
}

static void no_flushed_record_is_lost(void)
{
    kill_at_every_call(&flavours[5]);
    kill_at_every_call(&flavours[6]);
}

/* ---- recoveries that are killed ---- */

static unsigned char *load(size_t *bytes)
{
    FILE *file = fopen(name, "rb");
    unsigned char *all = malloc(1 << 22);

    *bytes = file ? fread(all, 1, 1 << 22, file) : 0;
    if (file)
        fclose(file);
    return all;
}

static void store(const unsigned char *bytes, size_t n)
{
    FILE *file = fopen(name, "wb");

    fwrite(bytes, 1, n, file);
    fclose(file);
}

static int recover_killed_in(long call)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        sion_recovery *recovery;
        int done;

        if (call > 0)
            scion_fault_kill_in(call);
        recovery = sion_recover_open(name, 0);
        done = recovery && sion_recover_in_place(recovery) == 1;
        sion_recover_close(recovery);
        _exit(!done);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 1 : status == 0 ? 0 : -1;
}

/* Recover the unclosed container without an interruption, and with one at each call. */
static int interrupt_recovery(void)
{
    size_t n_killed, n_done, n_again;
    static unsigned char *killed, *done; /* static, against false leaks in children */
    unsigned char *again;
    int faults, rc = 1;
    long call;

    killed = load(&n_killed);
    faults = recover_killed_in(0) != 0;
    done = load(&n_done);
    for (call = 1; rc == 1; call++) {
        store(killed, n_killed);
        rc = recover_killed_in(call);
        if (rc < 0 || recover_killed_in(0) != 0) {
            printf("# interrupted in call %ld: not done\n", call);
            faults++;
        }
        again = load(&n_again);
        if (n_again != n_done || memcmp(again, done, n_done) != 0) {
            printf("# interrupted in call %ld: another result\n", call);
            faults++;
        }
        free(again);
    }
    /* Half of a tail may contain all its nonzero bytes; then there is nothing to do. */
    if (call < 4 && n_done != n_killed) {
        printf("# a recovery of %ld calls\n", call);
        faults++;
    }
    free(killed);
    free(done);
    return faults;
}

static void an_interrupted_recovery_can_be_repeated(void)
{
    int i, killed, faults = 0;

    for (i = 0; i < 12; i++) {
        uint64_t seed = check_random(), state = check_random_state;

        run_killed_in(&flavours[i % FLAVOURS], seed, 8 + i, &killed);
        check_random_state = state;
        if (killed && journal->is_open)
            faults += interrupt_recovery();
    }
    CHECK_INT(faults, 0);
}

/* ---- writes that fail ---- */

static void nothing_after_a_failed_write_is_returned(void)
{
    static const int errors[] = {ENOSPC, EIO};
    int round, faults = 0, hits = 0;

    for (round = 0; round < 150; round++) {
        const struct flavour *flavour = &flavours[check_below(FLAVOURS)];
        uint64_t seed = check_random(), state = check_random_state;
        long nth = 2 + (long)check_below(30), times = 1 + (long)check_below(4);
        char where[200];
        pid_t child;
        int status;

        memset(journal, 0, sizeof *journal);
        unlink(name);
        child = fork();
        if (child == 0) {
            support_catch();
            scion_fault_arm(1u << SCION_FAULT_PWRITE, nth, times, errors[round % 2]);
            write_container(flavour, seed, 40);
            raise(SIGKILL);
        }
        waitpid(child, &status, 0);
        hits += !journal->is_closed;
        snprintf(where, sizeof where, "%s by %d, seed %llu, writes %ld to %ld failed",
                 flavour->mode, flavour->how, (unsigned long long)seed, nth, nth + times - 1);
        if (!journal->is_closed)
            faults += recover(where);
        check_random_state = state;
    }
    CHECK_INT(faults, 0);
    CHECK(hits > 10);
}

/* One task with chunks of 100 bytes. */
static int create_small(const struct flavour *flavour)
{
    int n = 1, nfiles = 1, rank = 0, *r = &rank;
    sion_int64 size = 100, *s = &size;
    sion_int32 fsblksize = 1;
    int sid = sion_open(name, flavour->mode, &n, &nfiles, &s, &fsblksize, &r, NULL);

    journal->ntasks = 1;
    journal->is_keyval = 1;
    journal->is_open = sid >= 0;
    return sid;
}

/* A part of a record of zeros looks like records without data. */
static void write_key(int sid, int bytes, int is_zero)
{
    unsigned char data[1000] = {0};
    int record = journal_begin(journal, 0, bytes), done;

    if (!is_zero)
        journal_fill(data, 0, record, (size_t)bytes);
    done = sion_fwrite_key(data, (uint64_t)record, (size_t)bytes, 1, sid) == 1;
    journal_end(journal, 0, record, done ? WRITTEN : REFUSED);
}

static void write_around_failure(const struct flavour *flavour, long nth)
{
    int sid;

    scion_fault_arm(0, 0, 0, 0); /* for files opened from now on */
    sid = create_small(flavour);
    write_key(sid, 10, 0);
    if (sion_flush(sid) == 1)
        journal_flushed(journal, 0);
    scion_fault_arm(1u << SCION_FAULT_PWRITE, nth, 1, EIO);
    write_key(sid, 450, 1);
    scion_fault_arm(0, 0, 0, 0);
    write_key(sid, 5, 0);
    if (sion_flush(sid) == 1)
        journal_flushed(journal, 0);
    raise(SIGKILL);
}

/* The record was in later chunks, which have slots, before it was discarded. */
static void a_record_that_failed_in_a_later_chunk_is_not_recovered(void)
{
    int faults = 0, refused = 0, status;
    char where[100];
    long nth;

    for (nth = 1; nth < 30; nth++) {
        pid_t child;

        memset(journal, 0, sizeof *journal);
        unlink(name);
        child = fork();
        if (child == 0)
            write_around_failure(&flavours[5 + nth % 2], 1 + nth / 2);
        waitpid(child, &status, 0);
        CHECK_INT(journal->tasks[0].flushed, 3);
        if (journal->tasks[0].records[1].state != REFUSED)
            continue;
        refused++;
        snprintf(where, sizeof where, "write %ld failed", 1 + nth / 2);
        faults += recover(where);
    }
    CHECK_INT(faults, 0);
    CHECK(refused > 5);
}

/* ---- at any instruction ---- */

static void end_it(int signal)
{
    (void)signal;
    kill(getpid(), SIGKILL);
}

static void set_timer(long microseconds)
{
    const struct itimerval when = {.it_value = {0, microseconds}};

    signal(SIGALRM, end_it);
    setitimer(ITIMER_REAL, &when, NULL);
}

static int rounds_wanted(int usual)
{
    const char *text = getenv("CHECK_ROUNDS");

    return text ? atoi(text) : usual;
}

static void a_kill_at_any_instruction_loses_nothing(void)
{
    int rounds = rounds_wanted(60), faults = 0, kills = 0, i;

    for (i = 0; i < rounds && faults < 5; i++) {
        const struct flavour *flavour = &flavours[i % FLAVOURS];
        uint64_t seed = check_random(), state;
        long microseconds = 100 + (long)check_below(6000);
        char where[200];
        pid_t child;
        int status;

        state = check_random_state;
        memset(journal, 0, sizeof *journal);
        unlink(name);
        child = fork();
        if (child == 0) {
            set_timer(microseconds);
            write_container(flavour, seed, 3000);
            _exit(0);
        }
        waitpid(child, &status, 0);
        kills += WIFSIGNALED(status);
        snprintf(where, sizeof where, "%s by %d, seed %llu, killed after %ld us", flavour->mode,
                 flavour->how, (unsigned long long)seed, microseconds);
        faults += recover(where);
        check_random_state = state;
    }
    printf("# %d of %d were killed\n", kills, rounds);
    CHECK_INT(faults, 0);
    CHECK(kills > rounds / 4);
}

int main(void)
{
    journal = journal_map(NULL);
    check_seed((uint64_t)time(NULL));
    support_enter_folder();
    support_catch();
    RUN(nothing_flushed_is_lost_in_ansi_mode);
    RUN(nothing_flushed_is_lost_in_posix_mode);
    RUN(nothing_flushed_is_lost_through_a_file);
    RUN(nothing_flushed_is_lost_through_a_descriptor);
    RUN(no_flushed_record_is_lost);
    RUN(an_interrupted_recovery_can_be_repeated);
    RUN(nothing_after_a_failed_write_is_returned);
    RUN(a_record_that_failed_in_a_later_chunk_is_not_recovered);
    RUN(a_kill_at_any_instruction_loses_nothing);
    support_leave_folder();
    return check_done();
}

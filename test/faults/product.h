/*
 * The product of faults: every reason, in every system call, once and from then on, and every
 * allocation, on one task and on all, for each kind of container. A program of a launcher
 * (serial.c, mpi.c, ...) defines PRODUCT_* and lists its kinds; product.sh runs all of them.
 *
 *     PROGRAM           a sample that is the same each time
 *     PROGRAM full      everything
 *
 * After each case: the open and the close have the same result on all tasks; a call that failed and
 * had changed something is a failed open or close on all tasks; every byte that a task was told is
 * written is there, nothing else; no descriptor is left. A case that hangs ends the program with
 * its name.
 */
#ifndef TEST_FAULTS_PRODUCT_H
#define TEST_FAULTS_PRODUCT_H

#include <errno.h>
#include <limits.h>
#include <signal.h>

#include "sion.h"
#ifdef WITH_CHECKSUM
#include "sion_checksum.h"
#endif
#include "sion_recover.h"

#include "lack.h"
#include "support.h"
#include "vfs/fault.h"

#define NAME "c.sion"

enum { RECORDS = 4, LARGEST = 5000, CHUNK = 5200, FLUSH_AFTER = 2, BLOCK = 512 };
enum { MOST_STREAMS = 8, MOST_PROCESSES = 4, LIMIT_SECONDS = 30 };

static const size_t product_sizes[RECORDS] = {50, LARGEST, 300, 700};

enum how { ALONE, TOGETHER, BY_KEY, MAPPED };

struct kind {
    const char *name, *write, *read;
    enum how how;
    int nfiles;
};

/* What a task was told about its stream. */
struct told {
    int rank, opened, closed, flushed; /* flushed: so many records, when sion_flush succeeded */
    int accepted[RECORDS];
    int complaints; /* calls between open and close that failed */
    int refused;    /* writes of these, and flushes */
    int wrong;      /* bytes that it has read */
    int lacked;     /* memory */
};

/* One caller of the interface, a process or a thread. It has one stream, or several. */
struct worker {
    int number; /* of all workers */
    int sid, nstreams;
    struct told *told;
};

struct report {
    int nstreams;
    long hits, messages;
    struct told told[MOST_STREAMS];
};

static struct {
    int processes, process, threads, streams_each, is_full;
    const struct kind *kind;
    struct report mine, all[MOST_PROCESSES];
    long cases, with_hits, faults;
    char where[300];
} product;

/* ---- what a program defines ---- */

static void product_run(void (*work)(struct worker *worker)); /* in all workers of this process */
static int product_open(struct worker *worker, const char *mode);
static int product_close(int sid);
static void product_collect(void); /* product.mine of all processes to product.all of process 0 */
static long product_tell(long number); /* that of process 0, to all */

/* ---- cases ---- */

enum { SHORTER = SCION_FAULT_SHORTER };

static const struct reason {
    const char *name;
    int error;
} product_reasons[] = {
    {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR}, {"short", SHORTER}};

enum { REASONS = sizeof product_reasons / sizeof product_reasons[0] };

#define BIT(call) (1u << SCION_FAULT_##call)
static const unsigned TRANSFERS = BIT(PREAD) | BIT(PWRITE),
                      CHANGES = BIT(PWRITE) | BIT(FTRUNCATE) | BIT(FSYNC) | BIT(OPEN),
                      OTHERS = (BIT(CALLS) - 1) &
                               ~(BIT(PWRITE) | BIT(FTRUNCATE) | BIT(FSYNC) | BIT(OPEN));

struct fault_case {
    const struct reason *reason;
    unsigned mask; /* of system calls; 0: allocations, in this library */
    long n;
    int lasts, victim; /* -1: all workers */
    int is_reading;
};

static const char *product_calls(const struct fault_case *one)
{
    return one->mask == 0            ? "allocations"
           : one->mask & BIT(PWRITE) ? "the calls that change something"
                                     : "the other calls";
}

static void product_name(const struct fault_case *one)
{
    char victim[20] = "all tasks";

    if (one->victim >= 0)
        snprintf(victim, sizeof victim, "task %d", one->victim);
    snprintf(product.where, sizeof product.where, "%s, %s: %s in number %ld%s of %s on %s",
             product.kind->name, one->is_reading ? "reading" : "writing", one->reason->name, one->n,
             one->lasts ? " and all later ones" : "", product_calls(one), victim);
}

static void product_fail(const char *what, int rank)
{
    if (product.faults++ < 20)
        printf("# %s: %s (task %d): %s\n", product.where, what, rank,
               support_message[0] ? support_message : "no message");
}

static void product_expect(int holds, const char *what, int rank)
{
    if (!holds)
        product_fail(what, rank);
}

static void product_hangs(int signal)
{
    static const char text[] = "\nnot ok 1 - no end of: ";

    (void)signal;
    (void)!write(1, text, sizeof text - 1);
    (void)!write(1, product.where, strlen(product.where));
    (void)!write(1, "\n", 1);
    _exit(99);
}

/* Calls of this thread fail only if it is the victim; `all` counts those of all threads together.
 */
static int is_victim(const struct fault_case *one, int worker)
{
    return one->victim < 0 || one->victim == worker;
}

static const struct fault_case *product_now;

static void product_arm(const struct fault_case *one)
{
    int first = product.process * product.threads, i, any = 0;

    for (i = 0; i < product.threads; i++)
        any |= is_victim(one, first + i);
    product_now = one;
    scion_fault_arm(one->mask, any ? one->n : 0,
                    one->lasts         ? INT_MAX
                    : one->victim >= 0 ? 1
                                       : product.threads,
                    one->reason->error);
}

/* ---- writing and reading ---- */

/* This may write what other streams have gathered. */
static int go_to(const struct worker *worker, int stream)
{
    return worker->nstreams == 1 || sion_seek(worker->sid, worker->told[stream].rank,
                                              SION_CURRENT_BLK, SION_CURRENT_POS) == 1;
}

static int put_record(int sid, int rank, int record)
{
    unsigned char data[LARGEST];
    size_t bytes = product_sizes[record];

    check_fill(data, rank, record * 1000L, bytes);
    switch (product.kind->how) {
    case TOGETHER:
        return sion_coll_fwrite(data, 1, bytes, sid) == bytes;
    case BY_KEY:
        return sion_fwrite_key(data, (uint64_t)record, bytes, 1, sid) == 1;
    default:
        return sion_fwrite(data, 1, bytes, sid) == bytes;
    }
}

/* 1: the record; 0: a failure was reported; -1: wrong bytes. */
static int get_record(int sid, int rank, int record)
{
    unsigned char data[LARGEST];
    size_t bytes = product_sizes[record];
    int done;

    if (product.kind->how == TOGETHER)
        done = sion_coll_fread(data, 1, bytes, sid) == bytes;
    else if (product.kind->how == BY_KEY)
        done = sion_fread_key(data, (uint64_t)record, bytes, 1, sid) == 1;
    else
        done = sion_fread(data, 1, bytes, sid) == bytes;
    return done && check_compare(data, rank, record * 1000L, bytes) != -1 ? -1 : done;
}

static void note_flush(struct worker *worker, int records)
{
    int stream, done = sion_flush(worker->sid) == 1;

    for (stream = 0; stream < worker->nstreams; stream++) {
        worker->told[stream].complaints += !done;
        worker->told[stream].refused += !done;
        if (done)
            worker->told[stream].flushed = records;
    }
}

static void put_streams(struct worker *worker)
{
    int record, stream;

    for (record = 0; record < RECORDS; record++) {
        for (stream = 0; stream < worker->nstreams; stream++) {
            struct told *told = &worker->told[stream];

            int is_there = go_to(worker, stream);

            told->accepted[record] = is_there && put_record(worker->sid, told->rank, record);
            told->refused += is_there && !told->accepted[record];
            told->complaints += !told->accepted[record];
        }
        if (record + 1 == FLUSH_AFTER)
            note_flush(worker, FLUSH_AFTER);
    }
}

static void get_streams(struct worker *worker)
{
    int record, stream;

    for (record = 0; record < RECORDS; record++) {
        for (stream = 0; stream < worker->nstreams; stream++) {
            struct told *told = &worker->told[stream];
            int got = go_to(worker, stream) ? get_record(worker->sid, told->rank, record) : 0;

            told->wrong += got < 0 && told->complaints == 0;
            told->complaints += got == 0;
        }
    }
}

static void product_work(struct worker *worker)
{
    int stream, closed, is_reading = product_now->is_reading;
    int lacks = product_now->mask == 0 && is_victim(product_now, worker->number);

    scion_fault_spare(!is_victim(product_now, worker->number));
    lack_in = lacks ? product_now->n : 0;
    worker->sid = product_open(worker, is_reading ? product.kind->read : product.kind->write);
    if (worker->sid >= 0) {
        if (is_reading)
            get_streams(worker);
        else
            put_streams(worker);
        closed = product_close(worker->sid) == 1;
        for (stream = 0; stream < worker->nstreams; stream++) {
            worker->told[stream].opened = 1;
            worker->told[stream].closed = closed;
        }
    }
    scion_fault_spare(0);
    worker->told[0].lacked = lacks && lack_in == 0;
    lack_in = 0;
}

/* A worker whose tasks, and their places, follow from its number. */
static inline struct worker product_worker(int thread)
{
    int number = product.process * product.threads + thread, i;
    struct worker worker = {.number = number, .sid = -1, .nstreams = product.streams_each};

    worker.told = &product.mine.told[thread * product.streams_each];
    for (i = 0; i < worker.nstreams; i++)
        worker.told[i].rank = number * worker.nstreams + i;
    return worker;
}

/* ---- the judgement, on process 0 ---- */

static struct {
    int opened, closed, complaints, refused, wrong, differs;
    long hits, messages;
} outcome;

static const struct told *told_of(int rank)
{
    int process, i;

    for (process = 0; process < product.processes; process++) {
        const struct report *report = &product.all[process];

        for (i = 0; i < report->nstreams; i++) {
            if (report->told[i].rank == rank)
                return &report->told[i];
        }
    }
    return NULL;
}

static int product_ntasks(void)
{
    return product.processes * product.mine.nstreams;
}

static void sum_up(void)
{
    const struct told *first = told_of(0), *told;
    int rank, process;

    memset(&outcome, 0, sizeof outcome);
    for (rank = 0; rank < product_ntasks(); rank++) {
        told = told_of(rank);
        outcome.differs |= told->opened != first->opened || told->closed != first->closed;
        outcome.complaints += told->complaints;
        outcome.refused += told->refused;
        outcome.wrong += told->wrong;
        outcome.hits += told->lacked;
    }
    outcome.opened = first->opened;
    outcome.closed = first->closed;
    for (process = 0; process < product.processes; process++) {
        outcome.hits += product.all[process].hits;
        outcome.messages += product.all[process].messages;
    }
}

/* The records that were accepted, as they are in the stream. */
static size_t expected_stream(const struct told *told, int records, unsigned char *to)
{
    size_t at = 0;
    int i;

    for (i = 0; i < records; i++) {
        uint64_t head[2] = {(uint64_t)i, product_sizes[i]};

        if (!told->accepted[i])
            continue;
        if (product.kind->how == BY_KEY) {
            memcpy(to + at, head, sizeof head);
            at += sizeof head;
        }
        check_fill(to + at, told->rank, i * 1000L, product_sizes[i]);
        at += product_sizes[i];
    }
    return at;
}

enum { MOST_BYTES = 20000 };

/* at_least: so many records. exactly: not a byte more than the accepted ones, and not less. */
static void judge_stream(const struct told *told, const unsigned char *bytes, size_t n,
                         int at_least, int exactly)
{
    static unsigned char expected[MOST_BYTES];
    size_t least = expected_stream(told, at_least, expected);
    size_t all = expected_stream(told, RECORDS, expected);

    product_expect(n <= all || !exactly, "bytes that no task was told are written", told->rank);
    product_expect(n >= (exactly ? all : least), "bytes are missing that were told to be written",
                   told->rank);
    product_expect(memcmp(bytes, expected, n < all ? n : all) == 0, "wrong bytes", told->rank);
}

static size_t load_stream(int sid, unsigned char *to)
{
    size_t bytes = 0, left;

    while (!sion_feof(sid) && (left = (size_t)sion_bytes_avail_in_block(sid)) > 0 &&
           bytes + left <= MOST_BYTES && sion_fread(to + bytes, 1, left, sid) == left)
        bytes += left;
    return bytes;
}

/* must: the container was closed. */
static void read_back(int must)
{
    static unsigned char bytes[MOST_BYTES];
    int n, nfiles, rank, sid = sion_open(NAME, "br", &n, &nfiles, NULL, NULL, NULL, NULL);

    product_expect(sid >= 0 || !must, "a closed container cannot be read", -1);
    if (sid < 0)
        return;
    product_expect(n == product_ntasks(), "another number of tasks", n);
    for (rank = 0; rank < n && rank < product_ntasks(); rank++) {
        sion_seek(sid, rank, 0, 0);
        judge_stream(told_of(rank), bytes, load_stream(sid, bytes), 0, must);
    }
    product_expect(sion_close(sid) == 1, "the close of a reader failed", -1);
}

/* What was flushed is there, whatever happened later. */
static void recover_flushed(void)
{
    static unsigned char bytes[MOST_BYTES];
    sion_recovery *recovery = sion_recover_open(NAME, 0);
    sion_recover_task task = {.size = sizeof task};
    int i;

    product_expect(recovery != NULL, "cannot be recovered", -1);
    for (i = 0; recovery && i < product_ntasks(); i++) {
        const struct told *told;

        if (sion_recover_get_task(recovery, i, &task) != 1 || task.bytes > MOST_BYTES ||
            sion_recover_read(recovery, i, 0, bytes, (size_t)task.bytes) != 1) {
            product_fail("cannot be recovered", i);
            continue;
        }
        told = told_of((int)task.globalrank);
        judge_stream(told, bytes, (size_t)task.bytes, told->flushed, 0);
    }
    sion_recover_close(recovery);
}

static int is_harmless(const struct fault_case *one)
{
    return outcome.hits == 0 || one->reason->error == SHORTER ||
           (one->reason->error == EINTR && !one->lasts && one->mask != OTHERS);
}

static void judge(const struct fault_case *one)
{
    int all_well = outcome.opened && outcome.closed && outcome.complaints == 0;

    product_expect(!outcome.differs, "the tasks' results differ", -1);
    product_expect(outcome.wrong == 0, "wrong bytes were read", -1);
    if (is_harmless(one))
        product_expect(all_well, "it failed without a reason", -1);
    else if (one->mask == CHANGES && !one->is_reading)
        product_expect(!outcome.closed || outcome.complaints > 0, "nobody was told of the failure",
                       -1);
    product_expect(all_well || outcome.messages > 0, "no message", -1);
    if (one->is_reading || !outcome.opened)
        return;
    if (strstr(product.kind->write, "atomic"))
        product_expect(!outcome.closed || outcome.refused == 0,
                       "an older container would be replaced after a write that failed", -1);
    if (strstr(product.kind->write, "recover") && !outcome.closed)
        recover_flushed();
    read_back(outcome.closed);
}

/* ---- runs ---- */

static void remove_container(void)
{
    if (product.process == 0) {
        remove(NAME);
        remove(NAME ".000001");
        remove(NAME "_BUDDY_00");
        remove(NAME "_BUDDY_00.000001");
    }
    product_tell(0);
}

/* Returns the number of calls that failed. */
static long run_case(const struct fault_case *one)
{
    int descriptors = support_descriptors();

    product_name(one);
    alarm(LIMIT_SECONDS);
    support_catch();
    if (!one->is_reading)
        remove_container();
    product.mine = (struct report){.nstreams = product.threads * product.streams_each};
    product_arm(one);
    product_run(product_work);
    product.mine.hits = scion_fault_hits();
    product.mine.messages = support_errors;
    scion_fault_disarm();
    product_expect(support_descriptors() == descriptors, "descriptors are left", product.process);
    product_collect();
    if (product.process == 0) {
        sum_up();
        judge(one);
        product.cases++;
        product.with_hits += outcome.hits > 0;
    }
    alarm(0);
    return product_tell(outcome.hits);
}

static int run_calls(struct fault_case one)
{
    long step = product.is_full ? 1 : product.processes > 1 ? 9 : 5;

    for (one.n = product.is_full ? 1 : 2; one.n < 500 && run_case(&one) > 0;)
        one.n += step;
    return one.n < 500;
}

/* A transfer that is shortened is a fault of transfers only. */
static unsigned mask_of(const struct fault_case *one)
{
    return one->reason->error == SHORTER ? one->mask & TRANSFERS : one->mask;
}

static void run_reasons(struct fault_case one)
{
    unsigned mask = one.mask;
    int r, workers = product.processes * product.threads;

    for (r = 0; r < REASONS; r++) {
        one.reason = &product_reasons[r];
        for (one.lasts = 0; one.lasts < 2; one.lasts++) {
            for (one.victim = workers > 1 ? -1 : 0; one.victim < workers; one.victim++) {
                if (!product.is_full && workers > 1 &&
                    one.victim + 1 != (2 * r + one.lasts) % (workers + 1))
                    continue;
                one.mask = mask;
                one.mask = mask_of(&one);
                if (!run_calls(one))
                    product_fail("it never ends", -1);
            }
        }
    }
}

static void run_allocations(struct fault_case one)
{
    static const struct reason memory = {"no memory", ENOMEM};
    int workers = product.processes * product.threads;

    one.reason = &memory;
    for (one.victim = workers > 1 ? -1 : 0; one.victim < workers; one.victim++) {
        if (!run_calls(one))
            product_fail("it never ends", -1);
    }
}

static void product_of_faults(void)
{
    static const struct reason nothing = {"nothing", EIO};
    struct fault_case none = {.reason = &nothing, .victim = -1};

    run_reasons((struct fault_case){.mask = CHANGES});
    run_reasons((struct fault_case){.mask = OTHERS});
    run_allocations((struct fault_case){.mask = 0});
    run_case(&none); /* writes what is read */
    run_allocations((struct fault_case){.is_reading = 1});
    run_reasons((struct fault_case){.mask = CHANGES, .is_reading = 1});
    run_reasons((struct fault_case){.mask = OTHERS, .is_reading = 1});
    if (product.process == 0) {
        printf("# %s: %ld cases, %ld with a fault\n", product.kind->name, product.cases,
               product.with_hits);
        CHECK(product.with_hits > 10);
    }
    check_failed_here += product.faults > 0;
}

static void product_begin(const struct kind *kind)
{
    product.kind = kind;
    product.cases = product.with_hits = product.faults = 0;
}

static void product_options(int argc, char **argv)
{
    product.is_full = argc > 1 && strcmp(argv[1], "full") == 0;
    signal(SIGALRM, product_hangs);
#ifdef WITH_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
}

#endif

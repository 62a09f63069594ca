/*
 * MPI writers of containers with commit records are killed.
 *
 *     mpi write FLAVOUR SEED MICROSECONDS VICTIM   all ranks; VICTIM -1: all of them are killed
 *     mpi judge FLAVOUR                            one process checks what is left
 *
 * A round runs both, in the same folder, which has the container and the journal.
 */
#include <signal.h>
#include <sys/time.h>

#include <mpi.h>

#include "sion_common.h"
#include "sion_generic.h"
#include "sion_mpi.h"
#include "sion_serial.h"

#include "check.h"
#include "sion_error.h"

#include "journal.h"

enum how { ALONE, BY_FILE, BY_KEY, TOGETHER, MERGED, MAPPED };

static const struct flavour {
    const char *name, *mode;
    enum how how;
    int nfiles, begins_anew;
} flavours[] = {
    {"ansi", "bw,ansi,recover", ALONE, 1, 1},
    {"posix", "bw,posix,recover", ALONE, 2, 0},
    {"file", "bw,ansi,recover", BY_FILE, 2, 0},
    {"keys", "bw,keyval=inline,recover", BY_KEY, 2, 0},
    {"collective", "bw,collective,collsize=2,recover", TOGETHER, 1, 0},
    {"collective2", "bw,collective,collsize=2,recover", TOGETHER, 2, 1},
    {"merged", "bw,collective,cmerge,collsize=2,recover", MERGED, 1, 0},
    {"buddy", "bw,collective,buddy,recover", TOGETHER, 2, 0},
    {"mapped", "bw,recover", MAPPED, 2, 0},
};

enum { FLAVOURS = sizeof flavours / sizeof flavours[0], SIZE = 4000, STEPS = 2500 };

static char name[] = "c.sion";
static struct journal *journal;
static const struct flavour *flavour;
static int rank, size;
static unsigned char data[4 * SIZE];

/* ---- the writer ---- */

static void end_it(int signal)
{
    (void)signal;
    kill(getpid(), SIGKILL);
}

/* Nothing but the timer may end a writer. */
static void note_crash(int signal)
{
    journal->has_crashed = signal;
    _exit(1);
}

/* 0: never. */
static void set_timer(long microseconds)
{
    const struct itimerval when = {.it_value = {microseconds / 1000000, microseconds % 1000000}};

    signal(SIGALRM, end_it);
    setitimer(ITIMER_REAL, &when, NULL);
}

static int open_mapped(void)
{
    int nfiles = flavour->nfiles, n = 2, ranks[2] = {rank, rank + size}, *r = ranks;
    int files[2] = {ranks[0] % 2, ranks[1] % 2}, lranks[2] = {ranks[0] / 2, ranks[1] / 2};
    int *f = files, *l = lranks;
    sion_int64 sizes[2] = {SIZE, SIZE / 3}, *s = sizes;
    sion_int32 fsblksize = 512;

    return sion_paropen_mapped_mpi(name, flavour->mode, &nfiles, MPI_COMM_WORLD, &n, &r, &s, &f, &l,
                                   &fsblksize, NULL);
}

static int open_container(void)
{
    int nfiles = flavour->nfiles;
    sion_int64 chunksize = SIZE;
    sion_int32 fsblksize = 512;
    MPI_Comm local = MPI_COMM_WORLD;

    if (flavour->how == MAPPED)
        return open_mapped();
    return sion_paropen_mpi(name, flavour->mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                            &fsblksize, &rank, NULL, NULL);
}

static int write_bytes(int sid, int record, size_t bytes)
{
    switch (flavour->how) {
    case BY_FILE:
        return sion_ensure_free_space(sid, (sion_int64)bytes) == 1 &&
               fwrite(data, 1, bytes, sion_get_fp(sid)) == bytes;
    case BY_KEY:
        return sion_fwrite_key(data, (uint64_t)record, bytes, 1, sid) == 1;
    case TOGETHER:
    case MERGED:
        return sion_coll_fwrite(data, 1, bytes, sid) == bytes;
    default:
        return sion_fwrite(data, 1, bytes, sid) == bytes;
    }
}

static void write_record(int sid)
{
    int task = flavour->how == MAPPED && check_below(2) ? rank + size : rank, record, done;
    size_t most = task == rank ? SIZE : SIZE / 3, bytes = 1 + check_below(most);

    if (check_below(3))
        bytes = 1 + bytes / 16;
    if (flavour->how == MAPPED &&
        sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) != SION_SUCCESS)
        return;
    record = journal_begin(journal, task, (int)bytes);
    if (record < 0)
        return;
    journal_fill(data, task, record, bytes);
    done = write_bytes(sid, record, bytes);
    journal_end(journal, task, record, done ? WRITTEN : REFUSED);
    if (done && flavour->how == MERGED)
        journal_flushed(journal, task);
}

static void flush(int sid)
{
    if (sion_flush(sid) != SION_SUCCESS)
        return;
    journal_flushed(journal, rank);
    if (flavour->how == MAPPED)
        journal_flushed(journal, rank + size);
}

/* Sometimes make a new start, which discards the old data; the journal knows. */
static int begin_anew(int sid)
{
    journal->is_between = 1;
    memset(&journal->tasks[rank], 0, sizeof journal->tasks[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (sion_parreinit_mpi(sid, SIZE) < 0)
        return 0;
    MPI_Barrier(MPI_COMM_WORLD);
    journal->is_between = 0;
    return 1;
}

/* microseconds: 0: never. Some writers are killed during the open, most after it. */
static void write_container(uint64_t seed, long microseconds)
{
    int sid, step;

    if (seed % 8 == 0)
        set_timer(microseconds);
    sid = open_container();
    if (sid < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        journal->is_open = 1;
    if (seed % 8 != 0)
        set_timer(microseconds);
    for (step = 0; step < STEPS; step++) {
        if (flavour->begins_anew && seed % 2 == 0 && step == 20 + (int)(seed % 97) &&
            !begin_anew(sid))
            return;
        write_record(sid);
        if (check_below(3) == 0)
            flush(sid);
    }
    if ((flavour->how == MAPPED ? sion_parclose_mapped_mpi(sid) : sion_parclose_mpi(sid)) ==
        SION_SUCCESS)
        journal->is_closed = 1;
}

static int run_writer(char **arguments)
{
    uint64_t seed = strtoull(arguments[0], NULL, 0);
    int victim = atoi(arguments[2]);

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    journal = journal_map("journal");
    journal->ntasks = flavour->how == MAPPED ? 2 * size : size;
    journal->is_keyval = flavour->how == BY_KEY;
    signal(SIGSEGV, note_crash);
    signal(SIGBUS, note_crash);
    signal(SIGABRT, note_crash);
    check_random_state = seed + (uint64_t)rank;
    MPI_Barrier(MPI_COMM_WORLD);
    write_container(seed, victim < 0 || victim % size == rank ? atol(arguments[1]) : 0);
    MPI_Finalize();
    return 0;
}

/* ---- the judgement ---- */

/* Compare a group's data, which its collector has, with its tasks' records in turn. */
static const char *judge_merged(int first, const unsigned char *stream, size_t bytes)
{
    size_t at = 0;
    int record, task, certain = 0;

    for (task = first; task < first + 2; task++)
        certain = journal->tasks[task].flushed > certain ? journal->tasks[task].flushed : certain;
    for (record = 0; at < bytes || record < certain; record++) {
        for (task = first; task < first + 2 && (at < bytes || record < certain); task++) {
            size_t length, part;

            if (record >= journal->tasks[task].n)
                return "more than was written";
            length = journal_image(journal, task, record, data);
            part = bytes - at < length ? bytes - at : length;
            if (part < length && record < certain)
                return "bytes of a collective write are missing";
            if (memcmp(stream + at, data, part) != 0)
                return "wrong bytes";
            at += part;
        }
    }
    return NULL;
}

static int compare_merged(const sion_recovery *recovery, const char *where)
{
    sion_recover_task task;
    const char *fault = NULL;
    int first, faults = 0;

    for (first = 0; first < journal->ntasks; first += 2) {
        unsigned char *stream;

        sion_recover_get_task(recovery, first, &task);
        stream = malloc((size_t)task.bytes + 1);
        sion_recover_read(recovery, first, 0, stream, (size_t)task.bytes);
        fault = judge_merged(first, stream, (size_t)task.bytes);
        free(stream);
        sion_recover_get_task(recovery, first + 1, &task);
        if (!fault && task.bytes != 0)
            fault = "a sender has data";
        if (fault)
            printf("# %s: group of task %d: %s\n", where, first, fault);
        faults += fault != NULL;
    }
    return faults;
}

static int compare(const sion_recovery *recovery, const char *where)
{
    return flavour->how == MERGED ? compare_merged(recovery, where)
                                  : journal_compare(journal, recovery, where);
}

/* Check what the commit records tell, and again after the recovery has closed the container. */
static int judge(char *container, int may_be_missing)
{
    int faults = 0, again, n, nfiles, sid;

    for (again = 0; again < 2; again++) {
        const char *where = again ? "closed" : "killed";
        sion_recovery *recovery = sion_recover_open(container, 0);

        if (!recovery) {
            if (may_be_missing && !again)
                return 0;
            printf("# %s: %s: %s\n", container, where, sion_error_text());
            return 1;
        }
        faults += compare(recovery, where);
        if (sion_recover_in_place(recovery) != 1) {
            printf("# %s: %s\n", container, sion_error_text());
            faults++;
        }
        sion_recover_close(recovery);
    }
    sid = sion_open(container, "br", &n, &nfiles, NULL, NULL, NULL, NULL);
    if (sid < 0)
        printf("# %s: %s\n", container, sion_error_text());
    return faults + (sid < 0 || sion_close(sid) != 1);
}

/* Not on stderr, because a container that was being created is not a fault. */
static void ignore(int level, int about, int rc, const char *text, void *user)
{
    (void)level, (void)about, (void)rc, (void)text, (void)user;
}

static int run_judge(void)
{
    char copy[] = "c.sion_BUDDY_00";
    int t, flushed = 0, faults;

    sion_error_set_handler(ignore, NULL);
    journal = journal_map("journal");
    if (journal->has_crashed) {
        printf("# %s: the writer ended by signal %d\n", flavour->name, journal->has_crashed);
        return 1;
    }
    if (journal->is_between) {
        printf("# %s: killed during a new start\n", flavour->name);
        return 0;
    }
    faults = judge(name, !journal->is_open);
    if (strcmp(flavour->name, "buddy") == 0)
        faults += judge(copy, !journal->is_open);
    for (t = 0; t < journal->ntasks; t++)
        flushed += journal->tasks[t].flushed;
    printf("# %s: %d records were flushed%s\n", flavour->name, flushed,
           journal->is_closed ? ", and closed" : "");
    return faults > 0;
}

int main(int argc, char **argv)
{
    int i;

    for (i = 0; argc > 2 && i < FLAVOURS; i++) {
        if (strcmp(argv[2], flavours[i].name) == 0)
            flavour = &flavours[i];
    }
    if (flavour && argc == 6 && strcmp(argv[1], "write") == 0)
        return run_writer(argv + 3);
    if (flavour && argc == 3 && strcmp(argv[1], "judge") == 0)
        return run_judge();
    fprintf(stderr, "usage: mpi write FLAVOUR SEED MICROSECONDS VICTIM | mpi judge FLAVOUR\n");
    return 1;
}

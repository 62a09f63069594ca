/*
 * Writers whose tasks are threads of OpenMP, in one process or, with HYBRID, in each rank of MPI,
 * are killed while they write containers with commit records.
 */
#ifdef HYBRID
#include <mpi.h>
#endif
#include <omp.h>

#include "sion.h"

#include "kills.h"

enum how { ALONE, BY_KEY, TOGETHER };

static const struct flavour {
    const char *name, *mode;
    enum how how;
    int nfiles;
} flavours[] = {
    {"ansi", "bw,ansi,recover", ALONE, 1},
    {"posix", "bw,posix,recover", ALONE, 2},
    {"keys", "bw,keyval=inline,recover", BY_KEY, 1},
    {"collective", "bw,collective,collsize=2,recover", TOGETHER, 1},
#ifdef WITH_CHECKSUM
    {"checksum", "bw,checksum,recover", ALONE, 1},
#endif
};

enum { FLAVOURS = sizeof flavours / sizeof flavours[0], SIZE = 4000, STEPS = 3900 };

static char name[] = "c.sion";
static const struct flavour *flavour;
static int rank, size = 1, threads = 4;

/* Each thread has a sequence of its own (see check_random). */
static _Thread_local uint64_t random_state;

static size_t below(size_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(random_state >> 33) % limit;
}

static int open_container(void)
{
    sion_int64 chunksize = SIZE;
    sion_int32 fsblksize = 512;
    int globalrank;
#ifdef HYBRID
    MPI_Comm local = MPI_COMM_WORLD;
    int nfiles = flavour->nfiles;

    return sion_paropen_ompi(name, flavour->mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                             &fsblksize, &globalrank, NULL, NULL);
#else
    return sion_paropen_omp(name, flavour->mode, &chunksize, &fsblksize, &globalrank, NULL, NULL);
#endif
}

static int close_container(int sid)
{
#ifdef HYBRID
    return sion_parclose_ompi(sid);
#else
    return sion_parclose_omp(sid);
#endif
}

static int write_bytes(int sid, const unsigned char *data, int record, size_t bytes)
{
    switch (flavour->how) {
    case BY_KEY:
        return sion_fwrite_key(data, (uint64_t)record, bytes, 1, sid) == 1;
    case TOGETHER:
        return sion_coll_fwrite(data, 1, bytes, sid) == bytes;
    default:
        return sion_fwrite(data, 1, bytes, sid) == bytes;
    }
}

static void write_record(int sid, int task)
{
    unsigned char data[SIZE];
    size_t bytes = 1 + below(SIZE);
    int record, done;

    if (below(3) > 0)
        bytes = 1 + bytes / 16;
    record = journal_begin(kills_journal, task, (int)bytes);
    if (record < 0)
        return;
    journal_fill(data, task, record, bytes);
    done = write_bytes(sid, data, record, bytes);
    journal_end(kills_journal, task, record, done ? WRITTEN : REFUSED);
}

static void write_stream(int sid, int task)
{
    int step;

    for (step = 0; step < STEPS; step++) {
        write_record(sid, task);
        if (below(3) == 0 && sion_flush(sid) == 1)
            journal_flushed(kills_journal, task);
    }
}

/* Some writers are killed during the open, most after it. microseconds: 0: never. */
static void write_container(uint64_t seed, long microseconds)
{
    if (seed % 8 == 0)
        kills_set_timer(microseconds);
#pragma omp parallel num_threads(threads)
    {
        int task = rank * threads + omp_get_thread_num(), sid;

        random_state = seed + (uint64_t)task;
        sid = open_container();
        if (sid < 0)
            _exit(1);
#pragma omp barrier
        if (task == 0)
            kills_journal->is_open = 1;
#pragma omp master
        if (seed % 8 != 0)
            kills_set_timer(microseconds);
        write_stream(sid, task);
        if (close_container(sid) == 1)
            kills_journal->is_closed = 1;
    }
}

static int run_writer(char **arguments)
{
    uint64_t seed = strtoull(arguments[0], NULL, 0);
    int victim = atoi(arguments[2]);

#ifdef HYBRID
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    threads = 2;
#endif
    kills_begin(size * threads, flavour->how == BY_KEY);
    write_container(seed, victim < 0 || victim % size == rank ? atol(arguments[1]) : 0);
#ifdef HYBRID
    MPI_Finalize();
#endif
    return 0;
}

static int compare(const sion_recovery *recovery, const char *where)
{
    return journal_compare(kills_journal, recovery, where);
}

int main(int argc, char **argv)
{
    int i;

    for (i = 0; i < FLAVOURS; i++) {
        if (argc == 2 && strcmp(argv[1], "list") == 0)
            puts(flavours[i].name);
        else if (argc > 2 && strcmp(argv[2], flavours[i].name) == 0)
            flavour = &flavours[i];
    }
    if (argc == 2)
        return 0;
    if (flavour && argc == 6 && strcmp(argv[1], "write") == 0)
        return run_writer(argv + 3);
    if (flavour && argc == 3 && strcmp(argv[1], "judge") == 0)
        return kills_run_judge(flavour->name, name, NULL, compare);
    fprintf(
        stderr,
        "usage: teams write FLAVOUR SEED MICROSECONDS VICTIM | teams judge FLAVOUR | teams list\n");
    return 1;
}

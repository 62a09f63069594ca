/*
 * Counts what each rank does for a container of one file, or of two: collectives and their bytes,
 * and calls on files and their bytes. bench/model.py computes from them what more ranks would need.
 *
 *     mpiexec -n 4 parts FILE
 *
 * Prints, as CSV, the step (open, close, open for reading, each also with " in files" and " by
 * node", and all with " of many" as 2^19 ranks or more do it), whether the rank is the first one,
 * what is counted, how often, and the bytes of one rank: of messages, of what it writes or reads.
 * What the application writes is not counted. What the first rank does for each other one, growth
 * counts.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "sion.h"
#include "comm/comm.h"
#include "counted.h"

enum part { BCAST, GATHER, SCATTER, ALLREDUCE, SPLIT, GATHERV, SCATTERV, EXSCAN, MESSAGE, PARTS };

static const char *const names[PARTS] = {"bcast",   "gather",   "scatter", "allreduce", "split",
                                         "gatherv", "scatterv", "exscan",  "message"};

struct part_sum {
    long long count, bytes;
};

static struct part_sum parts[PARTS];

static void count(enum part part, long long bytes)
{
    parts[part].count++;
    parts[part].bytes += bytes;
}

/* ---- messages ---- */

static long long bytes_of(int n, MPI_Datatype type)
{
    int size;

    PMPI_Type_size(type, &size);
    return (long long)n * size;
}

#define COUNTED(part, bytes, name, parameters, arguments)                                          \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        count(part, bytes);                                                                        \
        return PMPI_##name arguments;                                                              \
    }

COUNTED(BCAST, bytes_of(b, c), Bcast, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e),
        (a, b, c, d, e))
COUNTED(GATHER, bytes_of(b, c), Gather,
        (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h),
        (a, b, c, d, e, f, g, h))
COUNTED(SCATTER, bytes_of(e, f), Scatter,
        (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h),
        (a, b, c, d, e, f, g, h))
COUNTED(ALLREDUCE, bytes_of(c, d), Allreduce,
        (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), (a, b, c, d, e, f))
COUNTED(SPLIT, 0, Comm_split, (MPI_Comm a, int b, int c, MPI_Comm *d), (a, b, c, d))
COUNTED(SPLIT, 0, Comm_split_type, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm *e),
        (a, b, c, d, e))
COUNTED(GATHERV, bytes_of(b, c), Gatherv,
        (const void *a, int b, MPI_Datatype c, void *d, const int *e, const int *f, MPI_Datatype g,
         int h, MPI_Comm i),
        (a, b, c, d, e, f, g, h, i))
COUNTED(SCATTERV, bytes_of(f, g), Scatterv,
        (const void *a, const int *b, const int *c, MPI_Datatype d, void *e, int f, MPI_Datatype g,
         int h, MPI_Comm i),
        (a, b, c, d, e, f, g, h, i))
COUNTED(EXSCAN, bytes_of(c, d), Exscan,
        (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), (a, b, c, d, e, f))
COUNTED(MESSAGE, bytes_of(b, c), Send,
        (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f), (a, b, c, d, e, f))
COUNTED(MESSAGE, bytes_of(b, c), Isend,
        (const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request *g),
        (a, b, c, d, e, f, g))

/* ---- the steps ---- */

static char *path;

static void start(void)
{
    memset(parts, 0, sizeof parts);
    memset(counted, 0, sizeof counted);
}

static int open_container(const char *mode)
{
    MPI_Comm none = MPI_COMM_NULL;
    sion_int64 chunksize = 65536;
    sion_int32 fsblksize = -1;
    int one = 1, rank;

    start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return sion_paropen_mpi(path, mode, &one, MPI_COMM_WORLD, &none, &chunksize, &fsblksize, &rank,
                            NULL, NULL);
}

struct sums {
    struct part_sum parts[PARTS + COUNTED_FILES];
};

static struct sums sum_up(void)
{
    struct sums sums;
    int i;

    memcpy(sums.parts, parts, sizeof parts);
    for (i = 0; i < COUNTED_FILES; i++)
        sums.parts[PARTS + i] = (struct part_sum){counted[i].calls, counted[i].bytes};
    return sums;
}

static void print(const char *step, const char *who, const struct sums *sums)
{
    int p;

    for (p = 0; p < PARTS + COUNTED_FILES; p++) {
        if (sums->parts[p].count > 0)
            printf("%s,%s,%s,%lld,%lld\n", step, who,
                   p < PARTS ? names[p] : counted_names[p - PARTS], sums->parts[p].count,
                   sums->parts[p].bytes);
    }
}

/* Rank 0 prints its own counts and those of the last rank. */
static void report(const char *step)
{
    struct sums sums = sum_up();
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        PMPI_Send(&sums, (int)sizeof sums, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    if (rank > 0)
        return;
    print(step, "first", &sums);
    PMPI_Recv(&sums, (int)sizeof sums, MPI_BYTE, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    print(step, "other", &sums);
}

/* Of how many files it is, in the mode and in what is printed. */
static const struct {
    const char *mode, *name;
} kinds[] = {{"bw", ""}, {"bw,files=2", " in files"}, {"bw,files=node", " by node"}};

static void report_step(const char *step, int kind, int are_many)
{
    char name[64];

    snprintf(name, sizeof name, "%s%s%s", step, kinds[kind].name, are_many ? " of many" : "");
    report(name);
}

static int run(int kind, int are_many)
{
    char data[64] = "";
    int sid = open_container(kinds[kind].mode);

    if (sid < 0)
        return -1;
    report_step("open", kind, are_many);
    sion_fwrite(data, 1, sizeof data, sid);
    sion_flush(sid);
    start();
    if (sion_parclose_mpi(sid) != SION_SUCCESS)
        return -1;
    report_step("close", kind, are_many);
    sid = open_container("br");
    if (sid < 0)
        return -1;
    report_step("open for reading", kind, are_many);
    return sion_parclose_mpi(sid) == SION_SUCCESS ? 0 : -1;
}

static int run_all(int rank, int size)
{
    int n = (int)(sizeof kinds / sizeof *kinds), rc = 0, i;

    setenv("SION_NODE", rank < size / 2 ? "a" : "b", 1);
    for (i = 0; i < 2 * n && rc == 0; i++) {
        scion_large_from = i < n ? INT_MAX : 1;
        rc = run(i % n, i >= n);
    }
    return rc;
}

static void remove_files(void)
{
    char second[4096];

    snprintf(second, sizeof second, "%s.000001", path);
    remove(second);
    remove(path);
}

int main(int argc, char **argv)
{
    int rank, size, rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 2 || size < 2) {
        if (rank == 0)
            fprintf(stderr, "Usage: mpiexec -n 2 parts FILE\n");
        MPI_Finalize();
        return EXIT_FAILURE;
    }
    path = argv[1];
    counted_begin();
    if (rank == 0)
        puts("step,rank,part,count,bytes");
    rc = run_all(rank, size);
    scion_vfs_use(NULL);
    if (rank == 0)
        remove_files();
    MPI_Finalize();
    return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

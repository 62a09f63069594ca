/*
 * How long a program waits for a checkpoint: blocked NAME MODE MIB REPEATS. Each task writes MIB in
 * records of 1 MiB, REPEATS times, and waits for the drain after each. Prints, for each, the
 * seconds from before the open to after the close on the slowest task, and those until the drain
 * has ended.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion.h"
#include "sion_drain.h"

enum { RECORD = 1 << 20 };

static double slowest(double seconds)
{
    double most = 0;

    MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return most;
}

static void fail(const char *what)
{
    fprintf(stderr, "blocked: %s has failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_all(const char *name, const char *mode, int mib, char *record)
{
    MPI_Comm part = MPI_COMM_WORLD;
    sion_int64 chunksize = (sion_int64)mib * RECORD;
    sion_int32 fsblksize = -1;
    int nfiles = 1, rank, sid, i;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sid = sion_paropen_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &part, &chunksize, &fsblksize,
                           &rank, NULL, NULL);
    if (sid < 0)
        fail("the open");
    for (i = 0; i < mib; i++) {
        record[0] = (char)i;
        if (sion_fwrite(record, 1, RECORD, sid) != RECORD)
            fail("a write");
    }
    if (sion_parclose_mpi(sid) != SION_SUCCESS)
        fail("the close");
}

int main(int argc, char **argv)
{
    char *record = malloc(RECORD);
    double begin, blocked, drained;
    int rank, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 5 || !record)
        fail("the command line");
    memset(record, 7, RECORD);
    for (i = 0; i < atoi(argv[4]); i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        write_all(argv[1], argv[2], atoi(argv[3]), record);
        blocked = slowest(MPI_Wtime() - begin);
        if (sion_drain_wait(NULL) != SION_SUCCESS)
            fail("the drain");
        drained = slowest(MPI_Wtime() - begin);
        if (rank == 0)
            printf("%.6f %.6f\n", blocked, drained);
    }
    free(record);
    MPI_Finalize();
    return 0;
}

/*
 * Rank 1 lacks the memory that it needs to take part in an open, and a reserve. The library ends
 * the whole program with MPI_Abort, so that rank 0 does not wait for ever. Arguments: a container, and
 * a file for all output, because a launcher may drop what an aborted program has printed.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "sion_mpi.h"

#include "lack.h"

int MPI_Abort(MPI_Comm comm, int code)
{
    printf("MPI_Abort with code %d\n", code);
    fflush(stdout);
    return PMPI_Abort(comm, code);
}

int main(int argc, char **argv)
{
    MPI_Comm local = MPI_COMM_WORLD;
    sion_int64 chunksize = 100;
    sion_int32 fsblksize = -1;
    int nfiles = 1, rank, grank, sid;

    if (argc < 3 || !freopen(argv[2], "a", stdout) || dup2(fileno(stdout), STDERR_FILENO) < 0)
        return 99;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    grank = rank;
    lack_in = rank == 1 ? -1 : 0;
    sid = sion_paropen_mpi(argv[1], "bw", &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                           &grank, NULL, NULL);
    printf("rank %d: sid %d\n", rank, sid);
    MPI_Finalize();
    return 0;
}

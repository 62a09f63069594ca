/* Opens a container with MPI, writes a record, and closes it: test/bench/size.sh measures how large
   this program is. */
#include <mpi.h>
#include <stdlib.h>

#include "sion.h"

int main(int argc, char **argv)
{
    sion_int64 chunksize = 8;
    sion_int32 fsblksize = -1;
    int nfiles = 1, rank, sid;
    MPI_Comm local = MPI_COMM_WORLD;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sid = sion_paropen_mpi(argv[argc - 1], "bw", &nfiles, MPI_COMM_WORLD, &local, &chunksize,
                           &fsblksize, &rank, NULL, NULL);
    if (sid >= 0) {
        sion_fwrite("8 bytes", 8, 1, sid);
        sion_parclose_mpi(sid);
    }
    MPI_Finalize();
    return sid >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

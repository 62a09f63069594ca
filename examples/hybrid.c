/*
 * MPI and OpenMP: every thread of every process is a task with a stream of its own.
 *
 *   OMP_NUM_THREADS=2 mpiexec -n 2 hybrid
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sion.h>

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int bad = 0, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#pragma omp parallel reduction(+ : bad)
    {
        int nfiles = 1, fsblksize = -1, rank, sid;
        long long chunksize = 1000;

        sid = sion_paropen_ompi("hybrid.sion", "w", &nfiles, world, &world, &chunksize, &fsblksize,
                                &rank, NULL, NULL);
        if (sid < 0) { /* the open has failed on all threads of all processes */
            bad++;
        } else {
            bad += sion_fwrite(&rank, sizeof rank, 1, sid) != 1;
            bad += sion_parclose_ompi(sid) != SION_SUCCESS;
        }
    }
    if (bad != 0) {
        fprintf(stderr, "hybrid: %d threads have not written hybrid.sion\n", bad);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}

/*
 * Threads that end without a close: each writes its letter, and the program returns from main. With
 * MPI: over MODE also calls what cannot be done after MPI_Finalize.
 */
#ifdef HYBRID
#include <mpi.h>

#include "sion_ompi.h"
#else
#include "sion_omp.h"
#endif

#include <omp.h>

#include "ends.h"
#include "sion_generic.h"

enum { THREADS = 3 };

static int open_container(const char *mode, int task)
{
    sion_int64 chunksize = 20000;
    sion_int32 fsblksize = 4096;
#ifdef HYBRID
    MPI_Comm local = MPI_COMM_WORLD;
    int files = 1;

    return sion_paropen_ompi("x.sion", mode, &files, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                             &task, NULL, NULL);
#else
    return sion_paropen_omp("x.sion", mode, &chunksize, &fsblksize, &task, NULL, NULL);
#endif
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "bw";
    int rank = 0, bad = 0, sids[THREADS], collective = strstr(mode, "collective") != NULL;

#ifdef HYBRID
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
#pragma omp parallel num_threads(THREADS) reduction(+ : bad)
    {
        int task = rank * THREADS + omp_get_thread_num();

        sids[omp_get_thread_num()] = open_container(mode, task);
        bad += !write_records(sids[omp_get_thread_num()], task,
                              collective ? sion_coll_fwrite : sion_fwrite);
    }
#ifdef HYBRID
    MPI_Finalize();
#pragma omp parallel num_threads(THREADS) reduction(+ : bad)
    if (argc > 2)
        bad += sion_parclose_ompi(sids[omp_get_thread_num()]) != -1;
#endif
    return bad != 0;
}

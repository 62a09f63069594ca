#ifndef _OPENMP
#error "the flags for OpenMP are missing"
#endif
#include <mpi.h>
#include <sion.h>
int main(int argc, char **argv)
{
    int bad = 0, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#pragma omp parallel num_threads(2) reduction(+ : bad)
    {
        int fsblksize = 512, rank = -1, nfiles = 1, sid;
        long long size = 100;
        MPI_Comm world = MPI_COMM_WORLD;

        sid = sion_paropen_ompi("consumer_ompi.sion", "w", &nfiles, world, &world, &size,
                                &fsblksize, &rank, 0, 0);
        bad += sion_fwrite("hello", 1, 5, sid) != 5 || sion_parclose_ompi(sid) != 1;
    }
    MPI_Finalize();
    return bad;
}

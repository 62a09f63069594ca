#include <mpi.h>
#include <sion.h>
int main(int argc, char **argv)
{
    int nfiles = 1, fsblksize = 512, rank, sid, bad;
    long long size = 100;
    MPI_Comm world = MPI_COMM_WORLD;

    MPI_Init(&argc, &argv);
    sid = sion_paropen_mpi("consumer_mpi.sion", "w", &nfiles, world, &world, &size, &fsblksize,
                           &rank, 0, 0);
    bad = sid < 0 || sion_fwrite("hello", 1, 5, sid) != 5 || sion_parclose_mpi(sid) != 1;
    MPI_Finalize();
    return bad;
}

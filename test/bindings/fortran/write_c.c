/* Writes in C the same files as the Fortran and C++ programs of the tests: serial.sion or, with
 * MPI, mpi.sion in two files, or in one if there is one task. */
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <sion.h>

static void fill(int *data, int task)
{
    int i;

    for (i = 0; i < 100; i++)
        data[i] = task * 1000 + i + 1;
}

static int write_stream(int sid, int task)
{
    int data[100], odd[25], i;

    fill(data, task);
    for (i = 0; i < 25; i++)
        odd[i] = data[50 + 2 * i];
    return sion_fwrite(data, 4, 50, sid) == 50 && sion_fwrite(odd, 4, 25, sid) == 25 &&
           sion_fwrite(data, 4, 50, sid) == 50;
}

#ifdef WITH_MPI
int main(int argc, char **argv)
{
    int sid, rank, tasks, nfiles, fsblksize = 512, good;
    long long chunksize = 300;
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &tasks);
    nfiles = tasks > 1 ? 2 : 1;
    sid = sion_paropen_mpi("mpi.sion", "bw", &nfiles, comm, &comm, &chunksize, &fsblksize, &rank, 0,
                           0);
    good = sid >= 0 && write_stream(sid, rank) && sion_parclose_mpi(sid) == 1;
    MPI_Finalize();
    return !good;
}
#else
int main(void)
{
    int sid, t, ntasks = 3, nfiles = 1, fsblksize = 512, ranks[] = {5, 6, 7}, *granks = ranks;
    long long sizes[] = {400, 500, 600}, *chunks = sizes;

    sid = sion_open("serial.sion", "bw", &ntasks, &nfiles, &chunks, &fsblksize, &granks, 0);
    for (t = 0; t < 3; t++) {
        sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS);
        if (!write_stream(sid, t))
            return 1;
    }
    return sion_close(sid) != 1;
}
#endif

#include <sion.h>
#include <sion_array.h>
#include <sion_mpi.h>

/* Each task writes one number of an array. */
static int write_mine(const char *name, int rank, int size)
{
    int nfiles = 1, sid;
    sion_int64 chunksize = 4096, shape[] = {size}, mine[] = {rank}, one[] = {1};
    sion_int32 fsblksize = -1;
    MPI_Comm world = MPI_COMM_WORLD;

    sid = sion_paropen_mpi(name, "bw", &nfiles, world, &world, &chunksize, &fsblksize, &rank, NULL,
                           NULL);
    return sid < 0 || sion_array_define(sid, "T", SION_I32, 1, shape) != SION_SUCCESS ||
           sion_array_put(sid, "T", 0, mine, one, SION_I32, &rank, sizeof rank) != SION_SUCCESS ||
           sion_parclose_mpi(sid) != SION_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, size, bad, got = -1;
    sion_int64 last[1], one[] = {1};
    sion_array_reader *arrays;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bad = write_mine("array_mpi.sion", rank, size);
    last[0] = size - 1;
    arrays = bad ? NULL : sion_array_reader_open("array_mpi.sion");
    bad = !arrays ||
          sion_array_reader_get(arrays, "T", 0, last, one, SION_I32, &got, sizeof got) !=
              SION_SUCCESS ||
          got != size - 1;
    if (arrays)
        sion_array_reader_close(arrays);
    MPI_Finalize();
    return bad;
}

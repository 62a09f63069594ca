/* Containers that grow, by hybrid programs: each rank has two threads. */
#include "mpi_check.h"

static char NAME[] = "grow.sion";

static int files;

static int open_team(const char *mode)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = 500;
    sion_int32 fsblksize = 512;
    int globalrank, n = files;

    return sion_paropen_ompi(NAME, mode, &n, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                             &globalrank, NULL, NULL);
}

static int publish_team(int sid)
{
    return sion_parpublish_ompi(sid);
}

static int close_team(int sid)
{
    return sion_parclose_ompi(sid);
}

#include "grow_omp.h"

enum { THREADS = 2 };

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void write_files(int n, const char *words)
{
    files = n;
    write_and_append(THREADS, THREADS * mpi_rank, THREADS * mpi_size, mpi_rank == 0, words, meet);
    CHECK_INT(support_errors, 0);
}

static void one_file(void)
{
    write_files(1, "");
    write_files(1, ",keep=9");
    write_files(1, ",collective");
#ifdef HAVE_ZSTD
    write_files(1, ",compress=zstd");
#endif
}

static void by_the_clock(void)
{
    files = 1;
    write_by_clock(THREADS, THREADS * mpi_rank, THREADS * mpi_size, mpi_rank == 0, meet);
    support_catch();
}

static void a_file_of_each_rank(void)
{
    write_files(mpi_size, "");
#ifdef HAVE_ZSTD
    write_files(mpi_size, ",compress=zstd,shuffle=3");
#endif
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(one_file);
    RUN_MPI(a_file_of_each_rank);
    RUN_MPI(by_the_clock);
    return mpi_end();
}

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

/* By one thread of each rank, whose tasks are in two files. */
static int open_to_write(void)
{
    int mine[2] = {2 * mpi_rank, 2 * mpi_rank + 1}, *ranks = mine, two = 2, nfiles = 2,
        file[2] = {0, 1}, *places_in = file, place[2] = {mpi_rank, mpi_rank}, *places = place;
    sion_int64 size[2] = {300, 60}, *sizes = size;
    sion_int32 fsblksize = 32;

    return sion_paropen_mapped_mpi(NAME, "w,keep=2", &nfiles, MPI_COMM_WORLD, &two, &ranks, &sizes,
                                   &places_in, &places, &fsblksize, NULL);
}

static void publish_rounds(int sid, int first, int last)
{
    int round, i;

    for (round = first; round <= last; round++) {
        for (i = 2 * mpi_rank; i < 2 * mpi_rank + 2; i++) {
            CHECK_INT(sion_seek(sid, i, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
            write_round(sid, i, round, 0);
        }
        CHECK_INT(sion_parpublish_mpi(sid), 1);
    }
}

/* The threads of a rank are in two files, so that rank 0 reads all of these. */
static void threads_in_two_files_go_on(void)
{
    int writer = open_to_write();

    publish_rounds(writer, 0, 1);
    files = 2;
#pragma omp parallel num_threads(THREADS)
    {
        int task = THREADS * mpi_rank + omp_get_thread_num(), round;
        unsigned char data[ROUNDS * (LARGEST + 64)];
        size_t read = bytes_of(task, 0), left = bytes_of(task, 2) + bytes_of(task, 3), before;
        int sid = open_team("r,generation=all");
        sion_int64 number = -1, forgotten = -1;

        before = read + bytes_of(task, 1);
        EXPECT(sid >= 0 && sion_stream_read(sid, data, (sion_int64)read) == (sion_int64)read);
#pragma omp barrier
#pragma omp master
        publish_rounds(writer, 2, 3);
#pragma omp barrier
        EXPECT(sion_refresh(sid) == (sion_int64)left);
        EXPECT(sion_get_generation(sid, &number, &forgotten) == 1);
        EXPECT(number == 0 && forgotten == (sion_int64)before);
        EXPECT(sion_stream_tell(sid) == 0);
        EXPECT(sion_stream_read(sid, data, sizeof data) == (sion_int64)left);
        EXPECT(check_compare(data, task, (long)before, left) == -1);
        for (round = 0; round < 2; round++)
            EXPECT(sion_refresh(sid) == 0);
        EXPECT(close_team(sid) == 1);
    }
    CHECK_INT(sion_parclose_mapped_mpi(writer), 1);
    CHECK_INT(support_warnings, mpi_rank == 0);
    if (mpi_rank == 0)
        CHECK(strstr(support_message, "generation 2 of grow.sion was forgotten before"));
    team_done();
    support_catch();
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(one_file);
    RUN_MPI(a_file_of_each_rank);
    RUN_MPI(by_the_clock);
    RUN_MPI(threads_in_two_files_go_on);
    return mpi_end();
}

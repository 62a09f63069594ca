/*
 * Close is the safe exit from any state of collective calls, also of hybrid programs. Arguments:
 * number of threads of each rank; the last one is for all further ranks.
 */
#include "mpi_check.h"

#include "stops_omp.h"

#define NAME "s.sion"

enum { MOST = 8 };

static int threads, first_task; /* of this rank, of its thread 0 */

static int do_open(const char *mode)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 chunksize = CALLS * LARGEST;
    sion_int32 fsblksize = 512;
    int globalrank, n = 1, sid;

    sid = sion_paropen_ompi(NAME, mode, &n, MPI_COMM_WORLD, &world, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
    EXPECT(sid >= 0);
    return sid;
}

static void write_all(const char *mode)
{
    const char *reader = now.mode;
    int refuses = now.refuses;

    now.mode = mode;
    now.refuses = 0;
#pragma omp parallel num_threads(threads)
    {
        int sid = do_open(mode);

        EXPECT(move_until_failure(sid, first_task + omp_get_thread_num()) == CALLS);
        EXPECT(sion_parclose_ompi(sid) == 1);
    }
    now.mode = reader;
    now.refuses = refuses;
}

static void check_all(const int *done)
{
#pragma omp parallel num_threads(threads)
    {
        int sid = do_open("br"), thread = omp_get_thread_num();

        check_accepted(sid, first_task + thread, done[thread]);
        EXPECT(sion_parclose_ompi(sid) == 1);
    }
}

static void stop(void)
{
    int closed[MOST], done[MOST], i, is_read = now.mode[1] == 'r';

    if (is_read)
        write_all(writer_of(now.mode));
    MPI_Barrier(MPI_COMM_WORLD);
    prepare_to_arm();
#pragma omp parallel num_threads(threads)
    {
        int sid = do_open(now.mode), thread = omp_get_thread_num();

#pragma omp barrier
#pragma omp master
        arm(now.victim % mpi_size == mpi_rank || now.victim == now.tasks);
#pragma omp barrier
        done[thread] = move_until_failure(sid, first_task + thread);
        closed[thread] = sion_parclose_ompi(sid);
    }
    disarm();
    for (i = 1; i < threads; i++)
        EXPECT(closed[i] == closed[0]);
    CHECK_SAME(closed[0]);
    EXPECT(closed[0] == 1 || !now.refuses);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!is_read && !strstr(now.mode, "cmerge") && closed[0] == 1)
        check_all(done);
}

/* The test is one: on some rank, calls have failed. */
static void check_hits(void)
{
    MPI_Allreduce(MPI_IN_PLACE, &now.hits, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(now.hits > 0);
    now.hits = 0;
}

static void tasks_whose_writes_fail_close_at_once(void)
{
    try_all(writers, sizeof writers / sizeof writers[0], stop);
    check_hits();
}

static void tasks_whose_reads_fail_close_at_once(void)
{
    try_all(readers, sizeof readers / sizeof readers[0], stop);
    check_hits();
}

static int threads_of(int rank, int argc, char **argv)
{
    return atoi(argv[1 + rank < argc ? 1 + rank : argc - 1]);
}

int main(int argc, char **argv)
{
    int rank;

    mpi_begin(&argc, &argv);
    for (rank = 0; rank < mpi_size; rank++) {
        first_task += rank < mpi_rank ? threads_of(rank, argc, argv) : 0;
        now.tasks += threads_of(rank, argc, argv);
    }
    threads = threads_of(mpi_rank, argc, argv);
    RUN_MPI(tasks_whose_writes_fail_close_at_once);
    RUN_MPI(tasks_whose_reads_fail_close_at_once);
    return mpi_end();
}

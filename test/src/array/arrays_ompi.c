/* Arrays with the hybrid interface: each thread of each rank is a task. Argument: number of
 * threads. */
#include "mpi_check.h"

#include "src/parallel/team_omp.h"

#include "teams.h"

#define NAME "hybrid.sion"

static int threads;

static int open_own(int nfiles)
{
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 512;
    int globalrank = -1;
    MPI_Comm local = MPI_COMM_WORLD;

    return sion_paropen_ompi(NAME, "bw", &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                             &globalrank, NULL, NULL);
}

/* Rank 0 has one more thread. */
static int my_task(void)
{
    return mpi_rank * threads + (mpi_rank > 0) + omp_get_thread_num();
}

static void threads_of_ranks_write_and_one_reads(void)
{
    int tasks = mpi_size * threads + 1, nfiles;

    for (nfiles = 1; nfiles <= mpi_size; nfiles++) {
#pragma omp parallel num_threads(threads + (mpi_rank == 0))
        {
            int sid = open_own(nfiles);

            EXPECT(teams_put(sid, my_task(), tasks));
            EXPECT(sion_parclose_ompi(sid) == 1);
        }
        team_done();
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_INT(teams_count_wrong(NAME, tasks), 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void different_definitions_fail_on_all_tasks(void)
{
    static char reason[300], first[300];
    int tasks = mpi_size * threads + 1;

    reason[0] = '\0';
#pragma omp parallel num_threads(threads + (mpi_rank == 0))
    {
        int sid = open_own(1);

        EXPECT(teams_define_differently(sid, my_task(), tasks));
        EXPECT(sion_parclose_ompi(sid) != 1);
#pragma omp critical
        {
            EXPECT(reason[0] == '\0' || strcmp(reason, teams_reason()) == 0);
            snprintf(reason, sizeof reason, "%s", teams_reason());
        }
    }
    team_done();
    CHECK_CONTAINS(reason, "array T is defined with another type or shape");
    memcpy(first, reason, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK_STR(reason, first);
}

int main(int argc, char **argv)
{
    omp_set_dynamic(0);
    mpi_begin(&argc, &argv);
    threads = argc > 1 ? atoi(argv[1]) : 1;
    RUN_MPI(threads_of_ranks_write_and_one_reads);
    RUN_MPI(different_definitions_fail_on_all_tasks);
    return mpi_end();
}

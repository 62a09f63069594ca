/* Maps of containers that teams of threads write, in one process or in each of an MPI program. */
#ifdef WITH_MPI
#include "mpi_check.h"
#else
#include "sion.h"

#include "support.h"
#endif

#include <omp.h>

#include "scr_check.h"

enum { RECORDS = 5, RECORD = 300 };

static int open_container(void)
{
    sion_int64 chunksize = 700;
    sion_int32 fsblksize = 16;
    int rank = -1;

#ifdef WITH_MPI
    MPI_Comm world = MPI_COMM_WORLD;
    int nfiles = 1;

    return sion_paropen_ompi("data/c.sion", "bw", &nfiles, MPI_COMM_WORLD, &world, &chunksize,
                             &fsblksize, &rank, NULL, NULL);
#else
    return sion_paropen_omp("data/c.sion", "bw", &chunksize, &fsblksize, &rank, NULL, NULL);
#endif
}

static int close_container(int sid)
{
#ifdef WITH_MPI
    return sion_parclose_ompi(sid);
#else
    return sion_parclose_omp(sid);
#endif
}

/* All tasks write; the number of records depends on the rank. Returns the failures of all threads.
 * */
static int write_container(int first, int nthreads, const struct sion_scr_export_options *options)
{
    int wrong = 0;

#pragma omp parallel num_threads(nthreads) reduction(+ : wrong)
    {
        int task = first + omp_get_thread_num(), sid = open_container(), i;
        unsigned char data[RECORD];

        wrong += sid < 0 || code_of(sion_scr_attach(sid, options)) != 0;
        for (i = 0; i < task % RECORDS; i++) {
            check_fill(data, task, i * RECORD, RECORD);
            wrong += sion_fwrite(data, 1, RECORD, sid) != RECORD;
        }
        wrong += close_container(sid) != 1;
    }
    return wrong;
}

static int check_files(int ntasks)
{
    int wrong = 0, t;

    for (t = 0; t < ntasks; t++) {
        char path[64];
        size_t size = 0;
        unsigned char *bytes;

        snprintf(path, sizeof path, "out/c.sion.task.%d", t);
        bytes = support_load(path, &size);
        wrong += !bytes || size != (size_t)(t % RECORDS) * RECORD ||
                 check_compare(bytes, t, 0, size) != -1;
        free(bytes);
    }
    return wrong;
}

/* On one process: the map is right, and all files exist. */
static void check_map(int ntasks)
{
    sion_scr_comm *self = sion_scr_comm_self();

    CHECK_INT(code_of(sion_scr_check("data", NULL)), 0);
    CHECK_INT(code_of(sion_scr_fetch(self, "data", "out", NULL)), 0);
    CHECK_INT(check_files(ntasks), 0);
    sion_scr_comm_free(self);
    remove_folder("out");
    remove_folder("data");
}

#ifdef WITH_MPI
static void maps_of_hybrid_programs(void)
{
    struct sion_scr_map_options map = {.size = sizeof map};
    const struct sion_scr_export_options options = {.size = sizeof options, .map = &map};
    int nthreads = 1 + mpi_rank % 3, first = 0, ntasks, round;

    MPI_Exscan(&nthreads, &first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    first = mpi_rank == 0 ? 0 : first;
    MPI_Allreduce(&nthreads, &ntasks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (round = 0; round < 2; round++) {
        if (mpi_rank == 0)
            mkdir("data", 0777);
        MPI_Barrier(MPI_COMM_WORLD);
        map.segment = round * 150;
        CHECK_INT(write_container(first, nthreads, &options), 0);
        if (mpi_rank == 0)
            check_map(ntasks);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(maps_of_hybrid_programs);
    return mpi_end();
}
#else
static void maps_of_teams(void)
{
    struct sion_scr_map_options map = {.size = sizeof map};
    const struct sion_scr_export_options options = {.size = sizeof options, .map = &map};
    int nthreads;

    for (nthreads = 1; nthreads <= 8; nthreads++) {
        mkdir("data", 0777);
        map.segment = nthreads * 60;
        CHECK_INT(write_container(0, nthreads, &options), 0);
        check_map(nthreads);
    }
}

int main(void)
{
    support_enter_folder();
    RUN(maps_of_teams);
    support_leave_folder();
    return check_done();
}
#endif

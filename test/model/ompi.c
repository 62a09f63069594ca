/* Compares containers of hybrid programs with the model. Teams of processes have different sizes.
 * */
#include "mpi_opens.h"

#include <omp.h>

static int first_task; /* of this process */

static const struct model_flavour shared;

static MPI_Comm local;

static int open_in_team(struct model_worker *worker, int writing, const char *words)
{
    const struct model_task *task = &model.task[worker->tasks[0]];
    int nfiles = model.split == MODEL_RUNS ? model.nfiles : -1, number = -1, sid;
    sion_int64 chunk = task->wanted;
    sion_int32 fsblksize = model.fsblksize;
    char mode[120];

    snprintf(mode, sizeof mode, "b%c%s", writing ? 'w' : 'r', words);
    sid = sion_paropen_ompi(model.name, mode, &nfiles, MPI_COMM_WORLD, &local, &chunk, &fsblksize,
                            &number, NULL, NULL);
    EXPECT_INT(number, task->rank);
    EXPECT_INT(fsblksize, model.fsblksize);
    EXPECT_INT(nfiles, model.nfiles);
    EXPECT_TRUE(writing || model_work.merged || chunk == task->chunk);
    return sid;
}

static int open_shared(struct model_worker *worker, int writing, const char *words)
{
    int ntasks = -1, *ranks = NULL, sid;

    (void)writing, (void)words;
    sid = sion_paropen_shared_ompi(model.name, "br", MPI_COMM_WORLD, model_share_by(), &ntasks,
                                   &ranks);
    if (sid >= 0)
        model_take_share(worker, model.ntasks, ntasks, ranks);
    return sid;
}

static void run_teams(const struct model_flavour *flavour, void (*work)(struct model_worker *))
{
    int i;

    for (first_task = 0, i = 0; i < mpi_rank; i++)
        first_task += model.sizes[i];
    local = model_local(first_task);
#pragma omp parallel num_threads(model.sizes[mpi_rank])
    {
        struct model_worker worker;

        model_begin_worker(&worker, first_task + omp_get_thread_num(), NULL);
        model_give_task(&worker, first_task + omp_get_thread_num());
        work(&worker);
    }
    MPI_Comm_free(&local);
    if (flavour != &shared)
        return;
    MPI_Allreduce(MPI_IN_PLACE, model_shared, model.ntasks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    model_check_shares();
}

static const struct model_flavour teams = {"sion_paropen_ompi", 0,        0, 0, open_in_team,
                                           sion_parclose_ompi,  run_teams};
/* There are as many threads as tasks; ranks and threads are counted in the same order. */
static const struct model_flavour shared = {"sion_paropen_shared_ompi", 0,        1, 0, open_shared,
                                            sion_parclose_ompi,         run_teams};
static const struct model_flavour *const readers[] = {&model_serially, &model_rank_by_rank,
                                                      &model_mapped_by_mpi, &teams, &shared};

static void choose_teams(void)
{
    for (model.units = 0; model.units < mpi_size; model.units++)
        model.sizes[model.units] = 1 + (int)check_below(4);
}

static void one_case(void)
{
    choose_teams();
    model.split = check_below(2) ? MODEL_RUNS : MODEL_GROUPS;
    model.nfiles = model_number_of_files(1);
    model.keyval = check_below(4) == 0;
    model.posix = check_below(4) == 0;
    model.collective = check_below(2) == 0;
    model.collsize = (int)check_below(5);
    model.merge = model.collective && !model.keyval && check_below(3) == 0;
    model_generate();
    model_try(&teams, readers, 5);
}

/* A set of another program: the data of a process's threads are in different files. */
static void one_mapped_case(void)
{
    int team_sizes[MODEL_TASKS], n = 0, i;

    choose_teams();
    memcpy(team_sizes, model.sizes, sizeof team_sizes);
    for (i = 0; i < mpi_size; i++)
        n += model.sizes[i];
    model_ones(n);
    model.split = MODEL_ANY;
    model.mapped = 1;
    model.workers = mpi_size;
    model.nfiles = model_number_of_files(1);
    model_generate();
    memcpy(model.sizes, team_sizes, sizeof team_sizes);
    model_try(&model_mapped_by_mpi, readers, 5);
}

static void every_thread_has_its_stream_at_the_places_of_the_format(void)
{
    model_run_cases(mpi_size < 3 ? 15 : 6, one_case, &teams);
}

static void threads_find_their_streams_in_any_files(void)
{
    model_run_cases(mpi_size < 3 ? 15 : 6, one_mapped_case, &model_mapped_by_mpi);
}

int main(int argc, char **argv)
{
    model_begin_mpi(&argc, &argv);
    check_seed(1732);
    RUN_MPI(every_thread_has_its_stream_at_the_places_of_the_format);
    RUN_MPI(threads_find_their_streams_in_any_files);
    return mpi_end();
}

/* The opens of MPI programs as flavours of the model: one task per rank, or any tasks with a map.
 * */
#ifndef TEST_MODEL_MPI_OPENS_H
#define TEST_MODEL_MPI_OPENS_H

#include "mpi_check.h"

#include "mapped.h"
#include "shared.h"
#include "serial.h"

static inline int model_mpi_agree(int failures)
{
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return failures;
}

/* Only rank 0 looks at files and opens containers serially. */
static inline void model_begin_mpi(int *argc, char ***argv)
{
    mpi_begin(argc, argv);
    model_is_root = mpi_rank == 0;
    model_agree = model_mpi_agree;
}

/* The communicator of a file's ranks, in the order of their first tasks' places. */
static inline MPI_Comm model_local(int task)
{
    MPI_Comm local;

    MPI_Comm_split(MPI_COMM_WORLD, model.task[task].group, model.task[task].group_place, &local);
    return local;
}

static inline int model_mpi_open(struct model_worker *worker, int writing, const char *words)
{
    const struct model_task *task = &model.task[worker->tasks[0]];
    int nfiles = model.split == MODEL_RUNS ? model.nfiles : -1, rank = -1, sid;
    MPI_Comm local = model_local(task->rank);
    sion_int64 chunk = task->wanted;
    sion_int32 fsblksize = model.fsblksize;
    char mode[120], *name = NULL, expected[100];

    snprintf(mode, sizeof mode, "b%c%s", writing ? 'w' : 'r', words);
    sid = sion_paropen_mpi(model.name, mode, &nfiles, MPI_COMM_WORLD, &local, &chunk, &fsblksize,
                           &rank, NULL, &name);
    MPI_Comm_free(&local);
    if (sid < 0)
        return sid;
    model_file_name(expected, sizeof expected, task->file, -1);
    EXPECT_TRUE(model_work.flavour->buddies || strcmp(name, expected) == 0);
    EXPECT_TRUE(writing || model_work.flavour->buddies || model_work.merged ||
                chunk == task->chunk);
    EXPECT_INT(fsblksize, model.fsblksize);
    EXPECT_INT(nfiles, model.nfiles);
    EXPECT_INT(rank, task->rank);
    free(name);
    return sid;
}

static inline int model_mpi_open_mapped(struct model_worker *worker, int writing, const char *words)
{
    struct model_lists lists;
    sion_int32 fsblksize = model.fsblksize;
    int nfiles = model.nfiles, sid;
    char mode[120], name[100];

    snprintf(name, sizeof name, "%s", model.name);
    snprintf(mode, sizeof mode, "b%c%s", writing ? 'w' : 'r', words);
    model_fill_lists(worker, writing, &lists);
    sid = sion_paropen_mapped_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &worker->n, &lists.pranks,
                                  &lists.pchunks, &lists.pfiles, &lists.pplaces, &fsblksize, NULL);
    EXPECT_INT(fsblksize, model.fsblksize);
    EXPECT_INT(nfiles, model.nfiles);
    if (sid >= 0 && !writing)
        model_check_lists(worker, &lists);
    return sid;
}

static inline int model_mpi_open_shared(struct model_worker *worker, int writing, const char *words)
{
    int ntasks = -1, *ranks = NULL, sid;

    (void)writing, (void)words;
    sid = sion_paropen_shared_mpi(model.name, "br", MPI_COMM_WORLD, model_share_by(), &ntasks,
                                  &ranks);
    if (sid >= 0)
        model_take_share(worker, mpi_size, ntasks, ranks);
    MPI_Allreduce(MPI_IN_PLACE, model_shared, model.ntasks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    model_check_shares();
    return sid;
}

static inline void model_mpi_run(const struct model_flavour *flavour,
                                 void (*work)(struct model_worker *))
{
    struct model_worker worker;

    model_begin_worker(&worker, mpi_rank, NULL);
    if (flavour->mapped)
        model_give_tasks(&worker);
    else
        model_give_task(&worker, mpi_rank);
    work(&worker);
}

static const struct model_flavour model_by_mpi = {
    "sion_paropen_mpi", 0, 0, 0, model_mpi_open, sion_parclose_mpi, model_mpi_run};
static const struct model_flavour model_by_mpi_buddies = {
    "sion_paropen_mpi", 0, 0, 1, model_mpi_open, sion_parclose_mpi, model_mpi_run};
static const struct model_flavour model_mapped_by_mpi = {"sion_paropen_mapped_mpi",
                                                         0,
                                                         1,
                                                         0,
                                                         model_mpi_open_mapped,
                                                         sion_parclose_mapped_mpi,
                                                         model_mpi_run};
static const struct model_flavour model_shared_by_mpi = {
    "sion_paropen_shared_mpi", 0, 1, 0, model_mpi_open_shared, sion_parclose_mpi, model_mpi_run};

#endif

/*
 * Compares containers that the callbacks of an application open with the model: any task may be at
 * any place in any file. Tasks are threads.
 */
#include "mapped.h"
#include "shared.h"
#include "serial.h"

#include "src/parallel/transfer.h"

static int aid;

static const struct model_flavour normal, mapped, buddies, shared;

static int tasks_of_file(int group)
{
    int n = 0, t;

    for (t = 0; t < model.ntasks; t++)
        n += model.task[t].group == group;
    return n;
}

static int open_normal(struct model_worker *worker, int writing, const char *words)
{
    const struct model_task *task = &model.task[worker->tasks[0]];
    struct scion_comm *comm = worker->group;
    int file = task->group, nfiles = model.nfiles, place = task->group_place;
    int tasks = tasks_of_file(file), sid;
    sion_int64 chunk = task->wanted;
    sion_int32 fsblksize = model.fsblksize;
    char mode[120];

    snprintf(mode, sizeof mode, "b%c%s", writing ? 'w' : 'r', words);
    sid = sion_generic_paropen(aid, model.name, mode, &chunk, &fsblksize, comm, comm->rank,
                               comm->size, &file, &nfiles, &place, &tasks, NULL, NULL);
    EXPECT_TRUE(writing || model_work.flavour->buddies || model_work.merged ||
                chunk == task->chunk);
    EXPECT_INT(fsblksize, model.fsblksize);
    EXPECT_INT(nfiles, model.nfiles);
    EXPECT_TRUE(model_work.flavour->buddies || file == task->file);
    return sid;
}

static int open_mapped(struct model_worker *worker, int writing, const char *words)
{
    struct scion_comm *comm = worker->group;
    struct model_lists lists;
    sion_int32 fsblksize = model.fsblksize;
    int nfiles = model.nfiles, sid;
    char mode[120], name[100];

    snprintf(name, sizeof name, "%s", model.name);
    snprintf(mode, sizeof mode, "b%c%s", writing ? 'w' : 'r', words);
    model_fill_lists(worker, writing, &lists);
    sid = sion_generic_paropen_mapped(aid, name, mode, &nfiles, comm, comm->rank, comm->size,
                                      &worker->n, &lists.pranks, &lists.pchunks, &lists.pfiles,
                                      &lists.pplaces, &fsblksize, NULL);
    EXPECT_INT(fsblksize, model.fsblksize);
    EXPECT_INT(nfiles, model.nfiles);
    if (sid >= 0 && !writing)
        model_check_lists(worker, &lists);
    return sid;
}

static int open_shared(struct model_worker *worker, int writing, const char *words)
{
    struct scion_comm *comm = worker->group;
    int ntasks = -1, *ranks = NULL, sid;

    (void)writing, (void)words;
    sid = sion_generic_paropen_shared(aid, model.name, "br", comm, comm->rank, comm->size,
                                      model_share_by(), &ntasks, &ranks);
    if (sid >= 0)
        model_take_share(worker, comm->size, ntasks, ranks);
    return sid;
}

/* ---- threads ---- */

static void (*work_of_threads)(struct model_worker *);

static void *begin_thread(void *argument)
{
    struct scion_comm *comm = argument;
    struct model_worker worker;

    model_begin_worker(&worker, comm->rank, comm);
    if (model_work.flavour->mapped)
        model_give_tasks(&worker);
    else
        model_give_task(&worker, comm->rank);
    work_of_threads(&worker);
    comm->ops->free(comm);
    return NULL;
}

static void run_threads(const struct model_flavour *flavour, void (*work)(struct model_worker *))
{
    int n = !flavour->mapped     ? model.ntasks
            : model_work.writing ? model.workers
                                 : 1 + (int)check_below(5);

    work_of_threads = work;
    generic_run_threads(n, begin_thread);
    if (flavour == &shared)
        model_check_shares();
    model_failures += wrong;
    wrong = 0;
}

static const struct model_flavour normal = {"sion_generic_paropen", 0,          0, 0, open_normal,
                                            sion_generic_parclose,  run_threads};
static const struct model_flavour mapped = {
    "sion_generic_paropen_mapped", 0, 1, 0, open_mapped, sion_generic_parclose_mapped, run_threads};
static const struct model_flavour buddies = {"sion_generic_paropen", 0,          0, 1, open_normal,
                                             sion_generic_parclose,  run_threads};
static const struct model_flavour shared = {
    "sion_generic_paropen_shared", 0, 1, 0, open_shared, sion_generic_parclose, run_threads};
static const struct model_flavour *const readers[] = {
    &model_serially, &model_rank_by_rank, &normal, &mapped, &shared, &buddies};

/* ---- cases ---- */

static void one_case(void)
{
    model_ones(1 + (int)check_below(8));
    model.split = MODEL_ANY;
    model.nfiles = model_number_of_files(1);
    model.keyval = check_below(4) == 0;
    model.posix = check_below(4) == 0;
    model.collective = check_below(2) == 0;
    model.collsize = (int)check_below(5);
    model.merge = model.collective && !model.keyval && check_below(3) == 0;
    model.by_count = model.collective && check_below(4) == 0;
    model_generate();
    model_try(&normal, readers, 5);
}

static void one_mapped_case(void)
{
    model_ones(1 + (int)check_below(12));
    model.split = MODEL_ANY;
    model.mapped = 1;
    model.workers = 1 + (int)check_below(5);
    model.nfiles = model_number_of_files(1);
    model.keyval = check_below(3) == 0;
    model.posix = check_below(4) == 0;
    model_generate();
    model_try(&mapped, readers, 5);
}

static void one_buddy_case(void)
{
    model_ones(2 + (int)check_below(7));
    model.split = MODEL_ANY;
    model.nfiles = model_number_of_files(2);
    model.copies = 1 + (int)check_below((size_t)model.nfiles - 1);
    model.collective = check_below(2) == 0;
    model.collsize = (int)check_below(5);
    model_generate();
    model_try(&normal, readers, 3);
    model_lose_nodes();
    model_try_reading(readers + 5, 1);
}

static void one_serial_case(void)
{
    model_ones(1 + (int)check_below(8));
    model.serial = 1;
    model.nfiles = 1;
    model.keyval = check_below(3) == 0;
    model_generate();
    model_try(&model_serially, readers + 2, 3);
}

static void any_task_is_at_any_place_in_any_file(void)
{
    model_run_cases(40, one_case, &normal);
}

static void mapped_tasks_are_at_the_places_in_the_map(void)
{
    model_run_cases(40, one_mapped_case, &mapped);
}

static void copies_replace_lost_files(void)
{
    model_run_cases(40, one_buddy_case, &normal);
}

static void any_tasks_read_serial_containers(void)
{
    model_run_cases(40, one_serial_case, &model_serially);
}

int main(void)
{
    support_enter_folder();
    check_seed(815);
    app.fails = app.fails_scattering = app.none = -1;
    app.who_can = 1;
    aid = make_api(2);
    RUN(any_task_is_at_any_place_in_any_file);
    RUN(mapped_tasks_are_at_the_places_in_the_map);
    RUN(copies_replace_lost_files);
    RUN(any_tasks_read_serial_containers);
    support_leave_folder();
    return check_done();
}

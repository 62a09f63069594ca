/* Compares containers of teams of threads with the model. */
#include <omp.h>

#include "serial.h"
#include "shared.h"

static const struct model_flavour team;

static int open_in_team(struct model_worker *worker, int writing, const char *words)
{
    const struct model_task *task = &model.task[worker->tasks[0]];
    sion_int64 chunk = task->wanted;
    sion_int32 fsblksize = model.fsblksize;
    int number = -1, sid;
    char mode[120];

    snprintf(mode, sizeof mode, "b%c%s", writing ? 'w' : 'r', words);
    sid = sion_paropen_omp(model.name, mode, &chunk, &fsblksize, &number, NULL, NULL);
    EXPECT_INT(number, task->rank);
    EXPECT_INT(fsblksize, model.fsblksize);
    EXPECT_TRUE(writing || model_work.merged || chunk == task->chunk);
    return sid;
}

static int open_shared(struct model_worker *worker, int writing, const char *words)
{
    int ntasks = -1, *ranks = NULL, sid;

    (void)writing, (void)words;
    sid = sion_paropen_shared_omp(model.name, "br", model_share_by(), &ntasks, &ranks);
    if (sid >= 0)
        model_take_share(worker, omp_get_num_threads(), ntasks, ranks);
    return sid;
}

/* Run with any number of threads. */
static void run_shared(const struct model_flavour *flavour, void (*work)(struct model_worker *))
{
    int n = 1 + (int)check_below(5);

    (void)flavour;
#pragma omp parallel num_threads(n)
    {
        struct model_worker worker;

        model_begin_worker(&worker, omp_get_thread_num(), NULL);
        work(&worker);
    }
    model_check_shares();
}

static void run_team(const struct model_flavour *flavour, void (*work)(struct model_worker *))
{
    (void)flavour;
#pragma omp parallel num_threads(model.ntasks)
    {
        struct model_worker worker;

        model_begin_worker(&worker, omp_get_thread_num(), NULL);
        model_give_task(&worker, omp_get_thread_num());
        work(&worker);
    }
}

static const struct model_flavour team = {"sion_paropen_omp", 0,       0, 0, open_in_team,
                                          sion_parclose_omp,  run_team};
static const struct model_flavour shared = {"sion_paropen_shared_omp", 0,         1, 0, open_shared,
                                            sion_parclose_omp,         run_shared};
static const struct model_flavour *const readers[] = {&model_serially, &model_rank_by_rank, &team,
                                                      &shared};

static void one_case(void)
{
    model.units = 1;
    model.sizes[0] = 1 + (int)check_below(6);
    model.nfiles = 1;
    model.keyval = check_below(4) == 0;
    model.posix = check_below(4) == 0;
    model.collective = check_below(2) == 0;
    model.collsize = (int)check_below(5);
    model.merge = model.collective && !model.keyval && check_below(3) == 0;
    model_generate();
    model_try(&team, readers, 4);
}

static void one_serial_case(void)
{
    model_ones(1 + (int)check_below(6));
    model.serial = 1;
    model.nfiles = 1;
    model_generate();
    model_try(&model_serially, readers + 2, 2);
}

static void every_thread_has_its_stream_at_the_places_of_the_format(void)
{
    model_run_cases(40, one_case, &team);
}

static void a_team_reads_serial_containers(void)
{
    model_run_cases(40, one_serial_case, &model_serially);
}

int main(void)
{
    support_enter_folder();
    check_seed(1414);
    RUN(every_thread_has_its_stream_at_the_places_of_the_format);
    RUN(a_team_reads_serial_containers);
    support_leave_folder();
    return check_done();
}

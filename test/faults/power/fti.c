/* Power failures of FTI-FF checkpoints: the older one or the new one is there, and recovered. */
#include "src/parallel/callbacks.h"
#include "src/comm/thread_tasks.h"

#include "codes.h"
#include "sion_ftiff.h"

#include "replay.h"

enum { CLOSED = MOST_TOLD - 1, BYTES = 700 };

static char state[3][BYTES];

static sion_ftiff *open_state(void)
{
    sion_ftiff *handle = sion_ftiff_open("state.fti");
    int i;

    CHECK_INT(code_of(sion_ftiff_set_version(handle, scenario->number)), 0);
    CHECK_INT(
        code_of(sion_ftiff_set_incremental(handle, strstr(scenario->name, "incremental") != NULL)),
        0);
    for (i = 0; i < 3; i++)
        CHECK_INT(code_of(sion_ftiff_protect(handle, i, state[i], sizeof state[i])), 0);
    return handle;
}

static sion_ftiff *handle;

/* The last array does not change. */
static void checkpoint(int value)
{
    memset(state, value, sizeof state);
    memset(state[2], 9, sizeof state[2]);
    CHECK_INT(code_of(sion_ftiff_checkpoint(handle, value)), 0);
}

static void prepare_first(void)
{
    handle = open_state();
    checkpoint(1);
}

static void run_second(void)
{
    checkpoint(2);
    disk_tell(CLOSED, 1);
    sion_ftiff_close(handle);
}

static int recover(void)
{
    sion_ftiff *other = open_state();
    int i, rc, value;

    memset(state, 0, sizeof state);
    rc = code_of(sion_ftiff_recover(other));
    sion_ftiff_close(other);
    value = state[0][0];
    for (i = 0; i < BYTES && rc == 0; i++)
        rc = state[0][i] != value || state[1][i] != value || state[2][i] != 9;
    return rc == 0 ? value : 0;
}

static const char *judge_checkpoint(const int *told)
{
    int value = recover();

    if (told[CLOSED] > 0 && value != 2)
        return "the new checkpoint is lost";
    return value == 1 || value == 2 ? NULL : "neither the old nor the new checkpoint";
}

/* ---- one container of all tasks ---- */

enum { TASKS = 3 };

static int aid;

static struct {
    int value; /* of the checkpoint */
    int failed[TASKS], found[TASKS];
} shared;

static char states[TASKS][BYTES];

static sion_ftiff *open_shared(struct scion_comm *comm)
{
    sion_ftiff *of_task = sion_ftiff_open_generic("state.sion", aid, comm, comm->rank, comm->size);

    shared.failed[comm->rank] |= code_of(sion_ftiff_set_version(of_task, scenario->number)) != 0 ||
                                 code_of(sion_ftiff_protect(of_task, 0, states[comm->rank],
                                                            (sion_int64)(BYTES - comm->rank))) != 0;
    return of_task;
}

static void checkpoint_task(struct scion_comm *comm, void *unused)
{
    sion_ftiff *of_task = open_shared(comm);

    (void)unused;
    memset(states[comm->rank], shared.value + 10 * comm->rank, BYTES);
    shared.failed[comm->rank] |= code_of(sion_ftiff_checkpoint(of_task, shared.value)) != 0;
    sion_ftiff_close(of_task);
}

static void write_shared(int value)
{
    int task;

    shared.value = value;
    run_tasks(TASKS, checkpoint_task, NULL);
    for (task = 0; task < TASKS; task++)
        CHECK_INT(shared.failed[task], 0);
}

static void prepare_shared(void)
{
    write_shared(1);
}

static void run_shared(void)
{
    write_shared(2);
    disk_tell(CLOSED, 1);
}

/* found: number of the checkpoint. */
static void recover_task(struct scion_comm *comm, void *unused)
{
    sion_ftiff *of_task = open_shared(comm);
    char *of = states[comm->rank];
    int rc, i;

    (void)unused;
    memset(of, 0, BYTES);
    rc = code_of(sion_ftiff_recover(of_task));
    for (i = 1; i < BYTES - comm->rank; i++)
        rc |= of[i] != of[0];
    shared.found[comm->rank] = rc == 0 ? of[0] - 10 * comm->rank : 0;
    sion_ftiff_close(of_task);
}

static const char *judge_shared(const int *told)
{
    int task, value;

    run_tasks(TASKS, recover_task, NULL);
    value = shared.found[0];
    for (task = 1; task < TASKS; task++) {
        if (shared.found[task] != value)
            return "tasks recover different checkpoints";
    }
    if (told[CLOSED] > 0 && value != 2)
        return "the new checkpoint is lost";
    return value == 1 || value == 2 ? NULL : "neither the old nor the new checkpoint";
}

#define COUNT(table) (int)(sizeof table / sizeof *table)

static const struct scenario scenarios[] = {
    {"FTI-FF, version 1", prepare_first, run_second, judge_checkpoint, NULL, 1, 0, 0, 0},
    {"FTI-FF, version 6", prepare_first, run_second, judge_checkpoint, NULL, 6, 0, 0, 0},
    {"FTI-FF, incremental", prepare_first, run_second, judge_checkpoint, NULL, 6, 0, 0, 0},
    {"FTI-FF, a container", prepare_shared, run_shared, judge_shared, NULL, 6, 0, 0, 1},
};

int main(int argc, char **argv)
{
    int rc;

    aid = generic_make_api();
    rc = replay_main(scenarios, COUNT(scenarios), argc, argv);
    sion_generic_free_api(aid);
    return rc;
}

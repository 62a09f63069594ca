/* Power failures of FTI-FF checkpoints: the older one or the new one is there, and recovered. */
#include "sion_ftiff.h"

#include "replay.h"

enum { CLOSED = MOST_TOLD - 1, BYTES = 700 };

static char state[3][BYTES];

static sion_ftiff *open_state(void)
{
    sion_ftiff *handle = sion_ftiff_open("state.fti");
    int i;

    CHECK_INT(sion_ftiff_set_version(handle, scenario->number), 0);
    CHECK_INT(sion_ftiff_set_incremental(handle, strstr(scenario->name, "incremental") != NULL), 0);
    for (i = 0; i < 3; i++)
        CHECK_INT(sion_ftiff_protect(handle, i, state[i], sizeof state[i]), 0);
    return handle;
}

static sion_ftiff *handle;

/* The last array does not change. */
static void checkpoint(int value)
{
    memset(state, value, sizeof state);
    memset(state[2], 9, sizeof state[2]);
    CHECK_INT(sion_ftiff_checkpoint(handle, value), 0);
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
    rc = sion_ftiff_recover(other);
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

#define COUNT(table) (int)(sizeof table / sizeof *table)

static const struct scenario scenarios[] = {
    {"FTI-FF, version 1", prepare_first, run_second, judge_checkpoint, NULL, 1, 0, 0, 0},
    {"FTI-FF, version 6", prepare_first, run_second, judge_checkpoint, NULL, 6, 0, 0, 0},
    {"FTI-FF, incremental", prepare_first, run_second, judge_checkpoint, NULL, 6, 0, 0, 0},
};

int main(int argc, char **argv)
{
    return replay_main(scenarios, COUNT(scenarios), argc, argv);
}

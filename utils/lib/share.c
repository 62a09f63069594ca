#include "lib/share.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include "lib/tool.h"

/* Names of variables with the rank and the number of processes: NULL where that is not told. */
static const struct {
    const char *rank, *size;
} launchers[] = {
    {"PMI_RANK", "PMI_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
    {"MPI_LOCALRANKID", NULL},
};

enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

const char *share_variable_of_launcher(void)
{
    size_t i;

    for (i = 0; i < LAUNCHERS; i++) {
        if (secure_getenv(launchers[i].rank))
            return launchers[i].rank;
    }
    return NULL;
}

const char *share_rank_of_launcher(void)
{
    const char *name = share_variable_of_launcher();

    return name ? secure_getenv(name) : NULL;
}

static int read_number(const char *name, int *number)
{
    const char *text = name ? secure_getenv(name) : NULL;
    char *end;
    long value;

    if (!text)
        return 0;
    errno = 0;
    value = strtol(text, &end, 10);
    *number = (int)value;
    return end != text && !*end && errno == 0 && value >= 0 && value <= INT_MAX;
}

struct share share_find(void)
{
    struct share share;
    size_t i;

    for (i = 0; i < LAUNCHERS && !tool_is_alone(); i++) {
        if (read_number(launchers[i].rank, &share.rank) &&
            read_number(launchers[i].size, &share.size) && share.rank < share.size)
            return share;
    }
    return (struct share){0, 1};
}

int share_is_first(void)
{
    const char *rank = share_rank_of_launcher();

    return !rank || atoi(rank) == 0;
}

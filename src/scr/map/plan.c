#include "scr/map/plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

void scion_map_plan_free(struct scion_map_plan *plan)
{
    int i;

    for (i = 0; i < plan->nlevels; i++) {
        free(plan->level[i].first);
        free(plan->level[i].starter);
    }
    free(plan->level);
    *plan = (struct scion_map_plan){0};
}

/* Runs of entries by their sizes, of at least `least` entries each. Fills first. */
static void make_runs(const sion_int64 *sizes, int n, sion_int64 segment, int least,
                      struct scion_map_level *level)
{
    sion_int64 offset = 0;
    int i;

    level->ngroups = 0;
    for (i = 0; i < n; i++) {
        sion_int64 end = offset + sizes[i];
        int crosses = sizes[i] > 0 && offset / segment != (end - 1) / segment;

        if (i == 0 || (crosses && i - level->first[level->ngroups - 1] >= least))
            level->first[level->ngroups++] = i;
        offset = end;
    }
    level->first[level->ngroups] = n;
}

static int new_level(struct scion_map_plan *plan, int n, struct scion_map_level **level)
{
    if (plan->nlevels == SCION_MAP_LEVELS)
        return scion_fail(SION_ERR_ARGUMENT, "the tree has too many levels");
    *level = &plan->level[plan->nlevels++];
    (*level)->first = scion_array((size_t)n + 1, sizeof *(*level)->first);
    (*level)->starter = scion_array((size_t)n, sizeof *(*level)->starter);
    return (*level)->first && (*level)->starter ? 0 : scion_fail_memory("plan of a map");
}

/* Bytes of an entry { FILE = name, OFFSET = 0 } with a name of this length. */
static sion_int64 entry_size(int length)
{
    enum { COUNT = 4 };

    return COUNT + (int)sizeof "FILE" + COUNT + length + 1 + COUNT + (int)sizeof "OFFSET" + COUNT +
           (int)sizeof "0" + COUNT;
}

/* One level above the last one. */
static int add_level(const struct sion_scr_place *place, const sion_int64 *ranks,
                     sion_int64 segment, struct scion_map_plan *plan, sion_int64 *sizes)
{
    int below = plan->nlevels - 1, n = plan->level[below].ngroups, i;
    const int *writers = plan->level[below].starter;
    struct scion_map_level *level;
    char name[SCION_NODE_NAME];
    int rc = new_level(plan, n, &level);

    if (rc != 0)
        return rc;
    for (i = 0; i < n; i++) {
        const struct scion_node node = {below, ranks[writers[i]], 0};

        sizes[i] = entry_size(scion_layout_entry(place, &node, name));
    }
    make_runs(sizes, n, segment, 1, level);
    if (level->ngroups == n && n > 1)
        make_runs(sizes, n, segment, 2, level);
    for (i = 0; i < level->ngroups; i++)
        level->starter[i] = writers[level->first[i]];
    return 0;
}

int scion_map_plan(const struct sion_scr_place *place, const sion_int64 *ranks,
                   const sion_int64 *sizes, int n, sion_int64 segment, struct scion_map_plan *plan)
{
    sion_int64 *upper = scion_array((size_t)n, sizeof *upper);
    struct scion_map_level *level;
    int rc, i;

    *plan = (struct scion_map_plan){.level = calloc(SCION_MAP_LEVELS, sizeof *plan->level)};
    rc = upper && plan->level ? new_level(plan, n, &level) : scion_fail_memory("plan of a map");
    if (rc == 0) {
        make_runs(sizes, n, segment, 1, level);
        for (i = 0; i < level->ngroups; i++)
            level->starter[i] = level->first[i];
        do
            rc = add_level(place, ranks, segment, plan, upper);
        while (rc == 0 && plan->level[plan->nlevels - 1].ngroups > 1);
    }
    free(upper);
    if (rc != 0)
        scion_map_plan_free(plan);
    return rc;
}

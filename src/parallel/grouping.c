/* On a file's first task: whether it is read or written collectively, and by which groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "parallel/private.h"

sion_int64 scion_node_number(void)
{
    char name[256] = "";
    uint64_t hash = 0;
    size_t i;

    if (gethostname(name, sizeof name - 1) != 0)
        return 0;
    for (i = 0; name[i]; i++)
        hash = hash * 1099511628211u + (unsigned char)name[i];
    return (sion_int64)hash;
}

/* What is asked for, the environment first: 0 is automatic, -1 not collective. */
static int wanted_size(const struct scion_mode *mode, int ntasks)
{
    long long number;

    if (scion_env_number("COLLSIZE", &number)) {
        if (number <= 0)
            return number < 0 ? 0 : -1;
        return number < ntasks ? (int)number : ntasks;
    }
    if (scion_env_number("COLLNUM", &number) && number >= 0) {
        if (number == 0)
            return -1;
        return number < ntasks ? (int)((ntasks + number - 1) / number) : 1;
    }
    if (mode->collsize > 0 && (mode->collective || mode->node_aware || mode->buddies > 0))
        return mode->collsize;
    return mode->collective || mode->node_aware ? 0 : -1;
}

int scion_collective_size(const struct scion_mode *mode, int ntasks)
{
    int size = wanted_size(mode, ntasks);

    if (mode->buddies == 0 || size > 0 || (size == 0 && (mode->collective || mode->node_aware)))
        return size;
    return ntasks;
}

static int fall_back(const char *why)
{
    scion_warn("%s, falling back to individual mode ...", why);
    return 0;
}

/* A group begins with its collector, so the first task of the file must be able to collect. */
static int check_capabilities(const struct scion_request *requests, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        if (requests[i].capability == SCION_WORKS_ALONE)
            return fall_back("requested coalescing I/O but API does not support this mode");
    }
    if (requests[0].capability != SCION_COLLECTS)
        return fall_back("the first task of a file cannot collect the data of others");
    return 1;
}

/* One allocation: the numbers of the tasks lie behind the struct. */
static struct scion_grouping *make_grouping(const struct scion_request *requests, int n)
{
    struct scion_grouping *new = malloc(sizeof *new + (size_t)n *(sizeof(sion_int64) + 1));
    sion_int64 *nodes = (sion_int64 *)(new + 1);
    unsigned char *only_sends = (unsigned char *)(nodes + n);
    int i;

    if (!new)
        return NULL;
    for (i = 0; i < n; i++) {
        nodes[i] = requests[i].node;
        only_sends[i] = requests[i].capability == SCION_ONLY_SENDS;
    }
    *new = (struct scion_grouping){.nodes = nodes, .only_sends = only_sends};
    return new;
}

int scion_collective_choose(struct scion_opening *opening, const struct scion_request *requests,
                            int n)
{
    const struct scion_mode *mode = &opening->args->mode;
    struct scion_grouping *grouping;
    int collsize = scion_collective_size(mode, n);

    if (collsize < 0 || !check_capabilities(requests, n))
        return 0;
    grouping = make_grouping(requests, n);
    if (!grouping)
        return scion_fail_memory("groups of tasks");
    grouping->collsize = collsize;
    grouping->by_count = mode->node_aware;
    grouping->merge = mode->merge && opening->request.writing;
    opening->parallel->collective.grouping = grouping;
    return 0;
}

/* Reading: by the sizes that are stored. */
static int group_readers(const struct scion_grouping *grouping, const struct scion_reply *replies,
                         int n, struct scion_gang *gangs)
{
    sion_int64 *sizes = malloc((size_t)n * sizeof *sizes);
    int rc, i;

    if (!sizes)
        return scion_fail_memory("groups of tasks");
    for (i = 0; i < n; i++)
        sizes[i] = replies[i].chunksize;
    rc = scion_collective_group(sizes, n, replies[0].fsblksize, grouping, gangs);
    free(sizes);
    return rc;
}

int scion_collective_assign(struct scion_opening *opening, struct scion_reply *replies, int n)
{
    const struct scion_grouping *grouping = opening->parallel->collective.grouping;
    struct scion_gang *made = NULL, *gangs = opening->physical->gangs;
    int rc = 0, i;

    if (!grouping)
        return 0;
    if (!gangs) {
        gangs = made = malloc((size_t)n * sizeof *gangs);
        rc =
            made ? group_readers(grouping, replies, n, made) : scion_fail_memory("groups of tasks");
    }
    for (i = 0; i < n && rc == 0; i++) {
        replies[i].collector = gangs[i].first;
        replies[i].collsize = gangs[i].size;
        replies[i].merge = grouping->merge;
    }
    if (rc == 0)
        scion_collective_print(grouping, gangs, replies, n);
    free(made);
    return rc;
}

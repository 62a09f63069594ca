/* On a file's first task: whether the file is read or written collectively, and by which groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/env.h"
#include "base/error.h"
#include "base/memory.h"
#include "parallel/opening.h"

/* The requested size, from the environment or else the mode. 0: automatic; -1: not collective. */
static int requested_size(const struct scion_mode *mode, int ntasks)
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
    int size = scion_mode_zips(mode) ? -1 : requested_size(mode, ntasks);

    return mode->buddies == 0 || size >= 0 ? size : ntasks;
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
        if (scion_asks_capability(&requests[i]) == SCION_WORKS_ALONE)
            return fall_back("requested coalescing I/O but API does not support this mode");
    }
    if (scion_asks_capability(&requests[0]) != SCION_COLLECTS)
        return fall_back("the first task of a file cannot collect the data of others");
    return 1;
}

/* One allocation: the arrays follow the struct. */
static struct scion_group_criteria *make_criteria(const struct scion_request *requests, int n)
{
    struct scion_group_criteria *new =
        scion_with_array(sizeof *new, (uint64_t)n, sizeof(sion_int64) + 1);
    sion_int64 *nodes = (sion_int64 *)(new + 1);
    unsigned char *only_sends = (unsigned char *)(nodes + n);
    int i;

    if (!new)
        return NULL;
    for (i = 0; i < n; i++) {
        nodes[i] = requests[i].node;
        only_sends[i] = scion_asks_capability(&requests[i]) == SCION_ONLY_SENDS;
    }
    *new = (struct scion_group_criteria){.nodes = nodes, .only_sends = only_sends};
    return new;
}

int scion_collective_needs_nodes(const struct scion_opening *opening, int n)
{
    return opening->args->mode.node_aware && !opening->has_nodes &&
           scion_collective_size(&opening->args->mode, n) == 0;
}

int scion_collective_choose(struct scion_opening *opening, const struct scion_request *requests,
                            int n)
{
    const struct scion_mode *mode = &opening->args->mode;
    struct scion_group_criteria *criteria;
    int collsize = scion_collective_size(mode, n);

    if (collsize < 0 || !check_capabilities(requests, n))
        return 0;
    criteria = make_criteria(requests, n);
    if (!criteria)
        return scion_fail_memory("groups of tasks");
    criteria->collsize = collsize;
    criteria->by_count = mode->node_aware;
    criteria->merge = mode->merge;
    opening->parallel->collective.criteria = criteria;
    return 0;
}

int scion_collective_is_simple(const struct scion_opening *opening, int n)
{
    const struct scion_mode *mode = &opening->args->mode;
    long long level;

    return !mode->merge && !*mode->stage && !scion_collective_needs_nodes(opening, n) &&
           scion_asks_capability(&opening->request) == SCION_COLLECTS &&
           !(scion_env_number("COLLDEBUG", &level) && level > 0);
}

int scion_collective_choose_evenly(struct scion_opening *opening, int n)
{
    const struct scion_mode *mode = &opening->args->mode;
    struct scion_group_criteria *criteria = calloc(1, sizeof *criteria);

    if (!criteria)
        return scion_fail_memory("groups of tasks");
    criteria->collsize = scion_collective_size(mode, n);
    criteria->by_count = mode->node_aware;
    opening->parallel->collective.criteria = criteria;
    return 0;
}

/* Reading: form the groups by the stored sizes. */
static int group_readers(const struct scion_opening *opening, const struct scion_reply *replies,
                         int n, struct scion_group *groups)
{
    sion_int64 *sizes = scion_array((size_t)n, sizeof *sizes);
    int rc, i;

    if (!sizes)
        return scion_fail_memory("groups of tasks");
    for (i = 0; i < n; i++)
        sizes[i] = replies[i].chunksize;
    rc = scion_collective_group(sizes, n, opening->facts.fsblksize,
                                opening->parallel->collective.criteria, groups);
    free(sizes);
    return rc;
}

/* ---- reading what was merged ---- */

int scion_collective_reads_merged(const struct scion_mode *mode, int n)
{
    return mode->merge && mode->access == SCION_ACCESS_READ && scion_collective_size(mode, n) >= 0;
}

/* Find the tasks that have data. */
static void find_data(const struct scion_physical *physical, unsigned char *has_data)
{
    int n = physical->head.ntasks, t;
    sion_int64 b;

    for (t = 0; t < n; t++) {
        for (b = 0; b < physical->counts[t] && !has_data[t]; b++)
            has_data[t] = physical->used[(size_t)b * (size_t)n + (size_t)t] > 0;
    }
}

/*
 * Without a record of the members, a task that has data may have those of all tasks up to the next
 * one that has any. *empty: the first group has no data.
 */
static int group_merged(const struct scion_physical *physical, int n, struct scion_group *groups,
                        int *empty)
{
    unsigned char *has_data;

    if (n != physical->head.ntasks)
        return scion_fail(SION_ERR_MISMATCH,
                          "%s was merged by %d tasks and cannot be read so by %d", physical->path,
                          physical->head.ntasks, n);
    has_data = calloc((size_t)n, 1);
    if (!has_data)
        return scion_fail_memory("groups of tasks");
    find_data(physical, has_data);
    scion_collective_find(has_data, n, groups);
    *empty = !has_data[0];
    free(has_data);
    return 0;
}

/* Form the groups of a file that is read. */
static int assign_readers(struct scion_opening *opening, const struct scion_reply *replies, int n,
                          struct scion_group *groups)
{
    const struct scion_group_criteria *criteria = opening->parallel->collective.criteria;
    const struct scion_physical *physical = opening->physical;
    struct scion_facts *facts = &opening->facts;
    int rc = group_readers(opening, replies, n, groups), is_empty = 0;

    facts->merge = criteria->merge && scion_meta1_keyval(&physical->head) != SION_KEYVAL_INLINE;
    if (rc == 0 && facts->merge)
        rc = group_merged(physical, n, groups, &is_empty);
    facts->at_end = is_empty;
    return rc;
}

int scion_collective_assign(struct scion_opening *opening, struct scion_reply *replies, int n)
{
    const struct scion_group_criteria *criteria = opening->parallel->collective.criteria;
    struct scion_group *made = NULL, *groups = opening->physical->groups;
    int rc = 0, i;

    if (!criteria || (opening->members && opening->physical->members_at > 0))
        return 0; /* members read by themselves */
    if (groups) {
        opening->facts.merge = criteria->merge;
    } else {
        opening->facts.reads = opening->args->mode.collread;
        groups = made = scion_array((size_t)n, sizeof *groups);
        rc =
            made ? assign_readers(opening, replies, n, made) : scion_fail_memory("groups of tasks");
    }
    for (i = 0; i < n && rc == 0; i++) {
        replies[i].head.status |= SCION_REPLY_GROUP;
        replies[i].head.number = groups[i].first;
    }
    if (rc == 0)
        scion_collective_print(criteria, groups, replies, n);
    free(made);
    return rc;
}

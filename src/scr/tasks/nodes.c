#include "scr/tasks/nodes.h"

#include <limits.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"

struct leader {
    sion_int64 node;
    int rank;
    UT_hash_handle hh;
};

/* Replace every task's node by the first task with that node. */
static void find_leaders(sion_int64 *nodes, int size)
{
    struct leader *all = scion_must_allocate((size_t)size, sizeof *all), *table = NULL, *found;
    int t;

    for (t = 0; t < size; t++) {
        HASH_FIND(hh, table, &nodes[t], sizeof nodes[t], found);
        if (!found) {
            found = &all[t];
            *found = (struct leader){.node = nodes[t], .rank = t};
            HASH_ADD(hh, table, node, sizeof found->node, found);
            scion_must_have(found->hh.tbl);
        }
        nodes[t] = found->rank;
    }
    HASH_CLEAR(hh, table);
    free(all);
}

int scion_nodes_make(struct scion_comm *comm, struct scion_nodes *nodes)
{
    sion_int64 own = 0, *all = NULL;
    int rc = scion_node(comm, &own);

    *nodes = (struct scion_nodes){0};
    if (rc != 0)
        return rc;
    if (comm->rank == 0)
        all = scion_must_allocate((size_t)comm->size, sizeof *all);
    rc = scion_gather(comm, &own, all, sizeof own, 0);
    if (rc == 0 && comm->rank == 0)
        find_leaders(all, comm->size);
    if (rc == 0)
        rc = scion_scatter(comm, all, &own, sizeof own, 0);
    if (rc == 0)
        rc = scion_split(comm, (int)own, comm->rank, &nodes->node);
    if (rc == 0)
        rc = scion_split(comm, nodes->node->rank, comm->rank, &nodes->across);
    free(all);
    return rc;
}

void scion_nodes_free(struct scion_nodes *nodes)
{
    scion_comm_free(nodes->across);
    scion_comm_free(nodes->node);
    *nodes = (struct scion_nodes){0};
}

/* Replace each of numbers[n] by the sum of those before it, and set the sum of all; -1: too
   large. */
static int make_sums(sion_int64 *numbers, int n, sion_int64 first, sion_int64 *sum)
{
    int i;

    for (i = 0, *sum = first; i < n; i++) {
        sion_int64 number = numbers[i];

        numbers[i] = *sum;
        if (scion_add(*sum, number, sum))
            return -1;
    }
    return 0;
}

/* Leaders only: where each node's bytes begin. pair: [0] in: of the node; out: the offset; [1] out:
   the sum of all, or -1. */
static int scan_across(struct scion_comm *across, sion_int64 *pair)
{
    sion_int64 *all = NULL, sum = 0;
    int rc;

    if (across->rank == 0)
        all = scion_must_allocate((size_t)across->size, sizeof *all);
    rc = scion_gather(across, pair, all, sizeof *all, 0);
    if (rc == 0 && across->rank == 0 && make_sums(all, across->size, 0, &sum) != 0)
        sum = -1;
    if (rc == 0)
        rc = scion_scatter(across, all, pair, sizeof *all, 0);
    if (rc == 0)
        rc = scion_bcast(across, &sum, sizeof sum, 0);
    pair[1] = sum;
    free(all);
    return rc;
}

int scion_nodes_offset(struct scion_nodes *nodes, sion_int64 bytes, sion_int64 *offset,
                       sion_int64 *total)
{
    struct scion_comm *node = nodes->node;
    sion_int64 *all = NULL, *copy = NULL, pair[2] = {0, 0}, sum;
    int rc, t, is_leader = node->rank == 0;

    if (is_leader)
        all = scion_must_allocate((size_t)node->size, 2 * sizeof *all);
    copy = is_leader ? all + node->size : NULL;
    rc = scion_gather(node, &bytes, all, sizeof bytes, 0);
    if (rc == 0 && is_leader) {
        for (t = 0; t < node->size; t++)
            copy[t] = all[t];
        /* If the sum on one node is too large, so is the sum of all. */
        pair[0] = make_sums(copy, node->size, 0, &sum) == 0 ? sum : INT64_MAX;
        rc = scan_across(nodes->across, pair);
        make_sums(all, node->size, pair[0], &sum);
    }
    if (rc == 0)
        rc = scion_scatter(node, all, offset, sizeof *offset, 0);
    if (rc == 0)
        rc = scion_bcast(node, pair, sizeof pair, 0);
    free(all);
    *total = pair[1];
    if (*total < 0 || *total == INT64_MAX)
        rc = scion_fail(SION_ERR_ARGUMENT, "total size exceeds 2^63-1 bytes");
    return rc;
}

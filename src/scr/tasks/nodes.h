/* The tasks of a communicator by nodes, and where the bytes of each begin in the stream of all. */
#ifndef SCION_SCR_NODES_H
#define SCION_SCR_NODES_H

#include "comm/comm.h"

struct scion_nodes {
    struct scion_comm *node;   /* the tasks of this node, in their order; the first is its leader */
    struct scion_comm *across; /* the tasks with the same index in all nodes, in their order */
};

/* Collective. O(tasks) on rank 0. */
int scion_nodes_make(struct scion_comm *comm, struct scion_nodes *nodes);
void scion_nodes_free(struct scion_nodes *nodes);

/*
 * Collective. Where this task's bytes begin if the bytes of all tasks follow each other node by
 * node: a sum on every node, a scan over the leaders, a scan on every node. *total: bytes of all
 * tasks, set on all.
 */
int scion_nodes_offset(struct scion_nodes *nodes, sion_int64 bytes, sion_int64 *offset,
                       sion_int64 *total);

#endif

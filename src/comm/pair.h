/*
 * Two communicators as one: the tasks of every `inner`, in the order of `outer`. Only the first
 * task of each inner communicator uses outer, so an MPI library that allows one thread to
 * communicate is enough for threads in processes.
 */
#ifndef SCION_COMM_PAIR_H
#define SCION_COMM_PAIR_H

#include "comm/comm.h"

/*
 * Collective over all. outer: on the first task of inner only, else ignored; inner: on all; both
 * are taken over. A task's rank is the number of tasks in the inner communicators before its own
 * plus its rank in that. Memory: O(size of outer) on the first task of each inner one. Transfers
 * need inner tasks that share their memory, and only the first of each may collect.
 */
struct scion_comm *scion_comm_pair(struct scion_comm *outer, struct scion_comm *inner);

/* Its two communicators, which stay the pair's. outer: NULL except on the first task of inner. */
struct scion_comm *scion_pair_outer(struct scion_comm *pair);
struct scion_comm *scion_pair_inner(struct scion_comm *pair);

/*
 * The rank of the first task of every inner communicator, followed by the number of all tasks:
 * [size of outer + 1]. It belongs to the pair. NULL except on the first task of inner.
 */
const int *scion_pair_first(struct scion_comm *pair);

#endif

/*
 * Two communicators as one: the tasks of every `inner`, in the order of `outer`. The first task of
 * each inner communicator is the only one that uses outer, so threads may be inside processes
 * whose MPI allows one thread to communicate.
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

/* The parts, which stay the pair's. The outer one: NULL but on the first task of inner. */
struct scion_comm *scion_pair_outer(struct scion_comm *pair);
struct scion_comm *scion_pair_inner(struct scion_comm *pair);

/*
 * The rank of the first task of every inner communicator, and behind them the number of all:
 * [size of outer + 1], the pair's. NULL but on the first task of inner.
 */
const int *scion_pair_first(struct scion_comm *pair);

#endif

/*
 * Communicators of threads of one process, however they were started: every collective goes
 * through shared memory. Blocks, never spins, and holds no lock while it waits.
 */
#ifndef SCION_COMM_THREADS_H
#define SCION_COMM_THREADS_H

#include "comm/comm.h"

struct scion_threads;

/* What `size` threads share. Called by one of them. NULL: out of memory. */
struct scion_threads *scion_threads_new(int size);

/* The communicator of thread `rank`; each rank is taken once. The last one freed frees all. */
struct scion_comm *scion_threads_join(struct scion_threads *threads, int rank);

#endif

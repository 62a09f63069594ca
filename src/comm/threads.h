/*
 * Communicators of threads of one process, however they were started: every collective goes
 * through shared memory. Blocks, never spins, and holds no lock while it waits.
 */
#ifndef SCION_COMM_THREADS_H
#define SCION_COMM_THREADS_H

#include "comm/comm.h"

struct scion_threads;

/* Make what `size` threads share. One of them calls it. NULL: the system has no barrier. */
struct scion_threads *scion_threads_new(int size);

/*
 * The communicator of thread `rank`. Each thread calls it once, with a rank of its own. Freeing the
 * last one frees what they share.
 */
struct scion_comm *scion_threads_join(struct scion_threads *threads, int rank);

#endif

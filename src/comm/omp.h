/* Communicators of OpenMP teams. */
#ifndef SCION_COMM_OMP_H
#define SCION_COMM_OMP_H

#include "comm/comm.h"

/*
 * Collective over the innermost team; outside of a parallel region, the caller alone. Every call
 * makes a new communicator, also if other teams call it at the same time. It may be used in later
 * parallel regions, too. NULL on all threads: out of memory.
 */
struct scion_comm *scion_comm_omp(void);

#endif

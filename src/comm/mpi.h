/* Communicators of MPI. The only private header that needs mpi.h. */
#ifndef SCION_COMM_MPI_H
#define SCION_COMM_MPI_H

#include <mpi.h>

#include "comm/comm.h"

/* Use mpi, which stays the caller's and must live as long. Local. NULL: out of memory. */
struct scion_comm *scion_comm_mpi(MPI_Comm mpi);

/*
 * Which rank of `global` leads `local`, the caller's place in `local`, and its size. Local. -1 if
 * the leader is not in `global`.
 */
int scion_comm_mpi_leader(MPI_Comm global, MPI_Comm local, int *leader, int *lrank, int *lsize);

#endif

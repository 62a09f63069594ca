/* A function of the MPI interface that programs may call, but that no public header declares. */
#ifndef SCION_API_IO_COMM_H
#define SCION_API_IO_COMM_H

#include <mpi.h>

#pragma GCC visibility push(default)

/*
 * Collective over MPI_COMM_WORLD. The communicator of the tasks that do I/O, which are all: a
 * duplicate of MPI_COMM_WORLD, to be freed by the caller. 1, or 0 if there is none.
 */
int sion_get_IO_comm_mpi(MPI_Comm *comm);

#pragma GCC visibility pop

#endif

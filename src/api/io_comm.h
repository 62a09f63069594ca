/* A function of the MPI interface that programs may call, but that no public header declares. */
#ifndef SCION_API_IO_COMM_H
#define SCION_API_IO_COMM_H

#include <mpi.h>

#pragma GCC visibility push(default)

/*
 * Collective over MPI_COMM_WORLD. Set *comm to the communicator of the tasks that do I/O, which are
 * all tasks: a duplicate of MPI_COMM_WORLD, which the caller frees. 1, or 0 if that fails.
 */
int sion_get_IO_comm_mpi(MPI_Comm *comm);

#pragma GCC visibility pop

#endif

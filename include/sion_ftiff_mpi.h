/**
 * @file sion_ftiff_mpi.h
 * Checkpoints in FTI-FF of all ranks of an MPI communicator: see sion_ftiff.h. Needs mpi.h, which
 * it includes. In libraries of its own: libsionfti_mpi_64, libsion_fti_mpi.
 */
#ifndef SION_FTIFF_MPI_H
#define SION_FTIFF_MPI_H

#include <mpi.h>

#include "sion_ftiff.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Begin with the checkpoints of all ranks of a communicator, in one container.
 *
 * Collective over comm, which must live until the close.
 *
 * @param path as for sion_ftiff_open, the same on all ranks
 * @param comm all ranks; not of two groups (an intercommunicator)
 * @return a handle, to be closed with sion_ftiff_close; NULL with a message on all ranks if one
 * fails, and for MPI_COMM_NULL and an intercommunicator (local)
 * @threads one thread per process; comm must not be used by others during collective calls
 */
sion_ftiff *sion_ftiff_open_mpi(const char *path, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif

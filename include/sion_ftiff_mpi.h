/**
 * @file sion_ftiff_mpi.h Checkpoints in FTI-FF of all ranks of an MPI communicator: see
 * sion_ftiff.h. Needs mpi.h, which it includes. The libraries are libsionfti_mpi_64 and
 * libsion_fti_mpi.
 */
#ifndef SION_FTIFF_MPI_H
#define SION_FTIFF_MPI_H

#include <mpi.h>

#include "sion_ftiff.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Open a handle for the checkpoints of all ranks of a communicator, in one container.
 *
 * Collective over comm, which must live until the close.
 *
 * @param fname [collective] as for sion_ftiff_open
 * @param comm [collective] the communicator of all ranks; not an intercommunicator
 * @return a handle, which the caller closes with sion_ftiff_close; NULL with a message on all ranks
 *         if the call fails on any rank; NULL on this rank only for MPI_COMM_NULL and an
 *         intercommunicator
 * @threads one thread of each process; nobody else may use comm during collective calls
 */
sion_ftiff *sion_ftiff_open_mpi(const char *fname, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif

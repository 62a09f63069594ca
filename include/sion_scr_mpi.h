/**
 * @file sion_scr_mpi.h
 * The functions of sion_scr.h for the tasks of an MPI communicator. Needs mpi.h, which it includes.
 */
#ifndef SION_SCR_MPI_H
#define SION_SCR_MPI_H

#include <mpi.h>

#include "sion_scr.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A communicator of the tasks of `mpi`, a duplicate of it.
 *
 * Collective. To be freed by sion_scr_comm_free before MPI_Finalize; mpi may be freed before.
 *
 * @param mpi all tasks that call; not kept
 * @return the communicator; NULL: MPI could not make one, or `mpi` is MPI_COMM_NULL or an
 *         intercommunicator
 */
sion_scr_comm *sion_scr_comm_mpi(MPI_Comm mpi);

#ifdef __cplusplus
}
#endif

#endif

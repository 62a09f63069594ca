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
 * Create a communicator of the tasks of `mpi`; MPI's is duplicated.
 *
 * Collective over mpi. Free it with sion_scr_comm_free before MPI_Finalize; mpi may be freed
 * earlier.
 *
 * @param mpi [collective] the communicator of all tasks that call; not kept
 * @return the communicator; NULL with a message: SION_ERR_COMM: MPI is not running, or could
 *         not duplicate mpi; SION_ERR_ARGUMENT: mpi is MPI_COMM_NULL or an intercommunicator;
 *         SION_ERR_MEMORY
 */
sion_scr_comm *sion_scr_comm_mpi(MPI_Comm mpi);

#ifdef __cplusplus
}
#endif

#endif

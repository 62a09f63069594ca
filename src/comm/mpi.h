/* Communicators of MPI. The only private header that needs mpi.h. */
#ifndef SCION_COMM_MPI_H
#define SCION_COMM_MPI_H

#include <mpi.h>

#include "comm/comm.h"

/* Why MPI cannot be called: it has not begun, or is over; NULL: it can. Any thread, at any time. */
const char *scion_comm_mpi_refusal(void);

/*
 * Call a function when MPI is about to be finalized; messages can still be sent then. The first
 * call counts. Local.
 */
void scion_comm_mpi_at_end(void (*function)(void));

/* Whether this is an intracommunicator: neither MPI_COMM_NULL nor an intercommunicator. Local. */
int scion_comm_mpi_fits(MPI_Comm mpi);

/*
 * A communicator that uses `mpi`, for which scion_comm_mpi_fits() holds. `mpi` stays the caller's
 * and must live as long. Local. NULL: out of memory.
 */
struct scion_comm *scion_comm_mpi(MPI_Comm mpi);

/* End all processes of the program. */
void scion_comm_mpi_end_all(void);

/* A second communicator that uses the same MPI communicator. Local. NULL: out of memory. */
struct scion_comm *scion_comm_mpi_again(struct scion_comm *comm);

/*
 * Which rank of `global` leads `local`, the caller's place in `local`, and its size. Local. -1 if
 * the leader is not in `global`.
 */
int scion_comm_mpi_leader(MPI_Comm global, MPI_Comm local, int *leader, int *lrank, int *lsize);

/*
 * The ranks in `global` of all ranks of `local`, MPI_UNDEFINED for those outside: *ranks[*size],
 * freed by the caller, and the caller's place in `local`. Local. -1: out of memory.
 */
int scion_comm_mpi_ranks(MPI_Comm global, MPI_Comm local, int **ranks, int *size, int *place);

#endif

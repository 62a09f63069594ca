#include "comm/mpi.h"

#include "base/memory.h"

#pragma GCC visibility push(default)
#include "sion_scr_mpi.h"
#pragma GCC visibility pop

/* One of our own, so that our messages do not meet the application's. */
sion_scr_comm *sion_scr_comm_mpi(MPI_Comm mpi)
{
    struct scion_comm *comm = scion_must_have(scion_comm_mpi(mpi)), *own = NULL;

    scion_split(comm, 0, comm->rank, &own);
    scion_comm_free(comm);
    return own;
}

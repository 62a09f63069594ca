/* Communicators of SCR's functions that MPI has made. */
#include "comm/mpi.h"

#include "base/error.h"
#include "scr/report.h"

#pragma GCC visibility push(default)
#include "sion_scr_mpi.h"
#pragma GCC visibility pop

/* A communicator of our own, so that our messages are not mixed with the application's. */
sion_scr_comm *sion_scr_comm_mpi(MPI_Comm mpi)
{
    struct scion_comm *comm, *own = NULL;
    const char *why = scion_comm_mpi_refusal();

    if (why) {
        scion_scr_result(__func__, scion_fail(SION_ERR_COMM, "%s", why));
        return NULL;
    }
    if (!scion_comm_mpi_fits(mpi)) {
        scion_scr_result(
            __func__, scion_fail(SION_ERR_ARGUMENT, "no communicator, or one between two groups"));
        return NULL;
    }
    comm = scion_comm_mpi(mpi);
    scion_scr_result_of_all(__func__, comm, scion_split(comm, 0, comm->rank, &own));
    scion_comm_free(comm);
    return own;
}

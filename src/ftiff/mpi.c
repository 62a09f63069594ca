/* Checkpoints of MPI communicators. */
#pragma GCC visibility push(default)
#include "sion_ftiff_mpi.h"
#pragma GCC visibility pop

#include <stdlib.h>

#include "api/parallel.h"
#include "base/error.h"
#include "comm/mpi.h"
#include "ftiff/handle.h"

struct mpi_group {
    struct scion_fti_group group;
    MPI_Comm comm;
};

static struct scion_comm *again(const struct scion_fti_group *group)
{
    return scion_comm_mpi(((const struct mpi_group *)group)->comm);
}

static void free_group(struct scion_fti_group *group)
{
    free(group);
}

/* Without memory for our communicator, the tasks cannot agree on an error. */
static int is_missing_anywhere(const void *memory, MPI_Comm mpi)
{
    int missing = memory == NULL;

    MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, mpi);
    return missing;
}

sion_ftiff *sion_ftiff_open_mpi(const char *fname, MPI_Comm mpi)
{
    struct mpi_group *group;
    struct scion_comm *comm;
    int rank, size;

    if (!sion_layer_has_mpi(__func__, scion_comm_mpi_refusal()))
        return NULL;
    if (!scion_comm_mpi_fits(mpi)) {
        sion_layer_report(
            __func__, 0, 1,
            scion_fail(SION_ERR_ARGUMENT, "no communicator, or one between two groups"));
        return NULL;
    }
    group = malloc(sizeof *group);
    comm = group ? scion_comm_mpi(mpi) : NULL;
    if (is_missing_anywhere(comm, mpi)) {
        free(group);
        scion_comm_free(comm);
        MPI_Comm_rank(mpi, &rank);
        MPI_Comm_size(mpi, &size);
        sion_layer_report(__func__, rank, size, scion_fail_memory("communicator of a task"));
        return NULL;
    }
    *group = (struct mpi_group){.group = {again, free_group, SION_LAYER_MPI}, .comm = mpi};
    return sion_layer_ftiff_open(__func__, fname, comm, &group->group);
}

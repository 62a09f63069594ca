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

sion_ftiff *sion_ftiff_open_mpi(const char *path, MPI_Comm mpi)
{
    struct mpi_group *group = mpi == MPI_COMM_NULL ? NULL : malloc(sizeof *group);
    struct scion_comm *comm = group ? scion_comm_mpi(mpi) : NULL;

    if (!comm) {
        free(group);
        sion_layer_report(__func__, 0, 1,
                          mpi == MPI_COMM_NULL ? scion_fail(SION_ERR_ARGUMENT, "no communicator")
                                               : scion_fail_memory("communicator"));
        return NULL;
    }
    *group = (struct mpi_group){.group = {again, free_group, SION_LAYER_MPI}, .comm = mpi};
    return sion_layer_ftiff_open(__func__, path, comm, &group->group);
}

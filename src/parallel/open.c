/* Which way a container is opened. */
#include "base/trace.h"
#include "parallel/buddy.h"
#include "parallel/mapped.h"
#include "parallel/opening.h"

int scion_parallel_open(struct scion_comm *comm, const struct scion_parallel_args *args,
                        struct scion_container **container)
{
    struct scion_opening opening = {.args = args};
    int rank = comm->rank, size = comm->size, rc;

    opening.parallel = scion_parallel_new(comm, args->kind, args->threads);
    if (args->mode.buddies > 0 && args->mode.access == SCION_ACCESS_READ)
        rc = scion_buddy_open(&opening);
    else
        rc = scion_single_open(&opening);
    scion_trace(SCION_TRACE_INTERNAL, "rank %d of %d: %d", rank, size, rc);
    if (rc == 0)
        *container = opening.container;
    return rc;
}

int scion_parallel_open_mapped(struct scion_comm *comm, const struct scion_mapped_args *args,
                               struct scion_container **container)
{
    int rank = comm->rank, size = comm->size;
    int rc = scion_mapped_open(comm, args, container);

    scion_trace(SCION_TRACE_INTERNAL, "rank %d of %d, mapped: %d", rank, size, rc);
    return rc;
}

#include "comm/transfer.h"

#include "base/error.h"

enum scion_capability scion_capability(struct scion_comm *comm)
{
    if (!comm->ops->transfer && !comm->ops->gang)
        return SCION_WORKS_ALONE;
    return comm->ops->capability ? comm->ops->capability(comm) : SCION_COLLECTS;
}

int scion_gang(struct scion_comm *comm, int first, struct scion_comm **gang)
{
    int rc;

    if (!comm->ops->gang)
        return scion_split(comm, first, comm->rank, gang);
    rc = comm->ops->gang(comm, first, gang);
    return rc == 0 ? 0 : scion_fail(SION_ERR_COMM, "no communicator for collective transfers");
}

int scion_transfer(struct scion_comm *gang, const struct scion_transfer *transfer,
                   struct scion_record *record)
{
    int rc = gang->ops->transfer(gang, transfer, &record, 1, NULL);

    return rc == 0
               ? 0
               : scion_fail(SION_ERR_COMM, "transfer of records between the tasks failed (%d)", rc);
}

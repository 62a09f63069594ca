#include "comm/transfer.h"

#include "base/error.h"

enum scion_capability scion_capability(struct scion_comm *comm)
{
    if (!comm->ops->transfer && !comm->ops->form_group)
        return SCION_WORKS_ALONE;
    return comm->ops->capability ? comm->ops->capability(comm) : SCION_COLLECTS;
}

int scion_form_group(struct scion_comm *comm, int first, struct scion_comm **group)
{
    int rc;

    if (!comm->ops->form_group)
        return scion_split(comm, first, comm->rank, group);
    rc = comm->ops->form_group(comm, first, group);
    return rc == 0 ? 0 : scion_fail(SION_ERR_COMM, "no communicator for collective transfers");
}

int scion_transfer(struct scion_comm *group, const struct scion_transfer *transfer,
                   struct scion_record *record)
{
    int rc = group->ops->transfer(group, transfer, &record, 1, NULL);

    return rc == 0
               ? 0
               : scion_fail(SION_ERR_COMM, "transfer of records between the tasks failed (%d)", rc);
}

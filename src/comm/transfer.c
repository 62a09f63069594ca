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

static int result_of(int rc)
{
    return rc == 0
               ? 0
               : scion_fail(SION_ERR_COMM, "transfer of records between the tasks failed (%d)", rc);
}

int scion_transfer(struct scion_comm *group, const struct scion_transfer *transfer,
                   struct scion_record *record)
{
    int rc;

    if (group->leaving != SCION_STAYS) {
        record->position = SCION_NOWHERE;
        record->bytes = SCION_LEAVES;
    }
    if (group->leaving == SCION_HAS_LEFT)
        return 0;
    rc = group->ops->transfer(group, transfer, &record, 1, NULL);
    if (scion_is_leaving(group) && (record->is_released || rc != 0))
        group->leaving = SCION_HAS_LEFT;
    return result_of(rc);
}

enum scion_parting scion_must_leave(const struct scion_comm *group)
{
    return group->size > 1 && group->ops->must_leave ? group->ops->must_leave(group)
                                                     : SCION_PARTS_FREELY;
}

void scion_begin_leaving(struct scion_comm *group)
{
    group->leaving = SCION_LEAVES_NOW;
}

void scion_begin_leaving_for_all(struct scion_comm *group)
{
    group->leaving = SCION_LEAVES_FOR_ALL;
}

int scion_is_leaving(const struct scion_comm *group)
{
    return group->leaving == SCION_LEAVES_NOW || group->leaving == SCION_LEAVES_FOR_ALL;
}

void scion_end_leaving(struct scion_comm *group)
{
    group->leaving = SCION_STAYS;
}

int scion_has_batches(const struct scion_comm *group)
{
    return group->ops->send_batch != NULL;
}

int scion_send_batch(struct scion_comm *group, const struct scion_batch *batch)
{
    return result_of(group->ops->send_batch(group, batch));
}

int scion_receive_outcome(struct scion_comm *group, struct scion_outcome *outcome)
{
    return result_of(group->ops->receive_outcome(group, outcome));
}

int scion_collect_batches(struct scion_comm *group, const struct scion_transfer *transfer, int all)
{
    return result_of(group->ops->collect_batches(group, transfer, all));
}

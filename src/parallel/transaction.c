#include "base/env.h"
#include "parallel/private.h"

/* As many tasks as SIONlib lets in at a time. */
static sion_int64 choose_group(int size)
{
    long long wanted;

    if (scion_env_number("SERBLOCKSIZE", &wanted) && wanted > 0)
        return wanted < size ? wanted : size;
    if (size > 128)
        return 32;
    if (size > 64)
        return 16;
    return size > 16 ? 8 : size;
}

/* The first task decides, so that all have the same group even if their environments differ. */
static int prepare(struct scion_parallel *parallel)
{
    struct scion_turns *turns = &parallel->turns;
    struct scion_comm *local = parallel->local;
    sion_int64 group = choose_group(local->size);
    int rc = scion_bcast(local, &group, sizeof group, 0);

    if (rc == 0 && !turns->comm && group < local->size) {
        if (local != parallel->global)
            turns->comm = local;
        else
            rc = scion_split(local, 0, local->rank, &turns->comm);
    }
    if (rc == 0)
        turns->group = (int)group;
    return rc;
}

int scion_parallel_enter(struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_turns *turns = &parallel->turns;
    int before, rc = 0;

    if (turns->is_inside || parallel->local->size == 1 || !scion_can_signal(parallel->local))
        return 0;
    if (turns->group == 0)
        rc = prepare(parallel);
    before = parallel->local->rank - turns->group;
    if (rc == 0 && before >= 0)
        rc = scion_wait(turns->comm, before);
    turns->is_inside = rc == 0;
    return rc;
}

int scion_parallel_leave(struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_turns *turns = &parallel->turns;
    int next = parallel->local->rank + turns->group;

    if (!turns->is_inside)
        return 0;
    turns->is_inside = 0;
    return next < parallel->local->size ? scion_signal(turns->comm, next) : 0;
}

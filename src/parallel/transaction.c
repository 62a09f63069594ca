#include "base/env.h"
#include "parallel/private.h"

/* The number of tasks that may be inside at a time, as in SIONlib. */
static sion_int64 choose_number(int size)
{
    long long requested;

    if (scion_env_number("SERBLOCKSIZE", &requested) && requested > 0)
        return requested < size ? requested : size;
    if (size > 128)
        return 32;
    if (size > 64)
        return 16;
    return size > 16 ? 8 : size;
}

/* The first task decides, so that all have the same number even if their environments differ. */
static int prepare(struct scion_parallel *parallel)
{
    struct scion_turns *turns = &parallel->turns;
    struct scion_comm *local = parallel->local;
    sion_int64 number = choose_number(local->size);
    int rc = scion_bcast(local, &number, sizeof number, 0);

    if (rc == 0 && !turns->comm && number < local->size) {
        if (local != parallel->global)
            turns->comm = local;
        else
            rc = scion_split(local, 0, local->rank, &turns->comm);
    }
    if (rc == 0)
        turns->at_once = (int)number;
    return rc;
}

int scion_parallel_enter(struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_turns *turns = &parallel->turns;
    int before, rc = 0;

    if (turns->is_inside || parallel->local->size == 1 || !scion_can_signal(parallel->local))
        return 0;
    if (turns->at_once == 0)
        rc = prepare(parallel);
    before = parallel->local->rank - turns->at_once;
    if (rc == 0 && before >= 0)
        rc = scion_wait(turns->comm, before);
    turns->is_inside = rc == 0;
    return rc;
}

int scion_parallel_leave(struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_turns *turns = &parallel->turns;
    int next = parallel->local->rank + turns->at_once;

    if (!turns->is_inside)
        return 0;
    turns->is_inside = 0;
    return next < parallel->local->size ? scion_signal(turns->comm, next) : 0;
}

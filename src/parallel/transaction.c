#include "base/env.h"
#include "parallel/state.h"

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

/* What a task says to the one that waits for it. */
enum { HAS_LEFT, MAKES_NO_MORE };

static int wait_for_turn(struct scion_parallel *parallel)
{
    struct scion_turns *turns = &parallel->turns;
    int before = parallel->local->rank - turns->at_once, said = HAS_LEFT, rc = 0;

    if (before >= 0 && !turns->is_first)
        rc = scion_wait(turns->comm, before, &said);
    turns->is_first = said == MAKES_NO_MORE || turns->is_first;
    return rc;
}

static int tell_next(struct scion_parallel *parallel, int what)
{
    struct scion_turns *turns = &parallel->turns;
    int next = parallel->local->rank + turns->at_once;

    turns->is_inside = 0;
    return next < parallel->local->size ? scion_signal(turns->comm, next, what) : 0;
}

int scion_parallel_enter(struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_turns *turns = &parallel->turns;
    int rc = 0;

    turns->is_begun = 1;
    if (turns->is_inside || parallel->local->size == 1 || !scion_can_signal(parallel->local))
        return 0;
    if (turns->at_once == 0)
        rc = prepare(parallel);
    if (rc == 0)
        rc = wait_for_turn(parallel);
    turns->is_inside = rc == 0;
    return rc;
}

int scion_parallel_leave(struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);

    return parallel->turns.is_inside ? tell_next(parallel, HAS_LEFT) : 0;
}

int scion_end_turns(struct scion_parallel *parallel)
{
    return parallel->turns.at_once > 0 ? tell_next(parallel, MAKES_NO_MORE) : 0;
}

int scion_await_turns(struct scion_parallel *parallel)
{
    const struct scion_turns *turns = &parallel->turns;
    int rc = 0;

    while (rc == 0 && turns->at_once > 0 && parallel->local->rank >= turns->at_once &&
           !turns->is_first)
        rc = wait_for_turn(parallel);
    return rc;
}

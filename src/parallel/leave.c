/*
 * Leaving the groups of collective calls, in any state: doc/parallel.md describes it. Nothing is
 * allocated here that a close without failures needs.
 */
#include "sion_const.h"

#include "base/error.h"
#include "parallel/buddy.h"
#include "parallel/write_batch.h"
#include "parallel/state.h"

/* Whether the tasks of its own group meet in collective calls. */
static int meets(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);
    const struct scion_collective *collective = &parallel->collective;

    if (!collective->group || scion_container_keyval_mode(container) == SION_KEYVAL_INLINE)
        return 0;
    return scion_container_is_writing(container) ||
           (!parallel->buddies && !collective->merge && scion_collective_reads_together(container));
}

/* Group i of those whose calls this task makes; NULL: no more. */
static struct scion_comm *group_at(const struct scion_container *container, int i)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);
    const struct scion_buddies *buddies = parallel->buddies;

    if (meets(container) && i-- == 0)
        return parallel->collective.group;
    return buddies && i < buddies->nexchanges ? buddies->exchanges[i].group : NULL;
}

/*
 * A call of a buddy checkpoint may fail in a group after it has succeeded in an earlier one, which
 * does not learn of that; so if there was a call, all groups are left.
 */
static void begin(const struct scion_container *container)
{
    const struct scion_buddies *buddies = scion_parallel_of(container)->buddies;
    int is_used = buddies && buddies->is_used, i;
    struct scion_comm *group;

    for (i = 0; (group = group_at(container, i)); i++) {
        if (scion_must_leave(group) != SCION_PARTS_FREELY || (is_used && group->size > 1))
            scion_begin_leaving(group);
    }
}

static int is_leaving(const struct scion_container *container)
{
    struct scion_comm *group;
    int i;

    for (i = 0; (group = group_at(container, i)); i++) {
        if (scion_is_leaving(group))
            return 1;
    }
    return 0;
}

static void end(const struct scion_container *container)
{
    struct scion_comm *group;
    int i;

    for (i = 0; (group = group_at(container, i)); i++)
        scion_end_leaving(group);
}

/* A call in which this task has no record. What becomes of others' records is not its failure. */
static int join_call(struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);
    int sid = parallel->collective.sid, is_writing = scion_container_is_writing(container), rc;

    if (parallel->buddies)
        rc = is_writing ? scion_buddy_write(container, sid, 0, NULL, 0)
                        : scion_buddy_read(container, sid, 0, NULL, 0);
    else
        rc = is_writing ? scion_collective_write(container, sid, 0, NULL, 0)
                        : scion_collective_read(container, sid, 0, NULL, 0);
    return rc == SION_ERR_COMM ? rc : 0;
}

static int join_until_released(struct scion_container *container)
{
    int rc = 0, other;

    while (is_leaving(container)) {
        other = join_call(container);
        rc = scion_first_failure(rc, other);
    }
    end(container);
    return rc;
}

int scion_leave_calls(struct scion_container *container)
{
    if (meets(container) && scion_writes_batches(container))
        return scion_write_batch_settle(container);
    begin(container);
    return join_until_released(container);
}

void scion_leave_calls_at_once(struct scion_container *container)
{
    if (meets(container) &&
        scion_must_leave(scion_parallel_of(container)->collective.group) == SCION_MUST_LEAVE_FIRST)
        scion_leave_calls(container);
}

void scion_parallel_leave_for_all(struct scion_container *container)
{
    struct scion_comm *group = scion_parallel_of(container)->collective.group;

    if (!meets(container) || scion_must_leave(group) != SCION_MUST_LEAVE)
        return;
    scion_begin_leaving_for_all(group);
    join_until_released(container);
}

#include <stdlib.h>

#include "base/error.h"
#include "comm/agree.h"
#include "parallel/private.h"

/* To every task: whether its file can be laid out so, and the task's new place. */
struct restart_reply {
    sion_int64 status;
    sion_int64 start, globalskip, chunksize;
    sion_int64 collector, collsize;
};

static void answer(const struct scion_container *container, const sion_int64 *wanted,
                   struct scion_layout_plan *plan, struct restart_reply *replies)
{
    const struct scion_parallel *parallel = container->parallel;
    struct scion_physical *physical = container->physical;
    int n = physical->head.ntasks, status, t;
    sion_int64 *chunksizes = scion_must_allocate((size_t)n, sizeof *chunksizes);

    for (t = 0; t < n; t++)
        chunksizes[t] = wanted[scion_rank_of_task(parallel, physical, t)];
    status = scion_physical_plan_restart(physical, chunksizes, parallel->collective.grouping, plan);
    free(chunksizes);
    for (t = 0; t < n; t++) {
        struct restart_reply *reply = &replies[scion_rank_of_task(parallel, physical, t)];

        *reply = (struct restart_reply){.status = status};
        if (status == 0)
            *reply = (struct restart_reply){.start = plan->starts[t],
                                            .globalskip = plan->layout.globalskip,
                                            .chunksize = plan->chunksizes[t]};
        if (status == 0 && plan->gangs) {
            reply->collector = plan->gangs[t].first;
            reply->collsize = plan->gangs[t].size;
        }
    }
}

/* Gather what the tasks want; the file's first task plans and tells each its place. */
static int plan_together(struct scion_comm *local, struct scion_container *container,
                         sion_int64 chunksize, struct scion_layout_plan *plan,
                         struct restart_reply *reply)
{
    sion_int64 *chunksizes = NULL;
    struct restart_reply *replies = NULL;
    int rc;

    if (local->rank == 0) {
        chunksizes = scion_must_allocate((size_t)local->size, sizeof *chunksizes);
        replies = scion_must_allocate((size_t)local->size, sizeof *replies);
    }
    rc = scion_gather(local, &chunksize, chunksizes, sizeof chunksize, 0);
    if (rc == 0 && local->rank == 0)
        answer(container, chunksizes, plan, replies);
    if (rc == 0)
        rc = scion_scatter(local, replies, reply, sizeof *reply, 0);
    free(chunksizes);
    free(replies);
    return rc == 0 && reply->status != 0 ? scion_agree_on(local, (int)reply->status, 0) : rc;
}

/* The file's first task empties it, and all begin anew if it is empty. */
static int empty_together(struct scion_comm *local, struct scion_container *container,
                          struct scion_layout_plan *plan, const struct restart_reply *reply)
{
    const struct scion_place place = {reply->start, reply->globalskip, reply->chunksize};
    struct scion_parallel *parallel = container->parallel;
    sion_int64 emptied = 0;
    int rc = 0, other, is_empty;

    if (local->rank == 0) {
        rc = scion_physical_restart(container->physical, plan, &is_empty);
        emptied = is_empty;
    }
    other = scion_bcast(local, &emptied, sizeof emptied, 0);
    if (other == 0 && emptied) {
        other = scion_collective_join(parallel, (int)reply->collector, (int)reply->collsize,
                                      parallel->collective.merge);
        if (other == 0)
            other = scion_stream_restart(&container->stream, &place);
    }
    return rc != 0 ? rc : other;
}

/*
 * In two steps, so that a set of files is either laid out anew as a whole or left as it is, as far
 * as that is not up to the system.
 */
int scion_parallel_restart(struct scion_container *container, int status, sion_int64 chunksize)
{
    struct scion_parallel *parallel = container->parallel;
    struct scion_layout_plan plan = {0};
    struct restart_reply reply = {0};
    int rc = status;

    if (rc == 0 && parallel->buddies)
        rc = scion_fail(SION_ERR_MODE, "buddy checkpoints cannot begin anew");

    /* What waits in a buffer must not come after the file has been emptied. */
    if (rc == 0)
        rc = scion_stream_flush(&container->stream);
    rc = scion_agree(parallel->global, scion_name_rank(parallel->global, rc));
    if (rc != 0)
        return rc;
    rc = plan_together(parallel->local, container, chunksize, &plan, &reply);
    if (parallel->local != parallel->global)
        rc = scion_agree(parallel->global, rc);
    if (rc == 0) {
        rc = empty_together(parallel->local, container, &plan, &reply);
        rc = scion_agree(parallel->global, scion_name_rank(parallel->global, rc));
    }
    scion_layout_plan_free(&plan);
    return rc;
}

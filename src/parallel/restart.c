/* A new start: all tasks together empty a container that is written. */
#include <stdlib.h>

#include "base/error.h"
#include "comm/agree.h"
#include "file/commits.h"
#include "parallel/consult.h"
#include "parallel/staging.h"
#include "parallel/write_batch.h"
#include "parallel/state.h"

/* What every task sends, and what it gets: its new place and group. */
struct restart_request {
    struct scion_request_head head;
    sion_int64 chunksize;
};

struct restart_reply {
    struct scion_reply_head head;
    struct scion_place place;
    sion_int64 collector, collsize;
};

/* A layout that is being planned. */
struct layout_change {
    const struct scion_container *container;
    struct scion_layout_plan plan;
};

static int decide_layout(void *context, const void *asked, int n, void *replies, int *blamed)
{
    struct layout_change *layout_change = context;
    const struct restart_request *requests = asked;
    const struct scion_parallel *parallel = scion_parallel_of(layout_change->container);
    struct scion_physical *physical = scion_container_physical(layout_change->container);
    const struct scion_layout_plan *plan = &layout_change->plan;
    sion_int64 *chunksizes = scion_array((size_t)n, sizeof *chunksizes);
    int rc, t;

    (void)blamed;
    if (!chunksizes)
        return scion_fail_memory("tasks");
    for (t = 0; t < n; t++)
        chunksizes[t] = requests[scion_rank_of_task(parallel, physical, t)].chunksize;
    rc = scion_physical_plan_restart(physical, chunksizes, parallel->collective.criteria,
                                     &layout_change->plan);
    free(chunksizes);
    for (t = 0; t < n && rc == 0; t++) {
        struct restart_reply *reply = replies;

        reply += scion_rank_of_task(parallel, physical, t);
        *reply = (struct restart_reply){
            .place = {.start = plan->starts[t],
                      .globalskip = plan->layout.globalskip,
                      .chunksize = scion_trailer_room(plan->chunksizes[t], physical->trailer)}};
        if (plan->groups) {
            reply->collector = plan->groups[t].first;
            reply->collsize = plan->groups[t].size;
        }
    }
    return rc;
}

/*
 * Gather the requested sizes. The file's first task plans the layout, and tells each task its
 * place.
 */
static int plan_together(struct layout_change *layout_change, sion_int64 chunksize,
                         struct restart_reply *reply)
{
    const struct scion_parallel *parallel = scion_parallel_of(layout_change->container);
    const struct scion_consultation how = {
        .comm = parallel->local,
        .global = parallel->global,
        .request = sizeof(struct restart_request),
        .reply = sizeof *reply,
        .decide = decide_layout,
        .context = layout_change,
    };

    return scion_consult(&how, &(struct restart_request){.chunksize = chunksize}, reply);
}

/* The file's first task empties the file; if that succeeds, all tasks start anew. */
static int empty_together(struct scion_comm *local, struct scion_container *container,
                          struct scion_layout_plan *plan, const struct restart_reply *reply)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    const struct scion_ending *ending = scion_container_ending(container);
    sion_int64 emptied = 0;
    int rc = 0, other, is_empty;

    if (local->rank == 0) {
        rc = scion_physical_restart(scion_container_physical(container), plan, &is_empty);
        emptied = is_empty;
    }
    other = scion_bcast(local, &emptied, sizeof emptied, 0);
    if (other == 0 && emptied) {
        if (reply->collsize > 0)
            other = scion_collective_join(parallel, (int)reply->collector);
        if (other == 0)
            other = scion_stream_restart(scion_container_stream(container), &reply->place);
        scion_commits_restart(container);
        if (other == 0 && ending)
            ending->restarted(ending->user);
    }
    return scion_first_failure(rc, other);
}

/* Of a staged container: where its chunks are now. */
static int announce_again(const struct scion_parallel *parallel, struct scion_container *container)
{
    return scion_staging_announce(parallel, container,
                                  parallel->local->rank == 0 ? scion_container_physical(container)
                                                             : NULL);
}

/*
 * In two steps, plan and empty, so that either all files of a set get new layouts or none does,
 * unless the system fails in the second step.
 */
int scion_parallel_restart(struct scion_container *container, int status, sion_int64 chunksize)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct layout_change layout_change = {.container = container};
    struct restart_reply reply = {0};
    struct scion_verdict own = {0};
    int rc;

    scion_note(status, &own);
    scion_write_batch_drop(container);
    rc = scion_leave_meetings(container);
    rc = status != 0 ? scion_fail(status, "%s", own.text) : rc == SION_ERR_COMM ? rc : 0;
    if (rc == 0 && parallel->buddies)
        rc = scion_fail(SION_ERR_MODE, "buddy checkpoints cannot start over");
    if (rc == 0 && parallel->grows)
        rc = scion_fail(SION_ERR_MODE, "a container that others can read by now cannot start over");

    /* Buffered data must not be written after the file has been emptied. */
    if (rc == 0)
        rc = scion_stream_flush(scion_container_stream(container));
    rc = scion_agree(parallel->global, scion_name_rank(parallel->global, rc));
    if (rc != 0)
        return rc;
    rc = plan_together(&layout_change, chunksize, &reply);
    if (parallel->local != parallel->global)
        rc = scion_agree(parallel->global, rc);
    if (rc == 0) {
        rc = empty_together(parallel->local, container, &layout_change.plan, &reply);
        if (rc == 0)
            rc = scion_staging_restart(parallel);
        if (rc == 0 && scion_staging_announces(parallel->staging))
            rc = announce_again(parallel, container);
        rc = scion_agree(parallel->global, scion_name_rank(parallel->global, rc));
    }
    scion_layout_plan_free(&layout_change.plan);
    return rc;
}

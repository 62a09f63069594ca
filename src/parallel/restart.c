#include <stdlib.h>

#include "base/error.h"
#include "comm/agree.h"
#include "parallel/private.h"

/* To every task: status of the file, and the task's new place. */
struct restart_reply {
    sion_int64 status;
    sion_int64 start, globalskip, chunksize;
};

static void answer(struct scion_physical *physical, const sion_int64 *chunksizes,
                   struct restart_reply *replies)
{
    int status = scion_physical_restart(physical, chunksizes), i;

    for (i = 0; i < physical->head.ntasks; i++) {
        struct scion_place place = scion_physical_place(physical, i);

        replies[i] = (struct restart_reply){status, place.start, place.globalskip, place.chunksize};
    }
}

static int exchange(struct scion_comm *local, struct scion_container *container,
                    sion_int64 chunksize, struct restart_reply *reply)
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
        answer(container->physical, chunksizes, replies);
    if (rc == 0)
        rc = scion_scatter(local, replies, reply, sizeof *reply, 0);
    free(chunksizes);
    free(replies);
    if (rc == 0 && reply->status != 0)
        rc = scion_agree_on(local, (int)reply->status, 0);
    return rc;
}

int scion_parallel_restart(struct scion_container *container, int status, sion_int64 chunksize)
{
    struct scion_parallel *parallel = container->parallel;
    struct restart_reply reply;
    int rc = status;

    /* What waits in a buffer must not come after the file has been emptied. */
    if (rc == 0)
        rc = scion_stream_flush(&container->stream);
    rc = scion_agree(parallel->global, scion_name_rank(parallel->global, rc));
    if (rc != 0)
        return rc;
    rc = exchange(parallel->local, container, chunksize, &reply);
    if (rc == 0) {
        const struct scion_place place = {reply.start, reply.globalskip, reply.chunksize};

        rc = scion_stream_restart(&container->stream, &place);
    }
    return scion_agree(parallel->global, scion_name_rank(parallel->global, rc));
}

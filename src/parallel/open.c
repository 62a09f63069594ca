/* Which way a container is opened. */
#include "base/trace.h"
#include "parallel/buddy.h"
#include "parallel/mapped.h"
#include "parallel/opening.h"
#include "parallel/sound.h"
#include "stage/queue.h"

/* A node could not stage it. The older container stays until the new one is complete, anyway. */
static int open_directly(struct scion_comm *comm, const struct scion_parallel_args *args,
                         struct scion_container **container)
{
    struct scion_parallel_args directly = *args;

    (void)scion_staged_settle(args->name);
    *directly.mode.stage = '\0';
    directly.mode.atomic = 1;
    if (directly.mode.sync == SCION_SYNC_NONE)
        directly.mode.sync = SCION_SYNC_CLOSE;
    return scion_parallel_open(comm, &directly, container);
}

/* Once. Its communicator stays the caller's if an open for reading fails. */
static int open_once(struct scion_comm *comm, const struct scion_parallel_args *args,
                     struct scion_container **container, struct scion_seen *seen)
{
    struct scion_opening opening = {.args = args};
    int rank = comm->rank, size = comm->size, rc;

    opening.parallel = scion_parallel_new(comm, args->kind, args->threads);
    rc = scion_single_open(&opening);
    if (rc != 0 && opening.is_refused)
        return open_directly(comm, args, container);
    scion_trace(SCION_TRACE_INTERNAL, "rank %d of %d: %d", rank, size, rc);
    if (rc == 0)
        *container = opening.container;
    *seen = opening.seen;
    return rc;
}

static int open_buddies(struct scion_comm *comm, const struct scion_parallel_args *args,
                        struct scion_container **container)
{
    struct scion_opening opening = {.args = args};
    int rank = comm->rank, size = comm->size, rc;

    opening.parallel = scion_parallel_new(comm, args->kind, args->threads);
    rc = scion_buddy_open(&opening);
    scion_trace(SCION_TRACE_INTERNAL, "rank %d of %d: %d", rank, size, rc);
    if (rc == 0)
        *container = opening.container;
    return rc;
}

int scion_parallel_open(struct scion_comm *comm, const struct scion_parallel_args *args,
                        struct scion_container **container)
{
    struct scion_parallel_args now = *args;
    struct scion_seen seen;
    struct scion_sound sound;
    int rc;

    if (args->mode.buddies > 0 && args->mode.access == SCION_ACCESS_READ)
        return open_buddies(comm, args, container);
    scion_sound_begin(&sound);
    while ((rc = open_once(comm, &now, container, &seen)) != 0) {
        rc = scion_try_older(comm, rc, &seen, &sound, &now.mode);
        if (rc != 0)
            break;
    }
    if (rc != 0 && args->mode.access == SCION_ACCESS_READ)
        scion_comm_free(comm);
    if (rc == 0) {
        struct scion_reopening *again = scion_parallel_of(*container)->again;

        if (again) {
            again->open = scion_parallel_open;
            again->args.mode = args->mode;
        }
        scion_sound_end(&sound, &seen, &now.mode, comm->rank == 0);
    }
    return rc;
}

int scion_parallel_open_mapped(struct scion_comm *comm, const struct scion_mapped_args *args,
                               struct scion_container **container)
{
    struct scion_mapped_args now = *args;
    struct scion_seen seen;
    struct scion_sound sound;
    int rank = comm->rank, size = comm->size, rc;

    scion_sound_begin(&sound);
    while ((rc = scion_mapped_open(comm, &now, container, &seen)) != 0) {
        rc = scion_try_older(comm, rc, &seen, &sound, &now.mode);
        if (rc != 0)
            break;
    }
    scion_trace(SCION_TRACE_INTERNAL, "rank %d of %d, mapped: %d", rank, size, rc);
    if (rc != 0)
        scion_comm_free(comm);
    if (rc == 0) {
        struct scion_reopening *again = scion_parallel_of(*container)->again;

        if (again) {
            again->open_mapped = scion_parallel_open_mapped;
            again->mapped.mode = args->mode;
        }
        scion_sound_end(&sound, &seen, &now.mode, rank == 0);
    }
    return rc;
}

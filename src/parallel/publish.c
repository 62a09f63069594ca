/* All tasks publish what they have written: tables, checksums, the switch. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "file/checksum_tap.h"
#include "file/mapped.h"
#include "parallel/checksum.h"
#include "parallel/endings.h"
#include "parallel/generations.h"
#include "parallel/mapped.h"
#include "parallel/tables.h"

int scion_parallel_publish_check(const struct scion_parallel *parallel,
                                 const struct scion_container *container)
{
    const char *why = parallel->staging            ? "it is staged"
                      : parallel->is_atomic        ? "it gets its name at the close"
                      : parallel->buddies          ? "it is a buddy checkpoint"
                      : parallel->collective.merge ? "its streams are merged (mode word cmerge)"
                                                   : NULL;
    int rc = scion_publish_check(container);

    if (rc != 0 || !why)
        return rc;
    return scion_fail(SION_ERR_MODE, "%s cannot be published: %s", scion_container_name(container),
                      why);
}

/* All tasks know the result. */
static void settle(const struct scion_parallel *parallel, struct scion_container *container, int rc)
{
    int is_mapped = scion_container_is_mapped(container), i;

    if (rc == 0)
        scion_checksum_tap_told(scion_checksum_tap_of(container));
    if (rc == 0)
        scion_begin_generation(container);
    for (i = 0; is_mapped && parallel->files && i < parallel->nfiles; i++)
        scion_physical_settle_state(parallel->files[i], rc == 0);
    if (!is_mapped && parallel->local->rank == 0)
        scion_physical_settle_state(scion_container_physical(container), rc == 0);
    if (is_mapped && rc == 0)
        scion_punch_files(parallel, container);
}

static int write_out(const struct scion_parallel *parallel, struct scion_container *container)
{
    int rc = scion_parallel_publish_check(parallel, container);

    if (rc == 0)
        rc = scion_container_finish_zips(container);
    if (rc == 0)
        rc = scion_stream_flush(scion_container_stream(container));
    return rc == 0 && scion_container_syncs_close(container) ? scion_container_sync(container) : rc;
}

/* Behind META2, and the switch. rc: this task's result so far. */
static int complete(struct scion_parallel *parallel, struct scion_container *container, int rc)
{
    const struct scion_place place = scion_container_stream(container)->place;
    int other = scion_checksum_write_parallel(parallel, container, &place,
                                              scion_mapping_of(parallel, container), 1, rc);

    rc = scion_first_failure(rc, other);
    other = scion_switch_states(parallel, container, 0);
    return scion_first_failure(rc, other);
}

/* One file: the agreement also tells where chunks may begin. */
static int publish_file(struct scion_parallel *parallel, struct scion_container *container,
                        const struct scion_length_news *news, int *is_new)
{
    struct scion_comm *global = parallel->global;
    sion_int64 floor = 0;
    int rc = scion_write_news(parallel, container, news, is_new);

    if (!*is_new)
        return rc;
    rc = complete(parallel, container, rc);
    if (global->rank == 0)
        floor = scion_container_physical(container)->floor;
    rc = scion_agree_telling(global, scion_name_rank(global, rc), &floor, 1);
    scion_container_stream(container)->place.floor = floor;
    return rc;
}

/* Collective over the tasks of a file. */
static int tell_floor(const struct scion_parallel *parallel, struct scion_container *container)
{
    sion_int64 floor = 0;
    int rc;

    if (parallel->local->rank == 0)
        floor = scion_container_physical(container)->floor;
    rc = scion_bcast(parallel->local, &floor, sizeof floor, 0);
    if (rc == 0)
        scion_container_stream(container)->place.floor = floor;
    return rc;
}

static int tell_floors(const struct scion_parallel *parallel, struct scion_container *container)
{
    int n = scion_container_nfiles(container), i, rc;
    sion_int64 *floors = scion_must_allocate((size_t)n, sizeof *floors);

    for (i = 0; parallel->files && i < n; i++)
        floors[i] = parallel->files[i]->floor;
    rc = scion_bcast(parallel->global, floors, (size_t)n * sizeof *floors, 0);
    if (rc == 0)
        scion_mapped_raise(container, floors);
    free(floors);
    return rc;
}

/* Several files, or tasks in any of them. */
static int publish_files(struct scion_parallel *parallel, struct scion_container *container,
                         const struct scion_length_news *news, int *is_new)
{
    struct scion_comm *global = parallel->global;
    int rc = news->rc != 0      ? news->rc
             : news->has_ending ? SCION_FIRST
             : news->is_new     ? SCION_MORE
                                : 0,
        other;

    rc = scion_agree_or_more(global, scion_name_rank(global, rc));
    *is_new = rc == SCION_MORE;
    if (!*is_new)
        return rc;
    scion_begin_growing(parallel, container);
    rc = complete(parallel, container, scion_write_new_tables(parallel, container));
    other = scion_container_is_mapped(container) ? tell_floors(parallel, container)
                                                 : tell_floor(parallel, container);
    rc = scion_first_failure(rc, other);
    return scion_agree(global, scion_name_rank(global, rc));
}

/* rc: this task's result so far. SCION_FIRST, on all: a task has an ending, which asks for its
   turn, and nothing is published. */
static int publish(struct scion_parallel *parallel, struct scion_container *container, int rc,
                   int asks)
{
    struct scion_length_news news = {.most = 1, .has_ending = asks};
    int is_new, other = write_out(parallel, container);

    news.rc = scion_first_failure(rc, other);
    news.is_new = !parallel->grows || scion_container_has_news(container);
    if (parallel->keeps)
        scion_agree_on_generations(parallel, container, &news);
    if (scion_container_is_mapped(container) || parallel->local != parallel->global)
        news.rc = publish_files(parallel, container, &news, &is_new);
    else
        news.rc = publish_file(parallel, container, &news, &is_new);
    if (is_new)
        settle(parallel, container, news.rc);
    return news.rc;
}

int scion_publish_now(struct scion_container *container, int rc)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    const struct scion_ending *ending = scion_container_ending(container);

    rc = publish(parallel, container, rc, ending != NULL);
    if (rc == SCION_FIRST) {
        rc = scion_run_endings(parallel->global, container);
        if (rc == 0)
            rc = publish(parallel, container, 0, 0);
        if (rc == 0)
            ending->published(ending->user);
    }
    scion_meetings_restart(parallel);
    return rc;
}

int scion_parallel_publish(struct scion_container *container)
{
    return scion_publish_now(container, scion_leave_meetings(container));
}

int scion_parallel_meet(struct scion_container *container, int of_transaction)
{
    int is_due, own, rc = scion_meetings_look(container, of_transaction, &is_due, &own);

    return rc == 0 && is_due ? scion_publish_now(container, own) : rc;
}

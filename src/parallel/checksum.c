/* Checksums of a file that many tasks write: its first task gathers them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "file/checksum.h"
#include "file/checksum_tap.h"
#include "parallel/checksum.h"
#include "parallel/generations.h"
#include "parallel/mapped.h"
#include "parallel/opening.h"
#include "parallel/checksum_gather.h"

/* Write the CRCs in the order of the file's tasks. */
static int write_gathered(const struct scion_parallel *parallel, struct scion_physical *physical,
                          const struct scion_mapping *mapping,
                          const struct scion_checksum_gather *gather)
{
    int size = parallel->local->size, rc, t;
    struct scion_task_crcs *tasks = scion_array((uint64_t)size, sizeof *tasks);

    if (!tasks)
        return scion_fail_memory("checksums");
    for (t = 0; t < size; t++) {
        int rank = scion_rank_of_task(parallel, physical, t);

        tasks[t] =
            (struct scion_task_crcs){scion_checksum_gather_of(gather, rank), gather->counts[rank]};
    }
    rc = scion_checksum_write_tasks(physical, mapping, tasks);
    free(tasks);
    return rc;
}

/* ---- many tasks that have as many CRCs ---- */

enum {
    EVEN_BYTES = 64 << 20 /* of all CRCs of a file, of which its first task has no other copy */
};

/* In the order of the file's tasks; in: of ranks. *crcs is new, if that is another one. */
static int order_crcs(const struct scion_parallel *parallel, const struct scion_physical *physical,
                      sion_int64 each, uint32_t **crcs)
{
    const sion_int64 *ranks = scion_ranks_of_tasks(parallel, physical);
    size_t n = (size_t)parallel->local->size, t, size = (size_t)each * sizeof **crcs;
    uint32_t *ordered = ranks ? scion_array(n, size + 1) : NULL;

    if (!ranks)
        return 0;
    if (!ordered)
        return scion_fail_memory("checksums");
    for (t = 0; t < n; t++)
        memcpy(ordered + t * (size_t)each, *crcs + (size_t)(ranks[t] * each), size);
    free(*crcs);
    *crcs = ordered;
    return 0;
}

/* Collective: all tasks have so many. */
static int write_even(const struct scion_parallel *parallel, struct scion_container *container,
                      const struct scion_mapping *mapping, const uint32_t *own, sion_int64 each)
{
    struct scion_comm *local = parallel->local;
    size_t bytes = (size_t)each * sizeof *own;
    struct scion_physical *physical;
    uint32_t *crcs = NULL;
    int rc;

    if (local->rank == 0)
        crcs = scion_must_allocate((size_t)local->size, bytes + 1);
    rc = each > 0 ? scion_gather(local, own, crcs, bytes, 0) : 0;
    if (rc == 0 && local->rank == 0) {
        physical = scion_container_physical(container);
        rc = order_crcs(parallel, physical, each, &crcs);
        if (rc == 0)
            rc = scion_checksum_write(physical, mapping, crcs, each * local->size);
    }
    free(crcs);
    return rc;
}

/* Collective. Returns SCION_MORE: they have other numbers, and none has failed so far. */
static int write_many(const struct scion_parallel *parallel, struct scion_container *container,
                      const struct scion_place *place, const struct scion_mapping *mapping, int rc)
{
    struct scion_comm *local = parallel->local;
    const struct scion_lengths *lengths = scion_container_lengths(container, 0);
    sion_int64 numbers[] = {rc, scion_checksum_count(lengths, SCION_CHECKSUM_PIECE)}, count;
    struct scion_range ranges[2];
    const uint32_t *crcs;
    int sent = scion_find_ranges(local, numbers, 2, ranges), go_on;

    if (sent != 0 || ranges[0].least != 0)
        return sent;
    if (ranges[1].least != ranges[1].most ||
        ranges[1].most > EVEN_BYTES / (sion_int64)sizeof *crcs / local->size)
        return SCION_MORE;
    rc = scion_checksum_tap_get(scion_checksum_tap_of(container), 0,
                                scion_container_opened(container), place, lengths, &crcs, &count);
    go_on = scion_none_failed(local, rc);
    if (go_on == 1)
        return write_even(parallel, container, mapping, crcs, numbers[1]);
    return scion_first_failure(rc, go_on);
}

/* ---- all ---- */

static int write_parallel(const struct scion_parallel *parallel, struct scion_container *container,
                          const struct scion_place *place, const struct scion_mapping *mapping,
                          int is_published, int rc)
{
    struct scion_comm *local = parallel->local;
    struct scion_checksum_gather gather = {0};
    int is_large = scion_is_large(local) && !parallel->grows;
    int begun = scion_checksum_gather_begin(&gather, local), go_on;
    const uint32_t *crcs = NULL;
    sion_int64 count = 0;

    rc = scion_first_failure(rc, begun);
    go_on = is_large ? write_many(parallel, container, place, mapping, rc)
                     : scion_none_failed(local, rc);
    rc = begun;
    if (go_on == 1) {
        rc = (is_published ? scion_checksum_tap_news : scion_checksum_tap_get)(
            scion_checksum_tap_of(container), 0, scion_container_opened(container), place,
            scion_container_lengths(container, 0), &crcs, &count);
        go_on = scion_checksum_gather_all(local, rc, crcs, count, &gather);
    }
    rc = scion_first_failure(rc, go_on < 0 ? go_on : 0);
    if (go_on == 1 && local->rank == 0)
        rc = write_gathered(parallel, scion_container_physical(container), mapping, &gather);
    scion_checksum_gather_free(&gather);
    return rc;
}

int scion_checksum_write_parallel(struct scion_parallel *parallel,
                                  struct scion_container *container,
                                  const struct scion_place *place,
                                  const struct scion_mapping *mapping, int is_published, int rc)
{
    if (scion_container_is_mapped(container))
        return scion_checksum_write_mapped(parallel, container, is_published, rc);
    if (!scion_checksum_tap_of(container))
        return 0;
    scion_tell_forgotten(parallel, container);
    return write_parallel(parallel, container, place, mapping, is_published, rc);
}

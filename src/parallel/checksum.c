/* Checksums of a file that many tasks write: its first task gathers them. */
#include <stdlib.h>

#include "base/error.h"
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

int scion_checksum_write_parallel(struct scion_parallel *parallel,
                                  struct scion_container *container,
                                  const struct scion_place *place,
                                  const struct scion_mapping *mapping, int is_published, int rc)
{
    struct scion_comm *local = parallel->local;
    struct scion_checksum_gather gather = {0};
    const uint32_t *crcs = NULL;
    sion_int64 count = 0;
    int go_on, begun;

    if (scion_container_is_mapped(container))
        return scion_checksum_write_mapped(parallel, container, is_published, rc);
    if (!scion_checksum_tap_of(container))
        return 0;
    scion_tell_forgotten(parallel, container);
    begun = scion_checksum_gather_begin(&gather, local);
    go_on = scion_none_failed(local, scion_first_failure(rc, begun));
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

#include "parallel/generations.h"

#include "base/error.h"
#include "base/memory.h"
#include <stdlib.h>

#include "file/generations.h"
#include "file/mapped.h"
#include "file/zips.h"
#include "parallel/checksum_gather.h"

/* Number i of the files whose tables this task writes; NULL: it has not so many. */
static struct scion_physical *own_file(const struct scion_parallel *parallel,
                                       const struct scion_container *container, int i)
{
    if (scion_container_is_mapped(container))
        return parallel->files && i < parallel->nfiles ? parallel->files[i] : NULL;
    return i == 0 && parallel->local->rank == 0 ? scion_container_physical(container) : NULL;
}

static int fail_different(struct scion_container *container, const struct scion_range *range)
{
    scion_container_note_forgotten(container);
    return scion_fail(SION_ERR_MISMATCH,
                      "%s: the tasks have passed different numbers to sion_forget, "
                      "from %lld to %lld",
                      scion_container_name(container), range->least, range->most);
}

/* Whether a file whose tables this task writes has no state that readers see. */
static int lacks_state(const struct scion_parallel *parallel,
                       const struct scion_container *container)
{
    const struct scion_physical *file;
    int i;

    for (i = 0; (file = own_file(parallel, container, i)); i++) {
        if (file->tail_start == 0)
            return 1;
    }
    return 0;
}

void scion_agree_on_generations(struct scion_parallel *parallel, struct scion_container *container,
                                struct scion_length_news *news)
{
    /* The last one tells of both: a file without a state, and else a failure. */
    const sion_int64 own[3] = {scion_container_forgets(container),
                               scion_container_has_bytes(container),
                               lacks_state(parallel, container) ? -1 : news->rc != 0};
    struct scion_physical *file;
    struct scion_range ranges[3];
    int rc = scion_find_ranges(parallel->global, own, 3, ranges), i;

    if (rc == 0 && ranges[0].least != ranges[0].most)
        rc = fail_different(container, &ranges[0]);
    for (i = 0; rc == 0 && (file = own_file(parallel, container, i)); i++) {
        struct scion_generations *generations = file->generations;

        if (generations) {
            generations->is_new = (int)ranges[1].most;
            generations->forget = ranges[0].most;
        }
    }
    if (rc == 0)
        news->is_new |= ranges[0].most > 0;
    news->keeps_state = rc == 0 && ranges[2].least >= 0 && ranges[2].most > 0;
    news->rc = scion_first_failure(news->rc, rc);
}

static void tell_forgotten_of_all(const struct scion_parallel *parallel,
                                  struct scion_container *container)
{
    int n = scion_container_nfiles(container), i;
    sion_int64 *forgotten = scion_must_allocate((size_t)n, sizeof *forgotten);

    for (i = 0; parallel->files && i < n; i++)
        forgotten[i] =
            parallel->files[i]->generations ? parallel->files[i]->generations->forgotten : 0;
    if (scion_bcast(parallel->global, forgotten, (size_t)n * sizeof *forgotten, 0) == 0)
        scion_mapped_drop(container, forgotten);
    free(forgotten);
}

void scion_tell_forgotten(const struct scion_parallel *parallel, struct scion_container *container)
{
    const struct scion_physical *physical = own_file(parallel, container, 0);
    sion_int64 forgotten = 0;

    if (!parallel->keeps)
        return;
    if (scion_container_is_mapped(container)) {
        tell_forgotten_of_all(parallel, container);
        return;
    }
    if (physical && physical->generations)
        forgotten = physical->generations->forgotten;
    if (scion_bcast(parallel->local, &forgotten, sizeof forgotten, 0) == 0)
        scion_container_drop_chunks(container, forgotten);
}

static int leap(struct scion_container *container)
{
    return scion_container_is_mapped(container)
               ? scion_mapped_leap(container)
               : scion_stream_leap(scion_container_stream(container));
}

void scion_begin_generation(struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    if (parallel->keeps)
        scion_zips_begin_generation(container);
    while (parallel->keeps && leap(container) != 0)
        scion_make_room();
    scion_container_note_published(container);
}

void scion_punch_files(const struct scion_parallel *parallel,
                       const struct scion_container *container)
{
    int is_mapped = scion_container_is_mapped(container), i;
    struct scion_physical *file;

    for (i = 0; parallel->keeps && (file = own_file(parallel, container, i)); i++) {
        if (is_mapped && scion_physical_resume(file) != 0)
            continue;
        scion_generations_punch(file);
        if (is_mapped)
            scion_physical_suspend(file);
    }
}

void scion_end_generations(const struct scion_parallel *parallel, struct scion_container *container,
                           int rc)
{
    if (scion_none_failed(parallel->global, rc) == 1)
        scion_punch_files(parallel, container);
}

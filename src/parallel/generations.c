#include "parallel/generations.h"

#include "base/error.h"
#include "base/memory.h"
#include "file/generations.h"
#include "file/zips.h"
#include "parallel/checksum_gather.h"

/* On the first task of a file; NULL: on others. */
static struct scion_physical *own_file(const struct scion_parallel *parallel,
                                       const struct scion_container *container)
{
    return parallel->local->rank == 0 ? scion_container_physical(container) : NULL;
}

static int fail_different(struct scion_container *container, const struct scion_range *range)
{
    scion_container_note_forgotten(container);
    return scion_fail(SION_ERR_MISMATCH,
                      "%s: the tasks have passed different numbers to sion_forget, "
                      "from %lld to %lld",
                      scion_container_name(container), range->least, range->most);
}

void scion_agree_on_generations(struct scion_parallel *parallel, struct scion_container *container,
                                struct scion_length_news *news)
{
    const sion_int64 own[2] = {scion_container_forgets(container),
                               scion_container_has_bytes(container)};
    struct scion_physical *physical = own_file(parallel, container);
    struct scion_range ranges[2];
    int rc = scion_find_ranges(parallel->global, own, 2, ranges);

    if (rc == 0 && ranges[0].least != ranges[0].most)
        rc = fail_different(container, &ranges[0]);
    if (rc == 0 && physical && physical->generations) {
        physical->generations->is_new = (int)ranges[1].most;
        physical->generations->forget = ranges[0].most;
    }
    if (rc == 0)
        news->is_new |= ranges[0].most > 0;
    news->rc = scion_first_failure(news->rc, rc);
}

void scion_tell_forgotten(const struct scion_parallel *parallel, struct scion_container *container)
{
    const struct scion_physical *physical = own_file(parallel, container);
    sion_int64 forgotten = 0;

    if (!parallel->keeps)
        return;
    if (physical && physical->generations)
        forgotten = physical->generations->forgotten;
    if (scion_bcast(parallel->local, &forgotten, sizeof forgotten, 0) == 0)
        scion_container_drop_chunks(container, forgotten);
}

void scion_begin_generation(struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    if (parallel->keeps)
        scion_zips_begin_generation(container);
    while (parallel->keeps && scion_stream_leap(scion_container_stream(container)) != 0)
        scion_make_room();
    scion_container_note_published(container);
}

void scion_end_generations(const struct scion_parallel *parallel, struct scion_container *container,
                           int rc)
{
    struct scion_physical *physical = own_file(parallel, container);

    if (scion_none_failed(parallel->global, rc) == 1 && physical)
        scion_generations_punch(physical);
}

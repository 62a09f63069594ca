#include "file/newer.h"

#include "base/error.h"
#include "file/private.h"
#include "file/unzip_view.h"
#include "sion_const.h"

int scion_newer_compare(const char *name, int sees_all, sion_int64 before, sion_int64 now)
{
    if (sees_all || now == before || (before == 0 && now == 1))
        return SCION_NEWER_GROWS;
    if (now > before)
        return SCION_NEWER_MOVES;
    if (now == 0)
        return SCION_NEWER_STAYS;
    return scion_fail(SION_ERR_DAMAGED, "%s has no sound generation from %lld on", name, before);
}

sion_int64 scion_newer_first(const struct scion_physical *physical)
{
    const struct scion_generations *generations = physical->generations;

    if (!generations)
        return 0;
    return generations->head.n > 0 ? generations->list[0].first : physical->maxchunks;
}

sion_int64 scion_newer_oldest(const struct scion_generations *generations)
{
    if (!generations)
        return 1;
    return generations->head.n > 0 ? generations->list[0].number : generations->head.newest + 1;
}

sion_int64 scion_newer_before(const struct scion_newer_task *old, sion_int64 chunk)
{
    sion_int64 bytes = 0, b;

    if (old->unzip) /* where a task without bytes would begin, the next one does */
        return scion_lengths_used(old->lengths, 0) > 0
                   ? scion_unzip_view_before(old->unzip, old->base, chunk)
                   : 0;
    for (b = 0; b < chunk && b < old->lengths->count; b++)
        bytes += scion_lengths_used(old->lengths, b);
    return bytes;
}

void scion_newer_move(const struct scion_newer_task *old, sion_int64 count, sion_int64 first,
                      struct scion_mark *mark)
{
    sion_int64 gone = scion_newer_before(old, first), at = mark->before + mark->pos;

    if (old->unzip)
        *mark = (struct scion_mark){.pos = at > gone ? at - gone : 0};
    else if (mark->chunk >= first)
        mark->before -= gone;
    else
        *mark = (struct scion_mark){.chunk = first < count ? first : count - 1};
}

int scion_newer_has_all(const struct scion_newer_task *old, const struct scion_lengths *new,
                        sion_int64 first)
{
    const struct scion_lengths *lengths = old->lengths;
    sion_int64 b;

    if (old->unzip)
        return scion_lengths_used(lengths, 0) - scion_newer_before(old, first) <=
               scion_lengths_used(new, 0);
    for (b = first; b < lengths->count; b++) {
        if (scion_lengths_used(lengths, b) > (b < new->count ? scion_lengths_used(new, b) : 0))
            return 0;
    }
    return 1;
}

int scion_newer_fail_changed(const struct scion_container *container)
{
    return scion_fail(SION_ERR_MISMATCH, "%s is not the container any more that was opened",
                      container->name);
}

void scion_container_swap_tasks(struct scion_container *one, struct scion_container *other)
{
    const struct scion_tasks tasks = one->tasks;
    int maxchunks = one->maxchunks;

    one->tasks = other->tasks;
    other->tasks = tasks;
    one->maxchunks = other->maxchunks;
    other->maxchunks = maxchunks;
}

/* ---- what is lost ---- */

struct scion_newer_loss scion_newer_between(sion_int64 newest, sion_int64 oldest)
{
    return (struct scion_newer_loss){.first = newest + 1, .last = oldest - 1};
}

void scion_newer_begin(const struct scion_physical *old, const struct scion_physical *new,
                       struct scion_newer_loss *loss)
{
    *loss = scion_newer_between(old->generations ? old->generations->head.newest : 0,
                                scion_newer_oldest(new->generations));
}

void scion_newer_add(const struct scion_generation *list, int n, const struct scion_newer_task *old,
                     sion_int64 read, struct scion_newer_loss *loss)
{
    int i;

    for (i = 0; i < n && list[i].number <= loss->last; i++) {
        const struct scion_generation *one = &list[i];
        sion_int64 begin = scion_newer_before(old, one->first);

        if (one->number < loss->first &&
            scion_newer_before(old, one->first + one->blocks) > (read > begin ? read : begin))
            loss->first = one->number;
    }
}

void scion_container_add_loss(const struct scion_container *container, int task,
                              const struct scion_generation *list, int n,
                              const struct scion_newer_task *old, const struct scion_mark *mark,
                              struct scion_newer_loss *loss)
{
    sion_int64 read = container->keyval == SION_KEYVAL_INLINE
                          ? scion_container_known_of_keys(container, task)
                          : mark->before + mark->pos;

    if (task == container->selected || read > 0)
        scion_newer_add(list, n, old, read, loss);
}

void scion_newer_warn(const char *name, const struct scion_newer_loss *loss)
{
    if (loss->first == loss->last)
        scion_warn("generation %lld of %s was forgotten before all of it was read", loss->first,
                   name);
    else if (loss->first < loss->last)
        scion_warn("generations %lld to %lld of %s were forgotten before all of them were read",
                   loss->first, loss->last, name);
}

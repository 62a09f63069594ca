#include "file/newer.h"

#include "base/error.h"
#include "file/generations.h"
#include "file/unzip_view.h"

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

/* ---- what is lost ---- */

void scion_newer_begin(const struct scion_physical *old, const struct scion_physical *new,
                       struct scion_newer_loss *loss)
{
    const struct scion_generations *now = new->generations;

    *loss = (struct scion_newer_loss){.first = 1, .last = 0};
    if (!now)
        return;
    loss->first = old->generations ? old->generations->head.newest + 1 : 1;
    loss->last = now->head.n > 0 ? now->list[0].number - 1 : now->head.newest;
}

void scion_newer_add(const struct scion_physical *file, const struct scion_newer_task *old,
                     sion_int64 read, struct scion_newer_loss *loss)
{
    const struct scion_generations *then = file->generations;
    int i;

    for (i = 0; then && i < then->head.n && then->list[i].number <= loss->last; i++) {
        const struct scion_generation *one = &then->list[i];
        sion_int64 begin = scion_newer_before(old, one->first);

        if (one->number < loss->first &&
            scion_newer_before(old, one->first + one->blocks) > (read > begin ? read : begin))
            loss->first = one->number;
    }
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

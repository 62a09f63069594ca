#include "parallel/task_place.h"

void scion_copy_damage(const struct scion_damage *damage, sion_int64 *to)
{
    to[0] = 0;
    memcpy(to + 1, damage, sizeof *damage);
}

void scion_copy_lengths(const struct scion_physical *physical, int lrank, sion_int64 *to)
{
    const struct scion_damage *damage = scion_damages_find(&physical->damages, lrank);
    sion_int64 b;

    if (damage) {
        scion_copy_damage(damage, to);
        return;
    }
    for (b = 0; b < physical->counts[lrank]; b++)
        to[b] = physical->used[(size_t)b * (size_t)physical->head.ntasks + (size_t)lrank];
}

sion_int64 *scion_put_placed(const struct scion_physical *physical, int file, int lrank, int rank,
                             sion_int64 *to)
{
    const struct scion_task_place placed = {
        .rank = rank,
        .file = file,
        .lrank = lrank,
        .place = scion_physical_place(physical, lrank),
        .count = physical->counts ? scion_count_of(physical, lrank) : 0,
    };

    memcpy(to, &placed, sizeof placed);
    if (physical->counts)
        scion_copy_lengths(physical, lrank, to + SCION_TASK_PLACE_WORDS);
    return to + scion_task_place_words(physical, lrank);
}

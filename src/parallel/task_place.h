/* Places of tasks as rows of words, to be sent to the processes that use them. */
#ifndef SCION_PARALLEL_TASK_PLACE_H
#define SCION_PARALLEL_TASK_PLACE_H

#include <string.h>

#include "file/physical.h"
#include "file/task_place.h"

enum { SCION_TASK_PLACE_WORDS = sizeof(struct scion_task_place) / sizeof(sion_int64) };

/* What is told of a task as its count (struct scion_task_place). */
static inline sion_int64 scion_count_of(const struct scion_physical *physical, int lrank)
{
    return scion_damages_find(&physical->damages, lrank) ? -SCION_DAMAGED_NUMBERS
                                                         : physical->counts[lrank];
}

/* Words of a task: its place, and after it, if the file is read, the lengths of its chunks. */
static inline sion_int64 scion_task_place_words(const struct scion_physical *physical, int lrank)
{
    return SCION_TASK_PLACE_WORDS +
           (physical->counts ? scion_task_place_numbers(scion_count_of(physical, lrank)) : 0);
}

/* Write the task of a file, whose number is `file`, to `to`. Returns where the next task goes. */
sion_int64 *scion_put_placed(const struct scion_physical *physical, int file, int lrank, int rank,
                             sion_int64 *to);

/* The struct with which a task's words begin. */
static inline struct scion_task_place scion_task_place_at(const sion_int64 *words)
{
    struct scion_task_place placed;

    memcpy(&placed, words, sizeof placed);
    return placed;
}

/* The numbers of a task that is damaged. */
void scion_copy_damage(const struct scion_damage *damage, sion_int64 *to);

/* Copy the numbers of a task that is read: the bytes in each chunk, or what is wrong. */
void scion_copy_lengths(const struct scion_physical *physical, int lrank, sion_int64 *to);

#endif

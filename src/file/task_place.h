/* Where a task's data are. The process that has the metadata of a file sends it to the process that
   uses the task. */
#ifndef SCION_FILE_TASK_PLACE_H
#define SCION_FILE_TASK_PLACE_H

#include "format/damage.h"
#include "geometry/layout.h"

/* 64-bit words, because tasks send it to each other. */
struct scion_task_place {
    int rank;        /* global */
    int file, lrank; /* number of its physical file, and its index in it */
    int index;       /* of the file among those that the process has open */
    struct scion_place place;
    /* Reading: chunks, of which the lengths follow. Of a damaged task minus the numbers that
       follow: the length 0 of one empty chunk, and what is wrong (scion_damage_at). */
    sion_int64 count;
};

enum { SCION_DAMAGED_NUMBERS = 1 + SCION_DAMAGE_WORDS };

/* The numbers that follow. */
static inline sion_int64 scion_task_place_numbers(sion_int64 count)
{
    return count < 0 ? -count : count;
}

/* And of how many chunks they are the lengths. */
static inline sion_int64 scion_task_place_chunks(sion_int64 count)
{
    return count < 0 ? 1 : count;
}

/* What is wrong with a damaged task, by the numbers that follow its place; NULL: nothing. */
static inline const struct scion_damage *scion_damage_at(const sion_int64 *numbers,
                                                         sion_int64 count)
{
    return count < 0 ? (const void *)(numbers + 1) : NULL;
}

#endif

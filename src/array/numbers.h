/* The number of a task is its global rank if the global ranks of a container are 0, 1, ..., each
   once; otherwise it is the index of the task in the container. */
#ifndef SCION_ARRAY_NUMBERS_H
#define SCION_ARRAY_NUMBERS_H

#include <string.h>

#include "sion_datatypes.h"

/* Compute numbers[n] from ranks[n]. */
static inline void scion_array_number_tasks(const sion_int64 *ranks, int n, int *numbers)
{
    int i, is_good = 1;

    for (i = 0; i < n; i++)
        numbers[i] = 0;
    for (i = 0; i < n && is_good; i++)
        is_good = ranks[i] >= 0 && ranks[i] < n && numbers[ranks[i]]++ == 0;
    for (i = 0; i < n; i++)
        numbers[i] = is_good ? (int)ranks[i] : i;
}

#endif

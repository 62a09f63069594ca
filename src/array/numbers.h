/* What a task's number is: its global rank, unless the global ranks of a container are not 0, 1,
 * ... each once; then its place in the container. */
#ifndef SCION_ARRAY_NUMBERS_H
#define SCION_ARRAY_NUMBERS_H

#include <string.h>

#include "sion_datatypes.h"

/* From ranks[n] to numbers[n]. */
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

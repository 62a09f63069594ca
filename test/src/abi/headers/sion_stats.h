/* As a program would have that was compiled before the last members were added. */
#ifndef SION_STATS_H
#define SION_STATS_H

#include <stddef.h>

#include "sion_datatypes.h"

typedef struct sion_stats {
    size_t size;
    sion_int64 calls;
    sion_int64 bytes;
    sion_int64 smallest;
    sion_int64 median;
    sion_int64 largest;
} sion_stats_t;

int sion_stats_enable(int on);
int sion_get_stats(int sid, sion_stats_t *stats);

#endif

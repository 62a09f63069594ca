/*
 * Which rank writes which file of a rank2file tree. Pure.
 *
 * Level 0 is made of runs of ranks, every higher level of runs of the files below, until one file
 * holds all: the root, of level 1 or higher. A new file begins where an entry crosses a multiple of
 * the segment size, so a file is at most about twice as large; its writer is the first rank in it.
 */
#ifndef SCION_SCR_PLAN_H
#define SCION_SCR_PLAN_H

#include "scr/dataset/layout.h"

/* Every level above the first has at most half as many files as the one below, so there are never
   more levels. */
enum { SCION_MAP_LEVELS = 64 };

struct scion_map_level {
    int ngroups;
    int *first;   /* [ngroups + 1] first member of each file: rank (level 0), or file of the level
                     below */
    int *starter; /* [ngroups] index of the rank that writes it */
};

struct scion_map_plan {
    int nlevels; /* the last one is the root's */
    struct scion_map_level *level;
};

/*
 * ranks[n], ascending, and the packed sizes of their trees; n > 0. O(n) time and memory. 0 or an
 * error code.
 */
int scion_map_plan(const struct sion_scr_place *place, const sion_int64 *ranks,
                   const sion_int64 *sizes, int n, sion_int64 segment, struct scion_map_plan *plan);

void scion_map_plan_free(struct scion_map_plan *plan);

#endif

/* The files of a map, one after the other, on one task. */
#ifndef SCION_SCR_WALK_H
#define SCION_SCR_WALK_H

#include "scr/kvtree/kvtree.h"
#include "scr/map/find.h"

/* A file of a map, as long as it is visited. */
struct scion_map_file {
    const char *path;
    sion_int64 offset; /* of its record */
    int level;         /* 0: a leaf */
    struct sion_kvtree *whole;
    const struct sion_kvtree *tree; /* LEVEL, RANKS, RANK: the whole, or below RANK2FILE */
};

/* Called for each file, those above before those below. A result other than 0 ends the walk. */
typedef int scion_map_visit(void *data, const struct scion_map_file *file);

/* Visit the root of a map that was found, and all files below it. */
int scion_map_walk(struct scion_map_location *found, int allow_outside, scion_map_visit *visit,
                   void *data);

#endif

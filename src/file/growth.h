/*
 * What the writer of a file that grows knows of its states. Two areas of the file take turns to
 * hold the tables of the newest one; into an area only that is written which it lacks.
 */
#ifndef SCION_FILE_GROWTH_H
#define SCION_FILE_GROWTH_H

#include <stddef.h>

#include "file/area_table.h"
#include "file/physical.h"
#include "format/state.h"

struct scion_task_crcs;

struct scion_told {
    sion_int64 count, bytes; /* is_even: of chunks of each task; of all tasks in their last ones */
    sion_int64 *counts;      /* [ntasks] of chunks; 0: of a file that has no state yet */
    sion_int64 *last;        /* [ntasks] bytes in the last one */
    uint32_t *crcs;          /* [ntasks] of its last piece; NULL: no checksums are made */
};

struct scion_growth {
    struct scion_area areas[2]; /* bytes 0: there is none */
    int rows[2];                /* of its META2 that have been written; 0: nothing is known */
    int now, next;              /* area of the newest state, and of the one in work; -1: of none */
    int is_hole[2];             /* behind what has been written nothing has ever been */
    struct scion_told told, news;
    int is_even; /* of many tasks, which have all had as many chunks: there are no arrays of these,
                    and no entries of `chunks`, whose rows are written as they come, */
    sion_int64 first_row, older_row; /* from this one on; of the newest state */
    struct scion_area_table chunks;  /* META2 behind the counts */
    struct scion_area_table sums;    /* the CRCs of all pieces that chunks can have */
    sion_int64 sums_at[2];           /* where they begin in each area */
    /* Set by a publish, so that programs that do not publish need not have it. */
    int (*publish_sums)(struct scion_physical *physical, const struct scion_mapping *mapping,
                        const struct scion_task_crcs *tasks);
    sion_int64 sums_row; /* bytes of them for each block */
    sion_int64 *pieces; /* [ntasks + 1] that a chunk can have, of all tasks before; NULL: no sums */
    sion_int64 old_bytes; /* of all tasks, in the newest state */
    int old_maxchunks;    /* what the tail says if the state in work fails */
    sion_int64 old_start;
    int is_ahead; /* the tail says a state that failed; the newest one is in physical->tail_* */
};

extern int scion_even_from; /* tasks that are many; tests set it */

/* Of a file that has no state yet, or whose state has these tables (as read). NULL: no memory. */
struct scion_growth *scion_growth_new(const struct scion_physical *physical);

/* From now on there are arrays. */
int scion_growth_list(struct scion_physical *physical);

/* After a state of a file with generations: all tasks go on in the first free block. */
void scion_growth_leap(struct scion_physical *physical);

/* Chunks of a task. */
static inline sion_int64 scion_told_count(const struct scion_told *told, int t)
{
    return told->counts ? told->counts[t] : told->count;
}

/* Whether the tables that have been written are those of a state in an area. */
static inline int scion_growth_is_in_area(const struct scion_physical *physical)
{
    return physical->growth && physical->growth->next >= 0;
}

void scion_growth_free(struct scion_growth *growth); /* NULL: nothing */

#endif

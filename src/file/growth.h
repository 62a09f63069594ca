/*
 * What the writer of a file that grows knows of its states. Two areas of the file take turns to
 * hold the tables of the newest one; into an area only that is written which it lacks.
 */
#ifndef SCION_FILE_GROWTH_H
#define SCION_FILE_GROWTH_H

#include <stddef.h>

#include "format/state.h"

struct scion_physical;

/* An entry of META2 behind the counts: bytes in a chunk. */
struct scion_entry {
    sion_int64 at; /* 8 * (chunk * ntasks + task) */
    sion_int64 bytes;
};

struct scion_entries {
    struct scion_entry *list; /* [n] by `at`, each once */
    size_t n, room;
};

struct scion_told {
    sion_int64 *counts; /* [ntasks] of chunks; 0: of a file that has no state yet */
    sion_int64 *last;   /* [ntasks] bytes in the last one */
};

struct scion_growth {
    struct scion_area areas[2]; /* bytes 0: there is none */
    int rows[2];                /* of its META2 that have been written; 0: nothing is known */
    int now, next;              /* area of the newest state, and of the one in work; -1: of none */
    struct scion_told told, news;
    struct scion_entries older; /* what the newest state has, and the other area not */
    struct scion_entries fresh; /* what the state in work has, and the newest one not */
    sion_int64 old_bytes;       /* of all tasks, in the newest state */
    int old_maxchunks;          /* what the tail says if the state in work fails */
    sion_int64 old_start;
    int is_ahead; /* the tail says a state that failed; the newest one is in physical->tail_* */
};

/* Of a file that has no state yet, or whose state has these tables (as read). NULL: no memory. */
struct scion_growth *scion_growth_new(const struct scion_physical *physical);
/* After a state of a file with generations: all tasks go on in the first free block. */
void scion_growth_leap(struct scion_physical *physical);

void scion_growth_free(struct scion_growth *growth); /* NULL: nothing */

#endif

/*
 * Generations of a file: what was written between two publishes. The writer keeps the last ones,
 * and readers see one of them.
 */
#ifndef SCION_FILE_GENERATIONS_H
#define SCION_FILE_GENERATIONS_H

#include <stdlib.h>

#include "format/generations.h"

struct scion_mode;
struct scion_physical;

struct scion_generations {
    struct scion_generations_head head; /* as in the newest state */
    struct scion_generation *list;      /* [head.n], in their order */

    /* Writing. */
    sion_int64 begin;     /* the block where the next one begins */
    sion_int64 forgotten; /* blocks before it have no bytes in the state in work, */
    sion_int64 once;      /* in the newest one, */
    sion_int64 twice;     /* and in the one before */
    sion_int64 punched;   /* of the blocks before it nothing is left on the disk */
    sion_int64 forget;    /* generations before this number go with the next state */
    int is_new;           /* the next state has a new generation, which is: */
    struct scion_generation fresh;
    int dropped;   /* so many of the list the state in work has no more */
    int is_warned; /* that the file system cannot free their blocks */
};

/* ---- reading ---- */

/* Where a state ends whose own record ends there. */
sion_int64 scion_generations_end(const struct scion_physical *physical, sion_int64 end);

/* Read the record that the state says. One that is damaged is noted, and is no failure. */
int scion_generations_read(struct scion_physical *physical);

/*
 * What is read of the file from now on is the generation that the mode says: the others have no
 * bytes. Where it says nothing, the newest one; of files without generations, all.
 */
int scion_generations_choose(struct scion_physical *physical, const struct scion_mode *mode);

/* The same of another file of a set, by the number of the one that file 0 shows; 0: all. */
int scion_generations_show(struct scion_physical *physical, sion_int64 number);

/* Bytes that all tasks of the file have in the generation that is shown; -1: none is. */
sion_int64 scion_generations_bytes_shown(const struct scion_physical *physical);

/* Of tables that are read after that; used[chunks * stride] */
int scion_generations_hide(struct scion_physical *physical);
void scion_generations_mask(const struct scion_physical *physical, sion_int64 *used,
                            sion_int64 chunks);

/* ---- writing ---- */

/* A new file that keeps so many. */
int scion_generations_begin(struct scion_physical *physical, int keep);

/* A file that was read goes on with those it has; keep > 0: has them from now on. 1: it has. */
int scion_generations_go_on(struct scion_physical *physical, int keep, sion_int64 bytes);

/* Decide what the next state has; bytes: new ones of all tasks. Returns bytes that it lacks. */
sion_int64 scion_generations_plan(struct scion_physical *physical, sion_int64 bytes);

/* Bytes of its record, at most. */
sion_int64 scion_generations_room(const struct scion_physical *physical);

/* META2 has been written: rows of what is forgotten become zero. The newest state has bytes in
   those from *first to *end. */
int scion_generations_clear(const struct scion_physical *physical, sion_int64 *first,
                            sion_int64 *end);

/* Write the record at physical->behind, and note it in the state. */
struct scion_state;
int scion_generations_write(struct scion_physical *physical, struct scion_state *state);

/* The state counts for all files: free what is forgotten. Other files: nothing. */
void scion_generations_accept(struct scion_physical *physical);
void scion_generations_punch(struct scion_physical *physical);

/* NULL: nothing. */
static inline void scion_generations_free(struct scion_generations *generations)
{
    if (generations)
        free(generations->list);
    free(generations);
}

#endif

/*
 * Places of tasks: where every so manyth task of a large file begins, behind the name in the prefix
 * of META1 (doc/format.md, 3.7). Who wants one task of a file that is far away reads chunk sizes
 * from the nearest of them on. Pure.
 */
#ifndef SCION_FORMAT_PLACES_H
#define SCION_FORMAT_PLACES_H

#include "format/meta1.h"

enum {
    SCION_PLACES_LEAST = 1 << 15, /* tasks; a file with fewer has no places */
    SCION_PLACES_MOST = 100
};

struct scion_places {
    int n, step;                      /* tasks step, 2 * step, ..., n * step; 0: none */
    sion_int64 globalskip;            /* bytes of a block */
    sion_int64 at[SCION_PLACES_MOST]; /* where they begin in it */
};

/* Which tasks get a place in a file that is written: as many as fit behind the name. */
void scion_places_plan(const struct scion_meta1 *head, struct scion_places *places);

/* Fill the places that are among the tasks first .. first + n - 1; before: bytes of those before.
 */
void scion_places_pass(struct scion_places *places, const sion_int64 *chunksizes, int first, int n,
                       sion_int64 before);

/* Put them into the fixed part of META1, in the host's byte order. */
void scion_places_encode(const struct scion_places *places, unsigned char *fixed);

/* Returns 1 if a header has places, 0 if not, or SION_ERR_DAMAGED, without a message. */
int scion_places_decode(const struct scion_meta1 *head, struct scion_places *places);

#endif

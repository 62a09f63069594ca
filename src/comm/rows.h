/*
 * Rows of 64-bit numbers, of unequal length, one after the other, as a gather or scatter of unequal
 * portions needs them at its root. Inline, because several libraries use them and share no code.
 */
#ifndef SCION_COMM_ROWS_H
#define SCION_COMM_ROWS_H

#include <limits.h>
#include <stdlib.h>

#include "sion_datatypes.h"

#include "base/memory.h"

/* All zero: no rows. */
struct scion_rows {
    int n;               /* rows so far */
    int *counts, *first; /* of each row: its length, and its index in `numbers` */
    sion_int64 total;    /* numbers of all rows */
    sion_int64 *numbers; /* [total]; NULL until scion_rows_make() */
};

/* Room for up to `most` rows. 0, or -1: out of memory. */
SCION_MUST_USE static inline int scion_rows_begin(struct scion_rows *rows, int most)
{
    *rows = (struct scion_rows){.counts = calloc(2 * (size_t)most + 1, sizeof(int))};
    if (!rows->counts)
        return -1;
    rows->first = rows->counts + most;
    return 0;
}

static inline void scion_rows_add(struct scion_rows *rows, sion_int64 count)
{
    rows->counts[rows->n] = (int)count;
    rows->first[rows->n++] = (int)rows->total;
    rows->total += count;
}

/* Whether one collective can carry them. */
static inline int scion_rows_fit(const struct scion_rows *rows)
{
    return rows->total <= INT_MAX;
}

/* Allocate the numbers, zeroed. All rows have been added, and they fit. 0, or -1: out of memory. */
SCION_MUST_USE static inline int scion_rows_make(struct scion_rows *rows)
{
    rows->numbers = calloc((size_t)rows->total + 1, sizeof *rows->numbers);
    return rows->numbers ? 0 : -1;
}

/* The same in the middle of a collective, where a task cannot fail alone: see scion_make_room(). */
static inline void scion_rows_must_begin(struct scion_rows *rows, int most)
{
    while (scion_rows_begin(rows, most) != 0)
        scion_make_room();
}

static inline void scion_rows_must_make(struct scion_rows *rows)
{
    while (scion_rows_make(rows) != 0)
        scion_make_room();
}

static inline sion_int64 *scion_rows_of(const struct scion_rows *rows, int row)
{
    return rows->numbers + rows->first[row];
}

static inline void scion_rows_free(struct scion_rows *rows)
{
    free(rows->counts);
    free(rows->numbers);
    *rows = (struct scion_rows){0};
}

#endif

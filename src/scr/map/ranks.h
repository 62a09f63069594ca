/*
 * Per-rank trees of a rank2file map, packed: 10^5 ranks take their bytes and little more. The trees
 * that a process holds before it writes a map, or has after it read one.
 */
#ifndef SCION_SCR_RANKS_H
#define SCION_SCR_RANKS_H

#include "scr/kvtree/kvtree.h"

struct scion_rank {
    sion_int64 rank;
    size_t offset, size; /* of its packed tree */
};

struct sion_scr_ranks {
    struct scion_rank *entries;
    int count, capacity;
    unsigned char *bytes;
    size_t used, room;
};

void scion_ranks_clear(struct sion_scr_ranks *ranks);

/* Append a rank whose packed tree these bytes are; copied. */
int scion_ranks_add_packed(struct sion_scr_ranks *ranks, sion_int64 rank, const void *bytes,
                           size_t size);

/* The rank that a key of RANK is. */
int scion_rank_of(const struct sion_kvtree *entry, sion_int64 *rank);

/* Sort by rank; a rank that is there twice is an error. */
int scion_ranks_sort(struct sion_scr_ranks *ranks);

static inline const unsigned char *scion_rank_bytes(const struct sion_scr_ranks *ranks, int i)
{
    return ranks->bytes + ranks->entries[i].offset;
}

/* ---- as 64-bit numbers, for messages: rank, size, bytes rounded up to whole numbers ---- */

static inline sion_int64 scion_rank_words(sion_int64 size)
{
    return 2 + (size + 7) / 8;
}

/* Words of the entries first .. first + n - 1, to be freed by the caller; never fails. */
sion_int64 *scion_ranks_to_words(const struct sion_scr_ranks *ranks, int first, int n,
                                 sion_int64 *count);

/* Append what words[count] hold. */
int scion_ranks_from_words(struct sion_scr_ranks *ranks, const sion_int64 *words, sion_int64 count);

#endif

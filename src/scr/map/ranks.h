/*
 * Packed per-rank trees of a rank2file map: 10^5 ranks take their bytes and little more. These are
 * the trees that a process has before it writes a map, or after it has read one.
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

/* The functions of sion_scr.h, which call these, print failures. */
struct sion_scr_ranks *scion_ranks_new(void);
int scion_ranks_add(struct sion_scr_ranks *ranks, sion_int64 rank, const struct sion_kvtree *tree);
int scion_ranks_get(const struct sion_scr_ranks *ranks, int i, sion_int64 *rank,
                    struct sion_kvtree **tree);

void scion_ranks_clear(struct sion_scr_ranks *ranks);

/* Append a rank with these bytes as its packed tree; they are copied. */
int scion_ranks_add_packed(struct sion_scr_ranks *ranks, sion_int64 rank, const void *bytes,
                           size_t size);

/* The rank that a key of RANK represents. */
int scion_rank_of(const struct sion_kvtree *entry, sion_int64 *rank);

/* Sort by rank; it is an error if a rank occurs twice. */
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

/* Append the entries in words[count]. */
int scion_ranks_from_words(struct sion_scr_ranks *ranks, const sion_int64 *words, sion_int64 count);

#endif

#include "scr/map/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sion_scr_ranks *scion_ranks_new(void)
{
    struct sion_scr_ranks *ranks = calloc(1, sizeof *ranks);

    if (!ranks)
        scion_fail_memory("ranks of a map");
    return ranks;
}

int scion_rank_of(const struct sion_kvtree *entry, sion_int64 *rank)
{
    char *end;

    *rank = strtoll(entry->key, &end, 10);
    if (end == entry->key || *end || *rank < 0 || *rank > INT32_MAX)
        return scion_fail(SION_ERR_DAMAGED, "'%.40s' is not a rank", entry->key);
    return 0;
}

void scion_ranks_clear(struct sion_scr_ranks *ranks)
{
    free(ranks->entries);
    free(ranks->bytes);
    *ranks = (struct sion_scr_ranks){0};
}

void sion_scr_ranks_free(sion_scr_ranks *ranks)
{
    if (ranks)
        scion_ranks_clear(ranks);
    free(ranks);
}

static int make_room(struct sion_scr_ranks *ranks, size_t size)
{
    if (ranks->count == ranks->capacity) {
        int capacity = ranks->capacity > 0 ? ranks->capacity + ranks->capacity / 2 : 16;
        void *entries =
            ranks->count < INT_MAX / 2
                ? scion_array_grown(ranks->entries, (size_t)capacity, sizeof *ranks->entries)
                : NULL;

        if (!entries)
            return scion_fail_memory("ranks of a map");
        ranks->entries = entries;
        ranks->capacity = capacity;
    }
    if (size > ranks->room - ranks->used) {
        size_t room = ranks->used + size + ranks->room / 2 + 64;
        void *bytes = realloc(ranks->bytes, room);

        if (!bytes)
            return scion_fail_memory("ranks of a map");
        ranks->bytes = bytes;
        ranks->room = room;
    }
    return 0;
}

/* Append an entry of this size, whose bytes are not set yet. */
static int append(struct sion_scr_ranks *ranks, sion_int64 rank, size_t size)
{
    int rc = make_room(ranks, size);

    if (rc != 0)
        return rc;
    ranks->entries[ranks->count++] = (struct scion_rank){rank, ranks->used, size};
    ranks->used += size;
    return 0;
}

int scion_ranks_add_packed(struct sion_scr_ranks *ranks, sion_int64 rank, const void *bytes,
                           size_t size)
{
    int rc = append(ranks, rank, size);

    if (rc == 0)
        memcpy(ranks->bytes + ranks->used - size, bytes, size);
    return rc;
}

int scion_ranks_add(sion_scr_ranks *ranks, sion_int64 rank, const sion_kvtree *tree)
{
    sion_int64 size;
    int rc = scion_kvtree_packed_size(tree, &size);

    if (rank < 0 || rank > INT32_MAX)
        return scion_fail(SION_ERR_ARGUMENT, "rank %lld", rank);
    if (rc == 0)
        rc = append(ranks, rank, (size_t)size);
    if (rc == 0)
        scion_kvtree_pack(tree, ranks->bytes + ranks->used - (size_t)size);
    return rc;
}

int sion_scr_ranks_count(const sion_scr_ranks *ranks)
{
    return ranks->count;
}

int scion_ranks_get(const sion_scr_ranks *ranks, int i, sion_int64 *rank, sion_kvtree **tree)
{
    struct sion_kvtree *new;
    int rc;

    if (i < 0 || i >= ranks->count)
        return scion_fail(SION_ERR_ARGUMENT, "entry %d of %d", i, ranks->count);
    *rank = ranks->entries[i].rank;
    if (!tree)
        return 0;
    new = scion_kvtree_new();
    rc = new ? scion_kvtree_unpack(scion_rank_bytes(ranks, i), ranks->entries[i].size, 0, new)
             : SION_ERR_MEMORY;
    if (rc != 0) {
        sion_kvtree_free(new);
        return rc;
    }
    *tree = new;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct scion_rank *left = a, *right = b;

    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

int scion_ranks_sort(struct sion_scr_ranks *ranks)
{
    int i;

    if (ranks->count > 1)
        qsort(ranks->entries, (size_t)ranks->count, sizeof *ranks->entries, compare);
    for (i = 1; i < ranks->count; i++) {
        if (ranks->entries[i].rank == ranks->entries[i - 1].rank)
            return scion_fail(SION_ERR_DAMAGED, "rank %lld occurs twice", ranks->entries[i].rank);
    }
    return 0;
}

sion_int64 *scion_ranks_to_words(const struct sion_scr_ranks *ranks, int first, int n,
                                 sion_int64 *count)
{
    sion_int64 *words, *at;
    int i;

    for (*count = 0, i = first; i < first + n; i++)
        *count += scion_rank_words((sion_int64)ranks->entries[i].size);
    at = words = scion_must_allocate((size_t)*count + 1, sizeof *words);
    for (i = first; i < first + n; i++) {
        at[0] = ranks->entries[i].rank;
        at[1] = (sion_int64)ranks->entries[i].size;
        memcpy(at + 2, scion_rank_bytes(ranks, i), ranks->entries[i].size);
        at += scion_rank_words(at[1]);
    }
    return words;
}

int scion_ranks_from_words(struct sion_scr_ranks *ranks, const sion_int64 *words, sion_int64 count)
{
    const sion_int64 *at = words;
    int rc = 0;

    while (at < words + count && rc == 0) {
        rc = scion_ranks_add_packed(ranks, at[0], at + 2, (size_t)at[1]);
        at += scion_rank_words(at[1]);
    }
    return rc;
}

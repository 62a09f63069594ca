#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/memory.h"
#include "comm/agree.h"
#include "comm/user_private.h"

enum { FEW = 64 };

static struct user_comm *user_of(struct scion_comm *comm)
{
    return (struct user_comm *)comm;
}

static int unit_of(size_t bytes, int *count)
{
    int whole = bytes % 8 == 0;

    *count = (int)(whole ? bytes / 8 : bytes);
    return whole ? _SION_INT64 : _SION_CHAR;
}

static int user_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    struct user_comm *user = user_of(comm);
    int count, unit = unit_of(bytes, &count);

    return user->callbacks.bcastr(data, user->commgroup, unit, count, root);
}

static int user_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    struct user_comm *user = user_of(comm);
    int count, unit = unit_of(bytes, &count);

    return user->callbacks.gatherr(scion_user_plain(from), to, user->commgroup, unit, count, root);
}

static int user_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    struct user_comm *user = user_of(comm);
    int count, unit = unit_of(bytes, &count);

    return user->callbacks.scatterr(scion_user_plain(from), to, user->commgroup, unit, count, root);
}

/* The callbacks store the ranks' numbers one after the other, and so do our callers. */
static int user_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                        const int *counts, const int *first, int root)
{
    struct user_comm *user = user_of(comm);

    (void)first;
    return user->callbacks.gathervr(scion_user_plain(from), to, user->commgroup, _SION_INT64,
                                    scion_user_plain(counts), count, root);
}

/*
 * Rows of unequal length go out in blocks of equal length: applications disagree on which of
 * scattervr's buffers is which, so that callback is never called. The first block begins with the
 * length of the longest row, by which all know how many follow.
 */
enum { FIRST_BLOCK = 16, ROUND = 1 << 20 }; /* numbers: of a row with its head; of all rows */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* At root: copy up to `block` numbers of each row, from index `done` on. */
static void fill_blocks(const struct scion_comm *comm, const sion_int64 *from, const int *counts,
                        const int *first, int done, int block, sion_int64 *blocks, int stride)
{
    int i;

    for (i = 0; i < comm->size; i++) {
        int n = smaller(counts[i] - done, block);

        if (n > 0)
            memcpy(blocks + (size_t)i * (size_t)stride, from + first[i] + done,
                   (size_t)n * sizeof *from);
    }
}

static void copy_block(sion_int64 *to, const sion_int64 *block, int left, int size)
{
    int n = smaller(left, size);

    if (n > 0)
        memcpy(to, block, (size_t)n * sizeof *to);
}

static int longest_row(const int *counts, int n)
{
    int most = 0;

    while (n-- > 0)
        most = counts[n] > most ? counts[n] : most;
    return most;
}

/* Scatter the first block of each row, and the length of the longest row. */
static int scatter_first(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                         const int *first, sion_int64 *to, int count, int root, int *most)
{
    sion_int64 own[FIRST_BLOCK], *blocks = NULL;
    int rc, i;

    if (comm->rank == root) {
        blocks = scion_must_allocate((size_t)comm->size, sizeof own);
        fill_blocks(comm, from, counts, first, 0, FIRST_BLOCK - 1, blocks + 1, FIRST_BLOCK);
        *most = longest_row(counts, comm->size);
        for (i = 0; i < comm->size; i++)
            blocks[(size_t)i * FIRST_BLOCK] = *most;
    }
    rc = user_scatter(comm, blocks, own, sizeof own, root);
    free(blocks);
    if (rc != 0)
        return rc;
    *most = (int)own[0];
    copy_block(to, own + 1, count, FIRST_BLOCK - 1);
    return 0;
}

static int user_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                         const int *first, sion_int64 *to, int count, int root)
{
    int most = 0, block, done, rc;
    sion_int64 *blocks = NULL, *own;

    rc = scatter_first(comm, from, counts, first, to, count, root, &most);
    if (rc != 0 || most < FIRST_BLOCK)
        return rc;
    block = ROUND / comm->size > FIRST_BLOCK ? ROUND / comm->size : FIRST_BLOCK;
    block = smaller(most - FIRST_BLOCK + 1, block);
    own = scion_must_allocate((size_t)block, sizeof *own);
    if (comm->rank == root)
        blocks = scion_must_allocate((size_t)comm->size * (size_t)block, sizeof *blocks);
    for (done = FIRST_BLOCK - 1; done < most && rc == 0; done += block) {
        if (blocks)
            fill_blocks(comm, from, counts, first, done, block, blocks, block);
        rc = user_scatter(comm, blocks, own, (size_t)block * sizeof *own, root);
        if (rc == 0 && done < count)
            copy_block(to + done, own, count - done, block);
    }
    free(blocks);
    free(own);
    return rc;
}

/* The others are in the gather already, so the root cannot fail alone. */
static int user_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    sion_int64 few[FEW], *values = comm->rank == 0 ? few : NULL, result[1 + SCION_TOLD_MOST];
    size_t bytes = (size_t)n * sizeof *told;
    int rc, i;

    if (values && comm->size > FEW)
        values = scion_must_allocate((size_t)comm->size, sizeof *values);
    rc = user_gather(comm, value, values, sizeof *value, 0);
    for (i = 0; values && rc == 0 && i < comm->size; i++)
        *value = values[i] < *value ? values[i] : *value;
    if (values != few)
        free(values);
    result[0] = *value;
    if (n > 0)
        memcpy(result + 1, told, bytes);
    if (rc == 0)
        rc = user_bcast(comm, result, sizeof *value + bytes, 0);
    *value = result[0];
    if (n > 0)
        memcpy(told, result + 1, bytes);
    return rc;
}

/* What each task says of its part, and what it learns. */
struct part {
    sion_int64 color, key, rank;
    sion_int64 place, size, parts;
};

static int compare_parts(const void *a, const void *b)
{
    const struct part *left = a, *right = b;

    if (left->color != right->color)
        return left->color < right->color ? -1 : 1;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->rank < right->rank ? -1 : 1;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct part *left = a, *right = b;

    return left->rank < right->rank ? -1 : 1;
}

/* all[first..end-1] are one part. */
static void fill_part(struct part *all, int first, int end)
{
    int i;

    for (i = first; i < end; i++) {
        all[i].place = i - first;
        all[i].size = end - first;
    }
}

/*
 * Compute for all tasks: place in its part, size of the part, number of parts. Restores the order
 * of ranks.
 */
static void count_parts(struct part *all, int n)
{
    sion_int64 parts = 0;
    int first = 0, i;

    qsort(all, (size_t)n, sizeof *all, compare_parts);
    for (i = 1; i <= n; i++) {
        if (i < n && all[i].color == all[first].color)
            continue;
        if (all[first].color >= 0) {
            fill_part(all, first, i);
            parts++;
        }
        first = i;
    }
    for (i = 0; i < n; i++)
        all[i].parts = parts;
    qsort(all, (size_t)n, sizeof *all, compare_ranks);
}

static struct scion_comm *wrap(const struct scion_user_callbacks *callbacks, void *commgroup,
                               int rank, int size, int owned);

static int user_split(struct scion_comm *comm, int color, int key, struct scion_comm **made)
{
    struct user_comm *user = user_of(comm);
    struct part mine = {.color = color, .key = key, .rank = comm->rank}, *all = NULL;
    void *commgroup = NULL;
    int rc;

    if (comm->rank == 0)
        all = scion_must_allocate((size_t)comm->size, sizeof *all);
    rc = user_gather(comm, &mine, all, sizeof mine, 0);
    if (rc == 0 && all)
        count_parts(all, comm->size);
    if (rc == 0)
        rc = user_scatter(comm, all, &mine, sizeof mine, 0);
    free(all);
    if (rc == 0)
        rc = user->callbacks.create_local_commgroup(&commgroup, user->commgroup, comm->rank,
                                                    comm->size, (int)mine.place, (int)mine.size,
                                                    color, (int)mine.parts);
    if (rc != 0)
        return rc;
    *made = NULL;
    if (color < 0)
        return commgroup ? user->callbacks.free_local_commgroup(commgroup) : 0;
    *made = wrap(&user->callbacks, commgroup, (int)mine.place, (int)mine.size, 1);
    return 0;
}

static void user_free(struct scion_comm *comm)
{
    struct user_comm *user = user_of(comm);

    if (user->owned)
        user->callbacks.free_local_commgroup(user->commgroup);
    free(user);
}

static const struct scion_comm_ops user_ops = {
    .bcast = user_bcast,
    .gather = user_gather,
    .scatter = user_scatter,
    .gatherv = user_gatherv,
    .scatterv = user_scatterv,
    .minimum = user_minimum,
    .split = user_split,
    .free = user_free,
    .form_group = scion_user_form_group,
    .capability = scion_user_capability,
};

static struct user_comm make(const struct scion_user_callbacks *callbacks, void *commgroup,
                             int rank, int size, int owned)
{
    return (struct user_comm){.comm = {.ops = &user_ops, .rank = rank, .size = size},
                              .callbacks = *callbacks,
                              .commgroup = commgroup,
                              .owned = owned};
}

static struct scion_comm *wrap(const struct scion_user_callbacks *callbacks, void *commgroup,
                               int rank, int size, int owned)
{
    struct user_comm *new;

    (void)scion_keep_reserve();
    new = scion_must_allocate(1, sizeof *new);
    *new = make(callbacks, commgroup, rank, size, owned);
    return &new->comm;
}

struct scion_comm *scion_comm_user(const struct scion_user_callbacks *callbacks, void *commgroup,
                                   int rank, int size)
{
    return wrap(callbacks, commgroup, rank, size, 0);
}

int scion_user_agree(const struct scion_user_callbacks *callbacks, void *commgroup, int rank,
                     int size, int rc)
{
    struct user_comm user = make(callbacks, commgroup, rank, size, 0);

    return scion_agree(&user.comm, scion_name_rank(&user.comm, rc));
}

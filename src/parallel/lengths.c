/*
 * At close: the lengths of all chunks of a file to its first task, piece by piece, in memory that
 * all tasks have had since the open.
 */
#include <stdlib.h>

#include "base/error.h"
#include "parallel/state.h"

/* Pieces after which a task that only sends waits for the first one: messages take memory there. */
enum { PIECES_AHEAD = 8 };

int scion_piece_numbers = SCION_GATHER_MOST;

int scion_gathered_reserve(struct scion_gathered *gathered, struct scion_comm *comm)
{
    int n = comm->size, is_first = comm->rank == 0;
    int each = scion_gather_each(scion_piece_numbers, n); /* the count and one length, at least */

    scion_gathered_free(gathered);
    gathered->comm = comm;
    gathered->each = each;
    gathered->own = scion_array((uint64_t)each, sizeof *gathered->own);
    if (is_first) {
        gathered->counts = scion_array((uint64_t)n, sizeof *gathered->counts);
        gathered->piece =
            scion_array(scion_elements((size_t)n, (size_t)each), sizeof *gathered->piece);
    }
    return gathered->own && (!is_first || (gathered->counts && gathered->piece))
               ? scion_comm_reserve(comm)
               : scion_fail_memory("lengths of all tasks");
}

void scion_gathered_free(struct scion_gathered *gathered)
{
    free(gathered->own);
    free(gathered->counts);
    free(gathered->piece);
    free(gathered->all);
    *gathered = (struct scion_gathered){0};
}

/* Of each task, from its number `first` on: the count of its chunks is number 0. */
static int width_of(const struct scion_gathered *gathered, sion_int64 first)
{
    sion_int64 left = 1 + gathered->most - first;

    return left < gathered->each ? (int)left : gathered->each;
}

static sion_int64 *piece_at(const struct scion_gathered *gathered, sion_int64 first)
{
    return gathered->all ? gathered->all + first * gathered->comm->size : gathered->piece;
}

/* Zeros after the last chunk, as in the file. */
static void fill_own(const struct scion_gathered *gathered, sion_int64 first, int width)
{
    const struct scion_lengths *lengths = gathered->lengths;
    int i;

    for (i = 0; i < width; i++) {
        sion_int64 n = first + i;

        gathered->own[i] = n == 0                ? lengths->count
                           : n <= lengths->count ? scion_lengths_used(lengths, n - 1)
                                                 : 0;
    }
}

/* Collective, where it is time for it. */
static int wait_for_first(const struct scion_gathered *gathered)
{
    sion_int64 piece = gathered->come / gathered->each, none = 0;

    return piece > 0 && piece % PIECES_AHEAD == 0 ? scion_minimum(gathered->comm, &none, NULL, 0)
                                                  : 0;
}

static int gather_next(struct scion_gathered *gathered)
{
    struct scion_comm *comm = gathered->comm;
    sion_int64 first = gathered->come;
    int width = width_of(gathered, first), is_first = comm->rank == 0, i;
    sion_int64 *to = is_first ? piece_at(gathered, first) : NULL;

    fill_own(gathered, first, width);
    gathered->status = wait_for_first(gathered);
    if (gathered->status == 0)
        gathered->status =
            scion_gather(comm, gathered->own, to, (size_t)width * sizeof *gathered->own, 0);
    gathered->come += width;
    for (i = 0; is_first && first == 0 && gathered->status == 0 && i < comm->size; i++)
        gathered->counts[i] = to[(size_t)i * (size_t)width];
    return gathered->status;
}

/* All pieces together, as far as `kept` bytes go and there is memory. */
static void keep_all(struct scion_gathered *gathered, sion_int64 kept)
{
    sion_int64 numbers = (1 + gathered->most) * gathered->comm->size;

    free(gathered->all);
    gathered->all = gathered->comm->rank == 0 && gathered->most >= gathered->each &&
                            numbers <= kept / (sion_int64)sizeof numbers
                        ? scion_array((uint64_t)numbers, sizeof *gathered->all)
                        : NULL;
}

int scion_gather_begin(struct scion_gathered *gathered, const struct scion_lengths *own,
                       sion_int64 kept)
{
    sion_int64 least = -own->count;

    gathered->lengths = own;
    gathered->come = 0;
    gathered->status = scion_minimum(gathered->comm, &least, NULL, 0);
    gathered->most = -least;
    if (gathered->status != 0)
        return gathered->status;
    keep_all(gathered, kept);
    return gather_next(gathered);
}

int scion_gather_row(struct scion_gathered *gathered, sion_int64 chunk)
{
    sion_int64 first = (1 + chunk) / gathered->each * gathered->each;

    while (gathered->status == 0 && gathered->come <= 1 + chunk)
        gather_next(gathered);
    if (gathered->status != 0)
        return gathered->status;
    if (!gathered->all && gathered->come - first > gathered->each)
        return scion_fail_memory("lengths of all tasks");
    gathered->width = width_of(gathered, first);
    gathered->row = piece_at(gathered, first) + (1 + chunk - first);
    return 0;
}

int scion_gather_end(struct scion_gathered *gathered)
{
    while (gathered->status == 0 && gathered->come <= gathered->most)
        gather_next(gathered);
    gathered->lengths = NULL;
    return gathered->status;
}

static int rank_of(const struct scion_gathered_order *order, int task)
{
    return order->ranks ? (int)order->ranks[task] : order->first + task - order->nempty;
}

static sion_int64 count_of(const void *context, int task)
{
    const struct scion_gathered_order *order = context;

    return task < order->nempty ? 0 : order->gathered->counts[rank_of(order, task)];
}

static sion_int64 used_of(const void *context, int task, sion_int64 chunk)
{
    const struct scion_gathered_order *order = context;

    (void)chunk;
    return scion_gathered_used(order->gathered, rank_of(order, task));
}

static int get_row(const void *context, sion_int64 chunk)
{
    const struct scion_gathered_order *order = context;

    return scion_gather_row(order->gathered, chunk);
}

struct scion_written scion_gathered_written(const struct scion_gathered_order *order)
{
    return (struct scion_written){count_of, used_of, order, get_row};
}

int scion_gathered_copy(struct scion_gathered *gathered, int rank, sion_int64 *used)
{
    sion_int64 chunk;
    int rc = 0;

    for (chunk = 0; chunk < gathered->counts[rank] && rc == 0; chunk++) {
        rc = scion_gather_row(gathered, chunk);
        if (rc == 0)
            used[chunk] = scion_gathered_used(gathered, rank);
    }
    return rc;
}

/* A file without a communicator of its own may have its tasks in another order than the ranks. */
int scion_rank_of_task(const struct scion_parallel *parallel, const struct scion_physical *physical,
                       int t)
{
    return parallel->local == parallel->global && physical->globalranks
               ? (int)physical->globalranks[t]
               : t;
}

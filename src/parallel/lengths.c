/*
 * At close: the lengths of all chunks of a file to its first task, piece by piece, in memory that
 * all tasks have had since the open.
 */
#include <stdlib.h>

#include "base/error.h"
#include "comm/agree.h"
#include "parallel/state.h"

/* Pieces after which a task that only sends waits for the first one: messages take memory there. */
enum { PIECES_AHEAD = 8 };

int scion_piece_numbers = SCION_GATHER_MOST;
sion_int64 scion_small_piece = 64 << 20; /* so that it has a number of ten million tasks */

int scion_length_gather_reserve(struct scion_length_gather *gather, struct scion_comm *comm)
{
    int n = comm->size, is_first = comm->rank == 0;
    int each = scion_gather_each(scion_piece_numbers, n); /* the count and one length, at least */

    scion_length_gather_free(gather);
    gather->comm = comm;
    gather->each = each;
    gather->own = scion_array((uint64_t)each, sizeof *gather->own);
    if (is_first) {
        gather->counts = scion_array((uint64_t)n, sizeof *gather->counts);
        gather->piece = scion_array(scion_elements((size_t)n, (size_t)each), sizeof *gather->piece);
    }
    return gather->own && (!is_first || (gather->counts && gather->piece))
               ? scion_comm_reserve(comm)
               : scion_fail_memory("lengths of all tasks");
}

void scion_length_gather_free(struct scion_length_gather *gather)
{
    free(gather->own);
    free(gather->counts);
    free(gather->piece);
    free(gather->all);
    *gather = (struct scion_length_gather){0};
}

/* No task has more than one chunk, so the counts need not be sent. */
static int is_single(const struct scion_length_gather *gather)
{
    return gather->most == 1;
}

static size_t bytes_of(const struct scion_length_gather *gather)
{
    return gather->is_small ? sizeof(uint32_t) : sizeof(sion_int64);
}

/* The number of each task with which the pieces begin: the count of its chunks is number 0. */
static sion_int64 begin_of(const struct scion_length_gather *gather)
{
    return is_single(gather);
}

/* Of each task, from its number `first` on. */
static int width_of(const struct scion_length_gather *gather, sion_int64 first)
{
    sion_int64 left = 1 + gather->most - first;

    return left < gather->step ? (int)left : gather->step;
}

static char *piece_at(const struct scion_length_gather *gather, sion_int64 first)
{
    return gather->all
               ? (char *)gather->all + (size_t)first * (size_t)gather->comm->size * bytes_of(gather)
               : (char *)gather->piece;
}

/* Zeros after the last chunk, as in the file. */
static void fill_own(const struct scion_length_gather *gather, sion_int64 first, int width)
{
    const struct scion_lengths *lengths = gather->lengths;
    int i;

    for (i = 0; i < width; i++) {
        sion_int64 n = first + i;
        sion_int64 number = n == 0                ? lengths->count
                            : n <= lengths->count ? scion_lengths_used(lengths, n - 1)
                                                  : 0;

        if (gather->is_small)
            ((uint32_t *)gather->own)[i] = (uint32_t)number;
        else
            gather->own[i] = number;
    }
}

/* Collective, where it is time for it. */
static int wait_for_first(const struct scion_length_gather *gather)
{
    sion_int64 piece = gather->come / gather->step, none = 0;

    return piece > 0 && piece % PIECES_AHEAD == 0 ? scion_minimum(gather->comm, &none, NULL, 0) : 0;
}

static int gather_next(struct scion_length_gather *gather)
{
    struct scion_comm *comm = gather->comm;
    sion_int64 first = gather->come;
    int width = width_of(gather, first), is_first = comm->rank == 0, i;
    void *to = is_first ? piece_at(gather, first) : NULL;

    fill_own(gather, first, width);
    gather->status = wait_for_first(gather);
    if (gather->status == 0)
        gather->status = scion_gather(comm, gather->own, to, (size_t)width * bytes_of(gather), 0);
    gather->come += width;
    if (!is_first || first > 0 || gather->status != 0 || gather->is_small)
        return gather->status;
    for (i = 0; i < comm->size; i++)
        gather->counts[i] = ((sion_int64 *)to)[(size_t)i * (size_t)width];
    return 0;
}

/* All pieces together, as far as `kept` bytes go and there is memory. */
static void keep_all(struct scion_length_gather *gather, sion_int64 kept)
{
    sion_int64 numbers = (1 + gather->most) * gather->comm->size;

    free(gather->all);
    gather->all = gather->comm->rank == 0 && gather->most >= gather->step &&
                          numbers <= kept / (sion_int64)sizeof numbers
                      ? scion_array((uint64_t)numbers, sizeof *gather->all)
                      : NULL;
}

/* Of how many chunks a task has, and their lengths: equal ones have equal numbers. */
static sion_int64 hash_lengths(const struct scion_lengths *own)
{
    uint64_t hash = (uint64_t)own->count;
    sion_int64 i;

    for (i = 0; i < own->count; i++) {
        hash ^= (uint64_t)scion_lengths_used(own, i);
        hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        hash ^= hash >> 27;
    }
    return (sion_int64)(hash >> 1);
}

static sion_int64 longest_of(const struct scion_lengths *own)
{
    sion_int64 longest = 0, i;

    for (i = 0; i < own->count; i++) {
        if (scion_lengths_used(own, i) > longest)
            longest = scion_lengths_used(own, i);
    }
    return longest;
}

/*
 * Of many tasks the reduction also says whether the lengths of their chunks are equal, or small.
 * least: of this task, and then the smallest one of all tasks.
 */
static int reduce_to(struct scion_length_gather *gather, const struct scion_lengths *own,
                     sion_int64 *least)
{
    sion_int64 numbers[] = {*least, 0, 0};
    struct scion_range ranges[3];
    int rc;

    gather->is_even = gather->is_one_length = gather->is_small = 0;
    gather->own[0] = own->count > 0 ? scion_lengths_used(own, 0) : 0;
    if (!scion_is_large(gather->comm))
        return scion_minimum(gather->comm, least, NULL, 0);
    numbers[1] = longest_of(own);
    numbers[2] = hash_lengths(own);
    rc = scion_find_ranges(gather->comm, numbers, 3, ranges);
    *least = ranges[0].least;
    gather->is_even = ranges[2].least == ranges[2].most;
    gather->is_one_length = ranges[1].least == ranges[1].most;
    gather->is_small = ranges[1].most <= UINT32_MAX;
    return rc;
}

/* Numbers of 32 bits, and as many of each task in a piece as before, while they fit. */
static int step_of(const struct scion_length_gather *gather)
{
    sion_int64 bytes = (sion_int64)gather->comm->size * gather->each * (sion_int64)sizeof(uint32_t);

    return gather->is_small && bytes > scion_small_piece ? 1 : gather->each;
}

static void note_most(struct scion_length_gather *gather, sion_int64 most)
{
    gather->most = most;
    if (is_single(gather))
        gather->is_even = gather->is_one_length;
    gather->is_small &= is_single(gather) || (gather->is_read_once && most <= UINT32_MAX);
    gather->step = step_of(gather);
}

static int reduce(struct scion_length_gather *gather, const struct scion_lengths *own)
{
    sion_int64 least = -own->count;
    int rc = reduce_to(gather, own, &least);

    note_most(gather, least < -1 ? -least : 1);
    return rc;
}

static int begin(struct scion_length_gather *gather, sion_int64 kept)
{
    gather->come = begin_of(gather);
    if (gather->status != 0)
        return gather->status;
    if (gather->is_even) {
        gather->come = 1 + gather->most;
        return 0;
    }
    keep_all(gather, kept);
    return gather_next(gather);
}

int scion_length_gather_begin(struct scion_length_gather *gather, const struct scion_lengths *own,
                              sion_int64 kept)
{
    gather->lengths = own;
    gather->status = reduce(gather, own);
    return begin(gather, kept);
}

/* Less than any number of chunks with a minus; more than ranks away from the smallest number.
   Itself, it says that a task has an ending. */
static const sion_int64 failures = INT64_MIN / 2;

int scion_length_gather_news(struct scion_length_gather *gather, const struct scion_lengths *own,
                             const struct scion_length_news *news)
{
    struct scion_comm *comm = gather->comm;
    sion_int64 least = news->rc != 0      ? INT64_MIN + comm->rank
                       : news->has_ending ? failures
                       : news->is_new     ? -own->count
                                          : 0;
    int rc;

    gather->lengths = own;
    gather->status = reduce_to(gather, own, &least);
    if (gather->status != 0)
        return gather->status;
    if (least < failures)
        return scion_agree_on(comm, news->rc, (int)(least - INT64_MIN));
    if (least == 0 || least == failures)
        return least == 0 ? 0 : SCION_FIRST;
    /* A task without news has no more chunks than the one that had most. */
    note_most(gather, -least > news->most ? -least : news->most);
    rc = begin(gather, 0);
    return rc != 0 ? rc : SCION_MORE;
}

/* What this task has, all have. */
static int repeat_row(struct scion_length_gather *gather, sion_int64 chunk)
{
    if (!is_single(gather))
        gather->own[0] =
            chunk < gather->lengths->count ? scion_lengths_used(gather->lengths, chunk) : 0;
    gather->is_small = 0;
    gather->width = 0;
    gather->row = gather->own;
    return 0;
}

/*
 * On rank 0: get the row of a chunk. An earlier row than before is there if it is in the same
 * piece, or if all pieces are kept.
 */
static int gather_row(struct scion_length_gather *gather, sion_int64 chunk)
{
    sion_int64 begin = begin_of(gather);
    sion_int64 first = begin + (1 + chunk - begin) / gather->step * gather->step;

    if (gather->is_even)
        return repeat_row(gather, chunk);
    while (gather->status == 0 && gather->come <= 1 + chunk)
        gather_next(gather);
    if (gather->status != 0)
        return gather->status;
    if (!gather->all && gather->come - first > gather->step)
        return scion_fail_memory("lengths of all tasks");
    gather->width = width_of(gather, first);
    gather->row = piece_at(gather, first) + (size_t)(1 + chunk - first) * bytes_of(gather);
    return 0;
}

int scion_length_gather_end(struct scion_length_gather *gather)
{
    while (gather->status == 0 && gather->come <= gather->most)
        gather_next(gather);
    if (!gather->is_even) /* else they are those of all, also for a copy of the file */
        gather->lengths = NULL;
    return gather->status;
}

sion_int64 scion_length_gather_count(const struct scion_length_gather *gather, int rank)
{
    if (is_single(gather))
        return 1;
    if (gather->is_even)
        return gather->lengths->count;
    if (!gather->is_small)
        return gather->counts[rank];
    if (!gather->all && gather->come > gather->step)
        return gather->most;
    return ((const uint32_t *)piece_at(gather, 0))[(size_t)rank * (size_t)width_of(gather, 0)];
}

static int rank_of(const struct scion_length_order *order, int task)
{
    return order->ranks ? (int)order->ranks[task] : order->first + task - order->nempty;
}

static sion_int64 count_of(const void *context, int task)
{
    const struct scion_length_order *order = context;

    return task < order->nempty ? 0
                                : scion_length_gather_count(order->gather, rank_of(order, task));
}

static sion_int64 used_of(const void *context, int task, sion_int64 chunk)
{
    const struct scion_length_order *order = context;

    (void)chunk;
    return scion_length_gather_used(order->gather, rank_of(order, task));
}

static int get_row(const void *context, sion_int64 chunk)
{
    const struct scion_length_order *order = context;

    return gather_row(order->gather, chunk);
}

struct scion_length_source scion_length_gather_source(const struct scion_length_order *order)
{
    return (struct scion_length_source){count_of, used_of, order, get_row};
}

int scion_length_gather_copy(struct scion_length_gather *gather, int rank, sion_int64 *used)
{
    sion_int64 chunk;
    int rc = 0;

    for (chunk = 0; chunk < scion_length_gather_count(gather, rank) && rc == 0; chunk++) {
        rc = gather_row(gather, chunk);
        if (rc == 0)
            used[chunk] = scion_length_gather_used(gather, rank);
    }
    return rc;
}

/* A file without a communicator of its own may have its tasks in another order than the ranks. */
const sion_int64 *scion_ranks_of_tasks(const struct scion_parallel *parallel,
                                       const struct scion_physical *physical)
{
    return parallel->local == parallel->global && !parallel->is_by_index ? physical->globalranks
                                                                         : NULL;
}

int scion_rank_of_task(const struct scion_parallel *parallel, const struct scion_physical *physical,
                       int t)
{
    const sion_int64 *ranks = scion_ranks_of_tasks(parallel, physical);

    return ranks ? (int)ranks[t] : t;
}

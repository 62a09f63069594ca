#include "comm/pair.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/rows.h"
#include "comm/transfer.h"

/* An address as a 64-bit number, which communicators can carry. */
union address {
    struct scion_record *record;
    sion_int64 number;
};

struct pair {
    struct scion_comm comm;
    struct scion_comm *outer; /* on the first task of inner, else NULL */
    struct scion_comm *asked; /* the same on all tasks of inner, which only ask for its refusal */
    struct scion_comm *inner;
    int *first; /* [outer->size + 1] rank of the first task of each inner; with outer */
    int base;   /* rank of inner's first task */

    int *counts, *offset;     /* [outer->size] for gathers, counts for transfers, too; with outer */
    union address *addresses; /* [inner->size] for transfers; with outer */
    struct scion_record **records; /* the same */
    sion_int64 *room;              /* for what inner's tasks send in gathers, if that is reserved */
    sion_int64 most;               /* numbers in `room` */
};

/* Where a rank is: its inner communicator, and its rank there, as far as the caller knows. */
struct root {
    int outer; /* with outer: rank in it of that communicator's first task */
    int here;  /* it is in the caller's inner communicator */
    int inner; /* here: the rank in it */
};

static struct root find_root(const struct pair *pair, int rank)
{
    struct root root = {.outer = 0, .inner = rank - pair->base};
    int low = 0, high = pair->outer ? pair->outer->size : 0;

    root.here = root.inner >= 0 && root.inner < pair->inner->size;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (pair->first[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    root.outer = low;
    return root;
}

/* The result of inner's first task, on all of inner. */
static int share(const struct pair *pair, int rc)
{
    sion_int64 value = rc;
    int sent = pair->inner->ops->bcast(pair->inner, &value, sizeof value, 0);

    return sent != 0 ? sent : (int)value;
}

/* ---- portions: numbers of several members, one after the other ---- */

/* Send one count from each member to `root`, which computes where each portion begins. */
static int ask_counts(struct scion_comm *comm, int count, int root, struct scion_rows *portions)
{
    sion_int64 mine = count, *all = NULL;
    int rc, i;

    if (comm->rank == root)
        all = scion_must_allocate((size_t)comm->size, sizeof *all);
    rc = comm->ops->gather(comm, &mine, all, sizeof mine, root);
    if (comm->rank == root) {
        scion_rows_must_begin(portions, comm->size);
        for (i = 0; i < comm->size && rc == 0; i++)
            scion_rows_add(portions, all[i]);
        rc = rc == 0 && !scion_rows_fit(portions) ? -1 : rc;
        if (rc == 0)
            scion_rows_must_make(portions);
    }
    free(all);
    return rc;
}

/* The same if every task has `each` numbers: nothing is sent. */
static void know_counts(const struct pair *pair, int each, const struct root *root,
                        struct scion_rows *inner, struct scion_rows *outer)
{
    int i;

    scion_rows_must_begin(inner, pair->inner->size);
    for (i = 0; i < pair->inner->size; i++)
        scion_rows_add(inner, each);
    scion_rows_must_make(inner);
    if (!root->here)
        return;
    scion_rows_must_begin(outer, pair->outer->size);
    for (i = 0; i < pair->outer->size; i++)
        scion_rows_add(outer, (sion_int64)each * (pair->first[i + 1] - pair->first[i]));
    scion_rows_must_make(outer);
}

/* Compute where the numbers are on the first task of inner, and on root's first task. */
static int plan(const struct pair *pair, int count, int same, const struct root *root,
                struct scion_rows *inner, struct scion_rows *outer)
{
    int rc = 0;

    if (same && pair->outer)
        know_counts(pair, count, root, inner, outer);
    if (same)
        return 0;
    rc = ask_counts(pair->inner, count, 0, inner);
    if (pair->outer && rc == 0)
        rc = ask_counts(pair->outer, (int)inner->total, root->outer, outer);
    return share(pair, rc);
}

/* Pass all numbers, in rank order, between root and the first task of its inner communicator. */
static int pass_on(const struct pair *pair, struct scion_rows *all, const struct root *root,
                   sion_int64 *at_root, int total, int up)
{
    struct scion_comm *inner = pair->inner;
    struct scion_rows only = {0};
    int mine = inner->rank == root->inner ? total : 0, rc, i;

    if (inner->rank == 0) {
        scion_rows_must_begin(&only, inner->size);
        for (i = 0; i < inner->size; i++)
            scion_rows_add(&only, i == root->inner ? all->total : 0);
    }
    rc = up ? inner->ops->scatterv(inner, all->numbers, only.counts, only.first, at_root, mine, 0)
            : inner->ops->gatherv(inner, at_root, mine, all->numbers, only.counts, only.first, 0);
    scion_rows_free(&only);
    return rc;
}

/* Gather `count` numbers from each task, in rank order, in the root's packed[total]. */
static int collect(const struct pair *pair, const sion_int64 *from, int count, sion_int64 *packed,
                   int total, int rank)
{
    const struct root root = find_root(pair, rank);
    struct scion_comm *inner = pair->inner, *outer = pair->outer;
    struct scion_rows mine = {0}, all = {0};
    int rc = plan(pair, count, 0, &root, &mine, &all);

    if (rc == 0)
        rc = inner->ops->gatherv(inner, from, count, mine.numbers, mine.counts, mine.first, 0);
    if (rc == 0 && outer)
        rc = outer->ops->gatherv(outer, mine.numbers, (int)mine.total, all.numbers, all.counts,
                                 all.first, root.outer);
    rc = share(pair, rc);
    if (rc == 0 && root.here)
        rc = pass_on(pair, &all, &root, packed, total, 1);
    scion_rows_free(&mine);
    scion_rows_free(&all);
    return rc;
}

/* Scatter `count` numbers to each task from the root's `packed`. */
static int distribute(const struct pair *pair, const sion_int64 *packed, int total, sion_int64 *to,
                      int count, int same, int rank)
{
    const struct root root = find_root(pair, rank);
    struct scion_comm *inner = pair->inner, *outer = pair->outer;
    struct scion_rows mine = {0}, all = {0};
    int rc = plan(pair, count, same, &root, &mine, &all);

    if (rc == 0 && root.here)
        rc = pass_on(pair, &all, &root, (sion_int64 *)packed, total, 0);
    if (rc == 0 && outer)
        rc = outer->ops->scatterv(outer, all.numbers, all.counts, all.first, mine.numbers,
                                  (int)mine.total, root.outer);
    rc = share(pair, rc);
    if (rc == 0)
        rc = inner->ops->scatterv(inner, mine.numbers, mine.counts, mine.first, to, count, 0);
    scion_rows_free(&mine);
    scion_rows_free(&all);
    return rc;
}

/* ---- the table ---- */

static struct pair *pair_of(struct scion_comm *comm)
{
    return (struct pair *)comm;
}

static int pair_bcast(struct scion_comm *comm, void *data, size_t bytes, int rank)
{
    const struct pair *pair = pair_of(comm);
    const struct root root = find_root(pair, rank);
    struct scion_comm *inner = pair->inner, *outer = pair->outer;
    int rc = 0;

    if (root.here && root.inner != 0)
        rc = inner->ops->bcast(inner, data, bytes, root.inner);
    if (rc == 0 && outer)
        rc = outer->ops->bcast(outer, data, bytes, root.outer);
    rc = share(pair, rc);
    if (rc == 0 && (!root.here || root.inner == 0))
        rc = inner->ops->bcast(inner, data, bytes, 0);
    return rc;
}

static int pair_reserve(struct scion_comm *comm)
{
    struct pair *pair = pair_of(comm);
    if (!pair->outer || pair->room)
        return 0;
    pair->most = (sion_int64)scion_gather_each(SCION_GATHER_MOST, comm->size) * pair->inner->size;
    pair->room = scion_array((uint64_t)pair->most, sizeof *pair->room);
    if (!pair->room)
        pair->most = 0;
    return pair->room ? 0 : -1;
}

/* On the first task of inner: `n` numbers, for a while. */
static sion_int64 *take_room(const struct pair *pair, sion_int64 n)
{
    return pair->room && n <= pair->most ? pair->room
                                         : scion_must_allocate((size_t)n, sizeof *pair->room);
}

static void give_room(const struct pair *pair, sion_int64 *room)
{
    if (room != pair->room)
        free(room);
}

/* Between the first tasks: `each` numbers of every task, at root's first task in all[]. */
static int gather_outer(const struct pair *pair, const sion_int64 *mine, int each, sion_int64 *all,
                        const struct root *root)
{
    struct scion_comm *outer = pair->outer;
    int i;

    for (i = 0; i < outer->size; i++) {
        pair->counts[i] = each * (pair->first[i + 1] - pair->first[i]);
        pair->offset[i] = each * pair->first[i];
    }
    return outer->ops->gatherv(outer, mine, each * pair->inner->size, all, pair->counts,
                               pair->offset, root->outer);
}

/* To the first task of the root's inner communicator. */
static int gather_all(const struct pair *pair, const void *from, int each, sion_int64 *all,
                      const struct root *root)
{
    struct scion_comm *inner = pair->inner;
    sion_int64 n = (sion_int64)each * inner->size;
    sion_int64 *mine = pair->outer ? take_room(pair, n) : NULL;
    int rc = inner->ops->gather(inner, from, mine, (size_t)each * sizeof *mine, 0);

    if (rc == 0 && pair->outer)
        rc = gather_outer(pair, mine, each, all, root);
    if (pair->outer)
        give_room(pair, mine);
    return share(pair, rc);
}

/* A root that is the first task of its inner communicator, as rank 0 is, needs no second table. */
static int pair_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int rank)
{
    const struct pair *pair = pair_of(comm);
    const struct root root = find_root(pair, rank);
    int each = (int)(bytes / sizeof(sion_int64)), passes = root.here && root.inner != 0, rc;
    struct scion_rows all = {.total = (sion_int64)each * comm->size, .numbers = to};

    if (passes && pair->outer)
        scion_rows_must_make(&all);
    rc = gather_all(pair, from, each, all.numbers, &root);
    if (rc == 0 && passes)
        rc = pass_on(pair, &all, &root, to, (int)all.total, 1);
    if (passes && pair->outer)
        free(all.numbers);
    return rc;
}

static int pair_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes, int rank)
{
    int count = (int)(bytes / sizeof(sion_int64));

    return distribute(pair_of(comm), from, count * comm->size, to, count, 1, rank);
}

static int sum(const int *counts, int n)
{
    int total = 0;

    while (n-- > 0)
        total += counts[n];
    return total;
}

static int pair_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                        const int *counts, const int *first, int rank)
{
    int total = comm->rank == rank ? sum(counts, comm->size) : 0, next = 0, rc, i;
    sion_int64 *packed = scion_must_allocate((size_t)total + 1, sizeof *packed);

    rc = collect(pair_of(comm), from, count, packed, total, rank);
    for (i = 0; rc == 0 && comm->rank == rank && i < comm->size; next += counts[i++])
        memcpy(to + first[i], packed + next, (size_t)counts[i] * sizeof *to);
    free(packed);
    return rc;
}

static int pair_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                         const int *first, sion_int64 *to, int count, int rank)
{
    int total = comm->rank == rank ? sum(counts, comm->size) : 0, next = 0, rc, i;
    sion_int64 *packed = scion_must_allocate((size_t)total + 1, sizeof *packed);

    for (i = 0; comm->rank == rank && i < comm->size; next += counts[i++])
        memcpy(packed + next, from + first[i], (size_t)counts[i] * sizeof *from);
    rc = distribute(pair_of(comm), packed, total, to, count, 0, rank);
    free(packed);
    return rc;
}

static int pair_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    const struct pair *pair = pair_of(comm);
    struct scion_comm *inner = pair->inner;
    sion_int64 result[1 + SCION_TOLD_MOST] = {*value};
    size_t bytes = (size_t)n * sizeof *told;
    int rc = inner->ops->minimum(inner, result, NULL, 0);

    if (n > 0)
        memcpy(result + 1, told, bytes);
    if (rc == 0 && pair->outer)
        rc = pair->outer->ops->minimum(pair->outer, result, result + 1, n);
    rc = share(pair, rc);
    if (rc == 0)
        rc = inner->ops->bcast(inner, result, sizeof *value + bytes, 0);
    *value = result[0];
    if (n > 0)
        memcpy(told, result + 1, bytes);
    return rc;
}

/* Smallest and largest of inner's values on all of inner. */
static int find_range(struct scion_comm *inner, int value, sion_int64 *least, sion_int64 *most)
{
    int rc;

    *least = value;
    *most = -(sion_int64)value;
    rc = inner->ops->minimum(inner, least, NULL, 0);
    if (rc == 0)
        rc = inner->ops->minimum(inner, most, NULL, 0);
    *most = -*most;
    return rc;
}

/*
 * Only the first task of inner can use outer, so the tasks of one inner communicator must stay
 * together, in their order and with consecutive keys. 1 on all if that is so everywhere.
 */
static int can_split(struct pair *pair, int color, int key, sion_int64 *base_key)
{
    struct scion_comm *inner = pair->inner;
    sion_int64 least, most, last_key, fits = 0;

    if (find_range(inner, color, &least, &most) == 0 &&
        find_range(inner, key - inner->rank, base_key, &last_key) == 0)
        fits = least == most && *base_key == last_key;
    return pair_minimum(&pair->comm, &fits, NULL, 0) == 0 && fits == 1;
}

static int pair_split(struct scion_comm *comm, int color, int key, struct scion_comm **part)
{
    struct pair *pair = pair_of(comm);
    struct scion_comm *inner = NULL, *outer = NULL;
    sion_int64 base_key;
    int in_none = color < 0, rc = 0;

    *part = NULL;
    if (!can_split(pair, in_none ? -1 : color, in_none ? pair->inner->rank : key, &base_key))
        return SCION_COMM_TORN;
    if (pair->outer)
        rc = pair->outer->ops->split(pair->outer, color, (int)base_key, &outer);
    rc = share(pair, rc);
    if (rc == 0 && !in_none)
        rc = pair->inner->ops->split(pair->inner, 0, pair->inner->rank, &inner);
    if ((rc != 0 || in_none) && outer)
        outer->ops->free(outer);
    if (rc != 0 || in_none)
        return rc;
    *part = scion_comm_pair(outer, inner);
    return *part ? 0 : -1;
}

/* On the first task of inner: move n records of inner's tasks through the outer communicator. */
static int transfer_all(struct pair *pair, const struct scion_transfer *transfer, int n)
{
    struct scion_comm *outer = pair->outer;
    int i;

    for (i = 0; i < outer->size; i++)
        pair->counts[i] = pair->first[i + 1] - pair->first[i];
    return outer->ops->transfer(outer, transfer, pair->records, n, pair->counts);
}

/* The same; *parts: whether tasks of inner may stop at different calls. */
static int transfer_inner(struct pair *pair, const struct scion_transfer *transfer,
                          sion_int64 *parts)
{
    int n = pair->inner->size, unsuccessful = 0, rc, i;

    for (i = 0; i < n; i++)
        pair->records[i] = pair->addresses[i].record;
    rc = transfer_all(pair, transfer, n);
    for (i = 0; i < n; i++)
        unsuccessful += scion_is_unsuccessful(pair->records[i]);
    *parts = scion_may_part(unsuccessful, n);
    return rc;
}

/* The tasks of inner share their memory. */
static int pair_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                         struct scion_record **records, int n, const int *counts)
{
    struct pair *pair = pair_of(comm);
    struct scion_comm *inner = pair->inner;
    union address mine = {.record = records[0]};
    sion_int64 told[2] = {0}; /* result, whether tasks may part */
    int sent;

    (void)n, (void)counts;
    if (comm->leaving == SCION_LEAVES_FOR_ALL) {
        pair->records[0] = records[0];
        return transfer_all(pair, transfer, 1);
    }
    told[0] = inner->ops->gather(inner, &mine, pair->addresses, sizeof mine, 0);
    if (told[0] == 0 && pair->outer)
        told[0] = transfer_inner(pair, transfer, &told[1]);
    sent = inner->ops->bcast(inner, told, sizeof told, 0);
    comm->parts |= told[1] != 0;
    return sent != 0 ? sent : (int)told[0];
}

/* Between processes, leaving takes messages in any case. */
static enum scion_parting pair_must_leave(const struct scion_comm *group)
{
    return group->parts ? SCION_MUST_LEAVE_FIRST : SCION_MUST_LEAVE;
}

static enum scion_capability pair_capability(struct scion_comm *comm)
{
    return pair_of(comm)->inner->rank == 0 ? SCION_COLLECTS : SCION_ONLY_SENDS;
}

/* The tasks of inner are on one node. */
static int pair_node(struct scion_comm *comm, sion_int64 *node)
{
    struct pair *pair = pair_of(comm);
    struct scion_comm *inner = pair->inner;
    int rc = 0;

    if (pair->outer)
        rc = pair->outer->ops->node ? pair->outer->ops->node(pair->outer, node) : 1;
    rc = share(pair, rc);
    return rc != 0 ? rc : inner->ops->bcast(inner, node, sizeof *node, 0);
}

static void pair_free(struct scion_comm *comm)
{
    struct pair *pair = pair_of(comm);

    if (pair->outer)
        pair->outer->ops->free(pair->outer);
    pair->inner->ops->free(pair->inner);
    free(pair->first);
    free(pair->room);
    free(pair->counts);
    free(pair->addresses);
    free(pair->records);
    free(pair);
}

static const char *pair_refusal(struct scion_comm *comm)
{
    struct scion_comm *asked = pair_of(comm)->asked;

    return asked->ops->refusal ? asked->ops->refusal(asked) : NULL;
}

static const struct scion_comm_ops pair_ops = {
    .bcast = pair_bcast,
    .gather = pair_gather,
    .scatter = pair_scatter,
    .gatherv = pair_gatherv,
    .scatterv = pair_scatterv,
    .minimum = pair_minimum,
    .split = pair_split,
    .free = pair_free,
    .transfer = pair_transfer,
    .capability = pair_capability,
    .must_leave = pair_must_leave,
    .node = pair_node,
    .reserve = pair_reserve,
    .refusal = pair_refusal,
};

/* On the first task of inner: gather the sizes of all inner communicators, and number the tasks. */
static int number_tasks(struct pair *pair)
{
    struct scion_comm *outer = pair->outer;
    sion_int64 mine = pair->inner->size;
    sion_int64 *sizes = scion_must_allocate((size_t)outer->size, sizeof *sizes);
    int rc = outer->ops->gather(outer, &mine, sizes, sizeof mine, 0), i;

    if (rc == 0)
        rc = outer->ops->bcast(outer, sizes, (size_t)outer->size * sizeof *sizes, 0);
    pair->first = scion_must_allocate((size_t)outer->size + 1, sizeof *pair->first);
    for (i = 0; i < outer->size; i++)
        pair->first[i + 1] = pair->first[i] + (int)sizes[i];
    pair->counts = scion_must_allocate(2 * (size_t)outer->size, sizeof *pair->counts);
    pair->offset = pair->counts + outer->size;
    pair->addresses = scion_must_allocate((size_t)mine, sizeof *pair->addresses);
    pair->records = scion_must_allocate((size_t)mine, sizeof *pair->records);
    free(sizes);
    return rc;
}

struct scion_comm *scion_comm_pair(struct scion_comm *outer, struct scion_comm *inner)
{
    struct pair *new = scion_must_allocate(1, sizeof *new);
    sion_int64 numbers[4] = {0}; /* result, base, size, address of outer */

    new->comm.ops = &pair_ops;
    new->inner = inner;
    if (inner->rank == 0) {
        new->outer = outer;
        numbers[0] = number_tasks(new);
        numbers[1] = new->first[outer->rank];
        numbers[2] = new->first[outer->size];
        numbers[3] = (sion_int64)(intptr_t)outer;
    }
    if (inner->ops->bcast(inner, numbers, sizeof numbers, 0) != 0 || numbers[0] != 0) {
        pair_free(&new->comm);
        return NULL;
    }
    new->base = (int)numbers[1];
    new->comm.rank = new->base + inner->rank;
    new->comm.size = (int)numbers[2];
    new->asked = (struct scion_comm *)(intptr_t)numbers[3];
    return &new->comm;
}

struct scion_comm *scion_pair_outer(struct scion_comm *pair)
{
    return pair_of(pair)->outer;
}

struct scion_comm *scion_pair_inner(struct scion_comm *pair)
{
    return pair_of(pair)->inner;
}

const int *scion_pair_first(struct scion_comm *pair)
{
    return pair_of(pair)->first;
}

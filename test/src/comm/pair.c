/*
 * A pair of one task: each call that it makes of its two communicators fails once, and each failure
 * is that of the pair.
 */
#include "comm/pair.h"

#include "check.h"
#include "comm/transfer.h"

static struct {
    const struct scion_comm_ops *whole;
    int calls, fails_at; /* -1: none */
} fragile;

static int comes_to_fail(void)
{
    return fragile.calls++ == fragile.fails_at ? 42 : 0;
}

#define FRAGILE(name, parameters, arguments)                                                       \
    static int fragile_##name parameters                                                           \
    {                                                                                              \
        int rc = comes_to_fail();                                                                  \
                                                                                                   \
        return rc != 0 ? rc : fragile.whole->name arguments;                                       \
    }

FRAGILE(bcast, (struct scion_comm * comm, void *data, size_t bytes, int root),
        (comm, data, bytes, root))
FRAGILE(gather, (struct scion_comm * comm, const void *from, void *to, size_t bytes, int root),
        (comm, from, to, bytes, root))
FRAGILE(gatherv,
        (struct scion_comm * comm, const sion_int64 *from, int count, sion_int64 *to,
         const int *counts, const int *first, int root),
        (comm, from, count, to, counts, first, root))
FRAGILE(scatterv,
        (struct scion_comm * comm, const sion_int64 *from, const int *counts, const int *first,
         sion_int64 *to, int count, int root),
        (comm, from, counts, first, to, count, root))
FRAGILE(minimum, (struct scion_comm * comm, sion_int64 *value, sion_int64 *told, int n),
        (comm, value, told, n))
FRAGILE(transfer,
        (struct scion_comm * comm, const struct scion_transfer *transfer,
         struct scion_record **records, int n, const int *counts),
        (comm, transfer, records, n, counts))

static int fragile_split(struct scion_comm *comm, int color, int key, struct scion_comm **part)
{
    int rc = comes_to_fail();

    if (rc == 0)
        rc = fragile.whole->split(comm, color, key, part);
    if (rc == 0)
        (*part)->ops = comm->ops;
    return rc;
}

static int fragile_node(struct scion_comm *comm, sion_int64 *node)
{
    *node = comm->rank;
    return comes_to_fail();
}

static struct scion_comm *fragile_comm(void)
{
    static struct scion_comm_ops ops;
    struct scion_comm *comm;

    CHECK_INT(scion_comm_self(&comm), 0);
    fragile.whole = comm->ops;
    ops = *comm->ops;
    ops.bcast = fragile_bcast;
    ops.gather = fragile_gather;
    ops.gatherv = fragile_gatherv;
    ops.scatterv = fragile_scatterv;
    ops.minimum = fragile_minimum;
    ops.split = fragile_split;
    ops.transfer = fragile_transfer;
    ops.node = fragile_node;
    comm->ops = &ops;
    return comm;
}

static const int one = 1, zero = 0;

static int use_bcast(struct scion_comm *pair)
{
    return pair->ops->bcast(pair, &(sion_int64){7}, sizeof(sion_int64), 0);
}

static int use_gather(struct scion_comm *pair)
{
    return pair->ops->gather(pair, &(sion_int64){7}, &(sion_int64){0}, sizeof(sion_int64), 0);
}

static int use_scatter(struct scion_comm *pair)
{
    return pair->ops->scatter(pair, &(sion_int64){7}, &(sion_int64){0}, sizeof(sion_int64), 0);
}

static int use_gatherv(struct scion_comm *pair)
{
    return pair->ops->gatherv(pair, &(sion_int64){7}, 1, &(sion_int64){0}, &one, &zero, 0);
}

static int use_scatterv(struct scion_comm *pair)
{
    return pair->ops->scatterv(pair, &(sion_int64){7}, &one, &zero, &(sion_int64){0}, 1, 0);
}

static int use_minimum(struct scion_comm *pair)
{
    return pair->ops->minimum(pair, &(sion_int64){7}, NULL, 0);
}

static int use_split(struct scion_comm *pair)
{
    struct scion_comm *part;
    int rc = pair->ops->split(pair, 0, 0, &part);

    CHECK((part != NULL) == (rc == 0));
    scion_comm_free(part);
    return rc;
}

static int use_transfer(struct scion_comm *pair)
{
    const struct scion_transfer transfer = {.fsblksize = 512};
    struct scion_record record = {.position = SCION_NOWHERE};
    struct scion_record *records[1] = {&record};

    return pair->ops->transfer(pair, &transfer, records, 1, &one);
}

static int use_node(struct scion_comm *pair)
{
    return pair->ops->node(pair, &(sion_int64){0});
}

/* How many calls it takes. Each of them fails once. */
static int fail_each_call(struct scion_comm *pair, int (*use)(struct scion_comm *pair))
{
    int calls, at;

    fragile.calls = 0;
    fragile.fails_at = -1;
    CHECK_INT(use(pair), 0);
    calls = fragile.calls;
    for (at = 0; at < calls; at++) {
        fragile.calls = 0;
        fragile.fails_at = at;
        CHECK(use(pair) != 0);
    }
    fragile.fails_at = -1;
    return calls;
}

static void any_failure_of_either_communicator_is_the_pairs(void)
{
    static const struct {
        int (*use)(struct scion_comm *pair);
        int calls;
    } uses[] = {
        {use_bcast, 3},   {use_gather, 3}, {use_scatter, 4},  {use_gatherv, 7}, {use_scatterv, 7},
        {use_minimum, 4}, {use_split, 14}, {use_transfer, 3}, {use_node, 3},
    };
    struct scion_comm *pair;
    size_t i;

    fragile.fails_at = -1;
    pair = scion_comm_pair(fragile_comm(), fragile_comm());
    for (i = 0; i < sizeof uses / sizeof uses[0]; i++)
        CHECK_INT(fail_each_call(pair, uses[i].use), uses[i].calls);
    scion_comm_free(pair);
}

int main(void)
{
    RUN(any_failure_of_either_communicator_is_the_pairs);
    return check_done();
}

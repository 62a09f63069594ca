/* The communicator of one task. */
#include "comm/comm.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/transfer.h"

static int self_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    (void)comm, (void)data, (void)bytes, (void)root;
    return 0;
}

static int self_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    (void)comm, (void)root;
    memcpy(to, from, bytes);
    return 0;
}

static int self_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                        const int *counts, const int *first, int root)
{
    (void)comm, (void)root, (void)counts, (void)first;
    memcpy(to, from, (size_t)count * sizeof *to);
    return 0;
}

static int self_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                         const int *first, sion_int64 *to, int count, int root)
{
    return self_gatherv(comm, from, count, to, counts, first, root);
}

static int self_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    (void)comm, (void)value, (void)told, (void)n;
    return 0;
}

static int self_split(struct scion_comm *comm, int color, int key, struct scion_comm **part)
{
    (void)comm, (void)color, (void)key;
    return scion_comm_self(part);
}

static void self_free(struct scion_comm *comm)
{
    free(comm);
}

static int self_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                         struct scion_record **records, int n, const int *counts)
{
    int i;

    (void)comm, (void)counts;
    for (i = 0; i < n; i++)
        scion_move_record(transfer, records[i], i);
    return 0;
}

static const struct scion_comm_ops self_ops = {
    .bcast = self_bcast,
    .gather = self_gather,
    .scatter = self_gather,
    .gatherv = self_gatherv,
    .scatterv = self_scatterv,
    .minimum = self_minimum,
    .split = self_split,
    .free = self_free,
    .transfer = self_transfer,
};

int scion_comm_self(struct scion_comm **comm)
{
    struct scion_comm *new = malloc(sizeof *new);

    if (!new)
        return scion_fail_memory("communicator");
    *new = (struct scion_comm){.ops = &self_ops, .rank = 0, .size = 1};
    *comm = new;
    return 0;
}

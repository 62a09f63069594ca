#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "comm/mpi_private.h"

static MPI_Comm mpi_of(struct scion_comm *comm)
{
    return ((struct mpi_comm *)comm)->mpi;
}

/* Counts are int in MPI; 8-byte units reach 16 GiB. */
static MPI_Datatype unit_of(size_t bytes, int *count)
{
    int whole = bytes % 8 == 0;

    *count = (int)(whole ? bytes / 8 : bytes);
    return whole ? MPI_LONG_LONG : MPI_BYTE;
}

static int mpi_bcast(struct scion_comm *comm, void *data, size_t bytes, int root)
{
    int count;
    MPI_Datatype type = unit_of(bytes, &count);

    return MPI_Bcast(data, count, type, root, mpi_of(comm));
}

static int mpi_gather(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    int count;
    MPI_Datatype type = unit_of(bytes, &count);

    return MPI_Gather(from, count, type, to, count, type, root, mpi_of(comm));
}

static int mpi_scatter(struct scion_comm *comm, const void *from, void *to, size_t bytes, int root)
{
    int count;
    MPI_Datatype type = unit_of(bytes, &count);

    return MPI_Scatter(from, count, type, to, count, type, root, mpi_of(comm));
}

static int mpi_gatherv(struct scion_comm *comm, const sion_int64 *from, int count, sion_int64 *to,
                       const int *counts, const int *first, int root)
{
    return MPI_Gatherv(from, count, MPI_LONG_LONG, to, counts, first, MPI_LONG_LONG, root,
                       mpi_of(comm));
}

static int mpi_scatterv(struct scion_comm *comm, const sion_int64 *from, const int *counts,
                        const int *first, sion_int64 *to, int count, int root)
{
    return MPI_Scatterv(from, counts, first, MPI_LONG_LONG, to, count, MPI_LONG_LONG, root,
                        mpi_of(comm));
}

/*
 * The numbers of rank 0 take part in the same reduction: all others contribute the largest number.
 */
static int mpi_minimum(struct scion_comm *comm, sion_int64 *value, sion_int64 *told, int n)
{
    sion_int64 numbers[1 + SCION_TOLD_MOST] = {*value};
    int rc, i;

    for (i = 0; i < n; i++)
        numbers[1 + i] = comm->rank == 0 ? told[i] : INT64_MAX;
    rc = MPI_Allreduce(MPI_IN_PLACE, numbers, 1 + n, MPI_LONG_LONG, MPI_MIN, mpi_of(comm));
    *value = numbers[0];
    for (i = 0; i < n; i++)
        told[i] = numbers[1 + i];
    return rc;
}

static int mpi_minima(struct scion_comm *comm, sion_int64 *numbers, int n)
{
    return MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_LONG_LONG, MPI_MIN, mpi_of(comm));
}

/* An operation of MPI: both arrays have *n elements. */
static void combine(void *from, void *to, int *n, MPI_Datatype *type)
{
    const struct scion_combined *one = from;
    struct scion_combined *all = to;
    int k, i;

    (void)type;
    for (k = 0; k < *n; k++) {
        for (i = 0; i < 2 * SCION_RANGES_MOST; i++) {
            if (one[k].least[i] < all[k].least[i])
                all[k].least[i] = one[k].least[i];
        }
        for (i = 0; i < SCION_SUMS_MOST; i++)
            all[k].sums[i] = (sion_int64)((uint64_t)all[k].sums[i] + (uint64_t)one[k].sums[i]);
    }
}

/* A type of its own, so that MPI does not divide the numbers. */
static int mpi_combine(struct scion_comm *comm, struct scion_combined *numbers)
{
    MPI_Datatype type;
    MPI_Op op;
    int rc = MPI_Type_contiguous((int)(sizeof *numbers / sizeof(sion_int64)), MPI_LONG_LONG, &type);

    if (rc != MPI_SUCCESS)
        return rc;
    rc = MPI_Type_commit(&type);
    if (rc == MPI_SUCCESS)
        rc = MPI_Op_create(combine, 1, &op);
    if (rc == MPI_SUCCESS) {
        rc = MPI_Allreduce(MPI_IN_PLACE, numbers, 1, type, op, mpi_of(comm));
        MPI_Op_free(&op);
    }
    MPI_Type_free(&type);
    return rc;
}

/* MPI leaves undefined what the first task gets. */
static int mpi_sums_before(struct scion_comm *comm, sion_int64 *numbers, int n)
{
    sion_int64 sums[SCION_TOLD_MOST] = {0};
    int rc = MPI_Exscan(numbers, sums, n, MPI_LONG_LONG, MPI_SUM, mpi_of(comm)), i;

    for (i = 0; i < n; i++)
        numbers[i] = comm->rank > 0 ? sums[i] : 0;
    return rc;
}

static struct scion_comm *wrap(MPI_Comm mpi, int owned);

static int mpi_split(struct scion_comm *comm, int color, int key, struct scion_comm **part)
{
    MPI_Comm mpi;
    int rc = MPI_Comm_split(mpi_of(comm), color < 0 ? MPI_UNDEFINED : color, key, &mpi);

    *part = NULL;
    if (rc != MPI_SUCCESS || color < 0)
        return rc;
    *part = wrap(mpi, 1);
    return MPI_SUCCESS;
}

static int mpi_split_by_node(struct scion_comm *comm, struct scion_comm **part)
{
    MPI_Comm mpi;
    int rc =
        MPI_Comm_split_type(mpi_of(comm), MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &mpi);

    if (rc == MPI_SUCCESS)
        *part = wrap(mpi, 1);
    return rc;
}

static int mpi_signal(struct scion_comm *comm, int to, int number)
{
    return MPI_Send(&number, 1, MPI_INT, to, SCION_TAG_SIGNAL, mpi_of(comm));
}

static int mpi_wait(struct scion_comm *comm, int from, int *number)
{
    return MPI_Recv(number, 1, MPI_INT, from, SCION_TAG_SIGNAL, mpi_of(comm), MPI_STATUS_IGNORE);
}

/* The rank of the node's first task. */
static int mpi_node(struct scion_comm *comm, sion_int64 *node)
{
    MPI_Comm shared;
    int rc =
        MPI_Comm_split_type(mpi_of(comm), MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &shared);

    if (rc != MPI_SUCCESS)
        return rc;
    *node = comm->rank;
    rc = MPI_Bcast(node, 1, MPI_LONG_LONG, 0, shared);
    MPI_Comm_free(&shared);
    return rc;
}

static int mpi_exchange(struct scion_comm *comm, const struct scion_message *out, int nout,
                        struct scion_message *in, int nin)
{
    MPI_Request *requests = scion_array((size_t)(nout + nin + 1), sizeof *requests);
    int rc = requests ? MPI_SUCCESS : MPI_ERR_NO_MEM, started = 0, i;

    for (i = 0; i < nin && rc == MPI_SUCCESS; i++, started++)
        rc = MPI_Irecv(in[i].words, (int)in[i].count, MPI_LONG_LONG, in[i].peer, SCION_TAG_EXCHANGE,
                       mpi_of(comm), &requests[started]);
    for (i = 0; i < nout && rc == MPI_SUCCESS; i++, started++)
        rc = MPI_Isend(out[i].words, (int)out[i].count, MPI_LONG_LONG, out[i].peer,
                       SCION_TAG_EXCHANGE, mpi_of(comm), &requests[started]);
    for (i = 0; i < started && rc == MPI_SUCCESS; i++)
        rc = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS)
        scion_mpi_cancel(requests, started);
    free(requests);
    return rc;
}

static void mpi_free(struct scion_comm *comm)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;

    if (self->owned)
        MPI_Comm_free(&self->mpi);
    scion_mpi_unwatch(self->watch);
    free(self->scratch);
    free(self->batches);
    free(self->gone);
    free(self);
}

/* A sender does not learn of other senders' failures. */
static enum scion_parting mpi_must_leave(const struct scion_comm *group)
{
    (void)group;
    return SCION_MUST_LEAVE;
}

static const struct scion_comm_ops mpi_ops = {
    .bcast = mpi_bcast,
    .gather = mpi_gather,
    .scatter = mpi_scatter,
    .gatherv = mpi_gatherv,
    .scatterv = mpi_scatterv,
    .minimum = mpi_minimum,
    .minima = mpi_minima,
    .combine = mpi_combine,
    .sums_before = mpi_sums_before,
    .split = mpi_split,
    .free = mpi_free,
    .signal = mpi_signal,
    .wait = mpi_wait,
    .transfer = scion_mpi_transfer,
    .send_batch = scion_mpi_send_batch,
    .receive_outcome = scion_mpi_receive_outcome,
    .collect_batches = scion_mpi_collect_batches,
    .must_leave = mpi_must_leave,
    .node = mpi_node,
    .split_by_node = mpi_split_by_node,
    .exchange = mpi_exchange,
    .refusal = scion_mpi_refusal,
};

void scion_comm_mpi_end_all(void)
{
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static struct scion_comm *wrap(MPI_Comm mpi, int owned)
{
    struct mpi_comm *new;

    /* Without this, a launcher might leave the other processes waiting. */
    scion_give_up_by(scion_comm_mpi_end_all);
    (void)scion_keep_reserve();
    new = scion_must_allocate(1, sizeof *new);
    new->comm.ops = &mpi_ops;
    MPI_Comm_rank(mpi, &new->comm.rank);
    MPI_Comm_size(mpi, &new->comm.size);
    new->mpi = mpi;
    new->owned = owned;
    new->watch = owned ? NULL : scion_mpi_watch(mpi);
    new->scratch = NULL;
    new->scratch_size = 0;
    new->batches = NULL;
    new->gone = NULL;
    return &new->comm;
}

int scion_comm_mpi_fits(MPI_Comm mpi)
{
    int is_inter;

    return mpi != MPI_COMM_NULL && MPI_Comm_test_inter(mpi, &is_inter) == MPI_SUCCESS && !is_inter;
}

struct scion_comm *scion_comm_mpi(MPI_Comm mpi)
{
    return wrap(mpi, 0);
}

struct scion_comm *scion_comm_mpi_again(struct scion_comm *comm)
{
    return wrap(mpi_of(comm), 0);
}

int scion_comm_mpi_leader(MPI_Comm global, MPI_Comm local, int *leader, int *lrank, int *lsize)
{
    const int zero = 0;
    MPI_Group global_group, local_group;

    MPI_Comm_rank(local, lrank);
    MPI_Comm_size(local, lsize);
    MPI_Comm_group(global, &global_group);
    MPI_Comm_group(local, &local_group);
    MPI_Group_translate_ranks(local_group, 1, &zero, global_group, leader);
    MPI_Group_free(&global_group);
    MPI_Group_free(&local_group);
    return *leader == MPI_UNDEFINED ? -1 : 0;
}

int scion_comm_mpi_ranks(MPI_Comm global, MPI_Comm local, int **ranks, int *size, int *place)
{
    MPI_Group global_group, local_group;
    int *numbers, i;

    MPI_Comm_rank(local, place);
    MPI_Comm_size(local, size);
    numbers = scion_array((size_t)*size, 2 * sizeof *numbers);
    if (!numbers)
        return -1;
    for (i = 0; i < *size; i++)
        numbers[*size + i] = i;
    MPI_Comm_group(global, &global_group);
    MPI_Comm_group(local, &local_group);
    MPI_Group_translate_ranks(local_group, *size, numbers + *size, global_group, numbers);
    MPI_Group_free(&global_group);
    MPI_Group_free(&local_group);
    *ranks = numbers;
    return 0;
}

/*
 * If MPI fails in the middle of a transfer or an exchange, no receive is left pending on memory
 * that is freed; if it fails to split, there is no communicator. This program intercepts the
 * library's calls of MPI.
 */
#include "base/error.h"
#include "comm/mpi.h"
#include "comm/transfer.h"
#include "mpi_check.h"

static struct {
    int fails_at; /* the wait or split that fails, from 0 */
    int waits, pending;
} calls;

static int comes_to_fail(void)
{
    return calls.waits++ == calls.fails_at;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    calls.pending++;
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    calls.pending++;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (comes_to_fail())
        return MPI_ERR_OTHER;
    calls.pending -= *request != MPI_REQUEST_NULL;
    return PMPI_Wait(request, status);
}

int MPI_Waitany(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    int rc;

    if (comes_to_fail())
        return MPI_ERR_OTHER;
    rc = PMPI_Waitany(n, requests, index, status);
    calls.pending -= *index != MPI_UNDEFINED;
    return rc;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    return comes_to_fail() ? MPI_ERR_OTHER : PMPI_Comm_split(comm, color, key, part);
}

static int move_nothing(void *context, const struct scion_piece *piece,
                        struct scion_verdict *verdict)
{
    (void)context, (void)piece, (void)verdict;
    return 0;
}

/* Only rank 0 takes part: it waits for records of all others, until a wait fails. */
static void a_failed_transfer_leaves_no_receive_pending(void)
{
    const struct scion_transfer transfer = {.fsblksize = 512, .move = move_nothing};
    struct scion_record record = {.position = SCION_NOWHERE};
    struct scion_comm *comm = scion_comm_mpi(MPI_COMM_WORLD);

    memset(&calls, 0, sizeof calls);
    if (mpi_rank == 0) {
        CHECK_INT(scion_transfer(comm, &transfer, &record), SION_ERR_COMM);
        CHECK_INT(calls.waits, mpi_size);
        CHECK_INT(calls.pending, 0);
    }
    scion_comm_free(comm);
}

/* All ranks wait for messages of all others; some have arrived when a wait fails. */
static void fail_exchange(int at)
{
    struct scion_comm *comm = scion_comm_mpi(MPI_COMM_WORLD);
    struct scion_message in[8], out = {.peer = 0, .words = &(sion_int64){7}, .count = 1};
    sion_int64 words[8] = {0};
    int i;

    memset(&calls, 0, sizeof calls);
    calls.fails_at = mpi_rank == 0 ? at : -1;
    for (i = 1; i < mpi_size; i++)
        in[i - 1] = (struct scion_message){i, &words[i], 1};
    if (mpi_rank == 0)
        CHECK_INT(scion_exchange(comm, NULL, 0, in, mpi_size - 1), SION_ERR_COMM);
    else if (mpi_rank <= at)
        CHECK_INT(scion_exchange(comm, &out, 1, NULL, 0), 0);
    CHECK_INT(calls.pending, 0);
    scion_comm_free(comm);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void a_failed_exchange_leaves_no_receive_pending(void)
{
    int at;

    for (at = 0; at < mpi_size - 1; at++)
        fail_exchange(at);
}

static void a_failed_split_makes_no_communicator(void)
{
    struct scion_comm *comm = scion_comm_mpi(MPI_COMM_WORLD), *part = comm;

    memset(&calls, 0, sizeof calls);
    CHECK_INT(scion_split(comm, 0, 0, &part), SION_ERR_COMM);
    CHECK_CONTAINS(scion_error_text(), "splitting the communicator between the tasks failed");
    CHECK(part == NULL);
    CHECK_INT(scion_split(comm, 0, 0, &part), 0);
    scion_comm_free(part);
    scion_comm_free(comm);
}

int main(int argc, char **argv)
{
    mpi_begin(&argc, &argv);
    RUN_MPI(a_failed_transfer_leaves_no_receive_pending);
    RUN_MPI(a_failed_exchange_leaves_no_receive_pending);
    RUN_MPI(a_failed_split_makes_no_communicator);
    return mpi_end();
}

/*
 * Batches by messages. A sender's first message says how many runs the batch has, where they go and
 * when the next batch comes; small data travel with it, larger data follow: what a sender gathers
 * in one message, because each message may cost both sides a time slice of a core that they share.
 * The collector serves several senders at a time. The outcome travels back while the sender goes
 * on, so the collector keeps it in memory.
 *
 * A collector that makes no more calls receives first messages from any sender, because those that
 * go on may wait for each other. Each sender has at most one on its way, since it waits for its
 * outcome; so at most as many are expected at a time as there are senders that go on.
 */
#include "comm/mpi_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The beginning of a sender's first message; the runs follow, and then small data. */
struct head {
    sion_int64 next, nruns, bytes;
    struct scion_run runs[SCION_BATCH_RUNS];
};

enum {
    FIXED = offsetof(struct head, runs),
    LOAD = 1 << 20,                                 /* bytes of a message of data */
    SAID = 2 * sizeof(sion_int64),                  /* bytes of the outcome of a success */
    FIRST = (int)(sizeof(struct head)) + (int)SMALL /* most bytes of the first message */
};

#define NEVER INT64_MAX

static size_t head_size(const struct head *head)
{
    return FIXED + (size_t)head->nruns * sizeof *head->runs;
}

static size_t piece_of(sion_int64 left)
{
    return left < LOAD ? (size_t)left : LOAD;
}

/* ---- a sender ---- */

static int send_head(MPI_Comm mpi, const struct scion_batch *batch)
{
    struct head *head = scion_must_allocate(1, FIRST);
    size_t bytes;
    int rc;

    head->next = batch->next;
    head->nruns = batch->nruns;
    head->bytes = batch->bytes;
    bytes = head_size(head);
    if (batch->nruns > 0)
        memcpy(head->runs, batch->runs, bytes - FIXED);
    if (batch->bytes > 0 && batch->bytes <= SMALL) {
        memcpy((char *)head + bytes, batch->data, (size_t)batch->bytes);
        bytes += (size_t)batch->bytes;
    }
    rc = MPI_Send(head, (int)bytes, MPI_BYTE, 0, SCION_TAG_SPECS, mpi);
    free(head);
    return rc;
}

int scion_mpi_send_batch(struct scion_comm *comm, const struct scion_batch *batch)
{
    MPI_Comm mpi = ((struct mpi_comm *)comm)->mpi;
    int rc = send_head(mpi, batch);
    sion_int64 done = 0;

    for (; batch->bytes > SMALL && done < batch->bytes && rc == MPI_SUCCESS; done += LOAD)
        rc = MPI_Send(batch->data + done, (int)piece_of(batch->bytes - done), MPI_BYTE, 0,
                      SCION_TAG_DATA, mpi);
    return rc;
}

int scion_mpi_receive_outcome(struct scion_comm *comm, struct scion_outcome *outcome)
{
    *outcome = (struct scion_outcome){0};
    return MPI_Recv(outcome, (int)sizeof *outcome, MPI_BYTE, 0, SCION_TAG_VERDICT,
                    ((struct mpi_comm *)comm)->mpi, MPI_STATUS_IGNORE);
}

/* ---- the collector ---- */

/* What it knows of each member of the group. */
struct sender {
    sion_int64 due; /* the call in which the next batch comes; NEVER: it has sent its last one */
    MPI_Request told;
    struct scion_outcome outcome; /* that is on its way */
};

struct mpi_batches {
    sion_int64 call;
    struct sender senders[]; /* [size] */
};

/* One sender in flight. */
struct slot {
    int sender, has_head;
    struct head *head;  /* [FIRST] bytes */
    sion_int64 arrived; /* bytes of the batch */
    int run;            /* that is stored next, */
    sion_int64 done;    /* and how much of it is stored */
};

struct collection {
    struct mpi_comm *self;
    const struct scion_transfer *transfer;
    struct mpi_batches *batches;
    int all, next;  /* next member to look at */
    int left, busy; /* all: senders whose last batch is to be stored; slots in use */
    struct slot slots[SLOTS];
    MPI_Request requests[SLOTS];
};

static struct mpi_batches *batches_of(struct mpi_comm *self)
{
    int n = self->comm.size, i;

    if (self->batches)
        return self->batches;
    self->batches =
        scion_must_allocate(1, sizeof *self->batches + (size_t)n * sizeof(struct sender));
    for (i = 0; i < n; i++) {
        self->batches->senders[i].due = 1;
        self->batches->senders[i].told = MPI_REQUEST_NULL;
    }
    return self->batches;
}

/* The next member whose batch is due; all: any. MPI_PROC_NULL: none. */
static int next_sender(struct collection *all)
{
    const struct mpi_batches *batches = all->batches;

    if (all->all)
        return all->busy < all->left ? MPI_ANY_SOURCE : MPI_PROC_NULL;
    while (all->next < all->self->comm.size && batches->senders[all->next].due > batches->call)
        all->next++;
    return all->next < all->self->comm.size ? all->next++ : MPI_PROC_NULL;
}

/* Receive from the next sender, if there is one. */
static int expect_head(struct collection *all, int index)
{
    struct slot *slot = &all->slots[index];
    int sender = next_sender(all);

    if (sender == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (!slot->head)
        slot->head = scion_must_allocate(1, FIRST);
    all->busy++;
    slot->sender = sender;
    slot->has_head = slot->run = 0;
    slot->arrived = slot->done = 0;
    return MPI_Irecv(slot->head, FIRST, MPI_BYTE, slot->sender, SCION_TAG_SPECS, all->self->mpi,
                     &all->requests[index]);
}

/* Store bytes that follow those stored last, unless some of them could not be stored. */
static void store(const struct collection *all, struct slot *slot, char *data, sion_int64 bytes)
{
    struct scion_outcome *outcome = &all->batches->senders[slot->sender].outcome;
    sion_int64 at, part;

    for (at = 0; at < bytes && outcome->verdict.code == 0; at += part) {
        const struct scion_run *run = &slot->head->runs[slot->run];
        struct scion_piece piece = {.data = data + at, .position = run->position + slot->done};

        part = run->bytes - slot->done < bytes - at ? run->bytes - slot->done : bytes - at;
        piece.bytes = part;
        if (all->transfer->move(all->transfer->context, &piece, &outcome->verdict) == 0)
            outcome->stored += part;
        slot->done += part;
        if (slot->done == run->bytes) {
            slot->run++;
            slot->done = 0;
        }
    }
}

static int tell(const struct collection *all, int to)
{
    struct sender *sender = &all->batches->senders[to];
    int bytes = sender->outcome.verdict.code == 0 ? (int)SAID : (int)sizeof sender->outcome;

    return MPI_Isend(&sender->outcome, bytes, MPI_BYTE, to, SCION_TAG_VERDICT, all->self->mpi,
                     &sender->told);
}

static int expect_data(struct collection *all, int index)
{
    const struct slot *slot = &all->slots[index];

    return MPI_Irecv(scion_mpi_scratch(all->self, LOAD, index),
                     (int)piece_of(slot->head->bytes - slot->arrived), MPI_BYTE, slot->sender,
                     SCION_TAG_DATA, all->self->mpi, &all->requests[index]);
}

static int finish_sender(struct collection *all, int index)
{
    int sender = all->slots[index].sender, rc = tell(all, sender);

    all->busy--;
    all->left -= all->batches->senders[sender].due == NEVER;
    return rc != MPI_SUCCESS ? rc : expect_head(all, index);
}

/* The sender has received the outcome of its last batch before it sent this one. */
static int take_head(struct collection *all, int index, int from)
{
    struct slot *slot = &all->slots[index];
    struct sender *sender = &all->batches->senders[from];
    int rc = MPI_Wait(&sender->told, MPI_STATUS_IGNORE);

    slot->sender = from;
    slot->has_head = 1;
    sender->due = slot->head->next == SCION_LAST ? NEVER : all->batches->call + slot->head->next;
    sender->outcome = (struct scion_outcome){0};
    if (rc != MPI_SUCCESS)
        return rc;
    if (slot->head->bytes > SMALL)
        return expect_data(all, index);
    store(all, slot, (char *)slot->head + head_size(slot->head), slot->head->bytes);
    return finish_sender(all, index);
}

static int take_data(struct collection *all, int index)
{
    struct slot *slot = &all->slots[index];
    size_t bytes = piece_of(slot->head->bytes - slot->arrived);

    store(all, slot, scion_mpi_scratch(all->self, LOAD, index), (sion_int64)bytes);
    slot->arrived += (sion_int64)bytes;
    return slot->arrived < slot->head->bytes ? expect_data(all, index) : finish_sender(all, index);
}

/* All have sent their last batches. */
static int begin_anew(struct mpi_comm *self)
{
    struct sender *senders = self->batches->senders;
    int rc = MPI_SUCCESS, i;

    for (i = 1; i < self->comm.size && rc == MPI_SUCCESS; i++) {
        rc = MPI_Wait(&senders[i].told, MPI_STATUS_IGNORE);
        senders[i].due = self->batches->call + 1;
    }
    return rc;
}

static int count_left(const struct mpi_batches *batches, int n)
{
    int left = 0, i;

    for (i = 1; i < n; i++)
        left += batches->senders[i].due != NEVER;
    return left;
}

static int collect(struct collection *all)
{
    int rc = MPI_SUCCESS, index, i;

    for (i = 0; i < SLOTS; i++)
        all->requests[i] = MPI_REQUEST_NULL;
    for (i = 0; i < SLOTS && rc == MPI_SUCCESS; i++)
        rc = expect_head(all, i);
    while (rc == MPI_SUCCESS) {
        MPI_Status status;

        rc = MPI_Waitany(SLOTS, all->requests, &index, &status);
        if (rc != MPI_SUCCESS || index == MPI_UNDEFINED)
            break;
        rc = all->slots[index].has_head ? take_data(all, index)
                                        : take_head(all, index, status.MPI_SOURCE);
    }
    scion_mpi_cancel(all->requests, SLOTS);
    for (i = 0; i < SLOTS; i++)
        free(all->slots[i].head);
    return rc;
}

int scion_mpi_collect_batches(struct scion_comm *comm, const struct scion_transfer *transfer,
                              int all)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;
    struct collection collection = {.self = self, .transfer = transfer, .all = all, .next = 1};
    int rc;

    collection.batches = batches_of(self);
    if (all)
        collection.left = count_left(collection.batches, comm->size);
    else
        collection.batches->call++;
    rc = collect(&collection);
    return rc == MPI_SUCCESS && all ? begin_anew(self) : rc;
}

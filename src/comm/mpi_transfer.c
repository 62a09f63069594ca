/*
 * Transfers by messages between two tasks. A group needs an MPI communicator of its own. To store,
 * each task sends the offsets of its records. Small data travel in the same message, larger data
 * follow in pieces. The collector then returns the verdicts. It serves several senders at a time.
 * To load, each task sends the offsets of its records. It receives their pieces, or a verdict
 * instead of a piece. A task that leaves sends an empty message in place of its offsets, and waits
 * for nothing; a collector that leaves goes on until it has one from each task.
 */
#include "comm/mpi_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SCRATCH = 64 << 20 /* bytes for all slots, roughly */ };

/* Where a record is in the file. */
struct spec {
    sion_int64 position, bytes;
};

/* Appended records must be cut at multiples of the block size. */
static size_t piece_size(const struct scion_transfer *transfer)
{
    size_t block = (size_t)transfer->fsblksize;

    if (!transfer->appends)
        return PIECE;
    return block > PIECE ? block : PIECE / block * block;
}

/* Fewer messages in flight if each needs much memory. */
static int slot_count(size_t piece)
{
    size_t slots = SCRATCH / piece;

    return slots > SLOTS ? SLOTS : slots > 1 ? (int)slots : 2;
}

/* All pieces of a transfer have one size, so nothing is in flight when this buffer grows. */
char *scion_mpi_scratch(struct mpi_comm *self, size_t piece, int slot)
{
    size_t size = (size_t)slot_count(piece) * piece;

    if (self->scratch_size < size) {
        free(self->scratch);
        self->scratch = scion_must_allocate(1, size);
        self->scratch_size = size;
    }
    return self->scratch + (size_t)slot * piece;
}

static sion_int64 total_bytes(const struct spec *specs, int n)
{
    sion_int64 total = 0;
    int i;

    for (i = 0; i < n; i++)
        total += specs[i].bytes > 0 ? specs[i].bytes : 0;
    return total;
}

static size_t next_piece(sion_int64 bytes, sion_int64 done, size_t piece)
{
    return bytes - done < (sion_int64)piece ? (size_t)(bytes - done) : piece;
}

/* A record of a sender: where it is, whose it is, and how much of it has been moved. */
struct record {
    sion_int64 position;
    int from;
    sion_int64 done;
};

/*
 * On the collector: move a part of a record. Appended records are cut into portions, because the
 * collector's chunks decide where they are.
 */
static int move_part(const struct scion_transfer *transfer, const struct record *record, char *data,
                     size_t bytes, struct scion_verdict *verdict)
{
    size_t portion = transfer->appends ? (size_t)transfer->fsblksize : bytes, part, at;
    int rc = 0;

    for (at = 0; at < bytes && rc == 0; at += part) {
        struct scion_piece piece = {
            .data = data + at, .begins = record->done == 0 && at == 0, .from = record->from};

        part = bytes - at < portion ? bytes - at : portion;
        piece.bytes = (sion_int64)part;
        piece.position =
            transfer->appends ? SCION_APPENDED : record->position + record->done + (sion_int64)at;
        rc = transfer->move(transfer->context, &piece, verdict);
    }
    return rc;
}

/* ---- leaving ---- */

/* Whether an empty message has come; then its sender makes no more calls. */
static int has_left(struct mpi_comm *self, const MPI_Status *status)
{
    int bytes = 0;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    if (bytes > 0)
        return 0;
    if (!self->gone)
        self->gone = scion_must_allocate((size_t)self->comm.size, sizeof *self->gone);
    self->gone[status->MPI_SOURCE] = 1;
    return 1;
}

/* The first task from this one on that has not left; or the size of the group. */
static int next_present(const struct mpi_comm *self, int rank)
{
    while (rank < self->comm.size && self->gone && self->gone[rank])
        rank++;
    return rank;
}

/* Receive what tasks that leave have sent, up to the first one that makes another call, if any. */
static int receive_farewells(struct mpi_comm *self, int *present)
{
    int rc = MPI_SUCCESS, rank = next_present(self, 1);

    for (; rank < self->comm.size && rc == MPI_SUCCESS; rank = next_present(self, rank + 1)) {
        MPI_Status status;

        rc = MPI_Probe(rank, SCION_TAG_SPECS, self->mpi, &status);
        if (rc != MPI_SUCCESS || !has_left(self, &status))
            break;
        rc = MPI_Recv(NULL, 0, MPI_BYTE, rank, SCION_TAG_SPECS, self->mpi, MPI_STATUS_IGNORE);
    }
    *present = rank < self->comm.size;
    return rc;
}

static void release(struct mpi_comm *self, struct scion_record **records, int n)
{
    int i;

    for (i = 0; i < n; i++)
        records[i]->is_released = 1;
    if (self->gone)
        memset(self->gone, 0, (size_t)self->comm.size);
}

/* All records of this task leave. *present: others make another call, in which it takes part. */
static int leave(struct mpi_comm *self, struct scion_record **records, int n, int *present)
{
    int rc;

    *present = 0;
    rc = self->comm.rank > 0 ? MPI_Send(NULL, 0, MPI_BYTE, 0, SCION_TAG_SPECS, self->mpi)
                             : receive_farewells(self, present);
    if (rc == MPI_SUCCESS && !*present)
        release(self, records, n);
    return rc;
}

static int all_leave(struct scion_record **records, int n)
{
    while (n > 0 && records[n - 1]->bytes == SCION_LEAVES)
        n--;
    return n == 0;
}

/* Rank in the group of a member's first record; counts: records of each member, or NULL: one. */
static int first_of(const int *counts, int member)
{
    int first = 0, i;

    if (!counts)
        return member;
    for (i = 0; i < member; i++)
        first += counts[i];
    return first;
}

/* ---- storing: a task that sends ---- */

/* The collector decides the same from the specs. */
static int are_small(struct scion_record **records, int n)
{
    sion_int64 total = 0;
    int i;

    for (i = 0; i < n; i++)
        total += records[i]->bytes > 0 ? records[i]->bytes : 0;
    return total <= SMALL;
}

/* Send the specs of all records, followed by the data if all are small. */
static int send_specs(MPI_Comm mpi, struct scion_record **records, int n, int with_data)
{
    struct spec *specs = scion_must_allocate(1, (size_t)n * sizeof *specs + SMALL);
    char *behind = (char *)(specs + n);
    int rc, i;

    for (i = 0; i < n; i++)
        specs[i] = (struct spec){records[i]->position, records[i]->bytes};
    for (i = 0; i < n && with_data; i++) {
        if (specs[i].bytes > 0) {
            memcpy(behind, records[i]->data, (size_t)specs[i].bytes);
            behind += specs[i].bytes;
        }
    }
    rc = MPI_Send(specs, (int)(behind - (char *)specs), MPI_BYTE, 0, SCION_TAG_SPECS, mpi);
    free(specs);
    return rc;
}

static int send_data(MPI_Comm mpi, struct scion_record **records, int n, size_t piece)
{
    sion_int64 done;
    int rc = MPI_SUCCESS, i;

    for (i = 0; i < n; i++) {
        for (done = 0; done < records[i]->bytes && rc == MPI_SUCCESS; done += (sion_int64)piece)
            rc = MPI_Send((char *)records[i]->data + done,
                          (int)next_piece(records[i]->bytes, done, piece), MPI_BYTE, 0,
                          SCION_TAG_DATA, mpi);
    }
    return rc;
}

/* The verdicts for a sender: a code for each record, and the reason of the first failure. */
static size_t verdicts_size(int n, int failed)
{
    return (size_t)n * sizeof(sion_int64) + (failed ? SCION_VERDICT_TEXT : 0);
}

static int receive_verdicts(MPI_Comm mpi, struct scion_record **records, int n)
{
    sion_int64 *codes = scion_must_allocate(1, verdicts_size(n, 1));
    const char *text = (const char *)(codes + n);
    int rc = MPI_Recv(codes, (int)verdicts_size(n, 1), MPI_BYTE, 0, SCION_TAG_VERDICT, mpi,
                      MPI_STATUS_IGNORE);
    int i;

    for (i = 0; i < n && rc == MPI_SUCCESS; i++) {
        records[i]->verdict.code = codes[i];
        if (codes[i] != 0)
            memcpy(records[i]->verdict.text, text, SCION_VERDICT_TEXT);
    }
    free(codes);
    return rc;
}

static int send_records(MPI_Comm mpi, const struct scion_transfer *transfer,
                        struct scion_record **records, int n)
{
    int small = are_small(records, n), rc = send_specs(mpi, records, n, small);

    if (rc == MPI_SUCCESS && !small)
        rc = send_data(mpi, records, n, piece_size(transfer));
    return rc != MPI_SUCCESS ? rc : receive_verdicts(mpi, records, n);
}

/* ---- storing: the collector ---- */

/* One sender in flight. */
struct slot {
    int sender, n;
    int from;                       /* rank in the group of its first record */
    struct spec *specs;             /* [n], and SMALL bytes after them */
    struct scion_verdict *verdicts; /* [n] */
    int has_specs;
    int current;     /* record whose data are expected */
    sion_int64 done; /* bytes of it that have arrived */
    size_t expected; /* bytes of the message that is expected */
};

struct collection {
    struct mpi_comm *self;
    const struct scion_transfer *transfer;
    const int *counts; /* records of each member; NULL: one */
    size_t piece;
    int nslots, next; /* next sender without a slot */
    struct slot slots[SLOTS];
    MPI_Request requests[SLOTS];
};

/* Store a part of a record that has arrived. */
static void store(const struct collection *all, struct slot *slot, int record, char *data,
                  sion_int64 done, size_t bytes)
{
    const struct record one = {slot->specs[record].position, slot->from + record, done};

    if (slot->verdicts[record].code == 0)
        move_part(all->transfer, &one, data, bytes, &slot->verdicts[record]);
}

/* From the next sender that has not left, if there is one. */
static int expect_specs(struct collection *all, int index)
{
    struct slot *slot = &all->slots[index];
    size_t bytes;

    all->next = next_present(all->self, all->next);
    if (all->next >= all->self->comm.size)
        return MPI_SUCCESS;
    slot->sender = all->next++;
    slot->n = all->counts ? all->counts[slot->sender] : 1;
    slot->from = first_of(all->counts, slot->sender);
    slot->has_specs = 0;
    bytes = (size_t)slot->n * sizeof *slot->specs + SMALL;
    slot->specs = scion_must_allocate(1, bytes);
    slot->verdicts = scion_must_allocate((size_t)slot->n, sizeof *slot->verdicts);
    return MPI_Irecv(slot->specs, (int)bytes, MPI_BYTE, slot->sender, SCION_TAG_SPECS,
                     all->self->mpi, &all->requests[index]);
}

static int send_verdicts(const struct collection *all, const struct slot *slot)
{
    int first = 0, failed, rc, i;
    sion_int64 *codes = scion_must_allocate(1, verdicts_size(slot->n, 1));

    while (first < slot->n && slot->verdicts[first].code == 0)
        first++;
    failed = first < slot->n;
    for (i = 0; i < slot->n; i++)
        codes[i] = slot->verdicts[i].code;
    if (failed)
        memcpy(codes + slot->n, slot->verdicts[first].text, SCION_VERDICT_TEXT);
    rc = MPI_Send(codes, (int)verdicts_size(slot->n, failed), MPI_BYTE, slot->sender,
                  SCION_TAG_VERDICT, all->self->mpi);
    free(codes);
    return rc;
}

static void free_slot(struct slot *slot)
{
    free(slot->specs);
    free(slot->verdicts);
    slot->specs = NULL;
    slot->verdicts = NULL;
}

/* All data of a sender have arrived: return its verdicts, and give its slot to the next sender. */
static int finish_sender(struct collection *all, int index)
{
    struct slot *slot = &all->slots[index];
    int rc = send_verdicts(all, slot);

    free_slot(slot);
    return rc == MPI_SUCCESS ? expect_specs(all, index) : rc;
}

/* Receive the next message of data, or finish the sender. */
static int expect_data(struct collection *all, int index)
{
    struct slot *slot = &all->slots[index];

    while (slot->current < slot->n && slot->done >= slot->specs[slot->current].bytes) {
        slot->current++;
        slot->done = 0;
    }
    if (slot->current == slot->n)
        return finish_sender(all, index);
    slot->expected = next_piece(slot->specs[slot->current].bytes, slot->done, all->piece);
    return MPI_Irecv(scion_mpi_scratch(all->self, all->piece, index), (int)slot->expected, MPI_BYTE,
                     slot->sender, SCION_TAG_DATA, all->self->mpi, &all->requests[index]);
}

static int take_specs(struct collection *all, int index, const MPI_Status *status)
{
    struct slot *slot = &all->slots[index];
    char *data = (char *)(slot->specs + slot->n);
    int i;

    if (has_left(all->self, status)) {
        free_slot(slot);
        return expect_specs(all, index);
    }
    slot->has_specs = 1;
    slot->current = 0;
    slot->done = 0;
    if (total_bytes(slot->specs, slot->n) > SMALL)
        return expect_data(all, index);
    for (i = 0; i < slot->n; i++) {
        if (slot->specs[i].bytes > 0) {
            store(all, slot, i, data, 0, (size_t)slot->specs[i].bytes);
            data += slot->specs[i].bytes;
        }
    }
    return finish_sender(all, index);
}

static int take_data(struct collection *all, int index)
{
    struct slot *slot = &all->slots[index];

    store(all, slot, slot->current, scion_mpi_scratch(all->self, all->piece, index), slot->done,
          slot->expected);
    slot->done += (sion_int64)slot->expected;
    return expect_data(all, index);
}

/* Wait for a message: from any sender, or from the lowest one if the order matters. */
static int wait_for_one(struct collection *all, int *index, MPI_Status *status)
{
    int lowest = INT_MAX, i;

    if (!all->transfer->appends)
        return MPI_Waitany(all->nslots, all->requests, index, status);
    *index = MPI_UNDEFINED;
    for (i = 0; i < all->nslots; i++) {
        if (all->requests[i] != MPI_REQUEST_NULL && all->slots[i].sender < lowest) {
            lowest = all->slots[i].sender;
            *index = i;
        }
    }
    return *index == MPI_UNDEFINED ? MPI_SUCCESS : MPI_Wait(&all->requests[*index], status);
}

static int collect(struct mpi_comm *self, const struct scion_transfer *transfer, const int *counts)
{
    struct collection all = {.self = self, .transfer = transfer, .counts = counts, .next = 1};
    int rc = MPI_SUCCESS, index, i;

    all.piece = piece_size(transfer);
    all.nslots = slot_count(all.piece);
    for (i = 0; i < SLOTS; i++)
        all.requests[i] = MPI_REQUEST_NULL;
    for (i = 0; i < all.nslots && rc == MPI_SUCCESS; i++)
        rc = expect_specs(&all, i);
    while (rc == MPI_SUCCESS) {
        MPI_Status status;

        rc = wait_for_one(&all, &index, &status);
        if (rc != MPI_SUCCESS || index == MPI_UNDEFINED)
            break;
        rc = all.slots[index].has_specs ? take_data(&all, index) : take_specs(&all, index, &status);
    }
    scion_mpi_cancel(all.requests, all.nslots);
    for (i = 0; i < all.nslots; i++)
        free_slot(&all.slots[i]);
    return rc;
}

/* ---- loading ---- */

/* Receive the pieces of a record, up to the last one or to a verdict. */
static int receive_record(MPI_Comm mpi, struct scion_record *record, size_t piece)
{
    sion_int64 done = 0;
    int rc = MPI_SUCCESS;

    while (done < record->bytes && rc == MPI_SUCCESS) {
        MPI_Status status;

        rc = MPI_Probe(0, MPI_ANY_TAG, mpi, &status);
        if (rc == MPI_SUCCESS && status.MPI_TAG == SCION_TAG_VERDICT)
            return MPI_Recv(&record->verdict, (int)sizeof record->verdict, MPI_BYTE, 0,
                            SCION_TAG_VERDICT, mpi, MPI_STATUS_IGNORE);
        if (rc == MPI_SUCCESS)
            rc = MPI_Recv((char *)record->data + done, (int)next_piece(record->bytes, done, piece),
                          MPI_BYTE, 0, SCION_TAG_DATA, mpi, MPI_STATUS_IGNORE);
        done += (sion_int64)piece;
    }
    return rc;
}

static int request_records(MPI_Comm mpi, const struct scion_transfer *transfer,
                           struct scion_record **records, int n)
{
    int rc = send_specs(mpi, records, n, 0), i;

    for (i = 0; i < n && rc == MPI_SUCCESS; i++)
        rc = receive_record(mpi, records[i], piece_size(transfer));
    return rc;
}

/* The collector's messages in flight, in a ring. */
struct distribution {
    struct mpi_comm *self;
    const struct scion_transfer *transfer;
    size_t piece;
    int nslots, next;
    MPI_Request requests[SLOTS];
};

/* Load a piece into the buffer that was sent first, and send it. *loaded: 0 if loading failed. */
static int load_piece(struct distribution *all, int to, const struct record *record,
                      sion_int64 size, int *loaded)
{
    int slot = all->next++ % all->nslots;
    size_t bytes = next_piece(size, record->done, all->piece);
    struct scion_verdict verdict = {0};
    char *data = scion_mpi_scratch(all->self, all->piece, slot);
    int rc = MPI_Wait(&all->requests[slot], MPI_STATUS_IGNORE);

    if (rc != MPI_SUCCESS)
        return rc;
    *loaded = move_part(all->transfer, record, data, bytes, &verdict) == 0;
    if (!*loaded)
        return MPI_Send(&verdict, (int)sizeof verdict, MPI_BYTE, to, SCION_TAG_VERDICT,
                        all->self->mpi);
    return MPI_Isend(data, (int)bytes, MPI_BYTE, to, SCION_TAG_DATA, all->self->mpi,
                     &all->requests[slot]);
}

/* first: rank in the group of the first of its n records. */
static int serve(struct distribution *all, int to, int first, int n)
{
    struct spec *specs = scion_must_allocate((size_t)n, sizeof *specs);
    MPI_Status status;
    int rc = MPI_Recv(specs, n * (int)sizeof *specs, MPI_BYTE, to, SCION_TAG_SPECS, all->self->mpi,
                      &status);
    int i;

    if (rc == MPI_SUCCESS && has_left(all->self, &status))
        n = 0;
    for (i = 0; i < n && rc == MPI_SUCCESS; i++) {
        struct record record = {specs[i].position, first + i, 0};
        int loaded = 1;

        for (; loaded && record.done < specs[i].bytes && rc == MPI_SUCCESS;
             record.done += (sion_int64)all->piece)
            rc = load_piece(all, to, &record, specs[i].bytes, &loaded);
    }
    free(specs);
    return rc;
}

static int scatter(struct mpi_comm *self, const struct scion_transfer *transfer, const int *counts)
{
    struct distribution all = {.self = self, .transfer = transfer};
    int rc = MPI_SUCCESS, other, i;

    all.piece = piece_size(transfer);
    all.nslots = slot_count(all.piece);
    for (i = 0; i < SLOTS; i++)
        all.requests[i] = MPI_REQUEST_NULL;
    for (i = next_present(self, 1); i < self->comm.size && rc == MPI_SUCCESS;
         i = next_present(self, i + 1))
        rc = serve(&all, i, first_of(counts, i), counts ? counts[i] : 1);
    for (i = 0; i < all.nslots; i++) {
        other = MPI_Wait(&all.requests[i], MPI_STATUS_IGNORE);
        rc = rc != MPI_SUCCESS ? rc : other;
    }
    return rc;
}

/* ---- both ---- */

/* Waiting for a cancelled receive ends it, whether or not a message comes. */
void scion_mpi_cancel(MPI_Request *requests, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
}

int scion_mpi_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                       struct scion_record **records, int n, const int *counts)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;
    int present = 1, rc = MPI_SUCCESS, i;

    if (all_leave(records, n))
        rc = leave(self, records, n, &present);
    if (!present || rc != MPI_SUCCESS)
        return rc;
    if (comm->rank > 0)
        return transfer->scatters ? request_records(self->mpi, transfer, records, n)
                                  : send_records(self->mpi, transfer, records, n);
    for (i = 0; i < n; i++)
        scion_move_record(transfer, records[i], i);
    return transfer->scatters ? scatter(self, transfer, counts) : collect(self, transfer, counts);
}

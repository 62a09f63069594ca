/* Shared by the files that implement MPI communicators. */
#ifndef SCION_COMM_MPI_PRIVATE_H
#define SCION_COMM_MPI_PRIVATE_H

#include "comm/mpi.h"
#include "comm/transfer.h"

/* The tags of all messages between two tasks, so that none is taken for another. */
enum {
    SCION_TAG_SIGNAL = 1430,
    SCION_TAG_EXCHANGE,
    SCION_TAG_SPECS,
    SCION_TAG_DATA,
    SCION_TAG_VERDICT
};

enum {
    SLOTS = 8,        /* senders, or messages, in flight on a collector */
    SMALL = 4096,     /* bytes of data that travel with what is said of them */
    PIECE = 256 << 10 /* bytes of a message of data, roughly */
};

struct mpi_batches;
struct scion_mpi_watch;

struct mpi_comm {
    struct scion_comm comm;
    MPI_Comm mpi;
    int owned;                     /* made by split */
    struct scion_mpi_watch *watch; /* notices that the application frees its own; or NULL */
    char *scratch; /* on a collector: buffers of transfers, allocated when first needed */
    size_t scratch_size;
    struct mpi_batches *batches; /* on a collector that has received some, else NULL */
    unsigned char *gone;         /* on a collector: [size] tasks that have left; or NULL: none */
};

/* Watch a communicator of the application until unwatch. NULL: it cannot be watched. Local. */
struct scion_mpi_watch *scion_mpi_watch(MPI_Comm mpi);
void scion_mpi_unwatch(struct scion_mpi_watch *watch);

/* As the operation of scion_comm_ops. */
const char *scion_mpi_refusal(struct scion_comm *comm);

/* Buffer `slot` of a transfer in pieces of this size; nothing may be in flight when it grows. */
char *scion_mpi_scratch(struct mpi_comm *self, size_t piece, int slot);

/* After a failure: end what is pending, so that its memory can be freed. */
void scion_mpi_cancel(MPI_Request *requests, int n);

int scion_mpi_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                       struct scion_record **records, int n, const int *counts);

int scion_mpi_send_batch(struct scion_comm *comm, const struct scion_batch *batch);
int scion_mpi_receive_outcome(struct scion_comm *comm, struct scion_outcome *outcome);
int scion_mpi_collect_batches(struct scion_comm *comm, const struct scion_transfer *transfer,
                              int all);

#endif

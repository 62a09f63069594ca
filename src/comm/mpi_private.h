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

struct mpi_comm {
    struct scion_comm comm;
    MPI_Comm mpi;
    int owned;     /* made by split */
    char *scratch; /* on a collector: buffers of transfers, allocated when first needed */
    size_t scratch_size;
};

/* After a failure: end what is pending, so that its memory can be freed. */
void scion_mpi_cancel(MPI_Request *requests, int n);

int scion_mpi_transfer(struct scion_comm *comm, const struct scion_transfer *transfer,
                       struct scion_record **records, int n, const int *counts);

#endif

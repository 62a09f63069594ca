/* CRCs on their way between the tasks of a file and the one that writes or reads its checksums. */
#ifndef SCION_PARALLEL_CHECKSUM_GATHER_H
#define SCION_PARALLEL_CHECKSUM_GATHER_H

#include <stdint.h>

#include "comm/comm.h"

/* A 64-bit word holds two CRCs. */
static inline sion_int64 scion_words_of_crcs(sion_int64 count)
{
    return count / 2 + count % 2;
}

/* Collective: 1 if no task has failed so far, 0 if one has; < 0: the communication has failed. */
int scion_none_failed(struct scion_comm *comm, int rc);

/* On the communicator's rank 0: the CRCs of all tasks. All zero: none. */
struct scion_checksum_gather {
    sion_int64 *counts; /* [size] CRCs of each rank; -1: it has seen some bytes only */
    int *words, *first; /* [size] */
    sion_int64 *numbers;
};

/* Local, before the tasks agree that none has failed: what a gather cannot do without. */
int scion_checksum_gather_begin(struct scion_checksum_gather *gather,
                                const struct scion_comm *comm);

/*
 * Collective: gather `count` CRCs of each task, or -1, which sends none. 1: they are gathered; 0:
 * another task has failed; < 0: this one, or the communication. rc: this task's result so far. The
 * caller frees *gathered in any case.
 */
int scion_checksum_gather_all(struct scion_comm *comm, int rc, const uint32_t *crcs,
                              sion_int64 count, struct scion_checksum_gather *gather);
void scion_checksum_gather_free(struct scion_checksum_gather *gather);

/* The CRCs of a rank. */
static inline const uint32_t *scion_checksum_gather_of(const struct scion_checksum_gather *gather,
                                                       int rank)
{
    return (const uint32_t *)(gather->numbers + gather->first[rank]);
}

#endif

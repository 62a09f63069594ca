/* Gathering rows of numbers on rank 0 of a communicator, and scattering them from there. */
#ifndef SCION_PARALLEL_ROWS_H
#define SCION_PARALLEL_ROWS_H

#include "comm/comm.h"
#include "comm/rows.h"

/*
 * Collective: gather one row from each task, after their lengths. The caller frees *rows in any
 * case; it is empty on other ranks than 0.
 */
int scion_gather_rows(struct scion_comm *comm, const sion_int64 *own, sion_int64 count,
                      struct scion_rows *rows);

/* Collective: the same if rank 0 knows the lengths: it has begun and added the rows. */
int scion_fill_rows(struct scion_comm *comm, const sion_int64 *own, sion_int64 count,
                    struct scion_rows *rows);

/* Collective: send row r to task r, which knows its length. rows: on rank 0; else empty. */
int scion_deal_rows(struct scion_comm *comm, const struct scion_rows *rows, sion_int64 *own,
                    sion_int64 count);

#endif

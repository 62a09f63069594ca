/* Rows of numbers on their way to rank 0 of a communicator, and from there. */
#ifndef SCION_PARALLEL_ROWS_H
#define SCION_PARALLEL_ROWS_H

#include "comm/comm.h"
#include "comm/rows.h"

/*
 * Collective: one row from each task, whose lengths rank 0 learns first. *rows is to be freed in
 * any case; on other ranks than 0 it is empty.
 */
int scion_gather_rows(struct scion_comm *comm, const sion_int64 *own, sion_int64 count,
                      struct scion_rows *rows);

/* Collective: the same if rank 0 knows the lengths already, and has rows that are not made. */
int scion_fill_rows(struct scion_comm *comm, const sion_int64 *own, sion_int64 count,
                    struct scion_rows *rows);

/* Collective: row r to task r, which knows its length. rows: on rank 0, else empty. */
int scion_deal_rows(struct scion_comm *comm, const struct scion_rows *rows, sion_int64 *own,
                    sion_int64 count);

#endif

/*
 * A failure on one rank becomes a failure of all: every rank's error record names the lowest
 * failing rank and its reason.
 */
#ifndef SCION_COMM_AGREE_H
#define SCION_COMM_AGREE_H

#include "comm/comm.h"

/*
 * Collective. rc: this rank's result so far, its reason in the error record. Returns 0 if all
 * ranks say 0, else the error code of the lowest failing rank, on every rank. One collective; one
 * more if there is an error.
 */
int scion_agree(struct scion_comm *comm, int rc);

/* The same; it also sends n numbers from rank 0 to all, as scion_minimum() does. */
int scion_agree_telling(struct scion_comm *comm, int rc, sion_int64 *told, int n);

/* The same; if none has failed, *least >= 0 becomes the smallest one of all. */
int scion_agree_least(struct scion_comm *comm, int rc, sion_int64 *least);

/*
 * The same with further results: no rank has failed, and at least one has passed SCION_MORE instead
 * of 0, or SCION_FIRST, which counts more.
 */
enum { SCION_MORE = 1, SCION_FIRST = 2 };
int scion_agree_or_more(struct scion_comm *comm, int rc);

/* Local. Put "rank N: " before this rank's reason if it has failed. Returns rc. */
int scion_name_rank(const struct scion_comm *comm, int rc);

/*
 * Collective, when all ranks know already that rank `failing` has failed: broadcast its code and
 * reason. Returns the code.
 */
int scion_agree_on(struct scion_comm *comm, int rc, int failing);

#endif

/*
 * Nobody leaves alone: what fails on one rank fails on all, with the first failing rank and its
 * reason in every rank's error record.
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

/* The same, and with it n numbers of rank 0 to all, as scion_minimum(). */
int scion_agree_telling(struct scion_comm *comm, int rc, sion_int64 *told, int n);

/*
 * The same with a third result, SCION_MORE: nobody has failed, and at least one has said
 * SCION_MORE in place of 0.
 */
enum { SCION_MORE = 1 };
int scion_agree_or_more(struct scion_comm *comm, int rc);

/* Local. Put "rank N: " before this rank's reason if it has failed. Returns rc. */
int scion_name_rank(const struct scion_comm *comm, int rc);

/*
 * Collective, when all ranks know already that `failing` has an error: its code and reason go to
 * all. Returns the code.
 */
int scion_agree_on(struct scion_comm *comm, int rc, int failing);

#endif

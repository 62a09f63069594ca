/* Shared by the files of the parallel interfaces' common half; nobody else includes this. */
#ifndef SCION_API_PARALLEL_PRIVATE_H
#define SCION_API_PARALLEL_PRIVATE_H

#include "api/parallel.h"
#include "base/mode.h"
#include "file/container.h"

/* Check name and mode, as all opens do. 0 or an error code. */
int scion_layer_check_mode(const struct sion_layer_call *call, struct scion_mode *mode);

/* Whether the tasks can still communicate: 0 or an error code. Local. */
int scion_layer_check_comm(const struct scion_container *container);

/* The container has been opened: if it is written, and no close comes, the end of the process saves
   its data. */
void scion_layer_expect_close(struct scion_container *container);

/* At the end of a call on this rank: print the failure of all ranks, and return rc. */
int scion_layer_fail_together(const char *function, int rank, int size, int rc);

/* At the end of a call of all tasks, whose result stays: publish by the clock, as the mode says. */
void scion_layer_meet(const char *function, struct scion_container *container, int of_transaction);

/* An open that has begun, on this rank. */
struct scion_layer_opening {
    double begin; /* seconds */
    int rank, size;
    int sid; /* reserved; -1: none is free */
};

/*
 * Begin an open: reserve what it needs on this rank. *status is the failure of this rank so far, or
 * 0, and gets a failure of this. -1 after a message, and nothing has begun, if there is no comm.
 */
int scion_layer_begin_open(const struct scion_comm *comm, const struct sion_layer_call *call,
                           int *status, struct scion_layer_opening *opening);

/* Sets the outputs of an open, and returns the sid. */
typedef int scion_layer_give(const struct sion_layer_call *call, struct scion_container *container,
                             int sid);

/* End it. container: NULL if the open has failed, on all ranks. Returns what the open does. */
int scion_layer_end_open(const struct sion_layer_call *call,
                         const struct scion_layer_opening *opening,
                         struct scion_container *container, scion_layer_give *give);

#endif

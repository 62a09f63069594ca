/* Shared by the files of the parallel interfaces' common half; nobody else includes this. */
#ifndef SCION_API_PARALLEL_PRIVATE_H
#define SCION_API_PARALLEL_PRIVATE_H

#include "api/parallel.h"
#include "base/mode.h"
#include "file/container.h"

/* Check name and mode, as all opens do. 0 or an error code. */
int scion_layer_check_mode(const struct sion_layer_call *call, struct scion_mode *mode);

/* Reserve a number of the handle table for a container; -1: none is free. */
int scion_layer_reserve(const struct sion_layer_call *call);

/* Whether the tasks can still communicate: 0 or an error code. Local. */
int scion_layer_check_comm(const struct scion_container *container);

/* The container has been opened: if it is written, and no close comes, the end of the process saves
   its data. */
void scion_layer_expect_close(struct scion_container *container);

/*
 * At the end of a call on this rank: print its warnings; or the failure of all ranks, and return
 * rc.
 */
void scion_layer_print_warnings(int rank, int size);
int scion_layer_fail_together(const char *function, int rank, int size, int rc);

void scion_layer_trace_open(const struct sion_layer_call *call, const struct scion_comm *comm);

#endif

/* Shared by the files of the parallel interfaces' common half; nobody else includes this. */
#ifndef SCION_API_PARALLEL_PRIVATE_H
#define SCION_API_PARALLEL_PRIVATE_H

#include "api/parallel.h"
#include "base/mode.h"

/* Checks of name and mode that all opens have in common. 0 or an error code. */
int scion_layer_check_mode(const struct sion_layer_call *call, struct scion_mode *mode);

/* A number of the handle table for a container that will be opened; -1: there is none. */
int scion_layer_reserve(const struct sion_layer_call *call);

/* The call's end on this rank: warnings; and the failure that all have, with -1 as result. */
void scion_layer_print_warnings(int rank, int size);
int scion_layer_fail_together(const char *function, int rank, int size, int rc);

void scion_layer_trace_open(const struct sion_layer_call *call, const struct scion_comm *comm);

#endif

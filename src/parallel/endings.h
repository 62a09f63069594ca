/* What tasks still write before the tables of a container. */
#ifndef SCION_PARALLEL_ENDINGS_H
#define SCION_PARALLEL_ENDINGS_H

#include "comm/comm.h"
#include "file/container.h"

/* Fail because other tasks have an ending and this one has none. */
int scion_lack_ending(void);

/*
 * Collective, when all tasks know that some have an ending: if all have, run them; else it is an
 * error. Each task has the same result.
 */
int scion_run_endings(struct scion_comm *global, const struct scion_container *container);

#endif

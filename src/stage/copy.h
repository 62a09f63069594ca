/* Copying a part to the container's new files. */
#ifndef SCION_STAGE_COPY_H
#define SCION_STAGE_COPY_H

#include "stage/drain.h"

/*
 * Copy the node's own bytes, from where an earlier drain has stopped, and wait until they are on
 * the disk. 0, an error code, or SCION_DRAIN_STOPPED.
 */
int scion_stage_copy(struct scion_stage_part *part, struct scion_drain *drain);

/* Whether the machine was started again since the part was written, as far as that is known. */
int scion_stage_is_another_start(const struct scion_stage_part *part);

int scion_drain_is_stopped(struct scion_drain *drain);
void scion_drain_doze(double seconds);

#endif

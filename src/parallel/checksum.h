/* Checksums of a file, made at the close and compared at the open. */
#ifndef SCION_PARALLEL_CHECKSUM_H
#define SCION_PARALLEL_CHECKSUM_H

#include "file/container.h"

struct scion_opening;
struct scion_parallel;

/*
 * Collective over the tasks of a file that is closed: write the checksums after META2 and the
 * mapping, if they were made and no task has failed. rc: this task's result so far.
 */
int scion_checksum_write_parallel(struct scion_parallel *parallel,
                                  struct scion_container *container,
                                  const struct scion_place *place,
                                  const struct scion_mapping *mapping, int rc);

/*
 * Collective over the tasks of a file that is open for reading: compare each task's data with its
 * checksums.
 */
int scion_checksum_verify_parallel(struct scion_opening *opening);

#endif

/* Checksums of a file, made at the close and found at the open. */
#ifndef SCION_PARALLEL_CHECKSUM_H
#define SCION_PARALLEL_CHECKSUM_H

#include "file/container.h"

struct scion_opening;
struct scion_parallel;

/*
 * Collective over the tasks of a file that is closed or published: write the checksums after META2
 * and the mapping, if they were made and no task has failed. rc: this task's result so far.
 */
int scion_checksum_write_parallel(struct scion_parallel *parallel,
                                  struct scion_container *container,
                                  const struct scion_place *place,
                                  const struct scion_mapping *mapping, int is_published, int rc);

/*
 * Collective over the tasks of a file that is open for reading: each learns where the CRCs of all
 * data are that it reads, for itself or as a collector, and compares them when it reads these for
 * the first time; or it compares its own now.
 */
int scion_checksum_watch_parallel(struct scion_opening *opening);

#endif

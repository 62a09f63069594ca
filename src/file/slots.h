/* Commit records of a file that was perhaps never closed: where they are, and what they vouch for.
 */
#ifndef SCION_FILE_SLOTS_H
#define SCION_FILE_SLOTS_H

#include "file/physical.h"
#include "format/slot.h"

/*
 * The newest commit record of a chunk that is newer than `behind`: 1, or 0 if there is none; an
 * error. size: of the file. The file is one that scion_physical_read_first() has read.
 */
int scion_physical_slot(const struct scion_physical *physical, sion_int64 size, int task,
                        sion_int64 chunk, sion_int64 behind, struct scion_slot *slot);

#endif

/* The checksums of a state in an area, which readers take at once: later, they may be overwritten.
 */
#ifndef SCION_FILE_CHECKSUM_AREA_H
#define SCION_FILE_CHECKSUM_AREA_H

#include "file/checksum.h"

/*
 * Read all CRCs of a file whose tables were read. checksums->first says how many each task has, of
 * all generations.
 */
int scion_checksum_read_area(struct scion_physical *physical,
                             const struct scion_checksum_head *head,
                             struct scion_checksum_table *checksums);

#endif

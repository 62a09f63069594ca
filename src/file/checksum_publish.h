/*
 * Checksums of a state that is published: a table with a place for every piece that chunks can
 * have, in which each publish writes the CRCs of those only that are new.
 */
#ifndef SCION_FILE_CHECKSUM_PUBLISH_H
#define SCION_FILE_CHECKSUM_PUBLISH_H

#include "file/checksum.h"
#include "file/growth.h"

/* Before the tables of a state that has checksums. */
int scion_sums_begin(struct scion_physical *physical);

/* Bytes of the table for each block; 0: there are none. */
static inline sion_int64 scion_sums_row(const struct scion_growth *growth)
{
    return growth->pieces ? growth->sums_row : 0;
}

#endif

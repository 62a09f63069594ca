/* The digests of a checkpoint's data: MD5 takes most of the time that a checkpoint costs. */
#ifndef SCION_FTIFF_DIGEST_H
#define SCION_FTIFF_DIGEST_H

#include "ftiff/image.h"

enum { SCION_FTI_THREADS = 64 };

/*
 * Compute image->hashes, and in layout B `whole`, the digest of all data. The digests are
 * independent of each other, so `threads` of them are computed at the same time, at least 1 and at
 * most SCION_FTI_THREADS; fewer if the system does not make the threads. data: for each container
 * its chunksize bytes, NULL without content.
 *
 * A container without content has no digest, except in A: FTI 1.1 compares it with the digest of no
 * bytes.
 */
void scion_fti_digest(struct scion_fti_image *image, const void *const *data, long long threads,
                      unsigned char whole[SCION_MD5_BYTES]);

#endif

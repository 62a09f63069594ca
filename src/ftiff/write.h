/* Writing a checkpoint: compute the digests, then write all bytes into a sink, in the order of the
   file. */
#ifndef SCION_FTIFF_WRITE_H
#define SCION_FTIFF_WRITE_H

#include <stddef.h>

#include "ftiff/image.h"

/* These functions make the file from its first byte to its last. 0 or an error code. */
struct scion_fti_sink {
    int (*write)(struct scion_fti_sink *sink, const void *from, size_t bytes);
    int (*skip)(struct scion_fti_sink *sink, sion_int64 bytes); /* bytes that are 0 */

    /* The used bytes of a container; NULL: the same as write. */
    int (*chunk)(struct scion_fti_sink *sink, int var, const void *from, size_t bytes);
};

/*
 * Compute all digests of a checkpoint that is laid out and has none. data: for each container its
 * chunksize bytes, NULL without content. threads: how many digests are computed at the same time.
 * maxfs and ptfs are -1, as for checkpoints without partners.
 */
int scion_fti_seal(struct scion_fti_image *image, const void *const *data, long long threads,
                   sion_int64 ckptid, sion_int64 timestamp);

/* A sealed checkpoint: fb.fs bytes; in B, without the unused ones at the end. */
int scion_fti_write(struct scion_fti_sink *sink, const struct scion_fti_image *image,
                    const void *const *data);

#endif

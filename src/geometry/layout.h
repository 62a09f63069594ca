/*
 * Where the chunks of a physical file are. Pure arithmetic, every step checked for overflow.
 */
#ifndef SCION_GEOMETRY_LAYOUT_H
#define SCION_GEOMETRY_LAYOUT_H

#include "sion_datatypes.h"

struct scion_layout {
    sion_int64 start_of_data; /* first byte of block 0 */
    sion_int64 globalskip;    /* bytes of one block: the sum of all chunks of a round */
};

/* The place of one task's chunks: chunk b begins at start + b * globalskip. */
struct scion_place {
    sion_int64 start;
    sion_int64 globalskip;
    sion_int64 chunksize;
    sion_int64 floor; /* writing: no chunk is begun before this one, because tables may be there */
};

/*
 * Round requested chunk sizes up to whole file system blocks, in place, as containers of the
 * current format store them for individual (not collective) writing. A size of 0 stays 0.
 */
int scion_layout_align(sion_int64 *chunksizes, int ntasks, int fsblksize);

/*
 * Compute starts[ntasks] and the layout from stored chunk sizes (each >= 0). header: bytes before
 * the data, less the padding; grain: bytes that every chunk is rounded up to. O(ntasks).
 */
int scion_layout_compute(const sion_int64 *chunksizes, int ntasks, sion_int64 header, int fsblksize,
                         int grain, sion_int64 *starts, struct scion_layout *layout);

/*
 * The same in steps, for sizes that are not all at hand. begin: places are given out from *next on.
 * append: *next moves after n tasks, the first of which is number `task`; starts[n] or NULL.
 */
int scion_layout_begin(sion_int64 header, int fsblksize, sion_int64 *next);
int scion_layout_append(const sion_int64 *chunksizes, int task, int n, int grain,
                        sion_int64 *starts, sion_int64 *next);

/* Offset of the first byte of chunk b. 1 on overflow. */
int scion_chunk_start(const struct scion_place *place, sion_int64 chunk, sion_int64 *offset);

/*
 * Offset of the first byte after block `blocks` - 1, where META2 of a file of `blocks` blocks
 * begins.
 */
int scion_layout_end(const struct scion_layout *layout, sion_int64 blocks, sion_int64 *offset);

#endif

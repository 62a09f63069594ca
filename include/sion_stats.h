/**
 * @file sion_stats.h
 * What a program has done with a container: calls, bytes, chunks and times.
 *
 * With the environment variable SION_STATS, or after sion_stats_enable, the library counts for all
 * containers that are opened from then on. With SION_STATS it also reports on each container when
 * it is closed, once for the whole job: on stderr (SION_STATS=1), as JSON on stderr
 * (SION_STATS=json), or at the end of a file (SION_STATS=FILE; as JSON, one object per line, if its
 * name ends with .json). In a parallel program rank 0 decides for all ranks. While nothing is
 * counted, a record costs nothing more.
 */
#ifndef SION_STATS_H
#define SION_STATS_H

#include <stddef.h>

#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What was counted for one sid. Sizes are in bytes, times in seconds. */
typedef struct sion_stats {
    size_t size;             /**< of this struct: SION_INIT sets it */
    sion_int64 calls;        /**< calls that moved data: sion_fwrite, sion_stream_read, ... */
    sion_int64 bytes;        /**< that they moved */
    sion_int64 smallest;     /**< of one call; 0: there was none */
    sion_int64 median;       /**< the same; between two powers of two it is an estimate */
    sion_int64 largest;      /**< the same */
    sion_int64 hits;         /**< calls that the buffer served alone, without a system call */
    sion_int64 system_calls; /**< that moved data to or from the file */
    double transfer_seconds; /**< in calls that were no hits */
    double flush_seconds;    /**< in sion_flush */
} sion_stats_t;

/**
 * Count for the containers that this process opens from now on. Local; in a parallel program what
 * rank 0 has chosen counts for all ranks.
 *
 * @param on not 0: count; 0: count only if SION_STATS is set
 * @return 1
 * @threads any thread at any time
 */
int sion_stats_enable(int on);

/**
 * What was counted for a sid so far. Local.
 *
 * @param sid   container of any kind
 * @param stats [out] prepared by SION_INIT; not changed if 0 is returned
 * @return 1; 0 without a message if nothing is counted for it; 0 with a message if the sid is
 *         invalid, or the size of stats is not set
 */
int sion_get_stats(int sid, sion_stats_t *stats);

#ifdef __cplusplus
}
#endif

#endif

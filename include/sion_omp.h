/**
 * @file sion_omp.h
 * Containers opened by all threads of an OpenMP team, one stream per thread, in one physical file.
 *
 * Every thread of the team calls these functions inside a parallel region. Outside of one, the
 * caller is a team of one thread. All arguments are private to each thread. Several teams, also
 * nested ones, may work at the same time, each on containers of its own.
 *
 * If a call fails on any thread, every thread returns the failure. Thread 0 prints one message,
 * which names the thread (as rank) and the reason; sion_error.h gives the text on every thread.
 *
 * In the descriptions of collective functions, [collective] marks a parameter that must be equal on
 * all threads, and [local] one that every thread chooses for itself.
 */
#ifndef SION_OMP_H
#define SION_OMP_H

#include <stdio.h>

#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Open a container in which every thread of a team has one stream.
 *
 * Collective over the team. The number of a thread is that of its task.
 *
 * Writing creates one physical file, or empties it if it exists. Reading a set of files needs as
 * many threads as the set has tasks. Fewer threads may read a single file; they get its first
 * tasks, and a warning says how many nobody reads (see sion_paropen_shared_omp).
 *
 * The function registers OpenMP lock callbacks if the application has registered none (see
 * sion_lock_register_lock_callbacks). So programs that are linked with _lock_none are safe, too.
 *
 * @param fname      [collective] name of the file, at most 1016 bytes; if the threads pass
 *                   different names, the name of thread 0 counts
 * @param file_mode  [collective] as for sion_paropen_mpi; `buddy` is refused
 * @param chunksize  [local] when writing, the bytes that this thread wants in a chunk; not
 *                   negative; rounded up to whole blocks of the file system. When reading, the call
 *                   stores the size here, unless this is NULL.
 * @param fsblksize  [collective] when writing, the block size in bytes; 0 or less: that of the file
 *                   system, which the call stores here. The value of thread 0 counts. When reading,
 *                   the call stores the block size here, unless this is NULL.
 * @param globalrank [out] the thread's number; may be NULL when reading
 * @param fileptr    [out] [local] the FILE* of this thread's stream (see sion_get_fp), or NULL in
 *                   posix mode; pass NULL if you do not want it
 * @param newfname   [out] [local] the name of the file; the thread frees it; pass NULL if you do
 *                   not want it
 * @return the sid, a different one on each thread; -1 on every thread if the call fails on any
 *         thread; nothing is stored then
 * @threads every thread of the team, and no thread of another team
 */
int sion_paropen_omp(const char *fname, const char *file_mode, sion_int64 *chunksize,
                     sion_int32 *fsblksize, int *globalrank, FILE **fileptr, char **newfname);

/**
 * Open a container for reading with any number of threads, which share its tasks.
 *
 * Collective over the team.
 *
 * @param fname     [collective] name of physical file 0; the name of thread 0 counts
 * @param file_mode [collective] as for sion_paropen_shared_mpi
 * @param by        [collective] SION_SHARE_TASKS or SION_SHARE_BYTES, as for
 *                  sion_paropen_shared_mpi
 * @param ntasks,ranks [local] as for sion_paropen_shared_mpi
 * @return the sid, a different one on each thread, which sion_parclose_omp closes; -1 on every
 *         thread if the call fails on any thread
 * @threads every thread of the team, and no thread of another team
 */
int sion_paropen_shared_omp(const char *fname, const char *file_mode, int by, int *ntasks,
                            int **ranks);

/**
 * Close a container opened by sion_paropen_omp or sion_paropen_shared_omp.
 *
 * Collective over a team of the same size as the team that opened it, in the same parallel region
 * or in a later one. When the call returns 1, all data and metadata of all threads are written.
 *
 * @param sid [local] the sid of the calling thread
 * @return 1. On every thread 0 if the team has another size, or -1 if the sid of any thread is
 *         invalid, was opened by another function, or belongs to another thread; all sids stay
 *         valid then. On every thread -1 if the close fails on any thread; the sids are invalid
 *         then, and what reached the file stays readable where that is possible.
 */
int sion_parclose_omp(int sid);

/**
 * Publish what all threads have written so far: others can read it, and the container stays open.
 *
 * Collective over a team of the same size as the team that opened it.
 *
 * @param sid [local] the sid of the calling thread
 * @return as sion_parpublish_mpi
 */
int sion_parpublish_omp(int sid);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file sion_omp.h
 * Containers opened by all threads of an OpenMP team, one stream per thread, in one physical file.
 *
 * Called inside a parallel region by every thread of the team; outside of one the caller is a team
 * of one. All arguments are private to each thread. Teams may work on containers of their own at
 * the same time, nested ones too. An error on any thread is returned by every thread; the message
 * is printed once, by thread 0, and names the thread (as rank) and the reason. sion_error.h gives
 * the text on every thread.
 */
#ifndef SION_OMP_H
#define SION_OMP_H

#include <stdio.h>

#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Open a container for one stream per thread.
 *
 * Collective over the team. Task = thread number. Writing: creates the file, or empties it.
 * Reading: a set of files needs as many threads as it has tasks; a single file may be read by
 * fewer, which then get the first tasks.
 *
 * Registers OpenMP lock callbacks if the application has registered none (see
 * sion_lock_register_lock_callbacks), so programs linked with _lock_none are safe too.
 *
 * @param fname      name of the file, at most 1016 bytes; if threads pass different names, that of
 *                   thread 0 counts
 * @param file_mode  as for sion_open; the access word is required. `collective` and its relatives
 *                   switch collective mode on (see sion_coll_fwrite); `buddy` is refused.
 * @param chunksize  writing: [in] bytes per chunk that this thread wants, not negative, rounded up
 *                   to whole file system blocks. Reading: [out] the stored size, may be NULL.
 * @param fsblksize  writing: [in,out] block size in bytes; that of thread 0 counts; 0 or less: the
 *                   file system's. Reading: [out], may be NULL.
 * @param globalrank [out] thread number, when reading too; may be NULL then
 * @param fileptr    [out] the thread's own FILE* (see sion_get_fp), NULL in posix mode; NULL: not
 *                   wanted
 * @param newfname   [out] name of the file, to be freed by the thread; NULL: not wanted
 * @return sid, another one on each thread; -1 on every thread if anything fails on any; outputs are
 *         untouched then
 * @threads every thread of the team, and of no other
 */
int sion_paropen_omp(const char *fname, const char *file_mode, sion_int64 *chunksize,
                     sion_int32 *fsblksize, int *globalrank, FILE **fileptr, char **newfname);

/**
 * Close a container opened by sion_paropen_omp.
 *
 * Collective over a team of the same size as that which opened it, in the same parallel region or
 * in a later one. When it returns 1, all data and metadata of all threads are written.
 *
 * @param sid the calling thread's
 * @return 1. With a message, on every thread, all sids stay valid: 0 if the team has another size;
 *         -1 if on any thread the sid is invalid, was opened otherwise, or is also another
 *         thread's. -1 on every thread if the close fails on any; the sids are invalid then, and
 *         what did reach the file stays readable where that is possible.
 */
int sion_parclose_omp(int sid);

#ifdef __cplusplus
}
#endif

#endif

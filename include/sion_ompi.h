/**
 * @file sion_ompi.h
 * Containers opened by all threads of all tasks of an MPI communicator, one stream per thread.
 * Needs mpi.h, which it includes.
 *
 * Called inside a parallel region by every thread of every rank; outside of one a rank is a team of
 * one. All arguments are private to each thread; of the communicators, thread 0's count. Only
 * thread 0 of a team calls MPI: MPI_THREAD_FUNNELED is enough if that is MPI's main thread. Ranks
 * may have different numbers of threads.
 *
 * A task's number is the number of threads of all lower ranks plus the thread's number. An error on
 * any thread of any rank is returned by every thread of every rank; the message is printed once, by
 * task 0, and names the task (as rank) and the reason. sion_error.h gives the text on every thread.
 */
#ifndef SION_OMPI_H
#define SION_OMPI_H

#include <mpi.h>
#include <stdio.h>

#include "sion_datatypes.h"
#include "sion_datatypes_mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Open a container for one stream per thread of every rank.
 *
 * Collective over all threads of all ranks of gComm, which must live until the close. Writing:
 * creates the physical files, or empties them; the threads of a rank share one. Reading: needs as
 * many threads in total as the container has tasks; a single file may be read by fewer, which then
 * get the first tasks. If the threads of a rank find their data in several files of a set, rank 0 reads
 * the metadata of all files, and collective reads are individual ones.
 * Registers OpenMP lock callbacks as sion_paropen_omp does.
 *
 * @param fname      name of file 0; further files get .000001 and so on. At most 1016 bytes. If the
 *                   tasks of one file pass different names, that of the file's first task counts.
 * @param file_mode  as for sion_open; the access word is required. `collective` and its relatives
 *                   switch collective mode on (see sion_coll_fwrite); `buddy` is refused.
 * @param numFiles   writing: [in] number of physical files, equal everywhere, at most that of
 *                   ranks: ranks are divided into equal runs, the last file takes the rest; 0 or
 *                   less: one file for each lComm, and [out] their number. Reading: [out].
 * @param gComm      all ranks
 * @param lComm      writing with *numFiles <= 0: the communicator of the ranks that share a file; a
 *                   partition of gComm, numbered by the gComm ranks of their rank 0; MPI_COMM_NULL
 *                   on all ranks: one file. Else not used. Never NULL, never changed.
 * @param chunksize  writing: [in] bytes per chunk that this thread wants, not negative, rounded up
 *                   to whole file system blocks. Reading: [out] the stored size, may be NULL.
 * @param fsblksize  writing: [in,out] block size in bytes; that of each file's first task counts; 0
 *                   or less: the file system's. Reading: [out], may be NULL.
 * @param globalrank [out] number of this task, when reading too; may be NULL then
 * @param fileptr    [out] the thread's own FILE* (see sion_get_fp), NULL in posix mode; NULL: not
 *                   wanted
 * @param newfname   [out] name of this task's physical file, to be freed by the thread; NULL: not
 *                   wanted
 * @return sid, another one on each thread; -1 on every thread of every rank if anything fails on
 *         any; outputs are untouched then
 * @threads every thread of the team; gComm must not be used by others meanwhile
 */
int sion_paropen_ompi(const char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                      const MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                      int *globalrank, FILE **fileptr, char **newfname);

/**
 * Close a container opened by sion_paropen_ompi.
 *
 * Collective over all threads of all ranks of its gComm, in teams of the same sizes as those which
 * opened it. When it returns 1, all data and metadata of all tasks are written.
 *
 * @param sid the calling thread's
 * @return 1. With a message, everywhere, all sids stay valid: 0 if a team has another size; -1 if
 *         on any thread the sid is invalid, was opened otherwise, or is also another thread's
 *         (thread 0's sid being invalid is known to its own rank only, so it must be so on all
 *         ranks). -1 everywhere if the close fails anywhere; the sids are invalid then, and what
 *         did reach the files stays readable where that is possible.
 */
int sion_parclose_ompi(int sid);

#ifdef __cplusplus
}
#endif

#endif

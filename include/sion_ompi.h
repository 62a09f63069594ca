/**
 * @file sion_ompi.h
 * Containers opened by all threads of all tasks of an MPI communicator, one stream per thread.
 * Needs mpi.h, which it includes.
 *
 * Every thread of every rank calls these functions inside a parallel region. Outside of one, a rank
 * is a team of one thread. All arguments are private to each thread; of the communicators, those of
 * thread 0 count. Only thread 0 of a team calls MPI: MPI_THREAD_FUNNELED is enough if that is MPI's
 * main thread. Ranks may have different numbers of threads.
 *
 * The number of a task is the number of threads of all lower ranks, plus the number of the thread.
 *
 * If a call fails on any thread of any rank, every thread of every rank returns the failure. Task 0
 * prints one message, which names the task (as rank) and the reason; sion_error.h gives the text on
 * every thread.
 *
 * In the descriptions of collective functions, [collective] marks a parameter that must be equal on
 * all threads of all ranks, and [local] one that every thread chooses for itself.
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
 * Open a container in which every thread of every rank has one stream.
 *
 * Collective over all threads of all ranks of gComm, which must live until the close.
 *
 * Writing creates the physical files, or empties files that exist. The threads of a rank share a
 * file.
 *
 * Reading needs as many threads in total as the container has tasks. Fewer threads may read a
 * single file; they get its first tasks. If the data of a rank's threads are in several files of a
 * set, rank 0 reads the metadata of all files, and sion_coll_fread reads for each task by itself.
 *
 * The function registers OpenMP lock callbacks, as sion_paropen_omp does.
 *
 * @param fname      [collective] as for sion_paropen_mpi
 * @param file_mode  [collective] as for sion_paropen_mpi; `buddy` is refused
 * @param numFiles   [collective] when writing, the number of physical files, at most that of ranks:
 *                   each takes an equal run of the ranks, and the last one also the rest. 0 or
 *                   less: one physical file for each lComm; the call then stores their number here.
 *                   When reading, the call stores the number here.
 * @param gComm      [collective] the communicator of all ranks
 * @param lComm      as for sion_paropen_mpi, for the ranks that share a physical file
 * @param chunksize  [local] when writing, the bytes that this thread wants in a chunk; not
 *                   negative; rounded up to whole blocks of the file system. When reading, the call
 *                   stores the size here, unless this is NULL.
 * @param fsblksize  as for sion_paropen_mpi; the value of each physical file's first task counts
 * @param globalrank [out] this task's number; may be NULL when reading
 * @param fileptr    [out] [local] the FILE* of this thread's stream (see sion_get_fp), or NULL in
 *                   posix mode; pass NULL if you do not want it
 * @param newfname   [out] [local] the name of this task's physical file; the thread frees it; pass
 *                   NULL if you do not want it
 * @return the sid, a different one on each thread; -1 on every thread of every rank if the call
 *         fails on any of them; nothing is stored then
 * @threads every thread of the team; nobody else may use gComm during the call
 */
int sion_paropen_ompi(const char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                      const MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                      int *globalrank, FILE **fileptr, char **newfname);

/**
 * Open a container for reading with any number of threads, which share its tasks.
 *
 * Collective over all threads of all ranks of gComm, which must live until the close.
 *
 * @param fname     [collective] name of physical file 0; the name of task 0 counts
 * @param file_mode [collective] as for sion_paropen_shared_mpi
 * @param gComm     [collective] the communicator of all ranks
 * @param by        [collective] SION_SHARE_TASKS or SION_SHARE_BYTES, as for
 *                  sion_paropen_shared_mpi, for threads in place of ranks
 * @param ntasks,ranks [local] as for sion_paropen_shared_mpi
 * @return the sid, a different one on each thread, which sion_parclose_ompi closes; -1 on every
 *         thread of every rank if the call fails on any of them
 * @threads every thread of the team; nobody else may use gComm during the call
 */
int sion_paropen_shared_ompi(const char *fname, const char *file_mode, MPI_Comm gComm, int by,
                             int *ntasks, int **ranks);

/**
 * Close a container opened by sion_paropen_ompi or sion_paropen_shared_ompi.
 *
 * Collective over all threads of all ranks of its gComm, in teams of the same sizes as the teams
 * that opened it. When the call returns 1, all data and metadata of all tasks are written.
 *
 * @param sid [local] the sid of the calling thread
 * @return 1. On all threads of all ranks 0 if a team has another size, or -1 if the sid of any
 *         thread is invalid, was opened by another function, or belongs to another thread; all sids
 *         stay valid then. (If the sid of a rank's thread 0 is invalid, only this rank can know it:
 *         then it must be invalid on all ranks.) On all threads -1 if the close fails on any of
 *         them; the sids are invalid then, and what reached the files stays readable where that is
 *         possible.
 */
int sion_parclose_ompi(int sid);

/**
 * Publish what all threads have written so far: others can read it, and the container stays open.
 *
 * Collective over all threads of all ranks that opened it.
 *
 * @param sid [local] the sid of the calling thread
 * @return as sion_parpublish_mpi
 */
int sion_parpublish_ompi(int sid);

#ifdef __cplusplus
}
#endif

#endif

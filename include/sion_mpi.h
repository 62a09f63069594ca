/**
 * @file sion_mpi.h
 * Containers opened by all tasks of an MPI communicator. Needs mpi.h, which it includes.
 *
 * If a collective call fails on any rank, every rank returns the failure. Rank 0 of the
 * communicator prints one message, which names the rank and the reason; sion_error.h gives the text
 * on every rank. A sid belongs to its process: never compare sids of different ranks.
 *
 * Communicators are used, not duplicated: a duplicate of each open container's would be a collective
 * call more, a tenth of the time of an open and a close by two ranks in memory, and MPICH has 2048
 * of them. If one was freed, each later collective call of its containers fails, also the close.
 *
 * In the descriptions of collective functions, [collective] marks a parameter that must be equal on
 * all ranks, and [local] one that every rank chooses for itself.
 */
#ifndef SION_MPI_H
#define SION_MPI_H

#include <mpi.h>
#include <stdio.h>

#include "sion_datatypes.h"
#include "sion_datatypes_mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Open a container in which every rank of a communicator has one stream.
 *
 * Collective over gComm, which must live until the close. Writing creates the physical files, or
 * empties files that exist. When reading, rank r gets what rank r wrote, of a file that was written
 * serially the task with index r. Fewer ranks than tasks can read a single file; a warning says how
 * many tasks are not read. sion_paropen_shared_mpi reads with any number of ranks.
 *
 * @param fname      [collective] name of physical file 0, at most 1016 bytes; the others are called
 *                   fname.000001 and so on. If the ranks of one physical file pass different names,
 *                   the name of its first rank counts.
 * @param file_mode  [collective] words, which sion(7) describes, one of them `w` or `r` or a
 *                   variant
 * @param numFiles   [collective] when writing, the number of physical files: each takes an equal
 *                   run of the ranks, and the last one also the rest. 0 or less: one physical file
 *                   for each lComm. [out] their number, also when reading.
 * @param gComm      [collective] the communicator of all ranks
 * @param lComm      [local] when writing with *numFiles <= 0, the communicator of the ranks that
 *                   share a physical file, which are numbered by their first ranks in gComm;
 *                   MPI_COMM_NULL on all ranks: one physical file. Not NULL; may be freed after the
 *                   open.
 * @param chunksize  [local] when writing, the bytes that this rank wants in a chunk, not negative;
 *                   rounded up to whole blocks of the file system. [out] when reading; or NULL
 * @param fsblksize  when writing, the block size in bytes, that of each file's first rank; 0 or
 *                   less: that of the file system, stored here. [out] when reading; or NULL
 * @param globalrank [out] this rank's number in gComm; may be NULL when reading
 * @param fileptr    [out] [local] the FILE* of this rank's stream (see sion_get_fp), NULL in posix
 *                   mode; or NULL
 * @param newfname   [out] [local] the name of the physical file, which the caller frees; or NULL
 * @return the sid; -1 on every rank if the call fails on any rank; nothing is stored then
 * @threads one per process; nobody else may use gComm during the call
 */
int sion_paropen_mpi(const char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                     const MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                     int *globalrank, FILE **fileptr, char **newfname);

/**
 * Close a container opened by sion_paropen_mpi.
 *
 * Collective over its gComm. When the call returns 1, all data and metadata of all ranks are
 * written. The sid is invalid afterwards, also after a failure.
 *
 * @param sid [local] what sion_paropen_mpi returned on this rank
 * @return 1; -1 on every rank if the close fails on any rank (what reached the files stays readable
 *         where that is possible). A sid that is invalid, or that another function opened, gives -1
 *         on this rank only, with a message; the latter stays valid.
 */
int sion_parclose_mpi(int sid);

/**
 * Discard all that was written, and go on with other chunk sizes.
 *
 * Collective over the container's gComm.
 *
 * @param sid       [local] a container that is open for writing
 * @param chunksize [local] bytes that this rank wants in a chunk, as in sion_paropen_mpi
 * @return 1; 0 on every rank if the call fails on any rank (after a wrong argument the container is
 *         as it was); 0 with a message if the container is open for reading; -1 for an invalid sid
 */
int sion_parreinit_mpi(int sid, sion_int64 chunksize);

/**
 * Publish what all ranks have written so far: programs that open the container from now on, also
 * those that use SIONlib, read all of that, as if it were closed. The container stays open, and
 * what is written later is seen at the next publish or at the close. If the program is killed, the
 * container that was published last is left.
 *
 * Collective over the container's gComm; also for mapped containers. Three collectives and the
 * tables of the container, if there is something new. The data are on the disk before it returns
 * if the mode says sync=close or sync=flush.
 *
 * @param sid [local] a container that is open for writing
 * @return 1; 0 on every rank if the call fails on any rank, or the container cannot be published:
 *         with the mode words recover, atomic, stage, buddy or cmerge. Readers still see what was
 *         published before. 0 on this rank if the sid is invalid
 */
int sion_parpublish_mpi(int sid);

/*
 * Buddy checkpoints
 *
 * The mode word `buddy=N` of sion_paropen_mpi (`buddy` alone: N = 1) keeps N copies of every
 * physical file. The first rank of another physical file writes each copy: copy b of file f is
 * written by file f - (b + 1), counted in a ring, and is called NAME_BUDDY_0b with the suffix of
 * file f. If the ranks of each file pass a name in a folder on their own node, the data survive the
 * loss of any N nodes. There must be more physical files than N.
 *
 * Only sion_coll_fwrite makes copies. All ranks of gComm must call it equally often. A record is
 * then in the file and in all copies, or, if the call returns 0, in none of them. sion_fwrite
 * writes to the file only.
 *
 * To read, pass `buddy=N` again, and as many lComm groups as there are physical files. Each file,
 * or a copy of it, is read by the first rank of a group that sees it. Files and copies may be
 * missing, truncated, damaged, or in other folders than before; the open fails on all ranks if
 * neither a file nor a copy of it can be read. Read with sion_coll_fread, which all ranks of gComm
 * must call equally often; there is no FILE*, and sion_dup is refused. Buddy checkpoints cannot be
 * combined with `cmerge`, key-value records or threads.
 */

/**
 * Open a container in which every process has any number of tasks, in any of the physical files.
 *
 * Collective over gComm, which must live until the close. One sid serves all tasks of the process:
 * sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) selects one, and the others keep their
 * positions. The open selects the first task of the list that is in the file of the lowest
 * number.
 *
 * A container of sion_paropen_mpi can be read this way, and the reverse. So any number of processes
 * can read any container. There is no collective mode here: its mode words and environment
 * variables are ignored. Rank 0 reads or writes the metadata of all files; its time and memory grow
 * with the tasks and chunks of all lists.
 *
 * Arrays have *nlocaltasks entries. Those that you pass stay yours, and the library does not keep
 * them. When reading, you have three choices for each of the last three arrays: pass NULL if you do
 * not want it; pass the address of a NULL pointer to get an array that you free; or pass an array
 * to be filled.
 *
 * @param fname           [collective] as for sion_paropen_mpi; the name on rank 0 counts for all
 * @param file_mode       [collective] as for sion_paropen_mpi
 * @param numFiles        [collective] when writing, the number of physical files, at least 1. When
 *                        reading, the call stores the number here.
 * @param gComm           [collective] the communicator of all processes
 * @param nlocaltasks     [local] the number of this process's tasks; may be 0. When reading, -1
 *                        gives each process an equal run of all tasks, and the last process also
 *                        the rest; the call stores the number here.
 * @param globalranks     [local] when writing, the numbers of this process's tasks; the lists of
 *                        all processes together hold each of 0 .. T-1 once. When reading, the tasks
 *                        that this process wants, in any order, also repeatedly, also those of
 *                        other processes; with *nlocaltasks == -1, *globalranks must be NULL, and
 *                        the call stores a list here, which the caller frees.
 * @param chunksizes      [local] when writing, the bytes that each task wants in a chunk, not
 *                        negative. When reading, [out] the sizes.
 * @param mapping_filenrs [local] when writing, the physical file of each task, 0 .. *numFiles-1.
 *                        When reading, [out].
 * @param mapping_lranks  [local] when writing, each task's place in its physical file; the n tasks
 *                        of a file take the places 0 .. n-1. When reading, [out].
 * @param fsblksize       as for sion_paropen_mpi; the value of the process that has the first task
 *                        of a file counts for that file
 * @param fileptr         [out] [local] the FILE*, which follows sion_seek; NULL in posix mode, and
 *                        if this process has no tasks; pass NULL if you do not want it
 * @return the sid; -1 on every rank if the call fails on any rank: lists that are not complete or
 *         not unique, a task that the container does not have, a file that is missing or damaged.
 *         No new file is left behind then.
 * @threads as sion_paropen_mpi
 */
int sion_paropen_mapped_mpi(SION_NAME *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                            int *nlocaltasks, int **globalranks, sion_int64 **chunksizes,
                            int **mapping_filenrs, int **mapping_lranks, sion_int32 *fsblksize,
                            FILE **fileptr);

/**
 * Open a container for reading with any number of ranks, which share its tasks.
 *
 * Collective over gComm, which must live until the close. Every rank gets a run of tasks, in the
 * order of their ranks; together they get each task once. If there are more ranks than tasks, the
 * last ranks get none. All kinds of containers can be read, also key-value ones, whatever interface
 * and number of processes wrote them. Each task is selected with sion_seek, and read with the
 * functions that all containers have:
 *
 *     int ntasks, *ranks, i;
 *     int sid = sion_paropen_shared_mpi("ckpt.sion", "br", MPI_COMM_WORLD,
 *                                       SION_SHARE_TASKS, &ntasks, &ranks);
 *
 *     for (i = 0; i < ntasks; i++) {
 *         sion_seek(sid, ranks[i], 0, 0);
 *         sion_stream_read(sid, data[i], sion_stream_size(sid));
 *     }
 *     sion_parclose_mpi(sid);
 *
 * Rank 0 reads the metadata of all files; its time and memory grow with the number of all tasks and
 * chunks. Ranks that are not numbers of one task each, which only a serial writer can leave behind,
 * are replaced by the tasks' places in the file, 0, 1, 2 ...
 *
 * @param fname     [collective] name of physical file 0, at most 1016 bytes; the name on rank 0
 *                  counts
 * @param file_mode [collective] "br" and words for reading, see sion_modes(7); a mode that writes
 *                  is an error
 * @param gComm     [collective] the communicator of all ranks
 * @param by        [collective] SION_SHARE_TASKS: equal numbers of tasks; if they cannot be equal,
 *                  the first ranks have one more than the others (10 tasks on 6 ranks: 2, 2, 2, 2,
 *                  1, 1). SION_SHARE_BYTES: about equal numbers of bytes; no division into runs has
 *                  a smaller largest share
 * @param ntasks    [out] [local] the number of this rank's tasks; may be 0
 * @param ranks     [out] [local] [*ntasks] the ranks of this rank's tasks, for sion_seek; owned by
 *                  the library, valid until the close
 * @return the sid, which sion_parclose_mpi closes; -1 on every rank if the call fails on any rank
 * @threads as sion_paropen_mpi
 */
int sion_paropen_shared_mpi(const char *fname, const char *file_mode, MPI_Comm gComm, int by,
                            int *ntasks, int **ranks);

/**
 * Close a container opened by sion_paropen_mapped_mpi. Collective over its gComm.
 *
 * @param sid [local] what sion_paropen_mapped_mpi returned on this rank
 * @return as sion_parclose_mpi
 */
int sion_parclose_mapped_mpi(int sid);

/**
 * sion_coll_fwrite by another name.
 *
 * @param data,size,nitems,sid as for sion_coll_fwrite
 * @return as sion_coll_fwrite
 */
size_t sion_coll_fwrite_mpi(const void *data, size_t size, size_t nitems, int sid);

/**
 * sion_coll_fread by another name.
 *
 * @param data,size,nitems,sid as for sion_coll_fread
 * @return as sion_coll_fread
 */
size_t sion_coll_fread_mpi(void *data, size_t size, size_t nitems, int sid);

/* ---- checking a file ---- */

/** What sion_file_check_par_cb_mpi needs to open a container. */
typedef struct _sion_file_check_par_args_mpi_struct sion_file_check_par_args_mpi;

/**
 * Create the argument of sion_file_check_par_cb_mpi.
 *
 * Local.
 *
 * @param file_mode as for sion_paropen_mpi, reading; copied
 * @param gComm     the communicator of all tasks that check; must live until the last check
 * @param numfiles  not used: the container's metadata have the number of files
 * @param lComm     as for sion_paropen_mpi
 * @return free it with sion_file_check_par_args_free_mpi; NULL if memory runs out
 */
sion_file_check_par_args_mpi *sion_file_check_par_args_init_mpi(const char *file_mode,
                                                                MPI_Comm gComm, int numfiles,
                                                                MPI_Comm lComm);

/**
 * Free the arguments. Local.
 *
 * @param args what sion_file_check_par_args_init_mpi returned; NULL is ignored
 * @return 1
 */
int sion_file_check_par_args_free_mpi(sion_file_check_par_args_mpi *args);

/**
 * Test whether these tasks can open a container.
 *
 * Collective over the gComm in args. The function opens and closes the container. It prints no
 * message and does not call the application's handler; sion_error_text gives the reason for a 0 on
 * every rank.
 *
 * @param fname name as for sion_paropen_mpi
 * @param args  what sion_file_check_par_args_init_mpi returned
 * @return 1 or 0, the same on all ranks; 0 also for a mode that writes: the function never changes
 * a file
 * @threads as sion_paropen_mpi
 */
int sion_file_check_par_cb_mpi(char *fname, void *args);

/* ---- transactions ---- */

/**
 * Deprecated: begin a section that only a limited number of the tasks of a physical file execute at
 * the same time.
 *
 * Each task ends the section with sion_endof_transaction_mpi, and all tasks execute it equally
 * often, unless a task closes the container, also inside of the section: then it executes it no
 * more, and nobody waits for it. Task t of a file begins when task t - n has ended, where n is the
 * value of SION_SERBLOCKSIZE in the environment of the file's first task at the first transaction.
 * Without that variable, n depends on the number of tasks of the file: 32 for more than 128, 16 for
 * more than 64, 8 for more than 16, and otherwise all.
 *
 * The first call for a sid is collective over the tasks of the physical file; later calls wait for
 * one task at most.
 *
 * @param sid a container opened in parallel
 * @return 1, also if the task is already in the section (nothing happens then); 0 with a message if
 * sid is invalid or was not opened in parallel, or communication failed
 */
int sion_startof_transaction_mpi(int sid);

/**
 * Deprecated: end the section that sion_startof_transaction_mpi began.
 *
 * Local, except for a message to the task that may begin next. With the mode word
 * `publish=SECONDS` it counts as a call of sion_coll_fwrite, some of which publish the container.
 *
 * @param sid as for sion_startof_transaction_mpi
 * @return 1, also if the task is not in the section (nothing happens then); 0 as above
 */
int sion_endof_transaction_mpi(int sid);

/* ---- deprecated opens ---- */

/**
 * Deprecated: sion_paropen_mpi with one physical file for each lComm.
 *
 * @param fname,file_mode,gComm as for sion_paropen_mpi
 * @param numFiles [out] number of physical files; the value before the call is ignored
 * @param lComm    as for sion_paropen_mpi, by value
 * @param chunksize,fsblksize,globalrank,fileptr as for sion_paropen_mpi
 * @param newfname [out] an array of SION_FILENAME_LENGTH bytes, which the call fills; may be NULL
 * @return as sion_paropen_mpi
 */
int sion_paropen_comms_mpi(SION_NAME *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                           MPI_Comm lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                           int *globalrank, FILE **fileptr, char *newfname);

/**
 * Deprecated: sion_paropen_mpi.
 *
 * @param fname,file_mode,numFiles,gComm,lComm as for sion_paropen_mpi
 * @param chunksize,fsblksize,globalrank,fileptr as for sion_paropen_mpi
 * @param newfname [out] an array of SION_FILENAME_LENGTH bytes, which the call fills; may be NULL
 * @return as sion_paropen_mpi
 */
int sion_paropen_multi_mpi(SION_NAME *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                           MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                           int *globalrank, FILE **fileptr, char *newfname);

#ifdef __cplusplus
}
#endif

#endif

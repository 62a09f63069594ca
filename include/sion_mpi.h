/**
 * @file sion_mpi.h
 * Containers opened by all tasks of an MPI communicator. Needs mpi.h, which it includes.
 *
 * An error on any rank of a collective call is returned by every rank; the message is printed once,
 * by rank 0 of the communicator, and names the rank and the reason. sion_error.h gives the text on
 * every rank. sids are numbers of the process: never compare them between ranks.
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
 * Open a container for one stream per task.
 *
 * Collective over gComm, which must live until the close. Writing: creates the physical files, or
 * empties them. Reading: needs as many ranks as the container has tasks; a single file may be read
 * by fewer, which then get the first tasks. Every rank reads what the rank of its number wrote,
 * whatever the order in the file; of a file that was written serially, the task of its index.
 *
 * @param fname      name of file 0; further files get .000001 and so on. At most 1016 bytes. If the
 *                   tasks of one file pass different names, that of the file's first task counts.
 * @param file_mode  as for sion_open; the access word is required. `collective`, `collsize`,
 *                   `cmerge` and `collmsa` switch collective mode on (see sion_coll_fwrite), `buddy`
 *                   or `buddy=N` makes a buddy checkpoint, which has its own comment here.
 * @param numFiles   writing: [in] number of physical files, equal on all ranks: tasks are divided
 *                   into equal runs, the last file takes the rest; 0 or less: one file for each
 *                   lComm, and [out] their number. Reading: [out].
 * @param gComm      all tasks
 * @param lComm      writing with *numFiles <= 0: the communicator of the tasks that share a file; a
 *                   partition of gComm, numbered by the gComm ranks of their rank 0; MPI_COMM_NULL
 *                   on all ranks: one file. Else not used. Never NULL, never changed; need not live
 *                   on.
 * @param chunksize  writing: [in] bytes per chunk that this task wants, not negative, rounded up to
 *                   whole file system blocks. Reading: [out] the stored size, may be NULL.
 * @param fsblksize  writing: [in,out] block size in bytes; that of each file's first task counts; 0
 *                   or less: the file system's. Reading: [out], may be NULL.
 * @param globalrank [out] rank in gComm; may be NULL when reading
 * @param fileptr    [out] the FILE* (see sion_get_fp), NULL in posix mode; NULL: not wanted
 * @param newfname   [out] name of this task's physical file, to be freed by the caller; NULL: not
 *                   wanted
 * @return sid; -1 on every rank if anything fails on any; outputs are untouched then
 * @threads one thread per process; gComm must not be used by others meanwhile
 */
int sion_paropen_mpi(const char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                     const MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                     int *globalrank, FILE **fileptr, char **newfname);

/**
 * Close a container opened by sion_paropen_mpi.
 *
 * Collective over its gComm. When it returns 1, all data and metadata of all tasks are written. The
 * sid is invalid afterwards in any case.
 *
 * @param sid what sion_paropen_mpi gave on this rank
 * @return 1; -1 with a message for a sid that is invalid or was opened otherwise (that one stays
 *         valid; local), and on every rank if anything fails on any: what did reach the files stays
 *         readable where that is possible
 */
int sion_parclose_mpi(int sid);

/**
 * Begin anew: discard all that was written, with other chunk sizes.
 *
 * Collective over its gComm.
 *
 * @param sid       container open for writing
 * @param chunksize bytes per chunk that this task wants, rounded up as in sion_paropen_mpi
 * @return 1; 0 with a message for a container open for reading, and on every rank if anything
 *         fails on any (the container is as it was if an argument is wrong); -1 invalid sid
 */
int sion_parreinit_mpi(int sid, sion_int64 chunksize);

/*
 * Buddy checkpoints: with the word `buddy=N` (`buddy`: 1) in the mode of sion_paropen_mpi the data of
 * every physical file lie in N more files, each written by the first task of another file's tasks:
 * level b of file f by those of file f - (b + 1), counted in a ring, as NAME_BUDDY_0b with f's
 * suffix. If the tasks of each file pass a name in a folder of their node, any N nodes may be lost.
 * There must be more files than N.
 *
 * Only sion_coll_fwrite makes copies, and all tasks of gComm must call it equally often: a record
 * is in all places or, with 0 as result, in none. sion_fwrite goes to the normal file only.
 *
 * To read, pass `buddy=N` again and in lComm as many groups as there are files, each of which is
 * read by the first task of a group that sees it, or a copy of it. Files and copies may be lost,
 * cut off, damaged or in other folders than before; if neither a file nor a copy is found the open
 * fails on all tasks. Data come by sion_coll_fread only, called equally often by all tasks of
 * gComm; there is no FILE*, and no duplicate. Not with merging, key-value records or threads.
 */

/**
 * Open a container of which every process has any number of tasks, in any of its files.
 *
 * Collective over gComm, which must live until the close. One sid serves all tasks of the process:
 * sion_seek(sid, globalrank, SION_CURRENT_BLK, SION_CURRENT_POS) selects one, and the others keep
 * their positions. After the open the first task of the list is selected that is in the file of the
 * lowest number. The container is like one of sion_paropen_mpi, and either can be read as the
 * other: so a container may be read by any number of processes. There is no collective I/O here;
 * the mode's words for it and the environment's variables are ignored. rank 0 deals with the
 * metadata of all files, O(tasks + chunks) there.
 *
 * Arrays have *nlocaltasks entries. Those that are passed stay the caller's and are not kept.
 *
 * @param fname           as for sion_paropen_mpi; that of rank 0 counts for all
 * @param file_mode       as for sion_paropen_mpi
 * @param numFiles        writing: [in] number of files, at least 1, equal on all ranks. Reading:
 *                        [out].
 * @param gComm           all processes
 * @param nlocaltasks     tasks of this process, 0 for none: the sid is valid then, too. Reading:
 *                        [in,out] -1: an equal run of all tasks, the last process takes the rest
 * @param globalranks     writing: [in] the tasks' ranks; those of all processes together are 0 ..
 *                        T-1, each once. Reading: [in] the tasks wanted, in any order, of any
 *                        process, also several times; with -1 *globalranks must be NULL, and a list
 *                        for the caller to free is put there
 * @param chunksizes      writing: [in] bytes per chunk wanted, not negative. Reading: [out] the
 *                        stored sizes
 * @param mapping_filenrs writing: [in] file of each task, 0 .. *numFiles-1. Reading: [out].
 * @param mapping_lranks  writing: [in] place in the file; each of 0 .. n-1 once per file. Reading:
 *                        [out].
 * @param fsblksize       writing: [in,out] block size in bytes, that of the process which has a
 *                        file's task 0 counts; 0 or less: the file system's. Reading: [out], may be
 *                        NULL.
 * @param fileptr         [out] the FILE*, which follows sion_seek; NULL in posix mode and without
 *                        tasks; NULL: not wanted
 *
 * For the last three arrays, when reading: pointer NULL: not wanted; *pointer NULL: one for the
 * caller to free is put there; else filled in place.
 *
 * @return sid; -1 on every rank if anything fails on any: maps that are not complete or not unique,
 *         a rank that the container does not have, a file missing or damaged; nothing is left
 * behind
 * @threads as sion_paropen_mpi
 */
int sion_paropen_mapped_mpi(char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                            int *nlocaltasks, int **globalranks, sion_int64 **chunksizes,
                            int **mapping_filenrs, int **mapping_lranks, sion_int32 *fsblksize,
                            FILE **fileptr);

/**
 * Close a container opened by sion_paropen_mapped_mpi. Collective.
 *
 * @param sid what sion_paropen_mapped_mpi gave on this rank
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
 * Put the arguments of sion_file_check_par_cb_mpi together.
 *
 * Local.
 *
 * @param file_mode as for sion_paropen_mpi, reading; copied
 * @param gComm     all tasks that check; must live until the last check
 * @param numfiles  not used: the container says how many files it has
 * @param lComm     as for sion_paropen_mpi
 * @return to be freed with sion_file_check_par_args_free_mpi; NULL: out of memory
 */
sion_file_check_par_args_mpi *sion_file_check_par_args_init_mpi(const char *file_mode,
                                                                MPI_Comm gComm, int numfiles,
                                                                MPI_Comm lComm);

/**
 * Free the arguments. Local.
 *
 * @param args what sion_file_check_par_args_init_mpi gave; NULL: nothing
 * @return 1
 */
int sion_file_check_par_args_free_mpi(sion_file_check_par_args_mpi *args);

/**
 * Whether a container can be opened by these tasks.
 *
 * Collective over the gComm in args. The container is opened and closed again. No message goes to
 * stderr or to the application's handler; sion_error_text gives the reason of a 0 on every rank.
 *
 * @param fname name as for sion_paropen_mpi
 * @param args  what sion_file_check_par_args_init_mpi gave
 * @return 1 or 0, the same on all ranks; 0 also for a mode that writes: nothing is ever changed
 * @threads as sion_paropen_mpi
 */
int sion_file_check_par_cb_mpi(char *fname, void *args);

/* ---- transactions ---- */

/**
 * Deprecated: let only some tasks of a physical file in at a time.
 *
 * Each task calls the two as a pair, all tasks equally often. Task t of a file enters when task t -
 * n has left, where n is SION_SERBLOCKSIZE in the environment of the file's first task at the first
 * transaction; if that is not set it depends on the tasks of the file: 32 of more than 128, 16 of
 * more than 64, 8 of more than 16, else all.
 *
 * The first call for a sid is collective over the tasks of the physical file; later ones wait for
 * one task at most.
 *
 * @param sid a container opened in parallel
 * @return 1, also if the task is inside already (nothing happens then); 0 with a message if sid is
 *         invalid or was not opened in parallel, or communication failed
 */
int sion_startof_transaction_mpi(int sid);

/**
 * Deprecated: leave what sion_startof_transaction_mpi entered.
 *
 * Local, but for a message to the task that may enter next.
 *
 * @param sid as for sion_startof_transaction_mpi
 * @return 1, also if the task is not inside (nothing happens then); 0 as above
 */
int sion_endof_transaction_mpi(int sid);

/* ---- deprecated opens ---- */

/**
 * Deprecated: sion_paropen_mpi with one physical file for each lComm.
 *
 * @param fname,file_mode,gComm as for sion_paropen_mpi
 * @param numFiles [out] physical files; what stands in it before does not count
 * @param lComm    as for sion_paropen_mpi, by value
 * @param chunksize,fsblksize,globalrank,fileptr as for sion_paropen_mpi
 * @param newfname [out] SION_FILENAME_LENGTH bytes of the caller, filled; NULL: not wanted
 * @return as sion_paropen_mpi
 */
int sion_paropen_comms_mpi(char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                           MPI_Comm lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                           int *globalrank, FILE **fileptr, char *newfname);

/**
 * Deprecated: sion_paropen_mpi.
 *
 * @param fname,file_mode,numFiles,gComm,lComm as for sion_paropen_mpi
 * @param chunksize,fsblksize,globalrank,fileptr as for sion_paropen_mpi
 * @param newfname [out] SION_FILENAME_LENGTH bytes of the caller, filled; NULL: not wanted
 * @return as sion_paropen_mpi
 */
int sion_paropen_multi_mpi(char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                           MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                           int *globalrank, FILE **fileptr, char *newfname);

#ifdef __cplusplus
}
#endif

#endif

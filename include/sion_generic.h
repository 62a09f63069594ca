/**
 * @file sion_generic.h
 * Containers opened by any kind of tasks: the application provides the communication.
 *
 * An application (or a tool: a measurement library, a run-time system) registers callbacks for a
 * communicator of its own and opens containers with them. Nothing here needs MPI.
 *
 * @param aid an interface: the number that sion_generic_create_api gave
 * @param sid a container that was opened in parallel, by any interface
 */
#ifndef SION_GENERIC_H
#define SION_GENERIC_H

#include <stdio.h>

#include "sion_const.h"
#include "sion_datatypes.h"

/* What a task can do in collective transfers (get_capability callback). */
#define SION_CAPABILITY_FULL        50 /* be a collector */
#define SION_CAPABILITY_ONLY_SENDER 51
#define SION_CAPABILITY_NONE        52

#ifdef __cplusplus
extern "C" {
#endif

/* ---- interfaces ---- */

/**
 * Make an interface, to which callbacks are then registered.
 *
 * Local.
 *
 * @param name for messages, copied
 * @return its number, the aid of the functions below; -1 with a message if name is NULL
 * @threads do not make or free interfaces in two threads at once
 */
int sion_generic_create_api(char *name);

/**
 * Free an interface. Containers that were opened with it stay usable.
 *
 * Local.
 *
 * @param aid is invalid afterwards
 * @return 1; 0 with a message for an invalid aid
 * @threads as sion_generic_create_api
 */
int sion_generic_free_api(int aid);

/*
 * Registration, local: 1; 0 with a message if aid is invalid, cb is NULL or one is registered
 * already.
 *
 * Callbacks return 0 for success. They are collective over the communicator that they get, called
 * in the same order by all its tasks. `dtype` is _SION_INT32, _SION_INT64 or _SION_CHAR; `nelem`
 * counts elements per task. The first eight are needed to open anything.
 */

/**
 * Make the communicator of the tasks of one physical file.
 *
 * @param cb cb(lcomm, gcomm, grank, gsize, lrank, lsize, filenumber, numfiles), collective over
 *           gcomm: set *lcomm (NULL on entry) for the tasks with this filenumber, in which the
 *           caller is lrank of lsize. Not called if one physical file serves all tasks in their
 *           order. For buddy checkpoints it is called several times, and filenumber is -1 (lrank
 *           and lsize 0) for tasks that come into no group: they take part, and leave *lcomm NULL.
 */
int sion_generic_register_create_local_commgroup_cb(int aid, int cb(void **, void *, int, int, int,
                                                                    int, int, int));
/**
 * Free a communicator of one physical file.
 *
 * @param cb cb(lcomm), collective over lcomm, which the callback above has made
 */
int sion_generic_register_free_local_commgroup_cb(int aid, int cb(void *));
/**
 * Wait for all.
 *
 * @param cb cb(comm)
 */
int sion_generic_register_barrier_cb(int aid, int cb(void *));
/**
 * From root to all.
 *
 * @param cb cb(data, comm, dtype, nelem, root); data: [in] at root, [out] at the others
 */
int sion_generic_register_bcastr_cb(int aid, int cb(void *, void *, int, int, int));
/**
 * The same number of elements from each task to root, in rank order.
 *
 * @param cb cb(in, out, comm, dtype, nelem, root); in: the task's own; out: those of all, used at
 *           root only
 */
int sion_generic_register_gatherr_cb(int aid, int cb(void *, void *, void *, int, int, int));
/**
 * The same number of elements from root to each task, in rank order.
 *
 * @param cb cb(in, out, comm, dtype, nelem, root); in: those of all, used at root only; out: the
 *           task's own
 */
int sion_generic_register_scatterr_cb(int aid, int cb(void *, void *, void *, int, int, int));
/**
 * Different numbers of elements from the tasks to root, in rank order.
 *
 * @param cb cb(in, out, comm, dtype, counts, nelem, root); in: the task's own nelem elements; out:
 *           those of all; counts: elements of each. Both are used at root only
 */
int sion_generic_register_gathervr_cb(int aid,
                                      int cb(void *, void *, void *, int, int *, int, int));
/**
 * Different numbers of elements from root to the tasks, in rank order. An interface must have this
 * callback, but Scion never calls it, as applications disagree on the order of its two buffers; such
 * data are sent by scatterr.
 *
 * @param cb cb(out, in, comm, dtype, counts, nelem, root); not called
 */
int sion_generic_register_scattervr_cb(int aid,
                                       int cb(void *, void *, void *, int, int *, int, int));

/*
 * The next three are needed for collective reads and writes; without all of them the words for
 * collective mode are ignored with a warning. The tasks of a physical file form groups, and the
 * first task of each, its collector, does the I/O for the others.
 */

/**
 * Move data of the tasks of a group to its collector.
 *
 * Called by the collector and by the senders range_start .. range_end, which are ranks of comm, the
 * communicator of the physical file; collector and range are equal on all of them. The spec_len (2)
 * numbers of `spec` travel with the data: spec[0] the offset in the file, or -2 if data are
 * appended to the collector's stream, or -1 if there are none; spec[1] the number of bytes at
 * `data`, 0 if there are none, negative if the task has failed.
 *
 * The collector calls process(data, spec, sid) for each sender in the order of ranks, once with all
 * its data or several times with a piece of at most fsblksize bytes, with spec[0] and spec[1] those
 * of the piece; its own data are none of the callback's business. It goes on whatever process
 * returns (0: success): the library tells each sender itself whether its data were stored.
 *
 * @param cb cb(data, spec, spec_len, fsblksize, comm, collector, range_start, range_end, sid,
 *           process)
 */
int sion_generic_register_gather_and_execute_cb(
    int aid, int cb(const void *, sion_int64 *, int, sion_int64, void *, int, int, int, int,
                    int process_cb(const void *, sion_int64 *, int)));

/**
 * Move data from the collector to the tasks of a group.
 *
 * spec travels from each sender to the collector and says what it wants, which is spec[1] bytes, or
 * nothing. The collector calls process(data, spec, sid) for each sender in the order of ranks,
 * which fills `data`, a buffer of the callback, with a piece, and the data go to the sender's
 * `data`. Used for reading, and after every collective call to tell each sender how it went.
 *
 * @param cb with the arguments of that of sion_generic_register_gather_and_execute_cb
 */
int sion_generic_register_execute_and_scatter_cb(int aid,
                                                 int cb(void *, sion_int64 *, int, sion_int64,
                                                        void *, int, int, int, int,
                                                        int process_cb(void *, sion_int64 *, int)));

/**
 * What the calling task can do in collective transfers.
 *
 * @param cb cb(comm), local: returns SION_CAPABILITY_FULL or _ONLY_SENDER; with _NONE on any task
 *           there is no collective mode
 */
int sion_generic_register_get_capability_cb(int aid, int cb(void *));

/**
 * Names of the files of a set.
 *
 * @param cb cb(fname, filenumber), local: returns a malloc'd name, freed by the library. Number 0
 *           is fname.
 * @return 0; -1 with a message on an error, as SIONlib has it
 */
int sion_generic_register_get_multi_filename_cb(int aid, char *cb(const char *, int));

/* ---- containers ---- */

/**
 * Open a container for one stream per task.
 *
 * Collective over gcommgroup, which must live until the close.
 *
 * @param aid        interface with the first eight callbacks
 * @param fname      as for sion_paropen_mpi
 * @param file_mode  as for sion_paropen_mpi
 * @param chunksize  writing: [in] bytes per chunk that this task wants. Reading: [out], may be
 * NULL.
 * @param fsblksize  writing: [in,out] block size; 0 or less: automatic. Reading: [out], may be
 * NULL.
 * @param gcommgroup all tasks, passed to the callbacks
 * @param grank      the caller's rank in it
 * @param gsize      its size
 * @param filenumber writing: [in] file of this task, 0 .. numfiles - 1. Reading: [out].
 * @param numfiles   writing: [in] physical files, equal on all tasks. Reading: [out].
 * @param lrank      writing: [in] place of this task in its file; each is taken once
 * @param lsize      writing: [in] tasks of its file
 * @param fileptr    [out] the FILE* (see sion_get_fp); NULL: not wanted
 * @param newfname   [out] name of the physical file, to be freed by the caller; NULL: not wanted
 * @return sid; -1 on every task if anything fails on any, with the message printed by rank 0; -1
 * for an invalid or incomplete interface (local)
 */
int sion_generic_paropen(int aid, const char *fname, const char *file_mode, sion_int64 *chunksize,
                         sion_int32 *fsblksize, void *gcommgroup, int grank, int gsize,
                         int *filenumber, int *numfiles, const int *lrank, const int *lsize,
                         FILE **fileptr, char **newfname);

/**
 * Close a container opened in parallel by any interface. Collective.
 *
 * @return as sion_parclose_mpi
 */
int sion_generic_parclose(int sid);

/**
 * Open a container of which every process has any number of tasks, in any of its files.
 *
 * Collective over gcommgroup, which must live until the close.
 *
 * @param aid,gcommgroup,grank,gsize as for sion_generic_paropen
 * @param fname,file_mode,numFiles as for sion_paropen_mapped_mpi
 * @param nlocaltasks,globalranks,chunksizes as for sion_paropen_mapped_mpi
 * @param mapping_filenrs,mapping_lranks as for sion_paropen_mapped_mpi
 * @param fsblksize,fileptr as for sion_paropen_mapped_mpi
 * @return as sion_generic_paropen
 */
int sion_generic_paropen_mapped(int aid, char *fname, const char *file_mode, int *numFiles,
                                void *gcommgroup, int grank, int gsize, int *nlocaltasks,
                                int **globalranks, sion_int64 **chunksizes, int **mapping_filenrs,
                                int **mapping_lranks, sion_int32 *fsblksize, FILE **fileptr);

/**
 * Close a mapped container of any interface. Collective.
 *
 * @return as sion_parclose_mpi
 */
int sion_generic_parclose_mapped(int sid);

/**
 * Begin anew, with other chunk sizes. Collective.
 *
 * @param sid       container open for writing, by any interface
 * @param chunksize as for sion_parreinit_mpi
 * @return as sion_parreinit_mpi
 */
int sion_generic_parreinit(int sid, sion_int64 chunksize);

/*
 * Collective mode
 *
 * The tasks of a physical file form groups. The first task of each group, its collector, reads and
 * writes for all tasks of the group in calls of sion_coll_fwrite and sion_coll_fread. Only the data
 * of a group, not those of each task, then begin on a block of the file system, so small chunks
 * take less room. Of the threads of a process, only the first one can be a collector.
 *
 * A word in the mode string of a parallel open, or a variable of the environment, switches
 * collective mode on; sion(7) describes both.
 */

/**
 * Write one record through the task's collector.
 *
 * Collective over the tasks of the physical file: all of them must call it equally often and in the
 * same order, with any sizes; a task that has nothing to write passes 0 items. The collector of the
 * task's group writes the data into the task's chunk, or into its next chunk if they do not fit;
 * with `cmerge` it appends them to its own stream, in the order of ranks. Calls of sion_fwrite may
 * come in between.
 *
 * In a container that is not in collective mode, the function does what sion_fwrite does.
 *
 * @param data   size * nitems bytes; may be NULL if that is 0
 * @param size   bytes of an item
 * @param nitems items
 * @param sid    container opened for writing by any parallel interface
 * @return nitems; 0 if size is 0, and with a message if the task's own record was not written: it
 * does not fit into its chunk, an argument is wrong, its collector could not write it, or the
 * container holds key-value records. The others' records are not affected, and nothing of this one
 * is left. (size_t)-1 with a message for an invalid sid.
 * @threads one call at a time on a sid; the tasks may be threads of one process
 */
size_t sion_coll_fwrite(const void *data, size_t size, size_t nitems, int sid);

/**
 * Read one record in a collective call.
 *
 * Collective as sion_coll_fwrite. The record must lie in one chunk, as for sion_fread; at the end
 * of a chunk it is looked for in the next one that holds anything. The calls need not be those that
 * wrote, and containers of all kinds can be read so.
 *
 * With `cmerge` the groups are those that wrote the merged data, or the open fails. The records of a
 * call follow each other in the collector's stream in the order of ranks; ask for those that were
 * written, in the same calls. The whole group gets its records or none of it, and then its
 * position is where it was. sion_feof tells each task whether the collector's stream was at its end
 * after the last call; sion_fread reads the task's own stream.
 *
 * @param data   [out] size * nitems bytes; may be NULL if that is 0 in collective mode
 * @param size   bytes of an item
 * @param nitems items
 * @param sid    container opened for reading by any parallel interface
 * @return nitems; 0 if size is 0 or at the end of the task's data, and with a message if there is
 * less left in the chunk, an argument is wrong, or the collector could not read; the position is
 *         then where it was, and the others' records are not affected. (size_t)-1 with a message
 * for an invalid sid.
 */
size_t sion_coll_fread(void *data, size_t size, size_t nitems, int sid);

#ifdef __cplusplus
}
#endif

#endif

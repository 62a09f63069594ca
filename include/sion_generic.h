/**
 * @file sion_generic.h
 * Containers opened by any kind of tasks: the application provides the communication.
 *
 * An application (or a tool: a measurement library, a run-time system) registers callbacks for a
 * communicator of its own and opens containers with them. Nothing here needs MPI. In the
 * descriptions of collective functions, [collective] marks a parameter that must be equal on all
 * tasks, and [local] one that every task chooses for itself.
 *
 * @param aid an interface: the number that sion_generic_create_api returned
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
 * Create an interface, for which callbacks are then registered.
 *
 * Local.
 *
 * @param name for messages, copied
 * @return its number, the aid of the functions below; -1 with a message if name is NULL
 * @threads only one thread at a time may create or free interfaces
 */
int sion_generic_create_api(SION_NAME *name);

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
 * Registration functions are local. They return 1; 0 with a message if aid is invalid, cb is NULL,
 * or such a callback is already registered.
 *
 * Callbacks return 0 for success. They are collective over the communicator that they receive: all
 * its tasks call them in the same order. `dtype` is _SION_INT32, _SION_INT64 or _SION_CHAR; `nelem`
 * is the number of elements per task. Every open needs the first eight callbacks.
 */

/**
 * Create the communicator of the tasks of one physical file.
 *
 * @param cb cb(lcomm, gcomm, grank, gsize, lrank, lsize, filenumber, numfiles), collective over
 *           gcomm: set *lcomm (NULL on entry) for the tasks with this filenumber, in which the
 *           caller is lrank of lsize. Not called if one physical file holds all tasks in their
 *           order. For buddy checkpoints it is called several times, and filenumber is -1 (lrank
 *           and lsize 0) for tasks that belong to no group: they take part in the call and leave
 *           *lcomm NULL.
 */
int sion_generic_register_create_local_commgroup_cb(int aid, int cb(void **, void *, int, int, int,
                                                                    int, int, int));
/**
 * Free a communicator of one physical file.
 *
 * @param cb cb(lcomm), collective over lcomm, which the callback above created
 */
int sion_generic_register_free_local_commgroup_cb(int aid, int cb(void *));
/**
 * Wait until all tasks have called it.
 *
 * @param cb cb(comm)
 */
int sion_generic_register_barrier_cb(int aid, int cb(void *));
/**
 * Send data from root to all tasks.
 *
 * @param cb cb(data, comm, dtype, nelem, root); data: [in] at root, [out] at the others
 */
int sion_generic_register_bcastr_cb(int aid, int cb(void *, void *, int, int, int));
/**
 * Send the same number of elements from each task to root, in rank order.
 *
 * @param cb cb(in, out, comm, dtype, nelem, root); in: the task's own elements; out: the elements
 *           of all tasks, used at root only
 */
int sion_generic_register_gatherr_cb(int aid, int cb(void *, void *, void *, int, int, int));
/**
 * Send the same number of elements from root to each task, in rank order.
 *
 * @param cb cb(in, out, comm, dtype, nelem, root); in: the elements of all tasks, used at root
 *           only; out: the task's own elements
 */
int sion_generic_register_scatterr_cb(int aid, int cb(void *, void *, void *, int, int, int));
/**
 * Send different numbers of elements from the tasks to root, in rank order.
 *
 * @param cb cb(in, out, comm, dtype, counts, nelem, root); in: the task's own nelem elements; out:
 *           the elements of all tasks; counts: the number of elements of each task. Both are used
 *           at root only
 */
int sion_generic_register_gathervr_cb(int aid,
                                      int cb(void *, void *, void *, int, int *, int, int));
/**
 * Send different numbers of elements from root to the tasks, in rank order. An interface must have
 * this callback, but Scion never calls it, because applications disagree on the order of its two
 * buffers; Scion sends such data with scatterr.
 *
 * @param cb cb(out, in, comm, dtype, counts, nelem, root); not called
 */
int sion_generic_register_scattervr_cb(int aid,
                                       int cb(void *, void *, void *, int, int *, int, int));

/*
 * Collective reads and writes need the next three callbacks; if one is missing, the mode words for
 * collective mode are ignored with a warning. The tasks of a physical file form groups, and the
 * first task of each group, its collector, does the I/O for the others.
 */

/**
 * Move data of the tasks of a group to its collector.
 *
 * Called by the collector and by the senders range_start .. range_end, which are ranks of comm, the
 * communicator of the physical file; collector and range are equal on all of them. The spec_len (2)
 * numbers of `spec` are sent with the data: spec[0] is the offset in the file, -2 if the data are
 * appended to the collector's stream, or -1 if there are no data; spec[1] is the number of bytes at
 * `data`, 0 if there are none. With spec[0] -3 or -4, a task sends one byte that is no data: it has
 * failed, or makes no more collective calls.
 *
 * The collector calls process(data, spec, sid) for each sender in the order of ranks, either once
 * with all data of the sender or several times with a piece of at most fsblksize bytes; spec[0] and
 * spec[1] then describe the piece. The callback does not handle the collector's own data. It
 * continues whatever process returns (0 for success): the library itself tells each sender whether
 * its data were stored.
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
 * Each sender sends spec to the collector, to request spec[1] bytes, or nothing. The collector
 * calls process(data, spec, sid) for each sender in the order of ranks. process fills `data`, a
 * buffer of the callback, with a piece, which the callback sends to the sender's `data`. Used for
 * reading, and after every collective call to tell each sender the result.
 *
 * @param cb with the same arguments as the callback of sion_generic_register_gather_and_execute_cb
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
 * Choose the names of the physical files.
 *
 * @param cb cb(fname, filenumber), local: returns a malloc'd name, freed by the library. Number 0
 *           is fname.
 * @return 0; -1 with a message on an error (the same values as in SIONlib)
 */
int sion_generic_register_get_multi_filename_cb(int aid, char *cb(const char *, int));

/* ---- containers ---- */

/**
 * Open a container in which every task has one stream.
 *
 * Collective over gcommgroup, which must live until the close.
 *
 * @param aid        [local] interface with the first eight callbacks
 * @param fname      [collective] as for sion_paropen_mpi
 * @param file_mode  [collective] as for sion_paropen_mpi
 * @param chunksize  [local] when writing, the bytes that this task wants in a chunk. When reading,
 *                   the call stores the size here, unless this is NULL.
 * @param fsblksize  when writing, the block size in bytes; 0 or less: that of the file system,
 *                   which the call stores here. The value of each physical file's first task
 *                   counts. When reading, the call stores the block size here, unless this is NULL.
 * @param gcommgroup the group of all tasks, passed to the callbacks
 * @param grank      [local] the caller's rank in gcommgroup
 * @param gsize      [collective] the size of gcommgroup
 * @param filenumber [local] when writing, the physical file of this task, 0 .. numfiles - 1. When
 *                   reading, the call stores the number here.
 * @param numfiles   [collective] when writing, the number of physical files. When reading, the call
 *                   stores the number here.
 * @param lrank      [local] when writing, the place of this task in its physical file; every place
 *                   is used once
 * @param lsize      [local] when writing, the number of tasks in this task's physical file
 * @param fileptr    [out] [local] the FILE* (see sion_get_fp); pass NULL if you do not want it
 * @param newfname   [out] [local] the name of this task's physical file; the caller frees it; pass
 *                   NULL if you do not want it
 * @return the sid; -1 on every task if the call fails on any task, and rank 0 prints the message;
 *         -1 on this task only for an invalid or incomplete interface
 */
int sion_generic_paropen(int aid, const char *fname, const char *file_mode, sion_int64 *chunksize,
                         sion_int32 *fsblksize, void *gcommgroup, int grank, int gsize,
                         int *filenumber, int *numfiles, const int *lrank, const int *lsize,
                         FILE **fileptr, char **newfname);

/**
 * Close a container opened in parallel by any interface. Collective over its gcommgroup.
 *
 * @return as sion_parclose_mpi
 */
int sion_generic_parclose(int sid);

/**
 * Open a container in which every process has any number of tasks, in any of the physical files.
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
int sion_generic_paropen_mapped(int aid, SION_NAME *fname, const char *file_mode, int *numFiles,
                                void *gcommgroup, int grank, int gsize, int *nlocaltasks,
                                int **globalranks, sion_int64 **chunksizes, int **mapping_filenrs,
                                int **mapping_lranks, sion_int32 *fsblksize, FILE **fileptr);

/**
 * Open a container for reading with any number of tasks, which share the tasks of the container.
 *
 * Collective over gcommgroup, which must live until the close.
 *
 * @param aid,gcommgroup,grank,gsize as for sion_generic_paropen
 * @param fname,file_mode,by,ntasks,ranks as for sion_paropen_shared_mpi
 * @return as sion_generic_paropen; sion_generic_parclose closes it
 */
int sion_generic_paropen_shared(int aid, const char *fname, const char *file_mode, void *gcommgroup,
                                int grank, int gsize, int by, int *ntasks, int **ranks);

/**
 * Close a mapped container of any interface. Collective over its gcommgroup.
 *
 * @return as sion_parclose_mpi
 */
int sion_generic_parclose_mapped(int sid);

/**
 * Discard all that was written, and go on with other chunk sizes. Collective over the container's
 * gcommgroup.
 *
 * @param sid       container open for writing, by any interface
 * @param chunksize as for sion_parreinit_mpi
 * @return as sion_parreinit_mpi
 */
int sion_generic_parreinit(int sid, sion_int64 chunksize);

/**
 * Publish what all tasks have written so far: others can read it, and the container stays open.
 * Collective over the container's gcommgroup.
 *
 * @param sid container open for writing, mapped or not, by any interface
 * @return as sion_parpublish_mpi
 */
int sion_generic_parpublish(int sid);

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
 * with `cmerge` it appends them to its own stream, in the order of ranks. Tasks may call
 * sion_fwrite between the collective calls.
 *
 * Between MPI tasks, the library gathers up to 1 MiB of a task's records, and of up to 256 calls,
 * before it sends them to the collector, unless the mode has `recover`, `cmerge` or `buddy`. nitems
 * then says that the record is accepted. It is in the file when the task's next sion_flush or the
 * close succeeds, as with a buffered sion_fwrite. If the collector cannot write a record that was
 * accepted, this record and all later ones of the task are lost: a later collective call of the
 * task, its sion_flush, or at the latest the close on all tasks reports it, and from then on each
 * of these calls fails until sion_parreinit_mpi. A record that is larger than the room left in the
 * 1 MiB may be written by the task itself. In all other containers a record is written when the
 * call returns, or is in its task's buffer as after sion_fwrite, and a failure is that of the
 * call.
 *
 * As any collective call, this one may wait for the other tasks of the group to make the same call.
 * After a call that has failed, a task may stop, and close the container at once: the close takes
 * part in the calls of those that go on.
 * Neither this function nor sion_flush waits for a later call. A program that moves its FILE* back
 * over bytes of a collective write to change them must call sion_flush before, not only fflush.
 *
 * In a container that is not in collective mode, the function does what sion_fwrite does.
 *
 * With the mode word `publish=SECONDS` some calls publish the container. Then all tasks of the
 * container must call it equally often, also those of other physical files, and any call may wait
 * for all of them. A publish that fails prints a message, and changes nothing of what is returned.
 *
 * @param data   [local] size * nitems bytes, as for sion_fwrite; may be NULL if that is 0
 * @param size   [local] bytes of an item
 * @param nitems [local] number of items
 * @param sid    [local] a container opened for writing by any parallel interface
 * @return nitems; 0 if size is 0; 0 with a message if the task's own record was not written,
 *         because it does not fit into a chunk, an argument is wrong, the collector could not write
 *         it, or the container holds key-value records. Other tasks' records are not affected, and
 *         no part of this one is stored. (size_t)-1 with a message for an invalid sid.
 * @threads one call at a time on a sid; the tasks may be threads of one process
 */
size_t sion_coll_fwrite(const void *data, size_t size, size_t nitems, int sid);

/**
 * Read one record in a collective call.
 *
 * Collective as sion_coll_fwrite. The record must be in one chunk, as for sion_fread; at the end
 * of a chunk the function reads from the next chunk that holds data. The calls need not match those
 * that wrote the data, and all kinds of containers can be read this way.
 *
 * Every task reads its record from the file itself, without communication, unless the mode of the
 * open has the word `collread`: then the collector of its group reads it.
 *
 * With `cmerge` each task reads by itself what it has written, in any pieces, whatever groups wrote
 * it; its stream is one chunk. If the container does not say which bytes are whose, because SIONlib
 * has written it, the call fails on all tasks of a group in which one task has data and the others
 * have none.
 *
 * @param data   [out] [local] size * nitems bytes, as for sion_fread; in collective mode, may be
 *               NULL if that is 0
 * @param size   [local] bytes of an item
 * @param nitems [local] number of items
 * @param sid    [local] a container opened for reading by any parallel interface
 * @return nitems; 0 if size is 0 or at the end of the task's data; 0 with a message if fewer bytes
 *         are left in the chunk, an argument is wrong, or the collector could not read. After 0 the
 *         position has not changed, and other tasks' records are not affected. (size_t)-1 with a
 *         message for an invalid sid.
 */
size_t sion_coll_fread(void *data, size_t size, size_t nitems, int sid);

#ifdef __cplusplus
}
#endif

#endif

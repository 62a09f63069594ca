/**
 * @file sion_generic.h
 * Containers opened by any kind of tasks: the application provides the communication.
 *
 * An application (or a tool: a measurement library, a run-time system) registers callbacks for a
 * communicator of its own and opens containers with them. Nothing here needs MPI.
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

/** Free an interface. Containers that were opened with it stay usable. 1; 0 invalid aid. Local. */
int sion_generic_free_api(int aid);

/*
 * Registration, local: 1; 0 with a message if aid is invalid, cb is NULL or one is registered already.
 *
 * Callbacks return 0 for success. They are collective over the communicator that they get, called
 * in the same order by all its tasks. `dtype` is _SION_INT32, _SION_INT64 or _SION_CHAR; `nelem` counts
 * elements per task. The first eight are needed to open anything.
 */

/**
 * Make the communicator of the tasks of one physical file.
 *
 * cb(lcomm, gcomm, grank, gsize, lrank, lsize, filenumber, numfiles), collective over gcomm: set
 * *lcomm (NULL on entry) for the tasks with this filenumber, in which the caller is lrank of lsize.
 * Not called if one physical file serves all tasks in their order.
 */
int sion_generic_register_create_local_commgroup_cb(int aid,
                                                    int cb(void **, void *, int, int, int, int,
                                                           int, int));
/** Free what the former has made: cb(lcomm). */
int sion_generic_register_free_local_commgroup_cb(int aid, int cb(void *));
/** Wait for all: cb(comm). */
int sion_generic_register_barrier_cb(int aid, int cb(void *));
/** From root to all: cb(data, comm, dtype, nelem, root). */
int sion_generic_register_bcastr_cb(int aid, int cb(void *, void *, int, int, int));
/** To root, in rank order: cb(in, out, comm, dtype, nelem, root). */
int sion_generic_register_gatherr_cb(int aid, int cb(void *, void *, void *, int, int, int));
/** From root, in rank order: cb(in: all at root, out: own, comm, dtype, nelem, root). */
int sion_generic_register_scatterr_cb(int aid, int cb(void *, void *, void *, int, int, int));
/** To root, counts[] elements from each: cb(in, out, comm, dtype, counts, nelem: own, root). */
int sion_generic_register_gathervr_cb(int aid,
                                      int cb(void *, void *, void *, int, int *, int, int));
/** From root: cb(out: own, in: all at root, comm, dtype, counts, nelem: own, root). */
int sion_generic_register_scattervr_cb(int aid,
                                       int cb(void *, void *, void *, int, int *, int, int));

/**
 * Names of the files of a set: cb(fname, filenumber) returns a malloc'd name. Number 0 is fname.
 *
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
 * @param chunksize  writing: [in] bytes per chunk that this task wants. Reading: [out], may be NULL.
 * @param fsblksize  writing: [in,out] block size; 0 or less: automatic. Reading: [out], may be NULL.
 * @param gcommgroup all tasks, passed to the callbacks
 * @param grank      the caller's rank in it
 * @param gsize      its size
 * @param filenumber writing: [in] file of this task, 0 .. numfiles - 1. Reading: [out].
 * @param numfiles   writing: [in] physical files, equal on all tasks. Reading: [out].
 * @param lrank      writing: [in] place of this task in its file; each is taken once
 * @param lsize      writing: [in] tasks of its file
 * @param fileptr    [out] the FILE* (see sion_get_fp); NULL: not wanted
 * @param newfname   [out] name of the physical file, to be freed by the caller; NULL: not wanted
 * @return sid; -1 on every task if anything fails on any, with the message printed by rank 0; -1 for
 *         an invalid or incomplete interface (local)
 */
int sion_generic_paropen(int aid, const char *fname, const char *file_mode, sion_int64 *chunksize,
                         sion_int32 *fsblksize, void *gcommgroup, int grank, int gsize,
                         int *filenumber, int *numfiles, const int *lrank, const int *lsize,
                         FILE **fileptr, char **newfname);

/** Close a container opened in parallel by any interface. Collective. As sion_parclose_mpi. */
int sion_generic_parclose(int sid);

/** Begin anew, with other chunk sizes. Collective. As sion_parreinit_mpi. */
int sion_generic_parreinit(int sid, sion_int64 chunksize);

/**
 * Write one record in a collective call.
 *
 * In this version every task writes for itself: the same as sion_fwrite, but for an invalid sid.
 *
 * @return as sion_fwrite; (size_t)-1 for an invalid sid
 */
size_t sion_coll_fwrite(const void *data, size_t size, size_t nitems, int sid);
/** Read one record in a collective call. As sion_fread; (size_t)-1 for an invalid sid. */
size_t sion_coll_fread(void *data, size_t size, size_t nitems, int sid);

#ifdef __cplusplus
}
#endif

#endif

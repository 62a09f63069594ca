/*
 * The parallel interfaces' common half: argument checks, numbers, messages, outputs. MPI, threads
 * and user communicators differ in the communicator that they pass.
 *
 * The functions are called from libraries other than the one that holds them, so they are visible;
 * they are no public interface and are declared in no public header.
 */
#ifndef SCION_API_PARALLEL_H
#define SCION_API_PARALLEL_H

#include <stdio.h>

#include "sion_datatypes.h"

#include "comm/comm.h"

#pragma GCC visibility push(default)

/* A call of an open, as the application made it; outputs are written on success only. */
struct sion_layer_call {
    const char *function; /* for messages */
    int process;          /* rank of this process among all, for the debug trace */
    int only_reading;     /* 1: a mode that writes is an error */
    const char *fname, *file_mode;
    int *numFiles;
    sion_int64 *chunksize;
    sion_int32 *fsblksize;
    int *globalrank;
    FILE **fileptr;
    char **newfname;

    int has_interface; /* 1: the interface has a number of the handle table already */

    /* 1: the application has chosen this task's place; *filenumber is an output when reading. */
    int seated;
    int *filenumber;
    const int *lrank, *lsize;
    char *(*name_of_file)(const char *name, int number); /* NULL: the usual names */

    int has_local; /* 0: the application passed no local communicator at all, which is an error */

    /*
     * Called if files are made by local communicator: the rank that leads the caller's, the
     * caller's place in it, its size. 1: one file for all; -1: not part of the whole. Local.
     */
    int (*find_leader)(void *data, int *leader, int *lrank, int *lsize);
    void *data;
};

/* Collective over comm, which is taken over; NULL is an error. Returns a sid or -1. */
int sion_layer_open(struct scion_comm *comm, const struct sion_layer_call *call);

/* Collective. 1, or -1. */
int sion_layer_close(const char *function, int sid);

/* Collective. 1; 0 if it cannot be done; -1 invalid sid. */
int sion_layer_reinit(const char *function, int sid, sion_int64 chunksize);

/*
 * Collective over comm, which is taken over. Whether the container can be opened, without a word;
 * it is closed again. 1 or 0 on all ranks.
 */
int sion_layer_check(struct scion_comm *comm, const struct sion_layer_call *call);

/*
 * Begin (entering != 0) or end a transaction; see sion_startof_transaction_mpi. 1; 0 invalid sid,
 * or communication failed.
 */
int sion_layer_transaction(const char *function, int sid, int entering);

#pragma GCC visibility pop

#endif

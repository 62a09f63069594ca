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

/* The interface that opens, and so may close, with or without MAPPED. ANY is for closes only. */
enum sion_layer_kind {
    SION_LAYER_ANY,
    SION_LAYER_MPI,
    SION_LAYER_OMP,
    SION_LAYER_OMPI,
    SION_LAYER_GENERIC,
    SION_LAYER_MAPPED = 16
};

/* The additional arguments of a mapped open, as the application passed them. */
struct sion_layer_mapped {
    int *nlocaltasks, **globalranks;
    sion_int64 **chunksizes;
    int **filenumbers, **lranks;
};

/* The additional arguments of an open that shares the tasks out. */
struct sion_layer_shared {
    int by; /* SION_SHARE_* */
    int *ntasks, **ranks;
};

/* Processes of several tasks each, all of which stay in one physical file. */
struct sion_layer_processes {
    int rank, size;
    const int *first; /* [size + 1] rank of each process's first task, and the number of tasks */
};

/* The arguments of an open, as the application passed them. Outputs are set on success only. */
struct sion_layer_call {
    const char *function; /* for messages */
    enum sion_layer_kind kind;
    int threads;           /* that call together in this process */
    void (*end_all)(void); /* ends all processes of the program; NULL: there is one */
    int process;           /* rank of this process among all, for the debug trace */
    int only_reading;      /* 1: a mode that writes is an error */
    const char *fname, *file_mode;
    int *numFiles;
    sion_int64 *chunksize;
    sion_int32 *fsblksize;
    int *globalrank;
    FILE **fileptr;
    char **newfname;

    int has_interface; /* 1: the interface has taken a number of the handle table already */

    /* 1: the application has chosen this task's place; *filenumber is an output when reading. */
    int seated;
    int *filenumber;
    const int *lrank, *lsize;
    char *(*name_of_file)(const char *name, int number); /* NULL: the usual names */

    int has_local; /* 0: the application has passed no local communicator, which is an error */

    /* Not NULL: numFiles > 0 divides processes, not tasks. */
    const struct sion_layer_processes *processes;

    const struct sion_layer_mapped
        *mapped; /* not NULL: a mapped open, which ignores some of the others */
    const struct sion_layer_shared
        *shared; /* not NULL: an open that shares the tasks out, likewise */

    /*
     * Called if each local communicator gets a file: sets the rank that leads the caller's
     * communicator, the caller's place in it, and its size. 1: one file for all; -1: it is not a
     * part of the global one. Local.
     */
    int (*find_leader)(void *data, int *leader, int *lrank, int *lsize);
    void *data;
};

/* Collective over comm, which is taken over; NULL is an error. Returns a sid or -1. */
int sion_layer_open(struct scion_comm *comm, const struct sion_layer_call *call);

/* The same for mapped containers: call->mapped is set. */
int sion_layer_open_mapped(struct scion_comm *comm, const struct sion_layer_call *call);

/* The same for containers whose tasks are shared out: call->shared is set. */
int sion_layer_open_shared(struct scion_comm *comm, const struct sion_layer_call *call);

/* Collective. 1, or -1. */
int sion_layer_close(const char *function, int sid, enum sion_layer_kind kind);

/* A close by the threads of a team, which may be another one than at the open. */
struct sion_layer_team_close {
    const char *function;
    int sid;
    enum sion_layer_kind kind;
    int threads; /* of the caller's team */
};

/*
 * Collective over `callers`, the communicator of all that close now, which is taken over. Returns
 * 1; 0 on all if a team has another size than at the open; -1 on all if a sid is wrong or the close
 * fails. The sids stay valid unless the close was begun. NULL is an error.
 */
int sion_layer_close_team(struct scion_comm *callers, const struct sion_layer_team_close *closing);

/*
 * A team that closes leaves collective calls that others may still make: see
 * scion_parallel_leave_at_once(), which each thread calls first, and
 * scion_parallel_leave_for_all(), which the first thread of a process calls when the team has met.
 * Do nothing for any other sid.
 */
void sion_layer_leave_at_once(int sid, enum sion_layer_kind kind);
void sion_layer_leave_for_all(int sid, enum sion_layer_kind kind);

/* The communicator of a sid of this kind, the container's; NULL for any other sid. Local. */
struct scion_comm *sion_layer_comm(int sid, enum sion_layer_kind kind);

/* Collective. 1; 0 if it cannot be done; -1 invalid sid. */
int sion_layer_reinit(const char *function, int sid, enum sion_layer_kind kind,
                      sion_int64 chunksize);

/* Collective; the sid may also be of a mapped container of this kind. 1; 0 if it cannot be done. */
int sion_layer_publish(const char *function, int sid, enum sion_layer_kind kind);

/*
 * Collective over comm, which is taken over. Whether the container can be opened: opens and closes
 * it, and prints nothing. 1 or 0 on all ranks.
 */
int sion_layer_check(struct scion_comm *comm, const struct sion_layer_call *call);

/*
 * Begin (entering != 0) or end a transaction; see sion_startof_transaction_mpi. 1; 0 invalid sid,
 * or communication failed.
 */
int sion_layer_transaction(const char *function, int sid, int entering);

/* Whether MPI can be called; if not (why is not NULL), print a message of `function`. Local. */
int sion_layer_has_mpi(const char *function, const char *why);

/*
 * MPI is about to end: what the buffers of its containers hold that are not closed is written to
 * the files, which get no tables, and a line says so. Local.
 */
void sion_layer_end_mpi(void);

/*
 * For libraries besides the core: print the calling thread's error record as the failure of
 * `function`; once in a collective call of `size` tasks. Returns code.
 */
int sion_layer_report(const char *function, int rank, int size, int code);

/* Whether an open container has collectors that merge. */
int sion_layer_is_merged(int sid);

/* Whether it replaces an older container at its close, and not before. */
int sion_layer_is_atomic(int sid);

/* Whether this process is the first of all that have opened the container in parallel. */
int sion_layer_is_first(int sid);

/* 1: suppress this thread's messages; 0: print them again. Pairs may be nested. */
void sion_layer_quiet(int begin);

/*
 * A communicator that uses the callbacks of an interface of the application. Local. NULL after a
 * message of `function`: failed.
 */
struct scion_comm *sion_layer_generic_comm(const char *function, int aid, void *group, int rank,
                                           int size);

/*
 * The same, but collective: NULL on all, after one message, if a task passes rc != 0, with the
 * reason in its error record, or is out of memory. Only an invalid interface is noticed locally.
 */
struct scion_comm *sion_layer_generic_begin(const char *function, int aid, void *group, int rank,
                                            int size, int rc);

#pragma GCC visibility pop

#endif

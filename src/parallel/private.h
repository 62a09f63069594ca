/* Shared by the files of this layer; nobody else includes this. */
#ifndef SCION_PARALLEL_PRIVATE_H
#define SCION_PARALLEL_PRIVATE_H

#include <stdint.h>

#include "base/memory.h"
#include "parallel/parallel.h"

enum {
    /* A base name with its NUL, in a message. */
    SCION_NAME_BYTES = SCION_NAME_MAX + 8
};

/* Transactions of the tasks of a physical file. */
struct scion_turns {
    struct scion_comm *comm; /* private to the library; parallel->local if that is, too */
    int group;               /* tasks that may be inside at a time; 0: no transaction yet */
    int is_inside;
};

/* The group behind a container opened in parallel. */
struct scion_parallel {
    struct scion_comm *global;
    struct scion_comm *local; /* tasks of this physical file; the same as global if it is one */
    int kind, threads;        /* as in scion_parallel_args */
    int first_leader;         /* rank in global of the task that writes file 0's metadata */
    struct scion_turns turns;
    struct scion_mapping mapping; /* writing a set: known to rank 0 of global, else size -1 */
};

/* From every task, at open: to rank 0 of all, and in a set of files to the first of the file. */
struct scion_request {
    int32_t status; /* 0, or the task's argument error */
    int32_t writing;
    int32_t nfiles;     /* > 0: files of equal shares; 0: by leader */
    int32_t leader;     /* rank in global */
    int32_t lrank;      /* place in its file, as far as the task knows it */
    int32_t lsize;      /* by leader: tasks of its local communicator */
    int32_t rank;       /* in global */
    int32_t filenumber; /* that the application has chosen, or -1 */
    sion_int64 chunksize;
    sion_int64 name_hash;
};

/* The answer to every task. Status: of the whole open, then of this physical file. */
struct scion_reply {
    int32_t status, failing;

    /* Which file is its own. */
    int32_t nfiles, filenumber, lrank, first_leader;
    int32_t grouped; /* the file has a communicator of its own */
    int32_t unused;

    /* The file's header. */
    int32_t fsblksize, ntasks, version, patch, format_version, swapped, big_endian;
    int32_t maxchunks;
    sion_int64 flag1;

    /* The task's place in it. */
    sion_int64 start, globalskip, chunksize;
    sion_int64 count, used; /* reading: chunks, and bytes in the first */
    sion_int64 same_names;  /* 1: every task of the file may use the name that it passed */
};

/* Chunk lengths on their way from the file's first task to all; reading. */
struct scion_outgoing {
    int *counts, *first; /* [size] */
    sion_int64 *numbers;
};

/* An open in progress, on one task. */
struct scion_opening {
    const struct scion_parallel_args *args;
    struct scion_parallel *parallel;
    struct scion_request request;
    struct scion_reply reply;
    struct scion_physical *physical; /* on the file's first task; file 0 on rank 0 of all */
    int created;                     /* this task has created the file of `physical` */
    struct scion_outgoing outgoing;
    struct scion_container *container;
};

/* On rank 0 of all: decide on the files, in replies[n]; with one file also on the places. */
int scion_decide_files(struct scion_opening *opening, const struct scion_request *requests, int n,
                       struct scion_reply *replies);

/* On the file's first task: create or read it, decide on the places, in replies[n]. */
int scion_decide_places(struct scion_opening *opening, const struct scion_request *requests, int n,
                        struct scion_reply *replies);

/* Name of this task's file by a base name; the caller frees it. NULL: out of memory. */
char *scion_own_name(const struct scion_opening *opening, const char *base);

/* Read the file that `opening` names into opening->physical. */
int scion_read_own_file(struct scion_opening *opening);

void scion_parallel_free(struct scion_parallel *parallel);

#endif

/* Shared by the files of mapped opens; nobody else includes this. */
#ifndef SCION_PARALLEL_MAPPED_H
#define SCION_PARALLEL_MAPPED_H

#include "parallel/private.h"

/* What a process sends of every task; it gets back struct scion_placed, and reading the lengths. */
enum {
    /* Writing: rank, requested chunk size, file, place in it. Reading: the rank only. */
    SCION_REQUESTED_WRITING = 4,
    SCION_REQUESTED_READING = 1
};

/* From every process. */
struct scion_mapped_request {
    struct scion_request_head head;
    int32_t writing, nfiles;
    int32_t fsblksize, unused; /* writing */
    sion_int64 ntasks;         /* reading: or SCION_SHARE_* */
};

/* To every process. */
struct scion_mapped_reply {
    struct scion_reply_head head;
    sion_int64 ntasks, numbers; /* that follow */
    sion_int64 all;             /* writing: tasks of all processes */
};

/* Everything that rank 0 knows while it decides. */
struct scion_mapped_root {
    const struct scion_mapped_args *args;
    struct scion_comm *comm;
    struct scion_mapped_request *requests; /* [size] */
    struct scion_mapped_reply *replies;    /* [size] */
    struct scion_rows requested, given;    /* of each process */

    int *shares; /* [size + 1] first task of each process; NULL: nobody gets a share */

    struct scion_physical **files; /* [nfiles]; reading: NULL for those that nobody wants */
    int nfiles;
    sion_int64 flag2;             /* writing: of all headers */
    struct scion_writer_lock *lock;
    int is_atomic;                /* on all processes, when rank 0 has said so */
    struct scion_mapping mapping; /* writing */
    struct scion_facts facts;     /* of the whole, of a set of file 0 */
};

/*
 * Decide: create or read the files; fill replies and given. Status and reason of a failure;
 * *blamed: the process that it is the fault of, if that is known.
 */
int scion_mapped_decide(struct scion_mapped_root *root, int *blamed);

/* Collective, at the close of a container written so: META2 of all its files, on rank 0. */
int scion_mapped_write_tables(struct scion_parallel *parallel, struct scion_container *container);

/* Collective, as scion_parallel_open_mapped. */
int scion_mapped_open(struct scion_comm *comm, const struct scion_mapped_args *args,
                      struct scion_container **container);

#endif

/* Shared by the files of mapped opens; nobody else includes this. */
#ifndef SCION_PARALLEL_MAPPED_H
#define SCION_PARALLEL_MAPPED_H

#include "file/sound.h"
#include "parallel/task_place.h"
#include "parallel/request.h"
#include "parallel/rows.h"
#include "parallel/state.h"

/*
 * What a process sends for each of its tasks. It gets back a struct scion_task_place and, reading,
 * the lengths of the task's chunks.
 */
struct scion_task_request {
    int32_t rank;
    int32_t file, lrank;  /* writing */
    int32_t process;      /* rank of the sender */
    sion_int64 chunksize; /* writing */
};

enum { SCION_TASK_REQUEST_WORDS = sizeof(struct scion_task_request) / sizeof(sion_int64) };

/* From every process. A process with one task needs to send no more than this. */
struct scion_mapped_request {
    struct scion_request_head head; /* SCION_ASKS_WRITING; writing: number of files */
    int32_t ntasks;                 /* reading: or SCION_SHARE_* */
    int32_t fsblksize;              /* writing */
    struct scion_task_request first;
};

/* To every process. */
struct scion_mapped_reply {
    struct scion_reply_head head; /* SCION_REPLY_AGAIN: send the list of all tasks */
    sion_int64 ntasks, numbers;   /* that follow */
    sion_int64 all;               /* writing: tasks of all processes */
};

/* Everything that rank 0 knows while it decides. */
struct scion_mapped_root {
    const struct scion_mapped_args *args;
    struct scion_comm *comm;
    sion_int64 *list;                      /* on every process: what it requests, to be sent */
    struct scion_mapped_request *requests; /* [size] */
    struct scion_mapped_reply *replies;    /* [size] */
    struct scion_rows requested, given;    /* of each process */

    int *shares; /* [size + 1] first task of each process; NULL: all processes have lists */

    struct scion_physical **files; /* [nfiles]; reading: NULL for those that no process needs */
    int nfiles;
    sion_int64 flag2; /* writing: of all headers */
    struct scion_writer_lock *lock;
    int is_atomic;                /* on all processes, when rank 0 has said so */
    int checksum;                 /* on rank 0: SCION_COMPARES_* */
    int members;                  /* reading: merged streams are read by members */
    int appends;                  /* writing on what the container has */
    int keeps;                    /* writing: it has generations */
    int is_sound;                 /* reading: nothing may be damaged (file/sound.h) */
    struct scion_seen seen;       /* on rank 0, reading */
    struct scion_mapping mapping; /* writing */
    struct scion_facts facts;     /* of the container: of a set, those of file 0 */
};

/*
 * On rank 0, which has all requests and lists: create or read the files; fill root->given and
 * ->replies. 0 or an error code; *blamed: the process whose fault it is, if that is known.
 */
int scion_mapped_decide(struct scion_mapped_root *root, int *blamed);

/*
 * Collective, at the close of a mapped container that was written, or when its news are published:
 * rank 0 writes META2 of all files.
 */
int scion_mapped_write_tables(struct scion_parallel *parallel, struct scion_container *container);
int scion_mapped_write_news(struct scion_parallel *parallel, struct scion_container *container);

/*
 * Collective, after that: rank 0 writes the checksums of all files, if they were made and no
 * process has failed. rc: this process's result so far.
 */
int scion_checksum_write_mapped(struct scion_parallel *parallel, struct scion_container *container,
                                int is_published, int rc);

/* Collective, reading: each process compares the data of its tasks with their checksums, now or
   when it reads them for the first time. */
int scion_checksum_watch_mapped(struct scion_mapped_root *root, struct scion_container *container,
                                int now);

/* On rank 0, reading: the files of all tasks that are read, which are those of the newest
   generation, have no damage in their tables; and its checksums are compared. */
int scion_mapped_need_sound(struct scion_mapped_root *root);

/* Collective. As scion_parallel_open_mapped(), but the communicator stays the caller's if the open
   fails. *seen: on rank 0, reading. */
int scion_mapped_open(struct scion_comm *comm, const struct scion_mapped_args *args,
                      struct scion_container **container, struct scion_seen *seen);

#endif

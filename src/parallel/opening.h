/* An open in progress: requests, decisions, and the container. */
#ifndef SCION_PARALLEL_OPENING_H
#define SCION_PARALLEL_OPENING_H

#include "base/memory.h"
#include "file/checksum.h"
#include "file/sound.h"
#include "parallel/task_place.h"
#include "parallel/request.h"
#include "parallel/rows.h"
#include "parallel/state.h"

enum {
    /* A base name with its NUL, in a message. */
    SCION_NAME_BYTES = SCION_NAME_MAX + 8
};

/* On rank 0 of all: the file and place of each task. NULL: file 0, in the order of ranks. */
struct scion_seats {
    int nfiles, first_leader;
    int is_set; /* there are communicators for the files */
    int *files, *lranks;
};

/* How far the requests of many tasks are the same. */
enum scion_likeness { SCION_DIFFER, SCION_SIZES_DIFFER, SCION_ALIKE };

/* What many tasks may ask for without sending rank 0 a request each. _EVENLY: files of equal
   shares, as many as rank 0 says. */
enum scion_way {
    SCION_ASKS_IN_ANOTHER_WAY,
    SCION_READS,
    SCION_WRITES_ONE_FILE,
    SCION_WRITES_IN_GROUPS, /* one file, collectively */
    SCION_WRITES_EVENLY,
    SCION_WRITES_BY_LEADER,
    SCION_WRITES_BY_NODE,    /* a file for each; */
    SCION_WRITES_FOR_STORAGE /* as rank 0 finds out */
};

/* An open in progress, on one task. */
struct scion_opening {
    const struct scion_parallel_args *args;
    struct scion_parallel *parallel;
    struct scion_request request;
    struct scion_reply reply;
    struct scion_facts facts;
    int is_set;                    /* its file has a communicator of its own */
    int nfiles, file, lrank;       /* of all, of the task, and in the file */
    int other_names;               /* the tasks have passed different ones */
    int is_counted;                /* make statistics, as rank 0 of all has requested */
    enum scion_likeness likeness;  /* of the requests of all tasks, */
    enum scion_way way;            /* in which these ask; */
    int is_in_a_row;               /* the tasks of a file are ranks one after the other */
    struct scion_even_groups even; /* _IN_GROUPS */
    sion_int64 guess;              /* how rank 0 has guessed that chunks will be rounded */
    struct scion_comm *node; /* _BY_NODE: the tasks of this one, until it has a file; or NULL */
    int deal; /* by leader, for the agreement: 0: the files have equal shares of the ranks, as far
                 as this task sees; SCION_MORE: other ones, SCION_FIRST: not even in their order */
    const uint32_t *small; /* on a file's first task, of many that ask for the same: of all tasks */
    int has_sizes, has_ranks;    /* their chunk sizes, and ranks, between each other */
    int checksum;                /* SCION_COMPARES_*: checksums are made, or compared */
    int members;                 /* reading: merged streams are read by members */
    char base[SCION_NAME_BYTES]; /* of the file's first task, if the names differ */
    int is_staged, is_refused;   /* rank 0 wants to stage it; a node cannot */
    int files;                   /* on rank 0 of all, writing: of scion_files_wanted() */
    int has_nodes;               /* the requests say on which node the tasks are */
    sion_int64 flag2;            /* writing: of the file's header */

    struct scion_seats seats;    /* on rank 0 of all */
    struct scion_physical **all; /* on rank 0 of all, if it reads every file: [nall] */
    int nall;
    struct scion_physical *physical; /* on the file's first task; file 0 on rank 0 of all */
    int created;                     /* this task has created the file of `physical` */
    sion_int64 generation;           /* number of file 0's state; 0: it has no record */
    sion_int64 view;                 /* reading: the generation that file 0 shows; 0: all */
    struct scion_state_seen state;   /* on rank 0 of all, reading: of file 0 */
    struct scion_seen seen;          /* on rank 0 of all, reading */
    int is_sound;                    /* reading: nothing may be damaged (file/sound.h) */
    int keeps;                       /* writing: the container has generations */
    int publishes;                   /* writing: it is published by rank 0's clock */
    int appends;                     /* writing: the container is there, and is written on */
    struct scion_rows lengths; /* on the file's first task, reading: of all chunks of each task */
    int must_ask;              /* reading: a file of this task is not one that it can read so; */
    int is_surveyed; /* reading: each task reads its own numbers of the file, of which rank 0 tells:
                      */
    sion_int64 start_of_data, start_of_varheader, size;
    struct scion_checksum_span span; /* if checksums are compared: those of all tasks */
    struct scion_damages strangers;  /* on that task: ranks whose pairs name no task of theirs */
    struct scion_container *container;
};

/* As scion_decide_function, of opens. `replies` may be where the requests are. */
typedef int scion_decide_opening(struct scion_opening *opening,
                                 const struct scion_request *requests, int n,
                                 struct scion_reply *replies);

static inline int scion_asks_capability(const struct scion_request *request)
{
    return request->head.status / SCION_ASKS_CAPABILITY % 4;
}

/* SCION_COMPARES_*, as a reply says it; 0: none. */
static inline int scion_checksum_told(const struct scion_reply *reply)
{
    return !(reply->head.status & SCION_REPLY_CHECKSUM) ? 0
           : reply->head.status & SCION_REPLY_AT_OPEN   ? SCION_COMPARES_AT_OPEN
                                                        : SCION_COMPARES_READS;
}

/* Fill opening->request from the arguments. */
void scion_fill_request(struct scion_opening *opening);

/*
 * Collective: send opening->request to rank 0 of comm, and get its decision in opening->reply. If
 * the first task of a file needs the nodes, all ask a second time, and scion_decide_places()
 * decides.
 */
int scion_ask(struct scion_comm *comm, struct scion_opening *opening, scion_decide_opening *decide);

/* Before a request is sent. */
void scion_note_capability(struct scion_comm *comm, struct scion_request_head *head);

/* The same of all tasks. If they are many and ask for the same, rank 0 gets no more than that. */
int scion_ask_all(struct scion_opening *opening);

/* Then, in a set, in place of a split by opening->file, and of scion_ask_member(). */
int scion_split_alike(struct scion_opening *opening, struct scion_comm **part);
int scion_ask_alike_member(struct scion_opening *opening);

/* The same in a file of a set. Also gets opening->facts and, if the names differ, ->base. */
int scion_ask_member(struct scion_opening *opening);

/* The same if rank 0 of all reads every file. Also gets opening->facts. */
int scion_ask_reader_of_all(struct scion_opening *opening);

/* Check that the requests agree where they must. */
int scion_check_requests(const struct scion_request *requests, int n);

/*
 * On rank 0 of all: how many files the mode string or SION_FILES wants for n writers; 0: as many as
 * the open asks for; SCION_FILES_NODE: one for each node, which the requests must say.
 */
int scion_files_wanted(const struct scion_opening *opening, const struct scion_request *requests,
                       int n);

/*
 * What the storage of a container's folder wants: files, or SCION_FILES_NODE, or SCION_FILES_AUTO:
 * as the chunks of all n tasks say. Of these each one adds to two numbers, which tell it.
 */
int scion_files_for_storage(const char *name);
void scion_share_chunk(sion_int64 chunksize, int n, sion_int64 shares[2]);
int scion_files_for_shares(const sion_int64 shares[2], int n);

/* On rank 0 of all: fill opening->seats for n tasks. Reading: file 0 has been read. */
int scion_seat_writers(struct scion_opening *opening, const struct scion_request *requests, int n);
int scion_seat_readers(struct scion_opening *opening, int n);

/* The same for those who write on what file 0 has: each has the task that it would read. */
int scion_seat_appenders(struct scion_opening *opening, int n);
void scion_seats_free(struct scion_seats *seats);

/* Whether n tasks can have so many files. */
int scion_check_shares(int nfiles, int n);

/* Mode "a", on rank 0 of all: a container that is there is locked, read, and found to be one for
   these n tasks, which are seated; opening->appends says whether there is one. */
int scion_look_for_old(struct scion_opening *opening, int n);

/* On the file's first task, which has read it: it will write the metadata. */
int scion_append_own_file(struct scion_opening *opening);

/* On a file's first task, writing: how many generations the file keeps, as the mode says; 0: it has
   none, or goes on with those it has. */
int scion_generations_kept(const struct scion_opening *opening);

/* On rank 0 of all: decide on the files and, if there is one, on the places; fill replies[n]. */
int scion_decide_files(struct scion_opening *opening, const struct scion_request *requests, int n,
                       struct scion_reply *replies);

/* On the file's first task: create or read the file, and decide on the places; fill replies[n]. */
int scion_decide_places(struct scion_opening *opening, const struct scion_request *requests, int n,
                        struct scion_reply *replies);

/* What decide.c and decide_alike.c share: SCION_REPLY_* that are equal on all tasks; a name that
   may not be that of file 0 must not become a file; a file's first task makes the file for n tasks;
   the reply to the task that sent request i, task after task, which may take the place of the
   request. */
int scion_common_flags(const struct scion_opening *opening);
int scion_lock_file_0(struct scion_opening *opening);
int scion_create_own_file(struct scion_opening *opening, const struct scion_request *requests,
                          int n);
struct scion_reply scion_tell_next_place(const struct scion_opening *opening,
                                         const struct scion_request *requests, int i, int flags,
                                         sion_int64 *next);

/* How this task, one of n, asks for new files and individual writing, so that no task needs to know
   more of another one than its chunk size. */
enum scion_way scion_way_to_write(const struct scion_opening *opening, int n);

/* On rank 0 of all, if n tasks do, whose requests are its own but for opening->small: the reply to
   rank 0. _set: the same in files of which opening->nfiles are there by leader. */
int scion_decide_alike(struct scion_opening *opening, int n, struct scion_reply *reply);
int scion_decide_set(struct scion_opening *opening, int n, struct scion_reply *reply);

/* On the first task of a file of this set, with n tasks. gathered: as opening->small;
   NULL: all are as its own, in a row. */
int scion_decide_alike_member(struct scion_opening *opening, const uint32_t *gathered, int n,
                              struct scion_reply *reply);

/*
 * Whether this task reads with no more than an open of one file needs, so that n such tasks may
 * read their own numbers. Collective, if all do: rank 0 looks at the tables, and tells all; or
 * SCION_MORE: the tasks have to ask.
 */
int scion_reads_own_column(const struct scion_opening *opening, int n);
int scion_ask_for_survey(struct scion_opening *opening);

/* Collective after that: this task's place, and the lengths of its chunks. A failure is its own;
   SCION_MORE: its file cannot be read so. Then all tasks forget it, and have to ask. */
int scion_read_own_column(struct scion_opening *opening, struct scion_task *task);
void scion_forget_survey(struct scion_opening *opening);

/*
 * On rank 0 of all, reading a set whose files cannot have communicators of their own: read all
 * files and decide on all places; fill replies[n].
 */
int scion_decide_all_places(struct scion_opening *opening, int n, struct scion_full_reply *replies);

/* On rank 0 of all, reading: read file 0, and choose which of its generations is seen. Then, when
   checksums are compared, or made. */
int scion_read_file_0(struct scion_opening *opening);
int scion_find_checksum(struct scion_opening *opening);

/* Name of this task's file by a base name; the caller frees it. NULL: out of memory. */
char *scion_own_name(const struct scion_opening *opening, const char *base);

/* Read the file that `opening` names into opening->physical. */
int scion_read_own_file(struct scion_opening *opening);

/*
 * Collective. opening->args and ->parallel are set; ->parallel is taken over, but its communicator
 * stays the caller's if an open for reading fails. Sets opening->container.
 */
int scion_single_open(struct scion_opening *opening);

#endif

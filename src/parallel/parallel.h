/*
 * Containers opened, closed and started anew by all tasks of a communicator together. Written once
 * for every kind of communicator.
 *
 * One physical file needs no communicator of its own. The number of collectives is a constant:
 *
 *   open     gather requests, scatter replies, agree               3
 *            (with the agreement comes what is the same for all)
 *            tasks of one file that passed different names: + broadcast the name
 *            reading a file in which some task has several chunks: + scatter lengths
 *   close    writing: gather lengths, gather the others, agree     3
 *            reading: agree                                        1
 *   publish  gather lengths, gather the others, agree              3
 *            (the first one, if nothing is new)
 *   a set of files: + split, gather and scatter in each file at open; + gather the mapping at
 *            close if rank 0 is not the first task of file 0
 *
 * Time and memory are O(tasks and chunks of the file) on the file's first task, O(own chunks)
 * elsewhere; rank 0 of all needs O(tasks) at open.
 */
#ifndef SCION_PARALLEL_PARALLEL_H
#define SCION_PARALLEL_PARALLEL_H

#include "comm/comm.h"
#include "file/container.h"
#include "parallel/hook.h"

/* What a task passes to an open. */
struct scion_parallel_args {
    /*
     * 0, or this task's argument error, with its reason in the error record. The task takes part in
     * any case, so that all tasks return the failure.
     */
    int status;
    const char *name;
    struct scion_mode mode;
    sion_int64 chunksize; /* writing: bytes requested */
    int fsblksize;        /* writing: that of the file's first task counts; <= 0: automatic */
    int nfiles;           /* writing: > 0 files of equal shares; <= 0 by leader */
    int seated;           /* writing: the application has chosen this task's file and place: */
    int filenumber;       /* 0 .. nfiles - 1; and lrank, lsize below */
    int leader;           /* rank that leads this task's local communicator */
    int divided;      /* by leader: files that the application asked to divide its processes over */
    int lrank, lsize; /* place in it, and its size */
    int want_stream;  /* export the FILE* */
    int kind;         /* not 0: the interface that opens, which must also close */
    int threads;      /* of the team that this task belongs to; no threads: 1 */
    int is_counted;   /* make statistics; rank 0 decides */

    /* Name of file `number` of a set, malloc'd; NULL: the usual names. Number 0 is `name` itself.
     */
    char *(*name_of_file)(const char *name, int number);
};

/* Files for `most` writers, of a mode that says a number or SCION_FILES_WRITERS. */
int scion_files_for_writers(int files, int most);

/* Collective. The communicator is taken over in any case. */
int scion_parallel_open(struct scion_comm *comm, const struct scion_parallel_args *args,
                        struct scion_container **container);

/* What a process passes to a mapped open: any number of tasks, in any of the files. */
struct scion_mapped_args {
    int status;       /* as in scion_parallel_args */
    const char *name; /* that of rank 0 counts for all */
    struct scion_mode mode;
    int nfiles, fsblksize; /* writing; the block size is that of the process of a file's task 0 */
    int ntasks;            /* reading: or how to share all tasks, SCION_SHARE_* */

    /*
     * [ntasks]; the last three only when writing. All processes together name every task once and
     * every place once.
     */
    const int *globalranks;
    const sion_int64 *chunksizes;
    const int *filenumbers, *lranks;
    int want_stream, kind;
    int threads, is_counted; /* as in scion_parallel_args */
    char *(*name_of_file)(const char *name, int number);
};

/* In place of a list: each process gets a run of tasks. */
enum {
    SCION_SHARE_REST_TO_LAST =
        -1, /* equal numbers, and the last process also takes the rest, as in SIONlib */
    SCION_SHARE_BY_TASKS = -2,
    SCION_SHARE_BY_BYTES = -3
};

/*
 * Collective. The communicator is taken over in any case. Rank 0 creates, or reads, the metadata of
 * all files: time and memory there O(tasks and chunks of all processes' lists), elsewhere O(those
 * of the own list). A constant number of collectives: 5 to open if no process has a list of more
 * than one task, else 7; 3 to close.
 */
int scion_parallel_open_mapped(struct scion_comm *comm, const struct scion_mapped_args *args,
                               struct scion_container **container);

/* Statistics of all tasks, on rank 0, which frees them; elsewhere, and after a failure, NULL. */
struct scion_tally {
    const struct scion_stats *own; /* of this task; NULL on all: nothing was counted */
    double begin;                  /* time at which the close began */
    struct scion_stats *ranks;     /* [size] */
};

/* Collective. tally: NULL on all, or on none; one gather more where there is something to tally.
 * The container is gone in any case; all return the first task's failure. */
int scion_parallel_close(struct scion_container *container, struct scion_tally *tally);

/*
 * Threads make and close containers as a team, which meets before scion_parallel_close(): before
 * that, and with the other processes, they leave collective calls, which others may still make.
 *
 * _at_once: collective over the group of the caller, if threads of its process may have stopped at
 * different calls; to be called before the team meets. _for_all: else, by the first task of each
 * process after the team has met. Only for one of both there is something to do.
 */
void scion_parallel_leave_at_once(struct scion_container *container);
void scion_parallel_leave_for_all(struct scion_container *container);

/*
 * Collective. Start anew with other chunk sizes: all that was written is gone. With status != 0
 * (an argument error, its reason in the error record) nothing happens, and all return it.
 */
int scion_parallel_restart(struct scion_container *container, int status, sion_int64 chunksize);

/*
 * Transactions: the tasks of a physical file, in groups, one group after the other, do what they do
 * between enter and leave. A group has SION_SERBLOCKSIZE tasks, or by the size of the file 8, 16 or
 * 32, or all of up to 16. Task t waits for task t - group, so not more than a group are inside.
 *
 * The first enter is collective over the file's tasks: one broadcast, and one communicator if the
 * file has none of its own; the others cost a message or two. A second enter and a leave without
 * an enter do nothing. 0 or an error code.
 */
int scion_parallel_enter(struct scion_container *container);
int scion_parallel_leave(struct scion_container *container);

/*
 * At the end of a call that all tasks make equally often. A container with the mode word `publish`
 * is published if the time has come: collective over all tasks in some of the calls, and in the
 * others nothing is done. of_transaction: the call is scion_parallel_leave(), and counts if there
 * was an enter. 0, or a failure that all tasks have; then readers see the state before.
 */
int scion_parallel_meet(struct scion_container *container, int of_transaction);

/*
 * One record for every task of the file, in a collective call, moved by collectors. To be called by
 * all tasks of the file equally often, also by those with no bytes and by those that have failed
 * before: status is such a failure, its reason in the error record. sid: for the application's
 * callbacks. Only where scion_collective_has_group(), or, reading,
 * scion_collective_reads_together(); not for key-value containers.
 *
 * 1, 0 at the end of the stream (reading), or an error code: this task's own, or what kept its
 * collector from moving its record. Costs a message or two for each task of a group, and for each
 * piece of a large record.
 */
int scion_collective_write(struct scion_container *container, int sid, int status, const void *data,
                           sion_int64 bytes);
int scion_collective_read(struct scion_container *container, int sid, int status, void *data,
                          sion_int64 bytes);

/*
 * The same for buddy checkpoints, by all tasks of all files: a record is written to all copies or
 * to none, and read from any file that is left.
 */
int scion_buddy_write(struct scion_container *container, int sid, int status, const void *data,
                      sion_int64 bytes);
int scion_buddy_read(struct scion_container *container, int sid, int status, void *data,
                     sion_int64 bytes);
int scion_buddy_is_on(const struct scion_container *container);

/* Whether the file is in collective mode; equal on all its tasks. */
int scion_collective_is_on(const struct scion_container *container);

/*
 * Whether the task is in a group of several tasks, one of which does the I/O for all; equal in the
 * group.
 */
int scion_collective_has_group(const struct scion_container *container);

/* Whether the collector reads for this task's group; else each task reads by itself. */
int scion_collective_reads_together(const struct scion_container *container);

/* The global ranks of this process's tasks in a mapped container. They belong to the container. */
int *scion_parallel_ranks(const struct scion_container *container);

/* The caller's rank among all tasks; -1 for containers opened otherwise. */
int scion_parallel_rank(const struct scion_container *container);

/* Their number. */
int scion_parallel_size(const struct scion_container *container);
/* The kind that its open passed; 0 for containers opened otherwise. */
int scion_parallel_kind(const struct scion_container *container);

/* Whether it has collectors that merge. */
int scion_parallel_is_merged(const struct scion_container *container);

/* Whether its files get their names at the close. */
int scion_parallel_is_atomic(const struct scion_container *container);

/* Let a hook join the close, and look at it; NULL: none. The container has been opened in parallel,
   and *hook is copied. */
void scion_parallel_set_hook(struct scion_container *container, const struct scion_hook *hook);
const struct scion_hook *scion_parallel_hook(const struct scion_container *container);

/* Of a container opened in parallel: the threads that its open passed, and its communicator. */
int scion_parallel_threads(const struct scion_container *container);
struct scion_comm *scion_parallel_comm(const struct scion_container *container);

/* Numbers of all tasks in a piece of what is gathered at a close; at most SCION_GATHER_MOST. Only
   tests set it, while nothing is open. */
extern int scion_piece_numbers;

/* Bytes of such a piece of numbers of 32 bits, unless each task has one. Tests set it. */
extern sion_int64 scion_small_piece;

#endif

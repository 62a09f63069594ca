/* What each task keeps of a container that was opened in parallel. */
#ifndef SCION_PARALLEL_STATE_H
#define SCION_PARALLEL_STATE_H

#include "parallel/collective.h"
#include "parallel/hook.h"
#include "parallel/lengths.h"
#include "parallel/meetings.h"
#include "parallel/parallel.h"
#include "parallel/refresh.h"
#include "parallel/transaction.h"

/*
 * How the tasks of a set that is written are dealt to its files, which the first task of file 0
 * writes into the mapping: it has the table, if that is rank 0, or gathers it; it need not have it;
 * it gathers only the files; or all.
 */
enum scion_deal { SCION_DEALT, SCION_DEALT_EVENLY, SCION_DEALT_IN_ORDER, SCION_DEALT_ANYHOW };

struct scion_buddies;
struct scion_staging;
struct scion_writer_lock;

/* What the parallel layer has of a container that was opened in parallel. */
struct scion_parallel {
    struct scion_comm *global;
    struct scion_comm *local; /* tasks of this physical file; the same as global if it is one */
    int kind, threads;        /* as in scion_parallel_args */
    int first_leader;         /* rank in global of the task that writes file 0's metadata */
    struct scion_turns turns;
    struct scion_collective collective;
    struct scion_buddies *buddies; /* a buddy checkpoint, else NULL */
    struct scion_mapping mapping;  /* writing a set: on rank 0 and first_leader; else size -1 */
    enum scion_deal deals;
    struct scion_length_gather gather; /* writing: reserved for the close */
    struct scion_physical **files;     /* of a mapped container that is written; on rank 0 */
    int nfiles;
    int *ranks;      /* of a mapped container's tasks here; made when asked for */
    int is_atomic;   /* writing: files get their names at the close */
    int keeps;       /* writing: it has generations */
    int grows;       /* writing: readers see, or will, a state of it before that */
    int is_by_index; /* writing on one file: rank i has task i, whatever the file's ranks are */
    struct scion_staging *staging;  /* writing: it is staged; else NULL */
    struct scion_meetings meetings; /* writing: publishes by the clock */
    struct scion_reopening *again;  /* reading: for a refresh */
    struct scion_hook hook;         /* closing NULL: none */
    struct scion_writer_lock *lock; /* writing, on rank 0 of global; or NULL */
};

/* The owner of containers that were opened in parallel. */
extern const struct scion_owner scion_parallel_owner;

/* NULL for containers opened otherwise. */
static inline struct scion_parallel *scion_parallel_of(const struct scion_container *container)
{
    return scion_container_owned(container, SCION_OWNER_PARALLEL);
}

/* The communicator is taken over. */
struct scion_parallel *scion_parallel_new(struct scion_comm *comm, int kind, int threads);
void scion_parallel_free(struct scion_parallel *parallel);

/*
 * On a file's first task: the rank, in the file's communicator, of task t of a file that is
 * written.
 */
int scion_rank_of_task(const struct scion_parallel *parallel, const struct scion_physical *physical,
                       int t);

/* The ranks of all its tasks; NULL: they are in order. */
const sion_int64 *scion_ranks_of_tasks(const struct scion_parallel *parallel,
                                       const struct scion_physical *physical);

#endif

/*
 * Where the tasks are that processes get of a container that is read, or written on: rank 0 finds
 * each by its global rank, or by the share of the process. The files have been read, or are now.
 */
#ifndef SCION_PARALLEL_MAPPED_CATALOG_H
#define SCION_PARALLEL_MAPPED_CATALOG_H

#include "parallel/mapped.h"

/* The task that has a global rank, in a container of one file. */
struct scion_place_of_rank {
    sion_int64 rank;
    int task;
};

/* How to find a container's tasks: in a set by the mapping, in one file by their ranks. */
struct scion_catalog {
    int ntasks, is_set;
    struct scion_place_of_rank *by_rank; /* one file: [ntasks], in order */
    int has_ranks;                       /* one file: sion_seek can find every task by its rank */
    int is_settled;                      /* set: all pairs have been compared */
};

/* A task that a process gets. */
struct scion_task_seat {
    int rank, file, lrank;
};

/* After a success free catalog->by_rank. master: file 0. */
int scion_catalog_make(const struct scion_physical *master, struct scion_catalog *catalog);

/* In a set all files are read, and the tasks of damaged pairs are locked out. */
int scion_catalog_settle(struct scion_mapped_root *root, struct scion_catalog *catalog);

/* Fill root->replies with the number of tasks of each process, and root->shares if tasks are shared
   out. */
int scion_catalog_count_tasks(struct scion_mapped_root *root, struct scion_catalog *catalog);

/* After that: find task i of process p, by its list or its share. */
int scion_catalog_locate(struct scion_mapped_root *root, struct scion_catalog *catalog, int p,
                         sion_int64 i, struct scion_task_seat *task);

#endif

/*
 * Which task does the I/O for which others in collective mode, and the chunk sizes that follow.
 * Pure. doc/format.md describes the algorithm and the reasons.
 */
#ifndef SCION_GEOMETRY_COLLECTIVE_H
#define SCION_GEOMETRY_COLLECTIVE_H

#include "sion_datatypes.h"

/* What groups are formed by: the request, and what is known of the tasks of a physical file. */
struct scion_group_criteria {
    int collsize; /* tasks for each collector; <= 0: automatic */
    int merge;    /* the collector's chunk takes the data of its group */
    int by_count; /* groups of exactly collsize tasks or, if that is automatic, of the tasks of a
                     node */
    const unsigned char
        *only_sends;         /* [ntasks] 1: cannot collect, never the first; NULL: all can */
    const sion_int64 *nodes; /* [ntasks] equal on one node; NULL: one node */
};

/* The group that a task belongs to: `size` tasks from `first`, its collector, on. */
struct scion_group {
    int first, size;
};

/*
 * Form groups of consecutive tasks by their chunk sizes: requested ones when writing, stored ones
 * when reading. Fills groups[ntasks]. O(ntasks). The sum of the sizes must fit into 63 bits.
 */
int scion_collective_group(const sion_int64 *chunksizes, int ntasks, int fsblksize,
                           const struct scion_group_criteria *criteria, struct scion_group *groups);

/* Change requested chunk sizes, in place, to what a collective writer stores. */
int scion_collective_align(sion_int64 *chunksizes, int ntasks, int fsblksize, int merge,
                           const struct scion_group *groups);

/*
 * The same of tasks that request the same size, by formulas: each task knows its group and its
 * chunk by its number. Without `merge`, `only_sends` and `nodes`.
 */
struct scion_even_groups {
    sion_int64 chunksize;
    int ntasks, fsblksize;
    int size; /* tasks of each group but, perhaps, the last one; 0: no groups */
};
int scion_collective_group_evenly(const struct scion_group_criteria *criteria,
                                  struct scion_even_groups *even);

/* Of a task: the first one of its group; the size as stored; the bytes of all tasks before. */
int scion_even_groups_chunk(const struct scion_even_groups *even, int task, sion_int64 *stored,
                            sion_int64 *before);

/* Reading: the groups that may have written a merged file: each begins with a task that has data.
 */
void scion_collective_find(const unsigned char *has_data, int ntasks, struct scion_group *groups);

#endif

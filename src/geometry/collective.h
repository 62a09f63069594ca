/*
 * Who does the I/O for whom in collective mode, and what that makes of the chunk sizes. Pure.
 * The algorithm and the reasons are in doc/format.md.
 */
#ifndef SCION_GEOMETRY_COLLECTIVE_H
#define SCION_GEOMETRY_COLLECTIVE_H

#include "sion_datatypes.h"

/* What is asked for, and what is known of the tasks of a physical file. */
struct scion_group_criteria {
    int collsize; /* tasks for each collector; <= 0: automatic */
    int merge;    /* the collector's chunk takes the data of its group */
    int by_count; /* groups of exactly collsize tasks, or, if that is not given, of a node */
    const unsigned char
        *only_sends;         /* [ntasks] 1: cannot collect, never the first; NULL: all can */
    const sion_int64 *nodes; /* [ntasks] equal on one node; NULL: one node */
};

/* The group that a task belongs to: `size` tasks from `first`, its collector, on. */
struct scion_group {
    int first, size;
};

/*
 * Form groups of consecutive tasks from their chunk sizes: requested ones when writing, stored ones
 * when reading. groups[ntasks]. O(ntasks). The total must fit into 63 bits.
 */
int scion_collective_group(const sion_int64 *chunksizes, int ntasks, int fsblksize,
                           const struct scion_group_criteria *criteria, struct scion_group *groups);

/* Change requested chunk sizes, in place, to what a collective writer stores. */
int scion_collective_align(sion_int64 *chunksizes, int ntasks, int fsblksize, int merge,
                           const struct scion_group *groups);

/* Reading: the groups that have written a merged file: a task with data, and those behind it. */
void scion_collective_find(const unsigned char *has_data, int ntasks, struct scion_group *groups);

/*
 * Whether these groups may be those of a merging writer that was asked for `criteria`. The sizes
 * are the stored ones, which tell what was requested up to a block for each task: 0 is certain.
 */
int scion_collective_fits(const sion_int64 *stored, int ntasks, int fsblksize,
                          const struct scion_group_criteria *criteria,
                          const struct scion_group *groups);

#endif

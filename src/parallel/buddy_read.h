/* What the parts of reading a buddy checkpoint share. */
#ifndef SCION_PARALLEL_BUDDY_READ_H
#define SCION_PARALLEL_BUDDY_READ_H

#include "parallel/buddy.h"

/* A file of the set: the task that has it, and the round in which its records are exchanged. */
struct scion_copy_file {
    sion_int64 keeper; /* rank, or -1 */
    sion_int64 flag2;  /* of the file, if there is a keeper */
    sion_int64 round;
};

/* What rank 0 and the keepers know while the container is opened. */
struct scion_buddy_reader {
    struct scion_comm *comm;
    const struct scion_parallel_args *args;
    int ngroups, group;
    struct scion_physical **found; /* [ngroups] on a task that leads: files that it can read */
    struct scion_copy_file *files; /* [ngroups] */
    int nrounds;
    int checksum; /* files that are damaged do not count */
    char *damage; /* what is wrong with one of them; NULL: nothing that is known */
    char *misfit; /* name of a file that was written with another file 0; NULL: none */

    struct scion_task_place placed; /* this task's data */
    sion_int64 *used;
};

/*
 * Collective: find a file of each number, of the normal set or a copy, and decide which task keeps
 * it. The others close what they have found.
 */
int scion_buddy_find(struct scion_buddy_reader *reader);

#endif

/*
 * A container of which one process has any number of tasks, in any of the files, to be written or
 * read through one stream that goes from one to the other. The metadata are another process's.
 */
#ifndef SCION_FILE_MAPPED_H
#define SCION_FILE_MAPPED_H

#include "file/container.h"

/* One of the process's tasks. */
struct scion_attached {
    int rank;        /* global rank, which selects it */
    int file, lrank; /* index in the process's files, and of the task in that file */
    int filenumber;
    struct scion_place place;
    sion_int64 count; /* reading: chunks */
    sion_int64 *used; /* reading: bytes in each of them, malloc'd */
};

struct scion_mapped_plan {
    const struct scion_meta1 *head;
    const struct scion_mode *mode;
    const char *name;   /* what the container is called if this process opens no file of it */
    const char **paths; /* of the files that its tasks are in; [nfiles] */
    int nfiles;
    struct scion_attached *tasks; /* malloc'd; [ntasks], which may be 0 */
    int ntasks;
    int all; /* writing: tasks of all processes */
    int writing;
};

/*
 * Make the container and open its files. plan->tasks is taken over in any case. The first task in
 * the first file is selected.
 */
int scion_container_map(const struct scion_mapped_plan *plan, struct scion_container **container);

/* The process's task with an index. */
const struct scion_attached *scion_container_attached(const struct scion_container *container,
                                                      int task);

/* Index of the task of a global rank, or -1. O(log tasks). */
int scion_container_find_attached(const struct scion_container *container, int rank);

/*
 * As scion_container_duplicate, of the task with an index, or of all if that is -1. Each begins
 * where it stands in the original.
 */
int scion_container_duplicate_mapped(struct scion_container *container, int task,
                                     struct scion_container **duplicate);

/* NULL: nothing. */
void scion_attached_free(struct scion_attached *tasks, int ntasks);

#endif

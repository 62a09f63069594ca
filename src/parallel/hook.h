/* A callback of another library at the close of a container that was written in parallel. */
#ifndef SCION_PARALLEL_HOOK_H
#define SCION_PARALLEL_HOOK_H

#include "file/task_place.h"
#include "stream/lengths.h"

struct scion_comm;

/* What is known of a task of a parallel container after all tasks have written their last byte. */
struct scion_close_task {
    struct scion_task_place placed;
    const char *path; /* of its physical file */
    const struct scion_lengths *lengths;
};

struct scion_close_info {
    struct scion_comm *comm; /* of all processes */
    int status;              /* 0, or this process's failure, with its reason in the error record */
    int is_mapped;
    const struct scion_close_task
        *tasks; /* of this process: one; is_mapped: any number, in any order */
    int ntasks;
};

/*
 * Takes part in the close of a parallel container that was open for writing. Collective over comm,
 * after META2 was written. Its result is the result of the close: it must be equal on all
 * processes, and 0 only if status is 0 on all.
 */
struct scion_hook {
    /* NULL, or called on rank 0 of an atomic container, before its first file gets its name: what
       describes the older container must go now. An error: the older container stays. */
    int (*replacing)(void *user);
    int (*closing)(void *user, const struct scion_close_info *closed);
    void (*release)(void *user); /* called in any case, as the last one */
    void *user;
};

#endif

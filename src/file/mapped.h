/*
 * A container of which one process has any number of tasks, in any of the files, to be written or
 * read through one stream that goes from one to the other. The metadata are another process's.
 */
#ifndef SCION_FILE_MAPPED_H
#define SCION_FILE_MAPPED_H

#include "file/container.h"

struct scion_mapped_plan {
    const struct scion_meta1 *head;
    const struct scion_mode *mode;
    const char *name;    /* what the container is called if this process opens no file of it */
    const char **paths;  /* of the files that its tasks are in; [nfiles] */
    const char **finals; /* the names that they will have; NULL: the same */
    int are_derived;     /* the library has made all paths but `name` */
    int nfiles;
    struct scion_task_place *tasks; /* malloc'd; [ntasks], which may be 0 */
    sion_int64 *used;               /* reading: bytes in all chunks of each task, malloc'd */
    int ntasks;
    int all; /* writing: tasks of all processes */
    int writing;
    int appends; /* writing on: `used` as if reading */
    int keeps;   /* writing: it has generations */
};

/*
 * Make the container and open its files. plan->tasks and ->used are taken over in any case. The
 * first task in the first file is selected.
 */
int scion_container_map(const struct scion_mapped_plan *plan, struct scion_container **container);

/*
 * The container is read, and nothing of it has been read yet: its tasks get the streams of members,
 * by a row of words for each (members.h).
 */
int scion_container_show_mapped_members(struct scion_container *container, const sion_int64 *rows);

/* Where the CRCs of a task are; 64-bit words, because tasks send it to each other. */
struct scion_crc_place {
    sion_int64 piece; /* bytes of data under one CRC; 0: its file has none */
    sion_int64 swapped, at;
    sion_int64 count; /* of the CRCs themselves, if these are here, one after the other, too */
};

/*
 * The guards of the container's files, [nopen] or NULL: by a place for each task. They do not watch
 * the files yet. The caller frees them, and the array, unless the container takes them.
 */
int scion_mapped_guards(const struct scion_container *container,
                        const struct scion_crc_place *places, const uint32_t *crcs,
                        struct scion_guard ***guards);
void scion_mapped_watch(struct scion_container *container, struct scion_guard **guards);

/* Writing: from now on no chunk of a file is begun before floors[its number]. */
void scion_mapped_raise(struct scion_container *container, const sion_int64 *floors);

/* The same: all tasks go on there. Nothing happens to those that have. */
int scion_mapped_leap(struct scion_container *container);

/* Writing: chunks before forgotten[its number] have no checksums. */
void scion_mapped_drop(struct scion_container *container, const sion_int64 *forgotten);

/* The process's task with an index. */
const struct scion_task_place *scion_container_task_place(const struct scion_container *container,
                                                          int task);

/* Index of the task of a global rank, or -1. O(log tasks). */
int scion_container_find_rank(const struct scion_container *container, int rank);

/*
 * As scion_container_duplicate, of the task with an index, or of all if that is -1. Each begins
 * where it stands in the original.
 */
int scion_container_duplicate_mapped(struct scion_container *container, int task,
                                     struct scion_container **duplicate);

#endif

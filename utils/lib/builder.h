/* A new container that a tool writes: one physical file, one chunk for each task. */
#ifndef UTILS_LIB_BUILDER_H
#define UTILS_LIB_BUILDER_H

#include "file/physical.h"
#include "lib/replace.h"

struct builder {
    struct replace replace;
    struct scion_physical *physical;
    sion_int64 *used; /* [ntasks] */
};

struct builder_plan {
    const char *name;
    int ntasks;
    int fsblksize;                 /* 0: the file system's */
    int keyval, big_endian;        /* as scion_meta1_init takes them */
    mode_t permissions;            /* less the umask */
    sion_int64 *used;              /* [ntasks] bytes of each task; malloc'd, taken over */
    const sion_int64 *globalranks; /* [ntasks] */
};

/*
 * An old file of the name stays until the end. TOOL_RUN or, reported, TOOL_FAILED, as from all
 * these.
 */
int builder_create(struct builder *builder, const struct builder_plan *plan);

/* Write bytes of a task's chunk. */
int builder_write(struct builder *builder, int task, sion_int64 pos, const void *data,
                  size_t bytes);

/*
 * If status is TOOL_RUN, close the container and give it its name; else remove it, and an old file
 * of the name is unchanged. Frees everything. Returns status, or TOOL_FAILED if only this failed.
 */
int builder_end(struct builder *builder, int status);

enum { MEGABYTE = 1 << 20 };

/* A block size as options give it: text in units of bytes. TOOL_RUN, or a message, TOOL_USAGE. */
int builder_fsblksize(int letter, const char *text, int unit, int *fsblksize);

#endif

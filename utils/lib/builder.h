/*
 * A new container that a tool writes, with one chunk for each task unless another size is wanted.
 * A team makes it together: its leader makes the files and gives them their names, and all write.
 */
#ifndef UTILS_LIB_BUILDER_H
#define UTILS_LIB_BUILDER_H

#include "file/physical.h"
#include "lib/replace.h"
#include "lib/team.h"
#include "lib/tool.h"

struct builder_file;
struct builder_sums;
struct staged;
struct staged_plan;

/* Writes into file 0 what comes behind all that readers of containers know, from offset on. 0 or an
   error code. */
typedef int builder_behind(void *context, struct scion_file *file, sion_int64 offset);

struct builder {
    struct team *team;          /* the caller's, or NULL */
    struct builder_file *files; /* [nfiles] */
    int nfiles, ntasks;
    int open;                 /* the file that has its descriptor, or -1 */
    struct replace *replaces; /* [nfiles]; only the leader ends them */
    sion_int64 flag2;         /* of several files: what says that they belong together */
    sion_int64 *used;         /* [ntasks] */
    int has_checksums;
    struct scion_commit *commits; /* [ntasks]; NULL: there are no commit records */
    builder_behind *behind;       /* or NULL */
    void *context;
    struct staged *staged;     /* NULL: it is not */
    const unsigned char *ours; /* then: the caller's */
    struct builder_sums *sums; /* NULL: they are not computed yet */
    char *beside; /* where the leader makes file 0; NULL: the file of the name is written itself */
};

struct builder_plan {
    struct team *team; /* NULL: this process is alone */
    const char *name;
    int ntasks;
    int nfiles;                    /* equal shares of the tasks in each; 0: one file */
    sion_int64 chunksize;          /* of all tasks; 0: the task's bytes, so that it has one chunk */
    int fsblksize;                 /* 0: the file system's */
    int keyval, big_endian;        /* as scion_meta1_init takes them */
    int is_zipped;                 /* the streams that are written are compressed already */
    int recovers;                  /* builder_commit() leaves commit records in the chunks */
    mode_t permissions;            /* less the umask */
    sion_int64 *used;              /* [ntasks] bytes of each task; malloc'd, taken over */
    const sion_int64 *globalranks; /* [ntasks]; of several files task t must be rank t */
    const struct staged_plan
        *staged;       /* lib/staged.h, for one file, whose tasks have one chunk each:
                          each process writes what its node has; NULL: it is not */
    int has_checksums; /* of all data, which are read again at the end; needs scion_crc_find() */
    builder_behind *behind; /* NULL: nothing; called by the leader at the end */
    void *context;          /* of this */
};

/*
 * An old file of the name stays until the end. TOOL_RUN or, reported, TOOL_FAILED, as from all
 * these. Collective over the team; all pass the same plan.
 */
int builder_create(struct builder *builder, const struct builder_plan *plan);

/* The tasks that this process is to write: *begin .. *end - 1. Begins the team's work on them. */
int builder_share(const struct builder *builder, int *begin, int *end);

/* Write bytes of a task's stream. Quickest in the order of the tasks. */
int builder_write(struct builder *builder, int task, sion_int64 pos, const void *data,
                  size_t bytes);

/*
 * The first bytes of a task, up to pos, have been written by this process: if it is killed before
 * the end, sionrecover finds them in the file .NAME.NONCE.new. Positions of a task only grow.
 */
int builder_commit(struct builder *builder, int task, sion_int64 pos);

/*
 * If status is TOOL_RUN, close the container and give it its name, or begin its drain; else remove
 * it, and an old file of the name is unchanged. Frees everything. Returns status, or TOOL_FAILED if
 * only this failed. Collective: a bad status of one process is that of all.
 */
int builder_end(struct builder *builder, int status);

enum { MEGABYTE = 1 << 20 };

/* Reads a block size into an int: bytes, from a text in units of the option's number of bytes. */
tool_read builder_fsblksize;

#endif

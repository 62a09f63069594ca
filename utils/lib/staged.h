/*
 * A container that a tool writes to folders of the nodes, and that a thread of it drains
 * afterwards, as the library does with what programs stage (stage/part.h, stage/queue.h). One
 * process of each node takes part.
 */
#ifndef UTILS_LIB_STAGED_H
#define UTILS_LIB_STAGED_H

#include "file/physical.h"
#include "lib/team.h"
#include "stage/part.h"

struct staged_plan {
    const char *folder;        /* of this node */
    const unsigned char *ours; /* [ntasks] whether this node has the task's data */

    /* Called before the part is made, and again when the parts of all nodes are complete, before
       the drain begins. TOOL_RUN, or TOOL_FAILED after a message. */
    int (*note)(void *context, const struct scion_stage_part *part, int is_complete);
    void *context;
};

struct staged;

/*
 * Begin this node's part: an empty file that is *path. permissions: of the container, less the
 * umask. On the leader, *flag2 has a nonce, and *fsblksize may be 0; afterwards all have the
 * leader's, and that of the container's own folder. Collective over the team, as what follows.
 * TOOL_RUN, or TOOL_FAILED after a message. *staged is to be ended in any case; NULL: nothing is.
 */
int staged_begin(struct staged **staged, const struct staged_plan *plan, const char *name,
                 struct team *team, int ntasks, mode_t permissions, sion_int64 *flag2,
                 int *fsblksize);

/* The file, which has no other name for a tool. */
const char *staged_path(const struct staged *staged);
const struct stat *staged_file(const struct staged *staged);

/* Note where the node's data will be, used[ntasks] bytes in chunks that are the tasks' only ones.
   Not collective. */
int staged_place(struct staged *staged, const struct scion_physical *physical,
                 const sion_int64 *used);

/*
 * If status is TOOL_RUN, everything has been written and is on the node's disk: the drain begins.
 * Else the part is removed. Returns status, or TOOL_FAILED if only this failed.
 */
int staged_end(struct staged *staged, int status);

#endif

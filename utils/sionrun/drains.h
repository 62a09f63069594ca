/*
 * Containers that sionrun packs on the node, and that a thread of it drains while it goes on
 * (stage/queue.h). The file SESSION/staged says which one was begun last.
 */
#ifndef UTILS_SIONRUN_DRAINS_H
#define UTILS_SIONRUN_DRAINS_H

#include "lib/staged.h"
#include "sionrun/load.h"

/*
 * Whether all nodes can pack what they have in their folders for staging, beside the files
 * themselves: waits until an earlier container has been drained, and warns if there is no room.
 * Collective. TOOL_RUN, or TOOL_FAILED after a message.
 */
int drains_can_begin(const struct folder *folder, const struct load *load, struct team *team,
                     int *can_begin);

/* How to stage the next container; stage[SCION_PATH] is filled. The load and the folder are used
   until it is ended. */
int drains_plan(const struct folder *folder, const struct load *load, char *stage,
                struct staged_plan *plan);

enum drains_state {
    DRAINS_NOTHING, /* the files are to be packed */
    DRAINS_CLOSED,  /* this node's part is complete; those of the others may not be */
    DRAINS_PACKED   /* the container is complete, and drained or left for siondrain */
};

/*
 * What a killed sionrun has staged of this session. A part that is not complete is given up,
 * because the files are still here. TOOL_RUN, or TOOL_FAILED after a message.
 */
int drains_settle(const struct folder *folder, enum drains_state *state);

/* After DRAINS_CLOSED, while this node waits for the others: whether one of them has begun to
   drain, or the container is there. */
int drains_have_begun(const struct folder *folder);

/*
 * Of all nodes, which still have their files: *state is DRAINS_PACKED if the parts of all are
 * complete, else DRAINS_NOTHING, and they are given up, but for those of a job that has lost nodes.
 * Collective. TOOL_RUN, or TOOL_FAILED after a message.
 */
int drains_agree(const struct folder *folder, struct team *team, int is_reduced,
                 enum drains_state *state);

/* Warn if there are staged containers in a folder. */
void drains_tell(const char *stage);

/* The end of sionrun: wait for its drains, or leave them. TOOL_FAILED after a message if one has
   failed. */
int drains_end(int leave);

#endif

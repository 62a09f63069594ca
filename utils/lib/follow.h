/* A container that is written and published: its states, one after the other, as they come. */
#ifndef UTILS_LIB_FOLLOW_H
#define UTILS_LIB_FOLLOW_H

#include "file/container.h"
#include "file/generations.h"
#include "file/physical.h"

struct follow {
    struct scion_container *container;
    int had_writer;  /* somebody had the lock of its writer */
    int from_oldest; /* of generations, all that there are are wanted, and not only the newest */
};

/* The generations that it keeps are one stream; NULL: it keeps none. */
const struct scion_generations *follow_generations(const struct follow *follow);

/*
 * After a read of a container with generations, with the cursor where it began: whether the state
 * is still the newest one, and what was read is what was written. If not, a newer one is there, and
 * the cursor may have moved. TOOL_FAILED after a message.
 */
int follow_check(struct follow *follow, int *is_newest);

/* The number of its present state. */
sion_int64 follow_number(const struct follow *follow);

/* The exit status of a tool whose container will get no more states, and was not closed. */
enum { FOLLOW_LOST = 3 };

/* The state of a container that is there now. TOOL_RUN, or TOOL_FAILED after a message. */
int follow_open(char *name, struct follow *follow);

/*
 * Wait for the next state, and go to it: TOOL_RUN. TOOL_DONE: there will be none, because the
 * present one was written by a close, or the user has sent SIGINT. FOLLOW_LOST after a message: the
 * writer has ended without a close; where nobody has been seen with its lock, because of lock=no or
 * on another node, it counts as ended a minute after the last state. TOOL_FAILED after a message.
 */
int follow_next(struct follow *follow);

/* Returns status, or TOOL_FAILED after a message. */
int follow_close(struct follow *follow, int status);

/* What the first file says of the present state; NULL: it was never published. */
const struct scion_state *follow_state(const struct follow *follow);

/* Whether the newest state of an open container was written by a close; also if sionrm has written
   it again, without what is forgotten. */
static inline int follow_is_closed(const struct scion_container *container)
{
    const struct scion_physical *file = scion_container_file(container, 0);

    return !file->is_in_area || file->state.is_closed;
}

#endif

/*
 * The staged containers of this process: those that are being written, and those that a thread
 * drains. The thread belongs to the node's first process; the others look at the record.
 */
#ifndef SCION_STAGE_QUEUE_H
#define SCION_STAGE_QUEUE_H

#include "stage/part.h"

struct scion_staged;

/* ---- what the open and the close of a container do ---- */

/*
 * Before a container is staged: wait until at most `keep` earlier ones of this process wait for
 * their drains. An error if there are more, because their drains fail.
 */
int scion_staged_make_room(int keep);

/* Fill part->before with those of the same name. */
void scion_staged_list_before(struct scion_stage_part *part);

/*
 * The lock of a name while a container is written and drained. It is that of an earlier container
 * of this name, if one waits for its drain. Each successful call is undone by an unlock.
 */
int scion_staged_lock(const char *target);
void scion_staged_unlock(const char *target);

/*
 * List a part, whose strings are taken over. drains: this process drains it, and locks its record.
 * has_lock: the list unlocks the name at the end.
 */
int scion_staged_add(const struct scion_stage_part *part, int drains, int has_lock,
                     struct scion_staged **staged);

/* All data have been written, as all tasks know in a moment: the record says it. */
int scion_staged_seal(struct scion_staged *staged, int is_synced);

/* Drain it; or forget it, and unless `keep`, remove its files, if this process would drain it. */
void scion_staged_hand_over(struct scion_staged *staged);
void scion_staged_drop(struct scion_staged *staged, int keep);

/* ---- what others ask ---- */

enum scion_staged_state {
    SCION_STAGED_WRITTEN, /* it has not been closed */
    SCION_STAGED_WAITS,   /* for its drain, or is drained */
    SCION_STAGED_FAILED
};

/* What is known of the containers of a name. */
struct scion_staged_info {
    int waiting, failed;    /* how many */
    sion_int64 done, total; /* bytes of this node's parts, as far as they are counted */
    char reason[SCION_STAGE_REASON + 64]; /* of one that has failed */
};

/* The name of a container with its folder from the root on; to be freed; NULL: a failure. */
char *scion_staged_target(const char *name);

/* target: NULL: of all. */
void scion_staged_look(const char *target, struct scion_staged_info *info);

/*
 * Wait for the drains of a name; NULL: of all. An error if one has failed. again: what has failed
 * is tried once more.
 */
int scion_staged_wait(const char *target, int again);

/* The same for a container's name as the application says it. Cheap if nothing is staged. */
int scion_staged_settle(const char *name);

/* From now on, the end leaves what has not been drained, as SION_STAGE_EXIT=leave says. */
void scion_staged_leave(void);

/*
 * The end of the process, or of MPI: wait, unless SION_STAGE_EXIT says `leave`, and tell what has
 * not been drained. 1: a drain of this process has failed, and no call has told of it.
 */
int scion_staged_end(void (*tell)(int rank, const char *text));

#endif

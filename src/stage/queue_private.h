/* The list of staged containers, its lock, and the thread that drains them. */
#ifndef SCION_STAGE_QUEUE_PRIVATE_H
#define SCION_STAGE_QUEUE_PRIVATE_H

#include <sys/types.h>

#include "stage/drain.h"
#include "stage/queue.h"

struct scion_writer_lock;

/* Its members are protected by the queue's lock; while it is drained, the part is the thread's. */
struct scion_staged {
    struct scion_staged *next; /* opened later */
    struct scion_stage_part part;
    struct scion_drain drain;
    struct scion_writer_lock *lock; /* of the record; NULL where another process drains */
    int drains, has_name;
    int has_locks; /* the lock of the record can be seen: its file system has locks */
    enum scion_staged_state state;
    int is_told;    /* the failure, by a call */
    int is_printed; /* by the end of MPI or of the process */
    char reason[SCION_STAGE_REASON + 64];
};

/* The first lock of a child of fork begins with nothing: no thread, no container, no name. */
void scion_queue_lock(void);
void scion_queue_unlock(void);

/* Without the lock: this process, not its parent, has used the queue. */
int scion_queue_is_own(void);

/* Before the first lock, in a child of fork: forget what its parent has. */
void scion_queue_be_empty(void);
void scion_queue_forget_names(void);

/* With the lock: wait until something has changed. 0: no thread can change anything. */
int scion_queue_await(void);

/* With the lock: something has changed. */
void scion_queue_tell(void);

/* With the lock: whether this process has the lock of a name. */
int scion_queue_has_name(const char *target);

/* With the lock: scion_staged_unlock(). */
void scion_queue_unlock_name(const char *target);

/* With the lock: the next one that waits for its drain, or NULL. */
struct scion_staged *scion_queue_next(void);

/* With the lock: it was drained, or not. */
void scion_queue_settle(struct scion_staged *staged, int rc);

/*
 * With the lock: see that a thread drains what waits. Where there are no threads, it is drained
 * before this returns.
 */
void scion_queue_start(void);

/* With the lock, which is given back meanwhile: free what was drained. */
void scion_queue_clean(void);

/* Without the lock, when nothing waits: return when the thread has ended. */
void scion_queue_end(void);

#endif

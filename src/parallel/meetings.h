/* Publishing by the clock: in which collective calls the tasks of a container meet for it. */
#ifndef SCION_PARALLEL_MEETINGS_H
#define SCION_PARALLEL_MEETINGS_H

#include "file/container.h"

struct scion_parallel;

/*
 * Between meetings a call costs nothing. Rank 0 has the clock: in a meeting it says whether the
 * time has come, and in which call they meet next, by the calls that were made in the time before.
 */
struct scion_meetings {
    int is_on;        /* equal on all tasks */
    sion_int64 calls; /* of this task since all have begun to count */
    sion_int64 next;  /* the one in which they meet */

    /* On rank 0. */
    double interval, published; /* seconds; the time of the last publish */
    double met;                 /* time of the last meeting, */
    sion_int64 before;          /* and its call */
};

/* Collective, all of them on or none. seconds: rank 0's count. */
void scion_meetings_begin(struct scion_parallel *parallel, int is_on, int seconds);

/* After a publish of all tasks: they begin to count. */
void scion_meetings_restart(struct scion_parallel *parallel);

/*
 * At the end of a call, as scion_parallel_meet(): whether all tasks publish now, and then this
 * one's result of leaving its calls. 0, or a failure that all have.
 */
int scion_meetings_look(struct scion_container *container, int of_transaction, int *is_due,
                        int *own);

/*
 * Before the tasks do something else together, as scion_leave_calls(), which it does, too: also
 * those meet that make more calls than this one.
 */
int scion_leave_meetings(struct scion_container *container);

#endif

#include "parallel/meetings.h"

#include "base/error.h"
#include "file/stats.h"
#include "parallel/state.h"

/* What rank 0 says. */
enum { IS_DUE, NEXT, NUMBERS };

/* Whether all tasks of a meeting are in a call, or all of them leave. */
enum outcome { ALL_MEET, SOME_LEAVE, ALL_LEAVE };

/* A clock that stands still has made a nanosecond. */
static double least(double seconds)
{
    return seconds > 1e-9 ? seconds : 1e-9;
}

/*
 * Calls until half of the time that is left has gone, if they come as those since the last meeting;
 * at most twice as many as these. So what is late is a part of the time, whatever the calls do.
 */
static sion_int64 calls_left(const struct scion_meetings *meetings, double now)
{
    sion_int64 made = meetings->calls - meetings->before;
    double left = meetings->published + meetings->interval - now,
           calls = left / 2 / least(now - meetings->met) * (double)made;

    if (calls < 1)
        return 1;
    return calls < 2 * (double)made ? (sion_int64)calls : 2 * made;
}

/* On rank 0. */
static void look_at_clock(struct scion_meetings *meetings, sion_int64 told[NUMBERS])
{
    double now = scion_seconds();

    told[IS_DUE] = now - meetings->published >= meetings->interval;
    told[NEXT] = meetings->calls + (told[IS_DUE] ? 1 : calls_left(meetings, now));
    meetings->met = now;
    meetings->before = meetings->calls;
}

static void count_anew(struct scion_meetings *meetings)
{
    meetings->calls = meetings->before = 0;
    meetings->next = 1;
}

void scion_meetings_begin(struct scion_parallel *parallel, int is_on, int seconds)
{
    parallel->meetings.is_on = is_on;
    parallel->meetings.interval = seconds;
    scion_meetings_restart(parallel);
}

void scion_meetings_restart(struct scion_parallel *parallel)
{
    struct scion_meetings *meetings = &parallel->meetings;

    count_anew(meetings);
    if (meetings->is_on && parallel->global->rank == 0)
        meetings->met = meetings->published = scion_seconds();
}

/* Collective. SION_ERR_COMM, or 0. */
static int meet(const struct scion_parallel *parallel, int leaves, sion_int64 told[NUMBERS],
                enum outcome *outcome)
{
    sion_int64 stay = !leaves, go = leaves;
    int rc = scion_minimum(parallel->global, &stay, told, NUMBERS);

    *outcome = stay ? ALL_MEET : SOME_LEAVE;
    if (rc != 0 || stay)
        return rc;
    rc = scion_minimum(parallel->global, &go, NULL, 0);
    if (go)
        *outcome = ALL_LEAVE;
    return rc;
}

int scion_leave_meetings(struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    sion_int64 told[NUMBERS] = {0};
    enum outcome outcome = parallel->meetings.is_on ? SOME_LEAVE : ALL_LEAVE;
    int rc = scion_leave_calls(container), other = 0;

    while (other == 0 && outcome != ALL_LEAVE) {
        other = meet(parallel, 1, told, &outcome);
        if (other == 0 && outcome != ALL_LEAVE && scion_leave_calls(container) == SION_ERR_COMM)
            other = SION_ERR_COMM;
    }
    count_anew(&parallel->meetings);
    return scion_first_failure(rc, other);
}

/* If a task has left, as after a failure, nothing is published by the clock any more. */
static int hold_meeting(struct scion_container *container, int *is_due, int *own)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_meetings *meetings = &parallel->meetings;
    sion_int64 told[NUMBERS] = {0};
    enum outcome outcome;
    int rc;

    *own = scion_leave_calls(container);
    if (parallel->global->rank == 0)
        look_at_clock(meetings, told);
    rc = meet(parallel, 0, told, &outcome);
    if (rc != 0)
        return rc;
    meetings->next = outcome == ALL_MEET ? told[NEXT] : meetings->calls + 1;
    *is_due = outcome == ALL_MEET && told[IS_DUE];
    return 0;
}

int scion_meetings_look(struct scion_container *container, int of_transaction, int *is_due,
                        int *own)
{
    struct scion_parallel *parallel = scion_parallel_of(container);

    *is_due = 0;
    if (!parallel || !parallel->meetings.is_on || (of_transaction && !parallel->turns.is_begun))
        return 0;
    parallel->turns.is_begun &= !of_transaction;
    return ++parallel->meetings.calls < parallel->meetings.next
               ? 0
               : hold_meeting(container, is_due, own);
}

void scion_parallel_leave_at_once(struct scion_container *container)
{
    if (scion_parallel_of(container)->meetings.is_on)
        scion_leave_meetings(container);
    else
        scion_leave_calls_at_once(container);
}

/* The close of a container by all its tasks together. */
#include <stdlib.h>

#include "base/error.h"
#include "base/trace.h"
#include "comm/agree.h"
#include "file/mapped.h"
#include "file/stats.h"
#include "parallel/buddy.h"
#include "parallel/checksum.h"
#include "parallel/endings.h"
#include "parallel/generations.h"
#include "parallel/files.h"
#include "parallel/members.h"
#include "parallel/staging.h"
#include "parallel/state.h"
#include "parallel/tables.h"

static void list_mapped(const struct scion_container *container, struct scion_close_task *tasks)
{
    int i;

    for (i = 0; i < scion_container_ntasks(container); i++) {
        const struct scion_task_place *task = scion_container_task_place(container, i);

        tasks[i] = (struct scion_close_task){
            *task, scion_physical_final(scion_container_file(container, task->index)),
            scion_container_lengths(container, i)};
    }
}

static int call_hook(const struct scion_parallel *parallel, struct scion_container *container,
                     const struct scion_place *place, int status)
{
    int is_mapped = scion_container_is_mapped(container),
        n = is_mapped ? scion_container_ntasks(container) : 1, rc;
    struct scion_close_task *tasks = scion_must_allocate((size_t)n + 1, sizeof *tasks);
    const struct scion_close_info closed = {parallel->global, status, is_mapped, tasks, n};

    if (is_mapped)
        list_mapped(container, tasks);
    else
        tasks[0] = (struct scion_close_task){{.rank = scion_container_rank(container),
                                              .file = scion_container_head(container)->filenumber,
                                              .lrank = scion_container_lrank(container),
                                              .place = *place},
                                             scion_container_name(container),
                                             scion_container_lengths(container, 0)};
    rc = parallel->hook.closing(parallel->hook.user, &closed);
    free(tasks);
    return rc;
}

/* Not called after a failure of communication, which all tasks know. */
static void tally_up(struct scion_comm *comm, struct scion_tally *tally)
{
    struct scion_stats own = *tally->own;

    own.seconds[SCION_PHASE_CLOSE] = scion_seconds() - tally->begin;
    if (comm->rank == 0)
        tally->ranks = scion_must_allocate((size_t)comm->size, sizeof own);
    if (scion_gather(comm, &own, tally->ranks, sizeof own, 0) != 0) {
        free(tally->ranks);
        tally->ranks = NULL;
    }
}

static int write_out(const struct scion_parallel *parallel, struct scion_container *container)
{
    int rc = scion_container_end_stream(container);
    int waits =
        (parallel->is_atomic && !parallel->staging) || scion_container_syncs_close(container);
    int synced = waits ? scion_container_sync(container) : 0;

    rc = scion_first_failure(rc, synced);
    return rc == 0 && parallel->is_atomic ? scion_container_check_written(container) : rc;
}

static int close_streams(struct scion_parallel *parallel, struct scion_container *container, int rc)
{
    const struct scion_place place = scion_container_stream(container)->place;
    struct scion_length_news news = {.rc = 0};
    int other = write_out(parallel, container);

    news.rc = scion_first_failure(rc, other);
    if (parallel->keeps)
        scion_agree_on_generations(parallel, container, &news);
    rc = news.rc;
    if (news.keeps_state)
        return rc;
    other = scion_write_tables(parallel, container);
    rc = scion_first_failure(rc, other);
    other = scion_checksum_write_parallel(parallel, container, &place,
                                          scion_mapping_of(parallel, container), 0, rc);
    rc = scion_first_failure(rc, other);
    other = scion_write_members(parallel, container, rc);
    rc = scion_first_failure(rc, other);
    other = scion_switch_states(parallel, container, 1);
    rc = scion_first_failure(rc, other);
    if (parallel->keeps) /* after a failure, the newest state may be the one before */
        scion_end_generations(parallel, container, rc);
    return rc;
}

/*
 * A task with an ending does not know whether all tasks have one. So it first takes part in the
 * close of those without one; the agreement at its end tells them that others have more to write.
 * Then either all continue, or all have the same error and the container is closed as it is.
 * *is_agreed: the tasks have agreed on the failure.
 */
static int run_ending(struct scion_parallel *parallel, struct scion_container *container, int rc,
                      int *is_agreed)
{
    const struct scion_ending *ending = scion_container_ending(container);
    struct scion_comm *global = parallel->global;
    int other = scion_stream_flush(scion_container_stream(container));

    rc = scion_first_failure(rc, other);
    other = scion_write_tables(parallel, container);

    rc = scion_name_rank(global, scion_first_failure(rc, other));
    rc = scion_agree_or_more(global, rc != 0 ? rc : SCION_MORE);
    if (rc == SCION_MORE)
        rc = scion_agree(global, 0);
    *is_agreed = rc != 0;
    return rc != 0 ? rc : ending->run(ending->user, global, scion_container_is_mapped(container));
}

/*
 * The same of a container that grows, whose tables need all tasks: first they all learn whether any
 * has an ending. It is closed also if only some have.
 */
static int meet_endings(const struct scion_parallel *parallel,
                        const struct scion_container *container, int rc)
{
    int has_ending = scion_container_ending(container) != NULL;
    int other = scion_agree_or_more(parallel->global, has_ending ? SCION_FIRST : 0);

    if (other == SCION_FIRST)
        other = scion_run_endings(parallel->global, container);
    return scion_first_failure(rc, other);
}

/* Other tasks have an ending and wait for this one, which has none. */
static int refuse_ending(struct scion_comm *global)
{
    return scion_agree(global, scion_name_rank(global, scion_lack_ending()));
}

/* Call the hook, unless a task has failed or only some have an ending. */
static int close_with_hook(struct scion_parallel *parallel, struct scion_container *container,
                           const struct scion_place *place, int rc)
{
    struct scion_comm *global = parallel->global;

    if (scion_container_ending(container))
        return call_hook(parallel, container, place, rc);
    rc = scion_agree_or_more(global, scion_name_rank(global, rc));
    if (rc == SCION_MORE)
        return refuse_ending(global);
    return rc != 0 ? rc : call_hook(parallel, container, place, 0);
}

static int agree_on_close(struct scion_comm *global, int has_ending, int rc)
{
    rc = scion_agree_or_more(global, scion_name_rank(global, rc));
    return rc == SCION_MORE && !has_ending ? refuse_ending(global) : rc;
}

/*
 * The files of an atomic container get their names in turns: the set's file 0 after all others of
 * it, which is the moment at which the container is the new one, and only then the copies, in the
 * same order. Before them, the hook has its turn.
 */
enum { TURN_HOOK, TURN_FILES, TURN_FILE_0, TURN_COPIES, TURN_COPY_0, TURNS };

/* File i of those that this task has made, and its turn; NULL: no more. */
static struct scion_physical *made_file(const struct scion_parallel *parallel,
                                        const struct scion_container *container, int i, int *turn)
{
    struct scion_physical *physical = NULL;
    int is_copy = 0;

    if (scion_container_is_mapped(container)) {
        physical = parallel->files && i < parallel->nfiles ? parallel->files[i] : NULL;
    } else if (parallel->local->rank == 0) {
        is_copy = i > 0 && parallel->buddies;
        physical = i == 0    ? scion_container_physical(container)
                   : is_copy ? scion_buddy_kept_file(parallel->buddies, i - 1)
                             : NULL;
    }
    if (physical)
        *turn = (is_copy ? TURN_COPIES : TURN_FILES) + (physical->head.filenumber == 0);
    return physical;
}

/* Before anything is replaced: what this task has written after the streams. */
static int settle_files(const struct scion_parallel *parallel,
                        const struct scion_container *container)
{
    struct scion_physical *physical;
    int rc = 0, i, turn;

    for (i = 0; rc == 0 && (physical = made_file(parallel, container, i, &turn)); i++)
        rc = scion_physical_settle(physical);
    return rc;
}

/* The files that this task has made, and whose turn it is, get their names. */
static int take_turn(const struct scion_parallel *parallel, const struct scion_container *container,
                     int turn)
{
    const struct scion_hook *hook = &parallel->hook;
    struct scion_physical *physical;
    int rc = 0, i, its_turn;

    if (turn == TURN_HOOK && hook->replacing && parallel->global->rank == 0)
        return hook->replacing(hook->user);
    for (i = 0; rc == 0 && (physical = made_file(parallel, container, i, &its_turn)); i++) {
        if (its_turn == turn)
            rc = scion_physical_commit(physical);
    }
    return rc;
}

/*
 * Of a set of which some files have their names, none is removed: sionrecover can go on. The same
 * if another program has taken the name, because the container is complete.
 */
static int keep_files(const struct scion_parallel *parallel,
                      const struct scion_container *container, int rc)
{
    struct scion_physical *physical;
    int i, turn;

    for (i = 0; (physical = made_file(parallel, container, i, &turn)); i++) {
        if (physical->head.nfiles > 1 || rc == SION_ERR_BUSY)
            physical->is_beside = 0;
    }
    return rc;
}

/* Collective, of an atomic container: if all tasks have succeeded, and only then, its files get
   their names. */
static int commit_files(struct scion_parallel *parallel, struct scion_container *container, int rc,
                        int *is_agreed)
{
    struct scion_comm *global = parallel->global;
    int turns = parallel->buddies ? TURNS : TURN_FILE_0 + 1, turn;

    if (rc == 0)
        rc = settle_files(parallel, container);
    rc = agree_on_close(global, scion_container_ending(container) != NULL, rc);
    *is_agreed = rc != 0;
    if (rc != 0)
        return rc == SION_ERR_BUSY ? keep_files(parallel, container, rc) : rc;
    for (turn = 0; turn < turns && rc == 0; turn++) {
        rc = take_turn(parallel, container, turn);
        if (turn + 1 < turns && parallel->local != global) {
            rc = scion_agree(global, scion_name_rank(global, rc));
            *is_agreed = rc != 0;
        }
    }
    return rc == SION_ERR_BUSY || (rc != 0 && turn > TURN_FILES)
               ? keep_files(parallel, container, rc)
               : rc;
}

/*
 * Collective, of a staged container: when all tasks have written all data, the nodes' parts are
 * complete. A hook wants the container itself, so it waits for the drain.
 */
static int seal_parts(struct scion_parallel *parallel, struct scion_container *container, int rc,
                      int *is_agreed)
{
    struct scion_comm *global = parallel->global;
    struct scion_physical *physical = scion_container_physical(container);

    if (rc == 0 && parallel->local->rank == 0)
        rc = scion_physical_check_written(physical);
    rc = agree_on_close(global, scion_container_ending(container) != NULL, rc);
    *is_agreed = rc != 0;
    if (rc != 0)
        return rc;
    rc = scion_staging_seal(parallel, scion_container_syncs_close(container));
    if (!parallel->hook.closing && !parallel->hook.replacing)
        return rc;
    if (rc == 0)
        rc = take_turn(parallel, container, TURN_HOOK);
    rc = scion_agree(global, scion_name_rank(global, rc));
    if (rc == 0)
        rc = scion_staging_drain(parallel);
    *is_agreed = rc != 0;
    return rc;
}

/* rc: this task's result so far. */
static int close_writing(struct scion_parallel *parallel, struct scion_container *container, int rc,
                         int *is_agreed)
{
    const struct scion_place place = scion_container_stream(container)->place;

    if (parallel->grows)
        rc = meet_endings(parallel, container, rc);
    else if (scion_container_ending(container))
        rc = run_ending(parallel, container, rc, is_agreed);
    if (*is_agreed) {
        scion_stream_close(scion_container_stream(container));
        return rc;
    }
    rc = close_streams(parallel, container, rc);
    if (rc == 0 && parallel->staging)
        rc = scion_staging_note(parallel, container, &place);
    if (parallel->staging)
        rc = seal_parts(parallel, container, rc, is_agreed);
    else if (parallel->is_atomic)
        rc = commit_files(parallel, container, rc, is_agreed);
    if (*is_agreed || !parallel->hook.closing)
        return rc;
    rc = close_with_hook(parallel, container, &place, rc);
    *is_agreed = rc != 0;
    return rc;
}

/* In any state of calls and transactions that others may still be in. */
static int leave_all(struct scion_parallel *parallel, struct scion_container *container)
{
    int rc = scion_end_turns(parallel), other = scion_leave_meetings(container);

    rc = scion_first_failure(rc, other);
    other = scion_await_turns(parallel);
    return scion_first_failure(rc, other);
}

int scion_parallel_close(struct scion_container *container, struct scion_tally *tally)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    int rc, is_agreed = 0, has_ending = scion_container_ending(container) != NULL, other;

    (void)scion_keep_reserve(); /* the open had one, but calls since then may have used it */
    rc = leave_all(parallel, container);
    if (scion_container_is_writing(container))
        rc = close_writing(parallel, container, rc, &is_agreed);
    /* The agreement needs `parallel` after the container has been freed. */
    scion_container_disown(container, SCION_OWNER_PARALLEL);
    other = scion_container_close(container);
    scion_trace(SCION_TRACE_STEP, "own part: %d", scion_first_failure(rc, other));
    if (!is_agreed)
        rc = agree_on_close(parallel->global, has_ending, scion_first_failure(rc, other));
    scion_trace(SCION_TRACE_INTERNAL, "all tasks: %d", rc);
    if (rc == 0)
        scion_staging_hand_over(parallel);
    if (tally && tally->own && rc != SION_ERR_COMM)
        tally_up(parallel->global, tally);
    scion_parallel_free(parallel);
    return rc;
}

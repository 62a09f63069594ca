#include "stage/queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "base/loaded.h"
#include "format/slot.h"
#include "stage/copy.h"
#include "stage/queue_private.h"
#include "stage/rows.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

static struct scion_staged *staged_list; /* in the order of the opens */
static struct scion_staged *gone_list;   /* was drained, and is freed where the lock is not held */
static int count;                        /* read without the lock */

void scion_queue_be_empty(void)
{
    staged_list = gone_list = NULL;
    __atomic_store_n(&count, 0, __ATOMIC_RELEASE);
}

static int concerns(const struct scion_staged *staged, const char *target)
{
    return staged->state != SCION_STAGED_WRITTEN &&
           (!target || strcmp(staged->part.target, target) == 0);
}

/* ---- the list ---- */

static void fill_drain(struct scion_drain *drain)
{
    long long number;

    *drain = (struct scion_drain){.patience = 300};
    if (scion_env_number("DRAIN_RATE", &number) && number > 0)
        drain->rate = number;
    if (scion_env_number("DRAIN_PATIENCE", &number) && number > 0)
        drain->patience = number < 1000000 ? (int)number : 1000000;
}

int scion_staged_add(const struct scion_stage_part *part, int drains, int has_lock,
                     struct scion_staged **staged)
{
    struct scion_staged *new = calloc(1, sizeof *new), **last = &staged_list;
    int rc = new ? 0 : scion_fail_memory("list of staged containers");

    if (rc == 0 && drains)
        rc = scion_writer_lock_take(part->record, 0, &new->lock);
    if (rc == 0 && drains)
        scion_stay_loaded(); /* its end may change the exit status, so it must be the process's */
    if (rc != 0) {
        free(new);
        return rc;
    }
    new->part = *part;
    new->drains = drains;
    new->has_name = has_lock;
    fill_drain(&new->drain);
    scion_queue_lock();
    while (*last)
        last = &(*last)->next;
    *last = new;
    __atomic_add_fetch(&count, 1, __ATOMIC_RELEASE);
    scion_queue_unlock();
    *staged = new;
    return 0;
}

/* With the lock. */
static void unlist(struct scion_staged *staged)
{
    struct scion_staged **at = &staged_list;

    while (*at && *at != staged)
        at = &(*at)->next;
    if (!*at)
        return; /* a child of fork has those of its parent no more */
    *at = staged->next;
    __atomic_sub_fetch(&count, 1, __ATOMIC_RELEASE);
}

/* Not with the lock. */
static void discard(struct scion_staged *staged)
{
    scion_writer_lock_release(staged->lock, 0);
    if (staged->has_name)
        scion_staged_unlock(staged->part.target);
    scion_stage_part_free(&staged->part);
    free(staged);
}

static void discard_all(struct scion_staged *gone)
{
    while (gone) {
        struct scion_staged *next = gone->next;

        discard(gone);
        gone = next;
    }
}

int scion_staged_seal(struct scion_staged *staged, int is_synced)
{
    int rc;

    staged->part.state = SCION_STAGE_CLOSED;
    staged->part.is_synced = is_synced;
    if (!staged->drains)
        return 0;
    rc = is_synced ? scion_stage_rows_sync(&staged->part) : 0;
    if (rc == 0)
        rc = scion_stage_part_update(&staged->part);
    if (rc == 0 && is_synced)
        rc = scion_sync_whole(staged->part.record);
    return rc == 0 && is_synced ? scion_sync_folder_of(staged->part.record) : rc;
}

void scion_staged_drop(struct scion_staged *staged, int keep)
{
    if (staged->drains && !keep)
        scion_stage_part_remove(&staged->part);
    scion_queue_lock();
    unlist(staged);
    scion_queue_unlock();
    discard(staged);
}

static void retire(struct scion_staged *staged)
{
    unlist(staged);
    staged->next = gone_list;
    gone_list = staged;
}

static struct scion_staged *take_gone(void)
{
    struct scion_staged *gone = gone_list;

    gone_list = NULL;
    return gone;
}

static void unlock_and_clean(void)
{
    struct scion_staged *gone = take_gone();

    scion_queue_unlock();
    discard_all(gone);
}

struct scion_staged *scion_queue_next(void)
{
    struct scion_staged *staged = staged_list;

    while (staged &&
           !(staged->drains && staged->state == SCION_STAGED_WAITS && !staged->drain.stop))
        staged = staged->next;
    return staged;
}

/* Earlier ones of this name that could not be drained have been replaced. */
static void retire_earlier(const struct scion_staged *staged)
{
    struct scion_staged *earlier = staged_list, *next;

    for (; earlier != staged; earlier = next) {
        next = earlier->next;
        if (earlier->drains && earlier->state == SCION_STAGED_FAILED &&
            strcmp(earlier->part.target, staged->part.target) == 0) {
            scion_stage_part_remove(&earlier->part);
            retire(earlier);
        }
    }
}

void scion_queue_settle(struct scion_staged *staged, int rc)
{
    if (rc == 0) {
        retire_earlier(staged);
        if (staged->has_name)
            scion_queue_unlock_name(staged->part.target);
        staged->has_name = 0;
        retire(staged);
    } else if (rc == SCION_DRAIN_STOPPED) {
        staged->drain.stop = 1;
    } else {
        snprintf(staged->reason, sizeof staged->reason, "%.300s", scion_error_text());
        staged->state = SCION_STAGED_FAILED;
        staged->is_told = staged->is_printed = 0;
        if (scion_stage_part_update(&staged->part) != 0) {
            scion_writer_lock_release(staged->lock, 0); /* the others must see that it has ended */
            staged->lock = NULL;
        }
        if (staged->has_name)
            scion_queue_unlock_name(staged->part.target); /* others may write it */
        staged->has_name = 0;
    }
}

void scion_queue_clean(void)
{
    unlock_and_clean();
    scion_queue_lock();
}

void scion_staged_hand_over(struct scion_staged *staged)
{
    struct scion_writer writer;

    scion_queue_lock();
    staged->has_locks = !staged->drains && scion_writer_find(staged->part.record, &writer);
    staged->state = SCION_STAGED_WAITS;
    if (staged->drains)
        scion_queue_start();
    unlock_and_clean();
}

/* ---- where another process drains: its record tells ---- */

/* Whether another thread of this process has the same part, and drains it. */
static int is_double(const struct scion_staged *staged)
{
    const struct scion_staged *other = staged_list;

    while (other && !(other->drains && strcmp(other->part.record, staged->part.record) == 0))
        other = other->next;
    return other != NULL;
}

/* Why nothing is to be expected of the process that drains; "": it does. */
static void find_reason(struct scion_staged *staged, int errnum)
{
    struct scion_writer writer;

    *staged->reason = '\0';
    if (errnum != 0)
        snprintf(staged->reason, sizeof staged->reason, "cannot examine %.200s: %s",
                 staged->part.record, strerror(errnum));
    else if (*staged->part.reason)
        snprintf(staged->reason, sizeof staged->reason, "%s", staged->part.reason);
    else if (staged->has_locks && !scion_writer_find(staged->part.record, &writer))
        snprintf(staged->reason, sizeof staged->reason, "no process drains %.200s any more",
                 staged->part.record);
}

/* With the lock. */
static void look_at_record(struct scion_staged *staged)
{
    int errnum;

    if (staged->drains || staged->state == SCION_STAGED_WRITTEN)
        return;
    errnum = scion_stage_part_refresh(&staged->part);
    if (errnum != ENOENT && (errnum != 0 || !is_double(staged))) {
        find_reason(staged, errnum);
        /* Or it has become complete between these looks, and the record is gone. */
        if (*staged->reason && scion_stage_part_refresh(&staged->part) == ENOENT) {
            *staged->reason = '\0';
            errnum = ENOENT;
        }
    }
    staged->state = *staged->reason ? SCION_STAGED_FAILED : SCION_STAGED_WAITS;
    if (errnum == ENOENT || is_double(staged))
        retire(staged);
}

static void look_at_records(void)
{
    struct scion_staged *staged, *next;

    for (staged = staged_list; staged; staged = next) {
        next = staged->next;
        look_at_record(staged);
    }
}

/* ---- questions ---- */

char *scion_staged_target(const char *name)
{
    char folder[SCION_PATH], real[SCION_PATH];
    int rc = scion_path_folder(folder, name);
    char *target;

    if (rc == 0)
        rc = scion_path_real(folder, real);
    if (rc != 0)
        return NULL;
    target = scion_path_new(real, scion_basename(name));
    if (!target)
        scion_fail_memory("file name");
    return target;
}

/* With the lock. */
static void count_one(struct scion_staged *staged, struct scion_staged_info *info)
{
    info->done += __atomic_load_n(&staged->drain.done, __ATOMIC_RELAXED);
    info->total += __atomic_load_n(&staged->drain.total, __ATOMIC_RELAXED);
    info->waiting += staged->state == SCION_STAGED_WAITS;
    if (staged->state != SCION_STAGED_FAILED)
        return;
    info->failed++;
    staged->is_told = 1;
    memcpy(info->reason, staged->reason, sizeof info->reason);
}

void scion_staged_look(const char *target, struct scion_staged_info *info)
{
    struct scion_staged *staged;

    *info = (struct scion_staged_info){0};
    scion_queue_lock();
    look_at_records();
    for (staged = staged_list; staged; staged = staged->next) {
        if (concerns(staged, target))
            count_one(staged, info);
    }
    unlock_and_clean();
}

/* With the lock: try again what has failed. */
static void try_again(const char *target)
{
    struct scion_staged *staged;
    int n = 0;

    for (staged = staged_list; staged; staged = staged->next) {
        if (concerns(staged, target) && staged->drains && staged->state == SCION_STAGED_FAILED) {
            staged->state = SCION_STAGED_WAITS;
            n++;
        }
    }
    if (n > 0)
        scion_queue_start();
}

static int is_waited_for(const struct scion_staged *staged, const char *target)
{
    return concerns(staged, target) && staged->state == SCION_STAGED_WAITS && !staged->drain.stop;
}

/* With the lock. 1: something may have changed; 0: nothing is to be waited for. */
static int wait_once(const char *target)
{
    const struct scion_staged *staged;
    int own = 0, others = 0;

    look_at_records();
    for (staged = staged_list; staged; staged = staged->next) {
        own += staged->drains && is_waited_for(staged, target);
        others += !staged->drains && is_waited_for(staged, target);
    }
    if (own > 0)
        return scion_queue_await();
    if (others == 0)
        return 0;
    unlock_and_clean();
    scion_drain_doze(0.01);
    scion_queue_lock();
    return 1;
}

int scion_staged_wait(const char *target, int again)
{
    struct scion_staged_info info;

    scion_queue_lock();
    if (again)
        try_again(target);
    while (wait_once(target))
        continue;
    unlock_and_clean();
    scion_staged_look(target, &info);
    return info.failed == 0 ? 0
                            : scion_fail(SION_ERR_SYSTEM, "the drain of %s has failed: %s",
                                         target ? target : "a staged container", info.reason);
}

int scion_staged_settle(const char *name)
{
    char *target;
    int rc;

    if (__atomic_load_n(&count, __ATOMIC_ACQUIRE) == 0 || !name)
        return 0;
    target = scion_staged_target(name);
    if (!target)
        return 0; /* the open tells */
    rc = scion_staged_wait(target, 0);
    free(target);
    return rc;
}

/* ---- before the next one is staged ---- */

/* With the lock: those that this process drains; *active: of these, those that may end. */
static int count_waiting(int *active)
{
    const struct scion_staged *staged;
    int n = 0;

    *active = 0;
    for (staged = staged_list; staged; staged = staged->next) {
        n += staged->drains && staged->state != SCION_STAGED_WRITTEN;
        *active += staged->drains && staged->state == SCION_STAGED_WAITS;
    }
    return n;
}

/* With the lock. */
static void warn_of_failures(void)
{
    struct scion_staged *staged;

    for (staged = staged_list; staged; staged = staged->next) {
        if (staged->state == SCION_STAGED_FAILED && !staged->is_told) {
            scion_warn("the drain of %s has failed, and is tried again: %s", staged->part.target,
                       staged->reason);
            staged->is_told = 1;
        }
    }
}

int scion_staged_make_room(int keep)
{
    int n, active;

    scion_queue_lock();
    warn_of_failures();
    try_again(NULL);
    while ((n = count_waiting(&active)) > keep && active > 0 && scion_queue_await())
        continue;
    unlock_and_clean();
    return n <= keep ? 0 : scion_fail(SION_ERR_SYSTEM, "%d containers could not be drained", n);
}

void scion_staged_list_before(struct scion_stage_part *part)
{
    const struct scion_staged *staged;

    part->nbefore = 0;
    scion_queue_lock();
    for (staged = staged_list; staged && part->nbefore < SCION_STAGE_BEFORE;
         staged = staged->next) {
        if (concerns(staged, part->target))
            scion_marker_nonce(staged->part.flag2, &part->before[part->nbefore++]);
    }
    scion_queue_unlock();
}

/* ---- the end ---- */

static int is_to_leave;

void scion_staged_leave(void)
{
    is_to_leave = 1;
}

static int leaves(void)
{
    const char *text = scion_env("STAGE_EXIT");

    return is_to_leave || (text && strcmp(text, "leave") == 0);
}

/* With the lock: the thread ends after the piece that it copies. */
static void stop_all(void)
{
    struct scion_staged *staged;

    for (staged = staged_list; staged; staged = staged->next) {
        if (staged->drains && staged->state == SCION_STAGED_WAITS)
            __atomic_store_n(&staged->drain.stop, 1, __ATOMIC_RELAXED);
    }
    while (scion_queue_await())
        continue;
    for (staged = staged_list; staged; staged = staged->next) {
        if (staged->has_name && staged->drain.stop)
            scion_queue_unlock_name(staged->part.target);
        staged->has_name &= !staged->drain.stop;
    }
}

static void tell_one(const struct scion_staged *staged, void (*tell)(int rank, const char *text))
{
    char text[SCION_PATH + SCION_ERROR_TEXT], folder[SCION_PATH];

    snprintf(folder, sizeof folder, "%s", staged->part.record);
    scion_path_up(folder);
    snprintf(text, sizeof text, "%.1500s is not complete%s%.300s: 'siondrain %.1500s' goes on",
             staged->part.target, *staged->reason ? ": " : "", staged->reason, folder);
    tell(-1, text);
}

/* With the lock. One process of each node speaks. Returns as scion_staged_end(). */
static int tell_all(void (*tell)(int rank, const char *text))
{
    struct scion_staged *staged;
    int failed = 0;

    for (staged = staged_list; staged; staged = staged->next) {
        if (!staged->drains || staged->state == SCION_STAGED_WRITTEN || staged->is_told)
            continue;
        failed |= staged->state == SCION_STAGED_FAILED;
        if (!staged->is_printed)
            tell_one(staged, tell);
        staged->is_printed = 1;
    }
    return failed;
}

int scion_staged_end(void (*tell)(int rank, const char *text))
{
    int failed;

    if (__atomic_load_n(&count, __ATOMIC_ACQUIRE) == 0 || !scion_queue_is_own())
        return 0;
    scion_queue_lock();
    if (leaves())
        stop_all();
    while (!leaves() && wait_once(NULL))
        continue;
    failed = tell_all(tell);
    unlock_and_clean();
    scion_queue_end();
    return failed;
}

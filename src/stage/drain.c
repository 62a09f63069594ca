#include "stage/drain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "file/stats.h"
#include "format/meta1.h"
#include "format/slot.h"
#include "stage/copy.h"
#include "stage/report.h"
#include "stage/rows.h"
#include "vfs/path.h"
#include "vfs/writer_lock.h"

/*
 * After another start of the machine, its disk may have less than was written, unless the close has
 * waited for it.
 */
static int check_boot(const struct scion_stage_part *part)
{
    if (part->is_synced || !scion_stage_is_another_start(part))
        return 0;
    return scion_fail(SION_ERR_NOT_CLOSED,
                      "%s: the machine was started again after this was written, and the close has "
                      "not waited for the disk (sync=close), so parts of it may be missing",
                      part->record);
}

int scion_stage_rescue(struct scion_stage_part *part, struct scion_drain *drain)
{
    int rc = check_boot(part);

    return rc == 0 ? scion_stage_copy(part, drain) : rc;
}

/* ---- the new container gets its name ---- */

int scion_stage_nonce(const char *name, uint32_t *nonce)
{
    unsigned char bytes[SCION_META1_FIXED];
    struct scion_meta1 head;
    struct scion_file *file;
    sion_int64 size;
    size_t got = 0;
    int rc;

    if (!scion_file_exists(name) || scion_file_open(name, SCION_OPEN_READ, 0, &file) != 0)
        return 0;
    rc = scion_file_size(file, &size);
    if (rc == 0)
        rc = scion_file_read_some(file, bytes, sizeof bytes, 0, &got);
    if (rc == 0)
        rc = scion_meta1_decode(bytes, got, size, &head);
    scion_file_close(file);
    return rc == 0 && scion_marker_nonce(head.flag2, nonce);
}

/* A container that was emptied while it was written has one of the next nonces. */
static int is_of(uint32_t nonce, uint32_t first)
{
    return nonce - first < 4096;
}

static int is_own(const struct scion_stage_part *part, uint32_t nonce)
{
    uint32_t first = 0;

    scion_marker_nonce(part->flag2, &first);
    return is_of(nonce, first);
}

/* 1 if what has the name now may be replaced: it had it at the open, or has waited before this. */
static int may_replace(const struct scion_stage_part *part)
{
    struct scion_older seen = part->seen, now;
    uint32_t nonce;
    int i;

    if (scion_older_look(part->target, &now) != 0)
        return 0;
    seen.device = now.device; /* it may be another number after a mount */
    if (!now.exists || (scion_older_check(part->target, &seen) == 0 &&
                        scion_stage_time(part->target) == part->seen_time))
        return 1;
    if (!scion_stage_nonce(part->target, &nonce))
        return 0;
    for (i = 0; i < part->nbefore; i++) {
        if (is_of(nonce, part->before[i]))
            return 1;
    }
    return is_own(part, nonce);
}

static int keep_attributes(const char *new, const char *final)
{
    struct scion_file *file;
    int rc = scion_file_open(new, SCION_OPEN_OWN, 0, &file), closed;

    if (rc != 0)
        return rc;
    rc = scion_older_keep(final, file);
    if (rc == 0)
        rc = scion_file_sync(file);
    closed = scion_file_close(file);
    return scion_first_failure(rc, closed);
}

static int rename_new(const char *new, const char *final)
{
    int rc = keep_attributes(new, final);
    int errnum = rc == 0 ? scion_path_move(new, final) : 0;

    return errnum == 0 ? rc : scion_fail_errno(errnum, "cannot rename %s to %s", new, final);
}

/* Two nodes may do this at the same time: the file has its name if the new one is gone. */
static int name_file(const struct scion_stage_part *part, int number)
{
    char *new = scion_stage_new(part, number), *final = scion_physical_name(part->target, number);
    int is_there = 0, rc = new &&final ? scion_file_look_for(new, &is_there) : SION_ERR_MEMORY;
    int named = rc == 0 && is_there ? rename_new(new, final) : 0, looked;

    if (named != 0) {
        looked = scion_file_look_for(new, &is_there);
        rc = looked == 0 && !is_there ? 0 : named;
    }
    free(new);
    free(final);
    return rc;
}

/* File 0 last: at that moment the container is the new one. */
static int commit(const struct scion_stage_part *part)
{
    int rc = 0, i;

    if (!may_replace(part))
        return scion_fail(SION_ERR_BUSY,
                          "%s was made by another program after the open, and is not replaced: "
                          "%s keeps what was written",
                          part->target, part->record);
    for (i = part->nfiles - 1; i >= 0 && rc == 0; i--)
        rc = name_file(part, i);
    if (rc == 0)
        rc = scion_sync_folder_of(part->target);
    for (i = 0; i < part->nodes && rc == 0; i++) {
        scion_report_remove(part, i);
        scion_stage_rows_withdraw(part, i);
    }
    return rc;
}

/* Whether the new file 0 has got its name, or is gone in another way. */
static int is_over(const struct scion_stage_part *part, int *over)
{
    char *new = scion_stage_new(part, 0);
    int rc = new ? scion_file_look_for(new, over) : SION_ERR_MEMORY;

    *over = !*over;
    free(new);
    return rc;
}

/* The new file is gone: is the container the one that was staged? */
static int check_outcome(const struct scion_stage_part *part)
{
    uint32_t nonce;

    if (scion_stage_nonce(part->target, &nonce) && is_own(part, nonce))
        return 0;
    return scion_fail(
        SION_ERR_MISMATCH,
        "%s: its new file is gone, so it is complete and was replaced, or somebody has "
        "given it up; 'siondrain --discard' removes this node's part",
        part->target);
}

/* ---- the others ---- */

/* What a drain has seen of the others. */
struct watch {
    int next; /* node that has not drained yet, as far as is known */
    double since;
    struct scion_report last;
};

/* What a node says now. An error: there has been no sign of it for too long. */
static int listen(const struct scion_stage_part *part, int node, struct watch *watch, int patience)
{
    struct scion_report now;
    double time = scion_seconds();

    if (scion_report_read(part, node, &now) != 0)
        now = (struct scion_report){.state = 0};
    if (watch->since == 0 || now.beat != watch->last.beat || now.state != watch->last.state)
        watch->since = time;
    watch->last = now;
    if (patience > 0 && time - watch->since > patience)
        return scion_fail(SION_ERR_SYSTEM, "no sign of node %d for %d seconds: it has not drained",
                          node, patience);
    return 0;
}

/* 1: the node has copied its part; 0: not yet. */
static int look_at(const struct scion_stage_part *part, int node, struct watch *watch, int patience)
{
    int rc = listen(part, node, watch, patience);

    if (watch->last.state == SCION_STAGE_DRAINED)
        return 1;
    if (watch->last.state == SCION_STAGE_FAILED)
        return scion_fail(SION_ERR_SYSTEM, "node %d: %s", node, watch->last.reason);
    return rc;
}

/* Node 0 gives the container its name, unless something keeps it from that. */
static int follow(const struct scion_stage_part *part, struct watch *watch, int patience)
{
    int rc = listen(part, 0, watch, patience);

    if (watch->last.state != 0 && *watch->last.reason)
        return scion_fail(SION_ERR_SYSTEM, "node 0: %s", watch->last.reason);
    return rc;
}

/* Nodes that have drained are passed. 1: all have; 0: not yet. */
static int look_at_all(const struct scion_stage_part *part, struct watch *watch, int patience)
{
    int found = 1;

    while (watch->next < part->nodes && found == 1) {
        found = watch->next == part->node ? 1 : look_at(part, watch->next, watch, patience);
        if (found == 1) {
            watch->next++;
            watch->since = 0;
        }
    }
    return found;
}

/* No other program begins to write the container meanwhile; if one does so now, that is told. */
static int commit_alone(const struct scion_stage_part *part, const struct scion_drain *drain)
{
    struct scion_writer_lock *lock = NULL;
    int rc = drain->has_name ? 0 : scion_writer_lock_take(part->target, 0, &lock), other;

    if (rc == 0)
        rc = commit(part);
    other = scion_writer_lock_release(lock, 0);
    rc = scion_first_failure(rc, other);
    return rc == 0 ? check_outcome(part) : rc;
}

/*
 * Node 0 looks at the others, and gives the container its name; they only look at it, so that many
 * nodes do not ask for as many files each. A drain that does not wait asks for all, and is node 0
 * if it is the last one.
 */
static int take_part(struct scion_stage_part *part, struct scion_drain *drain, struct watch *watch)
{
    int leads = part->node == 0 || drain->patience == 0;
    int found =
        leads ? look_at_all(part, watch, drain->patience) : follow(part, watch, drain->patience);

    if (found == 1)
        return commit_alone(part, drain);
    if (found < 0)
        return found;
    return SCION_DRAIN_WAITS;
}

static int wait_for_others(struct scion_stage_part *part, struct scion_drain *drain)
{
    struct watch watch = {.next = 0};
    double pause = 0.001, said = scion_seconds();
    int rc, over;

    for (;;) {
        rc = is_over(part, &over);
        if (rc == 0 && over) {
            scion_report_remove(part, part->node); /* which may be later than that */
            return check_outcome(part);
        }
        if (rc == 0)
            rc = take_part(part, drain, &watch);
        if (rc != SCION_DRAIN_WAITS || drain->patience == 0)
            return rc;
        if (scion_drain_is_stopped(drain))
            return SCION_DRAIN_STOPPED;
        scion_drain_doze(pause);
        pause = pause < 0.25 ? 2 * pause : pause;
        scion_report_beat(part, drain->patience, &said);
    }
}

int scion_stage_missing(const struct scion_stage_part *part, int node)
{
    struct scion_report report;

    while (node < part->nodes && scion_report_read(part, node, &report) == 0 &&
           report.state == SCION_STAGE_DRAINED)
        node++;
    return node < part->nodes ? node : -1;
}

int scion_stage_is_closed(const struct scion_stage_part *part)
{
    struct scion_report report;
    int i;

    for (i = 0; part->state == SCION_STAGE_OPEN && i < part->nodes; i++) {
        if (scion_report_read(part, i, &report) == 0)
            return 1;
    }
    return part->state != SCION_STAGE_OPEN;
}

static int drain_part(struct scion_stage_part *part, struct scion_drain *drain)
{
    int rc, over;

    if (!scion_stage_is_closed(part))
        return scion_fail(SION_ERR_NOT_CLOSED, "%s was not closed", part->target);
    rc = is_over(part, &over);
    if (rc == 0 && over)
        return check_outcome(part);
    if (rc == 0)
        rc = check_boot(part);
    *part->reason = '\0';
    if (rc == 0 && part->state != SCION_STAGE_DRAINED) {
        part->state = SCION_STAGE_CLOSED;
        scion_report_write(part);
        rc = scion_stage_copy(part, drain);
        if (rc == 0) {
            part->state = SCION_STAGE_DRAINED;
            rc = scion_stage_part_update(part);
        }
    }
    if (rc == 0)
        rc = scion_report_write(part);
    return rc == 0 ? wait_for_others(part, drain) : rc;
}

/*
 * The record and the others learn the reason, if they can. A part that was copied stays so: what
 * has failed is another one's.
 */
static void tell_failure(struct scion_stage_part *part)
{
    const int code = scion_error_code();
    char text[SCION_ERROR_TEXT];

    snprintf(text, sizeof text, "%s", scion_error_text());
    if (part->at_file < part->nfiles)
        part->state = SCION_STAGE_FAILED;
    snprintf(part->reason, sizeof part->reason, "%.250s", text);
    scion_stage_part_update(part);
    scion_report_write(part);
    scion_error_set(code, text);
}

int scion_stage_drain(struct scion_stage_part *part, struct scion_drain *drain)
{
    enum scion_stage_state before = part->state;
    int rc = drain_part(part, drain);

    if (rc == 0)
        scion_stage_part_remove(part);
    else if (rc < 0 && before != SCION_STAGE_OPEN)
        tell_failure(part);
    return rc;
}

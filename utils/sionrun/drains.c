#include "sionrun/drains.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/slot.h"
#include "lib/tool.h"
#include "sionrun/nodes.h"
#include "sionrun/notes.h"
#include "stage/begin.h"
#include "stage/copy.h"
#include "stage/drain.h"
#include "stage/find.h"
#include "stage/queue.h"
#include "stage/report.h"

enum {
    KEEP = 1,        /* containers that may wait for their drains while the next one is packed */
    BYTES_EACH = 256 /* of a file in the index, and of a task in the tables, at most or nearly so */
};

static int failed(void)
{
    tool_error("%s", scion_error_text());
    return TOOL_FAILED;
}

/* Session folders are in it. */
static int find_stage(const struct folder *folder, char *stage)
{
    return scion_path_folder(stage, folder->path) == 0 ? TOOL_RUN : failed();
}

/* ---- before ---- */

static sion_int64 bytes_of(const struct load *load)
{
    sion_int64 bytes = BYTES_EACH * ((sion_int64)load->list.count + (sion_int64)load->ntasks);
    int t;

    for (t = 0; t < load->ntasks; t++)
        bytes += load->ours[t] ? load->used[t] : 0;
    return bytes;
}

/* The others see meanwhile that this node lives. */
static void await_earlier(struct team *team)
{
    struct scion_staged_info info;

    for (;;) {
        scion_staged_look(NULL, &info);
        if (info.waiting <= KEEP)
            return;
        if (team_is_shared(team))
            nodes_live(team->comm);
        scion_drain_doze(0.02);
    }
}

/* Of this node; 0 with an error. */
static int has_room(const char *stage, const struct load *load)
{
    return scion_staged_make_room(KEEP) == 0 && scion_stage_check_room(stage, bytes_of(load)) == 0;
}

int drains_can_begin(const struct folder *folder, const struct load *load, struct team *team,
                     int *can_begin)
{
    char stage[SCION_PATH];
    int status = find_stage(folder, stage);
    sion_int64 all;

    await_earlier(team);
    *can_begin = status == TOOL_RUN && has_room(stage, load);
    if (status == TOOL_RUN && !*can_begin) {
        team_speak(team, 1);
        tool_warning("%s is packed without a drain: %s", folder->output, scion_error_text());
        team_silence(team);
    }
    status = team_agree(team, status);
    all = *can_begin;
    if (status == TOOL_RUN && team_is_shared(team) && scion_minimum(team->comm, &all, NULL, 0) != 0)
        status = failed();
    *can_begin = all != 0;
    return status;
}

/* ---- the note ---- */

static int note(void *context, const struct scion_stage_part *part, int is_complete)
{
    const struct folder *folder = context;
    char *path = folder_file(folder, "staged");
    struct notes notes = {0};
    int rc = SION_ERR_MEMORY;

    notes_add(&notes, "record", part->record);
    notes_add(&notes, "target", part->target);
    notes_add_number(&notes, "flag2", part->flag2);
    notes_add_number(&notes, "node", part->node);
    notes_add_number(&notes, "complete", is_complete);
    if (path)
        rc = notes_write(&notes, path);
    notes_free(&notes);
    free(path);
    return rc == 0 ? TOOL_RUN : failed();
}

int drains_plan(const struct folder *folder, const struct load *load, char *stage,
                struct staged_plan *plan)
{
    *plan = (struct staged_plan){
        .folder = stage, .ours = load->ours, .note = note, .context = (void *)(uintptr_t)folder};
    return find_stage(folder, stage);
}

/* ---- after a kill ---- */

/* Whether the container has its name already. */
static int is_named(const struct notes *notes, const char *target)
{
    uint32_t wanted, found;

    return scion_marker_nonce(notes_number(notes, "flag2", 0), &wanted) &&
           scion_stage_nonce(target, &found) && found == wanted;
}

/* The part that a note tells of: to be freed. A record that was killed while it was made is
   damaged: then nothing is complete. */
static int read_part(const struct notes *notes, const char *record, const char *target,
                     struct scion_stage_part *part)
{
    int rc = scion_stage_part_read(record, part);

    if (rc != SION_ERR_DAMAGED)
        return rc;
    *part = (struct scion_stage_part){.record = strdup(record),
                                      .target = strdup(target),
                                      .flag2 = notes_number(notes, "flag2", 0),
                                      .node = (int)notes_number(notes, "node", 0),
                                      .nodes = 1,
                                      .nfiles = 1,
                                      .state = SCION_STAGE_OPEN};
    return part->record && part->target ? 0 : SION_ERR_MEMORY;
}

/* Only when the parts of all are complete, a node begins its drain. */
static int has_begun(const struct scion_stage_part *part)
{
    struct scion_report report;
    int i;

    for (i = 0; i < part->nodes; i++) {
        if (scion_report_read(part, i, &report) == 0)
            return 1;
    }
    return 0;
}

/* Its record is there. */
static int settle_part(const struct notes *notes, const char *record, const char *target,
                       enum drains_state *state)
{
    struct scion_stage_part part;
    int status = read_part(notes, record, target, &part) == 0 ? TOOL_RUN : failed();

    if (status != TOOL_RUN)
        return status;
    if (scion_stage_is_closed(&part))
        *state = part.nodes > 1 && !has_begun(&part) ? DRAINS_CLOSED : DRAINS_PACKED;
    else
        scion_stage_discard(&part);
    scion_stage_part_free(&part);
    return TOOL_RUN;
}

/* This node knows that all parts are complete, and goes without the others; they may have been
   killed before they could note it. */
static int tell_others(const char *record)
{
    struct scion_stage_part part;
    int rc = 0;

    if (!scion_path_is_taken(record) || scion_stage_part_read(record, &part) != 0)
        return TOOL_RUN;
    if (part.nodes > 1 && !has_begun(&part)) {
        part.state = SCION_STAGE_CLOSED;
        rc = scion_report_write(&part);
    }
    scion_stage_part_free(&part);
    return rc == 0 ? TOOL_RUN : failed();
}

static int settle(const struct folder *folder, const struct notes *notes, enum drains_state *state)
{
    char *record = notes_find(notes, "record", NULL), *target = notes_find(notes, "target", NULL);
    int status = TOOL_RUN;

    if (!record || !target) {
        tool_error("the notes in %s are damaged", folder->path);
        status = TOOL_FAILED;
    } else if (is_named(notes, target)) {
        *state = DRAINS_PACKED;
    } else if (notes_number(notes, "complete", 0) != 0) {
        *state = DRAINS_PACKED;
        status = tell_others(record);
    } else if (scion_path_is_taken(record)) {
        status = settle_part(notes, record, target, state);
    }
    free(record);
    free(target);
    return status;
}

static int read_note(const struct folder *folder, struct notes *notes)
{
    char *path = folder_file(folder, "staged");
    int status = path ? TOOL_DONE : TOOL_FAILED;

    if (path && scion_path_is_taken(path))
        status = notes_read(notes, path) == 0 ? TOOL_RUN : failed();
    free(path);
    return status;
}

int drains_settle(const struct folder *folder, enum drains_state *state)
{
    struct notes notes;
    int status = read_note(folder, &notes);

    *state = DRAINS_NOTHING;
    if (status == TOOL_RUN) {
        status = settle(folder, &notes, state);
        notes_free(&notes);
    }
    return status == TOOL_DONE ? TOOL_RUN : status;
}

int drains_have_begun(const struct folder *folder)
{
    struct scion_stage_part part;
    struct notes notes;
    char *record, *target;
    int begun;

    if (read_note(folder, &notes) != TOOL_RUN)
        return 0;
    record = notes_find(&notes, "record", NULL);
    target = notes_find(&notes, "target", NULL);
    begun = target && is_named(&notes, target);
    if (!begun && record && scion_stage_part_read(record, &part) == 0) {
        begun = has_begun(&part);
        scion_stage_part_free(&part);
    }
    free(record);
    free(target);
    notes_free(&notes);
    return begun;
}

static void give_up(const struct folder *folder)
{
    struct scion_stage_part part;
    struct notes notes;
    char *record;

    if (read_note(folder, &notes) != TOOL_RUN)
        return;
    record = notes_find(&notes, "record", NULL);
    if (record && scion_stage_part_read(record, &part) == 0) {
        scion_stage_discard(&part);
        scion_stage_part_free(&part);
    }
    free(record);
    notes_free(&notes);
}

int drains_agree(const struct folder *folder, struct team *team, int is_reduced,
                 enum drains_state *state)
{
    sion_int64 all = *state == DRAINS_CLOSED;

    if (team_is_shared(team) && scion_minimum(team->comm, &all, NULL, 0) != 0)
        return failed();
    if (!all && *state == DRAINS_CLOSED && !is_reduced)
        give_up(folder);
    *state = all && !is_reduced ? DRAINS_PACKED : DRAINS_NOTHING;
    return TOOL_RUN;
}

void drains_tell(const char *stage)
{
    char **records;
    int n;

    if (scion_stage_find(stage, &records, &n) != 0)
        return;
    if (n > 0)
        tool_warning("%s has %d staged container%s: \"siondrain %s\" completes %s", stage, n,
                     n > 1 ? "s" : "", stage, n > 1 ? "them" : "it");
    scion_stage_free_list(records, n);
}

/* ---- the end ---- */

static void tell(int rank, const char *text)
{
    (void)rank;
    tool_error("%s", text);
}

int drains_end(int leave)
{
    if (leave)
        scion_staged_leave();
    return scion_staged_end(tell) ? TOOL_FAILED : TOOL_RUN;
}

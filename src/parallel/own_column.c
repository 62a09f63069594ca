/*
 * Many tasks read one file, in which each has the place of its rank: rank 0 goes through the tables
 * in pieces and keeps nothing of any task; each task then reads its own numbers, and learns from
 * the tasks before it where its chunk begins.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/warning.h"
#include "comm/agree.h"
#include "file/members.h"
#include "file/survey.h"
#include "parallel/opening.h"

/* From rank 0 to all. */
struct told {
    struct scion_reply reply; /* _AGAIN: ask as few tasks do */
    struct scion_facts facts;
    sion_int64 start_of_data, start_of_varheader, size;
};

int scion_reads_own_column(const struct scion_opening *opening, int n)
{
    const struct scion_mode *mode = &opening->args->mode;
    int asks = opening->request.head.status;

    return asks >= 0 && asks % SCION_ASKS_CAPABILITY == 0 && asks < SCION_ASKS_COPIES &&
           mode->access == SCION_ACCESS_READ && !mode->merge && mode->generation == 0 &&
           mode->states_back == 0 && scion_collective_size(mode, n) < 0;
}

/* States that are published may change between the reads of two tasks. */
static int is_usual(const struct scion_physical *physical, int n)
{
    return physical->head.ntasks == n && physical->mapping.size < 0 && physical->head.nfiles <= 1 &&
           physical->state.generation == 0;
}

/* On rank 0. Returns 1, or 0: there is more to it, or an error. */
static int survey(struct scion_opening *opening, int n)
{
    char *path = scion_own_name(opening, opening->args->name);
    struct scion_physical *physical = NULL;
    int is_sound = path && scion_column_open(path, &physical) == 0 && is_usual(physical, n) &&
                   scion_survey(physical) && scion_find_checksum(opening) == 0 &&
                   !opening->checksum;

    free(path);
    if (is_sound)
        opening->physical = physical;
    else
        scion_physical_close(physical);
    return is_sound;
}

/* On rank 0. */
static void tell_survey(struct scion_opening *opening, struct told *told)
{
    const struct scion_physical *physical = opening->physical;

    opening->nfiles = opening->seats.nfiles = 1;
    scion_see_state(physical, &opening->state);
    scion_members_warn(physical);
    scion_describe_file(physical, &told->facts);
    told->facts.nfiles = 1;
    told->start_of_data = physical->layout.start_of_data;
    told->start_of_varheader = physical->start_of_varheader;
    told->size = physical->size;
    if (opening->args->is_counted)
        told->reply.head.status |= SCION_REPLY_COUNT;
}

int scion_ask_for_survey(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    struct told told = {.reply.head.status = 0};
    int warnings = scion_warnings_count(), rc;

    if (global->rank == 0 && survey(opening, global->size)) {
        tell_survey(opening, &told);
    } else if (global->rank == 0) {
        scion_warnings_cut(warnings);
        opening->checksum = 0;
        told.reply.head.status = SCION_REPLY_AGAIN;
    }
    rc = scion_bcast(global, &told, sizeof told, 0);
    if (rc != 0 || told.reply.head.status & SCION_REPLY_AGAIN)
        return rc != 0 ? rc : SCION_MORE;
    opening->reply = told.reply;
    opening->reply.head.number = global->rank;
    opening->facts = told.facts;
    opening->start_of_data = told.start_of_data;
    opening->start_of_varheader = told.start_of_varheader;
    opening->size = told.size;
    opening->is_surveyed = 1;
    return 0;
}

/* Rank 0 has it open. */
static int enter(struct scion_opening *opening)
{
    const struct scion_meta1 head = scion_head_of(&opening->facts, 0);
    const struct scion_physical known = {
        .head = head,
        .layout = {opening->start_of_data, opening->facts.globalskip},
        .grain = scion_meta1_grain(&head),
        .maxchunks = opening->facts.maxchunks,
        .start_of_varheader = opening->start_of_varheader,
        .size = opening->size,
    };
    char *path;
    int rc;

    if (opening->physical)
        return 0;
    path = scion_own_name(opening, opening->args->name);
    rc = path ? scion_survey_enter(path, &known, &opening->physical) : scion_error_code();
    free(path);
    return rc;
}

/* The sizes that the tasks have read add up to what rank 0 has read. */
static int check_sum(const struct scion_opening *opening, sion_int64 end)
{
    const struct scion_comm *global = opening->parallel->global;

    if (global->rank < global->size - 1 || end == opening->facts.globalskip)
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "%s changes while it is read, or tasks see different files",
                      opening->physical->path);
}

/* The column's lengths are taken over. */
static int take_column(const struct scion_physical *physical, struct scion_column *column,
                       struct scion_task *task)
{
    task->placed.place = scion_physical_chunk_place(physical, column->start, column->chunksize);
    task->placed.count = column->count;
    if (column->damage.kind == SCION_SOUND) {
        task->used = column->used;
        return 0;
    }
    scion_column_free(column);
    task->placed.count = -SCION_DAMAGED_NUMBERS;
    task->used = scion_array(SCION_DAMAGED_NUMBERS, sizeof *task->used);
    if (!task->used)
        return scion_fail_memory("damaged task");
    scion_copy_damage(&column->damage, task->used);
    return 0;
}

int scion_read_own_column(struct scion_opening *opening, struct scion_task *task)
{
    struct scion_comm *global = opening->parallel->global;
    struct scion_column column = {.used = NULL};
    sion_int64 room = 0, before;
    int rc = enter(opening), sent;

    if (rc == 0)
        rc = scion_column_read_size(opening->physical, global->rank, &column, &room);
    before = room;
    sent = scion_sums_before(global, &before, 1);
    if (rc == 0)
        rc = sent != 0 ? sent : check_sum(opening, before + room);
    column.start = opening->start_of_data + before;
    if (rc == 0)
        rc = scion_column_read_chunks(opening->physical, &column);
    return rc == 0 ? take_column(opening->physical, &column, task) : rc;
}

/*
 * Many tasks read one file, in which each has the place of its rank, or a set: the first task of a
 * file goes through the tables in pieces and keeps nothing of any task; each task then reads its
 * own numbers, and learns from the tasks before it where its chunk begins.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/warning.h"
#include "comm/agree.h"
#include "file/container.h"
#include "file/members.h"
#include "file/survey.h"
#include "geometry/split.h"
#include "parallel/opening.h"

/* From rank 0 to all, or from the first task of a file to its others. */
struct told {
    struct scion_reply reply; /* _AGAIN: ask as few tasks do */
    struct scion_facts facts;
    sion_int64 start_of_data, start_of_varheader, size;
    struct scion_checksum_span span;
};

int scion_reads_own_column(const struct scion_opening *opening, int n)
{
    const struct scion_mode *mode = &opening->args->mode;
    int asks = opening->request.head.status;

    return asks >= 0 && asks % SCION_ASKS_CAPABILITY == 0 && asks < SCION_ASKS_COPIES &&
           mode->access == SCION_ACCESS_READ && !mode->merge && mode->generation == 0 &&
           mode->states_back == 0 && scion_collective_size(mode, n) < 0;
}

/* What is wrong with them is told where few tasks read. */
static int find_span(struct scion_opening *opening, struct scion_physical *physical)
{
    return !opening->checksum || scion_checksum_span_find(physical, &opening->span) == 0;
}

/* States that are published may change between the reads of two tasks. */
static int is_usual(const struct scion_physical *physical, int n)
{
    return physical->head.ntasks == n && physical->state.generation == 0;
}

/* ---- a set: how rank 0 tells the tasks which ones they are ---- */

struct deal {
    enum scion_deal how; /* of the ranks so far */
    int rank, n, nfiles;
    int *counts;       /* [nfiles] tasks so far */
    uint32_t *numbers; /* [n] of the pairs: the first ones, or the second ones */
    int lists_places;
};

static int look_at_pairs(void *user, const int *pairs, int n)
{
    struct deal *deal = user;
    int i;

    for (i = 0; i < n; i++, pairs += 2, deal->rank++) {
        struct scion_seat even = scion_split_evenly(deal->rank, deal->n, deal->nfiles);

        if (deal->how == SCION_DEALT_EVENLY &&
            (pairs[0] != even.filenumber || pairs[1] != even.lrank))
            deal->how = SCION_DEALT_IN_ORDER;
        if (pairs[1] != deal->counts[pairs[0]]++)
            deal->how = SCION_DEALT_ANYHOW;
    }
    return 0;
}

static int list_pairs(void *user, const int *pairs, int n)
{
    struct deal *deal = user;
    int i;

    for (i = 0; i < n && deal->rank < deal->n; i++)
        deal->numbers[deal->rank++] = (uint32_t)pairs[2 * (size_t)i + (size_t)deal->lists_places];
    return 0;
}

/* ---- one file, whose tasks are not in the order of ranks ---- */

struct placing {
    int n, next;              /* tasks; the one whose rank comes */
    unsigned char *have_task; /* [n / 8 + 1] bits of ranks; or NULL */
    uint32_t *places;         /* [n] of ranks */
};

static int place_ranks(void *user, const sion_int64 *ranks, int n)
{
    struct placing *placing = user;
    int i;

    for (i = 0; i < n; i++, placing->next++) {
        sion_int64 rank = ranks[i];

        if (rank < 0 || rank >= placing->n)
            return -1;
        if (placing->places) {
            placing->places[rank] = (uint32_t)placing->next;
            continue;
        }
        if (placing->have_task[rank / 8] & 1 << rank % 8)
            return -1;
        placing->have_task[rank / 8] |= (unsigned char)(1 << rank % 8);
    }
    return 0;
}

/* On rank 0. Each rank has a task. */
static int survey_order(struct scion_physical *physical, int n)
{
    struct placing placing = {.n = n, .have_task = calloc((size_t)n / 8 + 1, 1)};
    int is_sound = placing.have_task && scion_survey_ranks(physical, place_ranks, &placing);

    free(placing.have_task);
    return is_sound;
}

static int survey_one(struct scion_physical *physical, int n, enum scion_deal *how)
{
    if (scion_survey(physical, 1))
        return 1;
    *how = SCION_DEALT_ANYHOW;
    return survey_order(physical, n) && scion_survey(physical, 0);
}

/* ---- both ---- */

/* On rank 0. Every file has a task. */
static int survey_deal(struct scion_opening *opening, int n, enum scion_deal *how)
{
    struct scion_physical *physical = opening->physical;
    struct deal deal = {SCION_DEALT_EVENLY, .n = n, .nfiles = physical->head.nfiles};
    int is_sound, i;

    if (deal.nfiles < 2 || deal.nfiles > n)
        return 0;
    deal.counts = calloc((size_t)deal.nfiles, sizeof *deal.counts);
    is_sound = deal.counts && scion_survey_pairs(physical, look_at_pairs, &deal);
    for (i = 0; i < deal.nfiles && is_sound; i++)
        is_sound = deal.counts[i] > 0;
    is_sound = is_sound && physical->head.ntasks == deal.counts[0];
    free(deal.counts);
    *how = deal.how;
    return is_sound;
}

/* On rank 0. */
static void list_seats(struct scion_opening *opening, struct deal *deal)
{
    struct placing placing = {.n = deal->n, .places = deal->numbers};

    if (opening->nfiles > 1)
        scion_survey_pairs(opening->physical, list_pairs, deal);
    else
        scion_survey_ranks(opening->physical, place_ranks, &placing);
}

/* Collective: each task's file, or place in it. If rank 0 cannot read them again, all get 0. */
static int scatter_seats(struct scion_opening *opening, int lists_places, uint32_t *own)
{
    struct scion_comm *global = opening->parallel->global;
    struct deal deal = {.n = global->size, .lists_places = lists_places};
    int rc;

    if (global->rank == 0) {
        deal.numbers = scion_must_allocate((size_t)global->size, sizeof *deal.numbers);
        memset(deal.numbers, 0, (size_t)global->size * sizeof *deal.numbers);
        list_seats(opening, &deal);
    }
    rc = scion_scatter(global, deal.numbers, own, sizeof *own, 0);
    free(deal.numbers);
    return rc;
}

/* ---- what rank 0, or a file's first task, finds, and tells ---- */

/* On rank 0. Returns 1, or 0: there is more to it, or an error. */
static int survey(struct scion_opening *opening, int n, enum scion_deal *how)
{
    char *path = scion_own_name(opening, opening->args->name);
    struct scion_physical *physical = NULL;
    int is_sound = path && scion_column_open(path, &physical) == 0, is_set;

    free(path);
    opening->physical = physical;
    is_set = is_sound && physical->mapping.size == n && physical->head.nfiles > 1;
    *how = SCION_DEALT;
    if (is_set)
        is_sound = physical->state.generation == 0 && survey_deal(opening, n, how);
    else
        is_sound = is_sound && physical->mapping.size < 0 && physical->head.nfiles <= 1 &&
                   is_usual(physical, n) && survey_one(physical, n, how);
    is_sound = is_sound && scion_find_checksum(opening) == 0 &&
               (physical->head.nfiles > 1 || find_span(opening, physical));
    if (!is_sound) {
        scion_physical_close(physical);
        opening->physical = NULL;
    }
    return is_sound;
}

static void tell_file(struct scion_opening *opening, struct told *told)
{
    const struct scion_physical *physical = opening->physical;

    scion_describe_file(physical, &told->facts);
    told->facts.nfiles = opening->nfiles;
    told->start_of_data = physical->layout.start_of_data;
    told->start_of_varheader = physical->start_of_varheader;
    told->size = physical->size;
    told->span = opening->span;
}

/* On rank 0. */
static void tell_survey(struct scion_opening *opening, enum scion_deal how, struct told *told)
{
    const struct scion_physical *physical = opening->physical;

    opening->nfiles = opening->seats.nfiles = physical->head.nfiles > 1 ? physical->head.nfiles : 1;
    scion_see_state(physical, &opening->state);
    scion_members_warn(physical);
    tell_file(opening, told);
    if (opening->args->is_counted)
        told->reply.head.status |= SCION_REPLY_COUNT;
    told->reply.head.status |= scion_common_flags(opening);
    if (how != SCION_DEALT)
        told->reply.head.status |= SCION_REPLY_SEAT;
    told->reply.head.number = (int)how;
}

static void take_survey(struct scion_opening *opening, const struct told *told)
{
    opening->facts = told->facts;
    opening->start_of_data = told->start_of_data;
    opening->start_of_varheader = told->start_of_varheader;
    opening->size = told->size;
    opening->span = told->span;
    opening->is_surveyed = 1;
}

/* ---- the files of a set ---- */

/* On a file's first task. master: the facts of file 0. */
static int survey_member(struct scion_opening *opening, const struct scion_facts *master)
{
    const struct scion_meta1 head = scion_head_of(master, 0);
    char *path = scion_own_name(opening, opening->args->name);
    struct scion_physical *physical = NULL;
    int is_sound = path && scion_column_open(path, &physical) == 0 &&
                   is_usual(physical, opening->parallel->local->size) &&
                   scion_physical_check_member(physical, &head, opening->file) == 0 &&
                   scion_survey(physical, 0) && find_span(opening, physical);

    free(path);
    if (is_sound)
        opening->physical = physical;
    else
        scion_physical_close(physical);
    return is_sound;
}

/* Collective over the tasks of a file. Returns SCION_MORE: they have to ask, as all others. */
static int hear_in_file(struct scion_opening *opening, struct told *told)
{
    struct scion_comm *local = opening->parallel->local;
    const struct scion_facts master = told->facts;
    int warnings = scion_warnings_count(), rc;

    told->reply.head.status = 0;
    if (local->rank == 0 && survey_member(opening, &master)) {
        tell_file(opening, told);
    } else if (local->rank == 0) {
        scion_warnings_cut(warnings);
        told->reply.head.status = SCION_REPLY_AGAIN;
    }
    rc = scion_bcast(local, told, sizeof *told, 0);
    if (rc != 0)
        return rc;
    return told->reply.head.status || opening->lrank != local->rank ? SCION_MORE : 0;
}

/* Collective: where this task is, and a communicator of its file. */
static int find_file(struct scion_opening *opening, enum scion_deal how)
{
    struct scion_comm *global = opening->parallel->global;
    struct scion_seat even = scion_split_evenly(global->rank, global->size, opening->nfiles);
    uint32_t file = (uint32_t)even.filenumber, lrank = (uint32_t)even.lrank;
    int rc =
        how == SCION_DEALT_EVENLY || opening->nfiles == 1 ? 0 : scatter_seats(opening, 0, &file);

    if (rc == 0 && how == SCION_DEALT_ANYHOW)
        rc = scatter_seats(opening, 1, &lrank);
    if (opening->physical)
        scion_physical_close(opening->physical);
    opening->physical = NULL;
    opening->file = (int)file;
    opening->lrank = how == SCION_DEALT_IN_ORDER ? global->rank : (int)lrank;
    if (rc == 0)
        rc = scion_split(global, opening->file, opening->lrank, &opening->parallel->local);
    if (rc == 0 && how == SCION_DEALT_IN_ORDER)
        opening->lrank = opening->parallel->local->rank;
    return rc;
}

static int hear_of_files(struct scion_opening *opening, struct told *told)
{
    int rc;

    opening->nfiles = told->facts.nfiles;
    rc = find_file(opening, (enum scion_deal)told->reply.head.number);
    if (rc == 0 && opening->nfiles > 1)
        rc = hear_in_file(opening, told);
    if (rc != 0 && rc != SCION_MORE)
        return rc;
    opening->must_ask = rc == SCION_MORE;
    opening->reply.head.number = opening->lrank;
    opening->reply.file = opening->file;
    opening->reply.nfiles = opening->nfiles;
    take_survey(opening, told);
    return 0;
}

/* ---- all ---- */

int scion_ask_for_survey(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    struct told told = {.reply.head.status = 0};
    int warnings = scion_warnings_count(), rc;
    enum scion_deal how;

    if (global->rank == 0 && survey(opening, global->size, &how)) {
        tell_survey(opening, how, &told);
    } else if (global->rank == 0) {
        scion_warnings_cut(warnings);
        opening->checksum = 0;
        told.reply.head.status = SCION_REPLY_AGAIN;
    }
    rc = scion_bcast(global, &told, sizeof told, 0);
    if (rc != 0 || told.reply.head.status & SCION_REPLY_AGAIN)
        return rc != 0 ? rc : SCION_MORE;
    opening->reply = told.reply;
    opening->checksum = scion_checksum_told(&told.reply);
    if (told.reply.head.status & SCION_REPLY_SEAT)
        return hear_of_files(opening, &told);
    opening->reply.head.number = global->rank;
    take_survey(opening, &told);
    return 0;
}

/* The first task has it open. */
static int enter(struct scion_opening *opening)
{
    const struct scion_meta1 head = scion_head_of(&opening->facts, opening->file);
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

/* The sizes that the tasks have read add up to what the first task has read. */
static int place_column(const struct scion_opening *opening, sion_int64 before, sion_int64 room,
                        sion_int64 *start)
{
    const struct scion_comm *local = opening->parallel->local;
    int is_last = local->rank == local->size - 1;
    sion_int64 end;

    if (before >= 0 && !scion_add(opening->start_of_data, before, start) &&
        !scion_add(before, room, &end) && (!is_last || end == opening->facts.globalskip))
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "%s changes while it is read, or tasks see different files",
                      opening->physical->path);
}

/* In a set: a task with another rank than the mapping says is not read. */
static int check_rank(const struct scion_opening *opening, struct scion_column *column)
{
    const struct scion_comm *global = opening->parallel->global;

    return opening->is_set ? scion_column_check_rank(opening->physical, global->rank, column) : 0;
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

void scion_forget_survey(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;

    if (opening->container) {
        scion_container_disown(opening->container, SCION_OWNER_PARALLEL);
        scion_container_close(opening->container);
    }
    if (opening->physical)
        scion_physical_close(opening->physical);
    if (parallel->local != parallel->global)
        scion_comm_free(parallel->local);
    parallel->local = parallel->global;
    opening->container = NULL;
    opening->physical = NULL;
    opening->checksum = opening->is_surveyed = opening->file = opening->lrank = 0;
    opening->likeness = SCION_DIFFER;
    opening->must_ask = 1;
}

int scion_read_own_column(struct scion_opening *opening, struct scion_task *task)
{
    struct scion_comm *local = opening->parallel->local;
    struct scion_column column = {.used = NULL};
    sion_int64 room = 0, before;
    int rc = opening->must_ask ? SCION_MORE : enter(opening), sent;

    if (rc == 0)
        rc = scion_column_read_size(opening->physical, local->rank, &column, &room);
    before = room;
    sent = scion_sums_before(local, &before, 1);
    if (rc == 0)
        rc = sent != 0 ? sent : place_column(opening, before, room, &column.start);
    if (rc == 0)
        rc = scion_column_read_chunks(opening->physical, &column);
    if (rc == 0)
        rc = check_rank(opening, &column);
    return rc == 0 ? take_column(opening->physical, &column, task) : rc;
}

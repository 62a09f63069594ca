/*
 * Reading a buddy checkpoint with whatever files are left (buddy_find.c). Rank 0 gets all tasks'
 * places and lengths from the tasks that keep these, and passes them on: O(tasks and chunks) there.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/agree.h"
#include "format/slot.h"
#include "parallel/buddy_read.h"
#include "parallel/files.h"
#include "parallel/opening.h"

/* ---- groups ---- */

/* reply.nfiles: number of groups; reply.file: the group that the task leads, or -1. */
static int decide_groups(struct scion_opening *opening, const struct scion_request *requests, int n,
                         struct scion_reply *replies)
{
    int rc = scion_check_requests(requests, n), copies = opening->args->mode.buddies;
    int ngroups = 0, next = 0, i;

    for (i = 0; i < n; i++)
        ngroups += requests[i].lrank == 0;
    for (i = 0; i < n; i++) {
        int leads = requests[i].lrank == 0;

        replies[i] = (struct scion_reply){
            .head.status = SCION_REPLY_SEAT, .nfiles = ngroups, .file = leads ? next : -1};
        next += leads;
    }
    if (rc == 0 && copies >= ngroups)
        rc = scion_fail(SION_ERR_MISMATCH,
                        "%d copies of every file need more than %d groups of readers", copies,
                        ngroups);
    if (rc == 0)
        rc = scion_mode_find_checksum(&opening->args->mode, &opening->checksum);
    for (i = 0; i < n && opening->checksum; i++)
        replies[i].head.status |= SCION_REPLY_CHECKSUM;
    return rc;
}

/* A task that may become a keeper must be able to collect. */
static int can_transfer(const struct scion_buddy_reader *reader)
{
    enum scion_capability capability = scion_capability(reader->comm);

    if (capability == SCION_COLLECTS || (capability == SCION_ONLY_SENDS && reader->args->lrank > 0))
        return 0;
    return scion_fail(SION_ERR_ARGUMENT, "buddy checkpoints need collective transfers, which this "
                                         "task cannot do");
}

/* The same first messages as in other opens, so that a rank that opens otherwise is detected. */
static int form_groups(struct scion_buddy_reader *reader, struct scion_opening *opening)
{
    int rc;

    scion_fill_request(opening);
    rc = opening->args->status == 0 ? can_transfer(reader) : 0;
    if (rc != 0)
        opening->request.head.status = rc;
    rc = scion_ask(reader->comm, opening, decide_groups);
    if (rc != 0)
        return rc;
    reader->ngroups = opening->reply.nfiles;
    reader->group = opening->reply.file;
    reader->checksum = (opening->reply.head.status & SCION_REPLY_CHECKSUM) != 0;
    reader->files = scion_must_allocate((size_t)reader->ngroups, sizeof *reader->files);
    return 0;
}

/* ---- places ---- */

/* On a keeper: pack the places of all tasks with data in all its files. */
static sion_int64 *pack_places(const struct scion_buddy_reader *reader, sion_int64 *n)
{
    sion_int64 *numbers, *next;
    int f, t;

    for (*n = 0, f = 0; reader->found && f < reader->ngroups; f++) {
        for (t = 0; reader->found[f] && t < reader->found[f]->head.ntasks; t++)
            *n += scion_task_place_words(reader->found[f], t);
    }
    numbers = next = scion_must_allocate((size_t)*n + 1, sizeof *numbers);
    for (f = 0; reader->found && f < reader->ngroups; f++) {
        const struct scion_physical *physical = reader->found[f];

        for (t = 0; physical && t < physical->head.ntasks; t++) {
            sion_int64 rank = physical->globalranks[t];

            if (rank >= 0)
                next = scion_put_placed(physical, f, t, rank < INT_MAX ? (int)rank : INT_MAX, next);
        }
    }
    *n = next - numbers;
    return numbers;
}

/* On rank 0: find each rank's place among the gathered ones. Every rank must have one. */
static int find_places(const struct scion_buddy_reader *reader, const struct scion_rows *packed,
                       const sion_int64 **places)
{
    const sion_int64 *at = packed->numbers, *end = at + packed->total;
    struct scion_task_place placed;
    int rank, size = reader->comm->size;

    for (; at < end; at += SCION_TASK_PLACE_WORDS + scion_task_place_numbers(placed.count)) {
        placed = scion_task_place_at(at);
        if (placed.rank >= size || places[placed.rank])
            return scion_fail(SION_ERR_MISMATCH, "%s has a task %d %s", reader->args->name,
                              placed.rank, placed.rank >= size ? "that no rank reads" : "twice");
        places[placed.rank] = at;
    }
    for (rank = 0; rank < size; rank++) {
        if (!places[rank])
            return scion_fail(SION_ERR_MISMATCH, "%s has no task %d", reader->args->name, rank);
    }
    return 0;
}

/*
 * Choose the round in which each file's records are exchanged, so that no task is in two exchanges
 * of one round. Two files share a task if one task keeps both, or if the keeper of one has its data
 * in the other. O(files): takes the first free round of 64, or else a new one.
 */
static int choose_rounds(struct scion_buddy_reader *reader, const sion_int64 *const *places)
{
    int n = reader->ngroups, size = reader->comm->size, f, rounds = 0;
    uint64_t *taken = calloc((size_t)size, sizeof *taken); /* rounds of each keeper */
    uint64_t *guests = calloc(
        (size_t)n, sizeof *guests); /* rounds of the keepers that have their data in the file */
    int rc = taken && guests ? 0 : scion_fail_memory("rounds of the exchanges"), later = 64;

    for (f = 0; rc == 0 && f < n; f++) {
        int keeper = (int)reader->files[f].keeper, own = scion_task_place_at(places[keeper]).file,
            round;
        uint64_t used = taken[keeper] | guests[f];

        if (own != f)
            used |=
                reader->files[own].round >= 0 ? UINT64_C(1) << (reader->files[own].round & 63) : 0;
        for (round = 0; round < 64 && (used >> round & 1); round++)
            ;
        if (round == 64)
            round = later++;
        reader->files[f].round = round;
        if (round < 64) {
            taken[keeper] |= UINT64_C(1) << round;
            guests[own] |= UINT64_C(1) << round;
        }
        rounds = round >= rounds ? round + 1 : rounds;
    }
    reader->nrounds = rounds;
    free(taken);
    free(guests);
    return rc;
}

/* Copy the places in the order of ranks. */
static int sort_places(const sion_int64 *const *places, int size, struct scion_rows *rows)
{
    int rank;

    if (scion_rows_begin(rows, size) != 0)
        return scion_fail_memory("tasks");
    for (rank = 0; rank < size; rank++)
        scion_rows_add(rows, SCION_TASK_PLACE_WORDS +
                                 scion_task_place_numbers(scion_task_place_at(places[rank]).count));
    if (scion_rows_make(rows) != 0)
        return scion_fail_memory("places of all tasks");
    for (rank = 0; rank < size; rank++)
        memcpy(scion_rows_of(rows, rank), places[rank],
               (size_t)rows->counts[rank] * sizeof *rows->numbers);
    return 0;
}

static int decide_places(struct scion_buddy_reader *reader, const struct scion_rows *packed,
                         struct scion_rows *rows)
{
    int size = reader->comm->size, rc, f;
    const sion_int64 **places = calloc((size_t)size, sizeof(const sion_int64 *));

    for (f = 0; f < reader->ngroups; f++)
        reader->files[f].round = -1;
    rc = places ? find_places(reader, packed, places) : scion_fail_memory("places of all tasks");
    if (rc == 0)
        rc = choose_rounds(reader, places);
    if (rc == 0)
        rc = sort_places(places, size, rows);
    free(places);
    return rc;
}

static void unpack_place(struct scion_buddy_reader *reader, const sion_int64 *words)
{
    size_t count;

    reader->placed = scion_task_place_at(words);
    count = (size_t)scion_task_place_numbers(reader->placed.count);
    reader->used = scion_must_allocate(count, sizeof *reader->used);
    memcpy(reader->used, words + SCION_TASK_PLACE_WORDS, count * sizeof *reader->used);
}

/* To every task. */
struct places_reply {
    struct scion_reply_head head;
    sion_int64 nrounds, numbers; /* that follow */
};

static void fill_replies(const struct scion_buddy_reader *reader, const struct scion_rows *rows,
                         struct places_reply *replies)
{
    int i;

    for (i = 0; i < rows->n; i++) {
        replies[i].nrounds = reader->nrounds;
        replies[i].numbers = rows->counts[i];
    }
}

/*
 * Send all places to rank 0. The reply says whether they can be read, and how many numbers follow.
 */
static int ask_for_places(struct scion_buddy_reader *reader, struct scion_rows *rows,
                          struct places_reply *reply)
{
    struct scion_comm *comm = reader->comm;
    const struct scion_consultation how = {.comm = comm, .global = comm, .reply = sizeof *reply};
    struct places_reply *replies = NULL;
    struct scion_rows packed;
    sion_int64 size, *mine = pack_places(reader, &size);
    int rc = scion_gather_rows(comm, mine, size, &packed), status = 0;

    free(mine);
    if (rc == 0 && comm->rank == 0) {
        replies = scion_must_allocate((size_t)comm->size, sizeof *replies);
        status = decide_places(reader, &packed, rows);
        if (status == 0)
            fill_replies(reader, rows, replies);
    }
    scion_rows_free(&packed);
    if (rc == 0)
        rc = scion_send_replies(&how, status, -1, replies, reply);
    free(replies);
    return rc;
}

/* Every task learns where its data are, and in which round they are exchanged. */
static int learn_places(struct scion_buddy_reader *reader)
{
    struct scion_comm *comm = reader->comm;
    struct scion_rows rows = {0};
    struct places_reply reply;
    sion_int64 *own = NULL;
    int rc = ask_for_places(reader, &rows, &reply);

    if (rc == 0) {
        reader->nrounds = (int)reply.nrounds;
        own = scion_must_allocate((size_t)reply.numbers + 1, sizeof *own);
        rc = scion_deal_rows(comm, &rows, own, reply.numbers);
    }
    if (rc == 0)
        rc = scion_bcast(comm, reader->files, (size_t)reader->ngroups * sizeof *reader->files, 0);
    if (rc == 0)
        unpack_place(reader, own);
    free(own);
    scion_rows_free(&rows);
    return rc;
}

/* ---- the container ---- */

/* The keeper of file 0 broadcasts its header. */
static int learn_header(struct scion_buddy_reader *reader, struct scion_facts *facts)
{
    int keeper = (int)reader->files[0].keeper;

    memset(facts, 0, sizeof *facts);
    if (reader->comm->rank == keeper)
        scion_describe_file(reader->found[0], facts);
    facts->nfiles = reader->ngroups;
    return scion_bcast(reader->comm, facts, sizeof *facts, keeper);
}

/* On a keeper: its files have been written with file 0, or none of them says so. */
static int check_together(const struct scion_buddy_reader *reader, const struct scion_facts *facts)
{
    int f;

    for (f = 0; reader->found && f < reader->ngroups; f++) {
        const struct scion_physical *physical = reader->found[f];

        if (physical && !scion_marker_fits(physical->head.flag2, facts->flag2))
            return scion_physical_fail_together(physical->path);
    }
    return 0;
}

static int make_container(struct scion_buddy_reader *reader, const struct scion_facts *facts,
                          struct scion_parallel *parallel, struct scion_container **container)
{
    const struct scion_meta1 head = scion_head_of(facts, reader->placed.file);
    const struct scion_task task = {
        .placed = reader->placed,
        .used = reader->used,
        .maxchunks = facts->maxchunks,
    };
    char *name;
    int rc;

    name = scion_member_name(reader->args->name_of_file, reader->args->name, reader->placed.file);
    rc = name ? scion_container_attach(&head, &reader->args->mode, NULL, name, &task, container)
              : scion_error_code();
    if (rc != 0) {
        free(name);
        return rc;
    }
    reader->used = NULL;
    scion_container_own(*container, &scion_parallel_owner, parallel);
    return 0;
}

/*
 * In one round a task is in at most one exchange: that of its own data, or of a file that it keeps.
 */
static int join_round(struct scion_buddy_reader *reader, struct scion_buddies *buddies, int round,
                      struct scion_stream *stream)
{
    struct scion_exchange *exchange = &buddies->exchanges[buddies->nexchanges];
    int is_own = reader->files[reader->placed.file].round == round, f, rc;

    *exchange = (struct scion_exchange){.filenumber = is_own ? reader->placed.file : -1};
    for (f = 0; reader->found && f < reader->ngroups; f++) {
        if (reader->found[f] && reader->files[f].round == round)
            exchange->filenumber = f;
    }
    f = exchange->filenumber;
    rc = scion_split(
        reader->comm, f,
        f >= 0 && reader->files[f].keeper == reader->comm->rank ? 0 : 1 + reader->comm->rank,
        &exchange->comm);
    if (rc != 0 || f < 0)
        return rc;
    exchange->stream = is_own ? stream : NULL;
    if (reader->found) {
        exchange->physical = reader->found[f];
        reader->found[f] = NULL;
    }
    buddies->nexchanges++;
    return scion_buddy_join(exchange);
}

static int join_exchanges(struct scion_buddy_reader *reader, struct scion_parallel *parallel,
                          struct scion_stream *stream)
{
    struct scion_buddies *buddies = parallel->buddies;
    int rc = 0, round;

    buddies->ngroups = reader->ngroups;
    buddies->exchanges = scion_must_allocate((size_t)reader->nrounds, sizeof *buddies->exchanges);
    buddies->record_move =
        scion_must_allocate((size_t)reader->nrounds + 1, sizeof *buddies->record_move);
    for (round = 0; round < reader->nrounds && rc == 0; round++)
        rc = join_round(reader, buddies, round, stream);
    return rc;
}

static int open_together(struct scion_buddy_reader *reader, struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    struct scion_facts facts;
    int rc = form_groups(reader, opening);

    if (rc == 0)
        rc = scion_buddy_find(reader);
    if (rc == 0)
        rc = learn_places(reader);
    if (rc == 0)
        rc = learn_header(reader, &facts);
    if (rc != 0)
        return rc;
    rc = check_together(reader, &facts);
    if (rc == 0)
        rc = make_container(reader, &facts, parallel, &opening->container);
    rc = scion_agree(reader->comm, scion_name_rank(reader->comm, rc));
    if (rc == 0)
        rc = scion_agree(reader->comm, join_exchanges(reader, parallel,
                                                      scion_container_stream(opening->container)));
    return rc;
}

static void free_reading(struct scion_buddy_reader *reader)
{
    int f;

    for (f = 0; reader->found && f < reader->ngroups; f++)
        scion_physical_close(reader->found[f]);
    free(reader->found);
    free(reader->files);
    free(reader->used);
    free(reader->damage);
    free(reader->misfit);
}

int scion_buddy_open(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    struct scion_buddy_reader reader = {
        .comm = parallel->global, .args = opening->args, .group = -1};
    int rc;

    parallel->buddies = scion_must_allocate(1, sizeof *parallel->buddies);
    rc = open_together(&reader, opening);
    free_reading(&reader);
    if (rc == 0)
        return 0;
    if (opening->container)
        scion_container_close(opening->container);
    else
        scion_parallel_free(parallel);
    return rc;
}

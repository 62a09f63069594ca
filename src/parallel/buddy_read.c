/*
 * Reading a buddy checkpoint with whatever files are left. The first task of every group of readers
 * looks for files: first for the one of its own number, on all levels; what nobody has found by
 * that is then looked for by all. Rank 0 decides whose file counts. It gets all tasks' places and
 * lengths from those, and passes them on: O(tasks and chunks) there.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/agree.h"
#include "file/checksum.h"
#include "format/slot.h"
#include "parallel/buddy.h"

/* A file of the set: the task that has it, and the round in which its records are exchanged. */
struct kept_file {
    sion_int64 keeper; /* rank, or -1 */
    sion_int64 flag2;  /* of the file, if there is a keeper */
    sion_int64 round;
};

/* What rank 0 and the keepers know while the container is opened. */
struct reading {
    struct scion_comm *comm;
    const struct scion_parallel_args *args;
    int ngroups, group;
    struct scion_physical **found; /* [ngroups] on a task that leads: files that it can read */
    struct kept_file *files;       /* [ngroups] */
    int nrounds;
    int checksum; /* files that are damaged do not count */
    char *damage; /* what is wrong with one of them; NULL: nothing that is known */
    char *misfit; /* name of a file that was written with another file 0; NULL: none */

    struct scion_placed placed; /* this task's data */
    sion_int64 *used;
};

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
static int can_transfer(const struct reading *reading)
{
    enum scion_capability capability = scion_capability(reading->comm);

    if (capability == SCION_COLLECTS ||
        (capability == SCION_ONLY_SENDS && reading->args->lrank > 0))
        return 0;
    return scion_fail(SION_ERR_ARGUMENT, "buddy checkpoints need collective transfers, which this "
                                         "task cannot do");
}

/* The same first messages as in other opens, so that a rank that opens otherwise is detected. */
static int form_groups(struct reading *reading, struct scion_opening *opening)
{
    int rc;

    scion_fill_request(opening);
    rc = opening->args->status == 0 ? can_transfer(reading) : 0;
    if (rc != 0)
        opening->request.head.status = rc;
    rc = scion_ask(reading->comm, opening, decide_groups);
    if (rc != 0)
        return rc;
    reading->ngroups = opening->reply.nfiles;
    reading->group = opening->reply.file;
    reading->checksum = (opening->reply.head.status & SCION_REPLY_CHECKSUM) != 0;
    reading->files = scion_must_allocate((size_t)reading->ngroups, sizeof *reading->files);
    return 0;
}

/* ---- files ---- */

static int is_member(const struct reading *reading, const struct scion_physical *physical,
                     int number)
{
    return physical->head.nfiles == reading->ngroups && physical->head.filenumber == number;
}

/* Whether the data are as their checksums say, if they are asked for. Keeps what is wrong. */
static int is_good(struct reading *reading, struct scion_physical *physical)
{
    if (!reading->checksum || scion_physical_verify(physical, -1) == 0)
        return 1;
    free(reading->damage);
    reading->damage = strdup(scion_error_text());
    return 0;
}

/* Once file 0 is known: a file with this flag2 may have been written together with it. */
static int fits(const struct reading *reading, sion_int64 flag2)
{
    return reading->files[0].keeper < 0 || scion_marker_fits(flag2, reading->files[0].flag2);
}

/* Keeps the name of one that does not fit. */
static int is_together(struct reading *reading, const struct scion_physical *physical)
{
    if (fits(reading, physical->head.flag2))
        return 1;
    free(reading->misfit);
    reading->misfit = strdup(physical->path);
    return 0;
}

/* The file of this number at a level, if it is complete; else NULL. */
static struct scion_physical *look_at_level(struct reading *reading, int number, int level)
{
    struct scion_physical *physical = NULL;
    char *name = scion_buddy_name(reading->args, level, number);

    if (name && scion_physical_read(name, &physical) != 0)
        physical = NULL;
    free(name);
    if (physical && is_member(reading, physical, number) && is_together(reading, physical) &&
        is_good(reading, physical))
        return physical;
    scion_physical_close(physical);
    return NULL;
}

/* The first good file of this number: of the normal set, or a copy; else NULL. */
static struct scion_physical *look_for(struct reading *reading, int number)
{
    struct scion_physical *physical = NULL;
    int level;

    for (level = SCION_NORMAL; level < reading->args->mode.buddies && !physical; level++)
        physical = look_at_level(reading, number, level);
    return physical;
}

enum { FINDING = 2 /* numbers: that of a file, and its flag2 */ };

/*
 * On rank 0: the first task that has found a file keeps it. found: the findings of each task.
 * is_first: only file 0 is looked at, which all others must fit; else only these.
 */
static void choose_keepers(struct reading *reading, const struct scion_rows *found, int is_first)
{
    int rank, i;

    for (rank = 0; rank < found->n; rank++) {
        for (i = 0; i < found->counts[rank]; i += FINDING) {
            const sion_int64 *finding = scion_rows_of(found, rank) + i;
            struct kept_file *file = &reading->files[finding[0]];

            if ((finding[0] == 0) == is_first && file->keeper < 0 && fits(reading, finding[1]))
                *file = (struct kept_file){.keeper = rank, .flag2 = finding[1]};
        }
    }
}

/* List the files that this task has found and that have no keeper yet. */
static sion_int64 *list_findings(const struct reading *reading, sion_int64 *n)
{
    sion_int64 *numbers = scion_must_allocate((size_t)reading->ngroups, FINDING * sizeof *numbers);
    int f;

    *n = 0;
    for (f = 0; reading->found && f < reading->ngroups; f++) {
        if (reading->found[f] && reading->files[f].keeper < 0) {
            numbers[(*n)++] = f;
            numbers[(*n)++] = reading->found[f]->head.flag2;
        }
    }
    return numbers;
}

/* Rank 0 gathers what the tasks have found, and broadcasts who keeps what. */
static int share_findings(struct reading *reading)
{
    struct scion_comm *comm = reading->comm;
    struct scion_rows found;
    sion_int64 n, *mine = list_findings(reading, &n);
    int rc = scion_gather_rows(comm, mine, n, &found);

    if (rc == 0 && comm->rank == 0) {
        choose_keepers(reading, &found, 1);
        choose_keepers(reading, &found, 0);
    }
    if (rc == 0)
        rc =
            scion_bcast(comm, reading->files, (size_t)reading->ngroups * sizeof *reading->files, 0);
    free(mine);
    scion_rows_free(&found);
    return rc;
}

static int find_missing(const struct reading *reading)
{
    int f = 0;

    while (f < reading->ngroups && reading->files[f].keeper >= 0)
        f++;
    return f;
}

/* Collective: all learn of a damaged file, which is not read; 0: nobody has found one. */
static int share_damage(const struct reading *reading)
{
    int rc = reading->damage ? scion_fail(SION_ERR_DAMAGED, "%s", reading->damage) : 0;

    return reading->checksum ? scion_agree(reading->comm, scion_name_rank(reading->comm, rc)) : 0;
}

/* File f has no keeper: all learn why. */
static int fail_without(const struct reading *reading, int f)
{
    int rc = reading->misfit ? scion_physical_fail_together(reading->misfit) : 0;

    rc = scion_agree(reading->comm, scion_name_rank(reading->comm, rc));
    return rc != 0
               ? rc
               : scion_fail(SION_ERR_SYSTEM,
                            "cannot open file, not all files available: neither file %d of %s nor "
                            "a copy of it",
                            f, reading->args->name);
}

/* Each leader looks for its own file; then all look for those that nobody has, or do not fit. */
static int look_for_all(struct reading *reading)
{
    int rc, f;

    for (f = 0; f < reading->ngroups; f++)
        reading->files[f].keeper = -1;
    if (reading->group >= 0) {
        reading->found = scion_must_allocate((size_t)reading->ngroups, sizeof *reading->found);
        reading->found[reading->group] = look_for(reading, reading->group);
    }
    rc = share_findings(reading);
    if (rc != 0 || find_missing(reading) == reading->ngroups)
        return rc;
    for (f = 0; reading->found && f < reading->ngroups; f++) {
        if (reading->files[f].keeper < 0) {
            scion_physical_close(reading->found[f]);
            reading->found[f] = look_for(reading, f);
        }
    }
    return share_findings(reading);
}

static int find_files(struct reading *reading)
{
    int rc = look_for_all(reading), f;

    if (rc != 0)
        return rc;
    f = find_missing(reading);
    rc = share_damage(reading);
    if (rc == SION_ERR_COMM)
        return rc;
    if (f < reading->ngroups)
        return rc != 0 ? rc : fail_without(reading, f);
    if (rc != 0)
        scion_warn("%s; its copy is read", scion_error_text());
    for (f = 0; reading->found && f < reading->ngroups; f++) {
        if (reading->files[f].keeper == reading->comm->rank)
            continue;
        scion_physical_close(reading->found[f]);
        reading->found[f] = NULL;
    }
    return 0;
}

/* ---- places ---- */

/* On a keeper: pack the places of all tasks with data in all its files. */
static sion_int64 *pack_places(const struct reading *reading, sion_int64 *n)
{
    sion_int64 *numbers, *next;
    int f, t;

    for (*n = 0, f = 0; reading->found && f < reading->ngroups; f++) {
        for (t = 0; reading->found[f] && t < reading->found[f]->head.ntasks; t++)
            *n += scion_placed_words(reading->found[f], t);
    }
    numbers = next = scion_must_allocate((size_t)*n + 1, sizeof *numbers);
    for (f = 0; reading->found && f < reading->ngroups; f++) {
        const struct scion_physical *physical = reading->found[f];

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
static int find_places(const struct reading *reading, const struct scion_rows *packed,
                       const sion_int64 **places)
{
    const sion_int64 *at = packed->numbers, *end = at + packed->total;
    struct scion_placed placed;
    int rank, size = reading->comm->size;

    for (; at < end; at += SCION_PLACED_WORDS + placed.count) {
        placed = scion_placed_at(at);
        if (placed.rank >= size || places[placed.rank])
            return scion_fail(SION_ERR_MISMATCH, "%s has a task %d %s", reading->args->name,
                              placed.rank, placed.rank >= size ? "that no rank reads" : "twice");
        places[placed.rank] = at;
    }
    for (rank = 0; rank < size; rank++) {
        if (!places[rank])
            return scion_fail(SION_ERR_MISMATCH, "%s has no task %d", reading->args->name, rank);
    }
    return 0;
}

/*
 * Choose the round in which each file's records are exchanged, so that no task is in two exchanges
 * of one round. Two files share a task if one task keeps both, or if the keeper of one has its data
 * in the other. O(files): takes the first free round of 64, or else a new one.
 */
static int choose_rounds(struct reading *reading, const sion_int64 *const *places)
{
    int n = reading->ngroups, size = reading->comm->size, f, rounds = 0;
    uint64_t *taken = calloc((size_t)size, sizeof *taken); /* rounds of each keeper */
    uint64_t *guests = calloc(
        (size_t)n, sizeof *guests); /* rounds of the keepers that have their data in the file */
    int rc = taken && guests ? 0 : scion_fail_memory("rounds of the exchanges"), later = 64;

    for (f = 0; rc == 0 && f < n; f++) {
        int keeper = (int)reading->files[f].keeper, own = scion_placed_at(places[keeper]).file,
            round;
        uint64_t used = taken[keeper] | guests[f];

        if (own != f)
            used |= reading->files[own].round >= 0 ? UINT64_C(1) << (reading->files[own].round & 63)
                                                   : 0;
        for (round = 0; round < 64 && (used >> round & 1); round++)
            ;
        if (round == 64)
            round = later++;
        reading->files[f].round = round;
        if (round < 64) {
            taken[keeper] |= UINT64_C(1) << round;
            guests[own] |= UINT64_C(1) << round;
        }
        rounds = round >= rounds ? round + 1 : rounds;
    }
    reading->nrounds = rounds;
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
        scion_rows_add(rows, SCION_PLACED_WORDS + scion_placed_at(places[rank]).count);
    if (scion_rows_make(rows) != 0)
        return scion_fail_memory("places of all tasks");
    for (rank = 0; rank < size; rank++)
        memcpy(scion_rows_of(rows, rank), places[rank],
               (size_t)rows->counts[rank] * sizeof *rows->numbers);
    return 0;
}

static int decide_places(struct reading *reading, const struct scion_rows *packed,
                         struct scion_rows *rows)
{
    int size = reading->comm->size, rc, f;
    const sion_int64 **places = calloc((size_t)size, sizeof(const sion_int64 *));

    for (f = 0; f < reading->ngroups; f++)
        reading->files[f].round = -1;
    rc = places ? find_places(reading, packed, places) : scion_fail_memory("places of all tasks");
    if (rc == 0)
        rc = choose_rounds(reading, places);
    if (rc == 0)
        rc = sort_places(places, size, rows);
    free(places);
    return rc;
}

static void unpack_place(struct reading *reading, const sion_int64 *words)
{
    size_t count;

    reading->placed = scion_placed_at(words);
    count = (size_t)reading->placed.count;
    reading->used = scion_must_allocate(count, sizeof *reading->used);
    memcpy(reading->used, words + SCION_PLACED_WORDS, count * sizeof *reading->used);
}

/* To every task. */
struct places_reply {
    struct scion_reply_head head;
    sion_int64 nrounds, numbers; /* that follow */
};

static void fill_replies(const struct reading *reading, const struct scion_rows *rows,
                         struct places_reply *replies)
{
    int i;

    for (i = 0; i < rows->n; i++) {
        replies[i].nrounds = reading->nrounds;
        replies[i].numbers = rows->counts[i];
    }
}

/*
 * Send all places to rank 0. The reply says whether they can be read, and how many numbers follow.
 */
static int ask_for_places(struct reading *reading, struct scion_rows *rows,
                          struct places_reply *reply)
{
    struct scion_comm *comm = reading->comm;
    const struct scion_consultation how = {.comm = comm, .global = comm, .reply = sizeof *reply};
    struct places_reply *replies = NULL;
    struct scion_rows packed;
    sion_int64 size, *mine = pack_places(reading, &size);
    int rc = scion_gather_rows(comm, mine, size, &packed), status = 0;

    free(mine);
    if (rc == 0 && comm->rank == 0) {
        replies = scion_must_allocate((size_t)comm->size, sizeof *replies);
        status = decide_places(reading, &packed, rows);
        if (status == 0)
            fill_replies(reading, rows, replies);
    }
    scion_rows_free(&packed);
    if (rc == 0)
        rc = scion_send_replies(&how, status, -1, replies, reply);
    free(replies);
    return rc;
}

/* Every task learns where its data are, and in which round they are exchanged. */
static int learn_places(struct reading *reading)
{
    struct scion_comm *comm = reading->comm;
    struct scion_rows rows = {0};
    struct places_reply reply;
    sion_int64 *own = NULL;
    int rc = ask_for_places(reading, &rows, &reply);

    if (rc == 0) {
        reading->nrounds = (int)reply.nrounds;
        own = scion_must_allocate((size_t)reply.numbers + 1, sizeof *own);
        rc = scion_deal_rows(comm, &rows, own, reply.numbers);
    }
    if (rc == 0)
        rc =
            scion_bcast(comm, reading->files, (size_t)reading->ngroups * sizeof *reading->files, 0);
    if (rc == 0)
        unpack_place(reading, own);
    free(own);
    scion_rows_free(&rows);
    return rc;
}

/* ---- the container ---- */

/* The keeper of file 0 broadcasts its header. */
static int learn_header(struct reading *reading, struct scion_facts *facts)
{
    int keeper = (int)reading->files[0].keeper;

    memset(facts, 0, sizeof *facts);
    if (reading->comm->rank == keeper)
        scion_describe_file(reading->found[0], facts);
    facts->nfiles = reading->ngroups;
    return scion_bcast(reading->comm, facts, sizeof *facts, keeper);
}

/* On a keeper: its files have been written with file 0, or none of them says so. */
static int check_together(const struct reading *reading, const struct scion_facts *facts)
{
    int f;

    for (f = 0; reading->found && f < reading->ngroups; f++) {
        const struct scion_physical *physical = reading->found[f];

        if (physical && !scion_marker_fits(physical->head.flag2, facts->flag2))
            return scion_physical_fail_together(physical->path);
    }
    return 0;
}

static int make_container(struct reading *reading, const struct scion_facts *facts,
                          struct scion_parallel *parallel, struct scion_container **container)
{
    const struct scion_meta1 head = scion_head_of(facts, reading->placed.file);
    const struct scion_task task = {
        .placed = reading->placed,
        .used = reading->used,
        .maxchunks = facts->maxchunks,
    };
    char *name;
    int rc;

    name =
        scion_member_name(reading->args->name_of_file, reading->args->name, reading->placed.file);
    rc = name ? scion_container_attach(&head, &reading->args->mode, NULL, name, &task, container)
              : scion_error_code();
    if (rc != 0) {
        free(name);
        return rc;
    }
    reading->used = NULL;
    scion_container_own(*container, &scion_parallel_owner, parallel);
    return 0;
}

/*
 * In one round a task is in at most one exchange: that of its own data, or of a file that it keeps.
 */
static int join_round(struct reading *reading, struct scion_buddies *buddies, int round,
                      struct scion_stream *stream)
{
    struct scion_exchange *exchange = &buddies->exchanges[buddies->nexchanges];
    int is_own = reading->files[reading->placed.file].round == round, f, rc;

    *exchange = (struct scion_exchange){.filenumber = is_own ? reading->placed.file : -1};
    for (f = 0; reading->found && f < reading->ngroups; f++) {
        if (reading->found[f] && reading->files[f].round == round)
            exchange->filenumber = f;
    }
    f = exchange->filenumber;
    rc = scion_split(
        reading->comm, f,
        f >= 0 && reading->files[f].keeper == reading->comm->rank ? 0 : 1 + reading->comm->rank,
        &exchange->comm);
    if (rc != 0 || f < 0)
        return rc;
    exchange->stream = is_own ? stream : NULL;
    if (reading->found) {
        exchange->physical = reading->found[f];
        reading->found[f] = NULL;
    }
    buddies->nexchanges++;
    return scion_buddy_join(exchange);
}

static int join_exchanges(struct reading *reading, struct scion_parallel *parallel,
                          struct scion_stream *stream)
{
    struct scion_buddies *buddies = parallel->buddies;
    int rc = 0, round;

    buddies->ngroups = reading->ngroups;
    buddies->exchanges = scion_must_allocate((size_t)reading->nrounds, sizeof *buddies->exchanges);
    for (round = 0; round < reading->nrounds && rc == 0; round++)
        rc = join_round(reading, buddies, round, stream);
    return rc;
}

static int open_together(struct reading *reading, struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    struct scion_facts facts;
    int rc = form_groups(reading, opening);

    if (rc == 0)
        rc = find_files(reading);
    if (rc == 0)
        rc = learn_places(reading);
    if (rc == 0)
        rc = learn_header(reading, &facts);
    if (rc != 0)
        return rc;
    rc = check_together(reading, &facts);
    if (rc == 0)
        rc = make_container(reading, &facts, parallel, &opening->container);
    rc = scion_agree(reading->comm, scion_name_rank(reading->comm, rc));
    if (rc == 0)
        rc = scion_agree(reading->comm, join_exchanges(reading, parallel,
                                                       scion_container_stream(opening->container)));
    return rc;
}

static void free_reading(struct reading *reading)
{
    int f;

    for (f = 0; reading->found && f < reading->ngroups; f++)
        scion_physical_close(reading->found[f]);
    free(reading->found);
    free(reading->files);
    free(reading->used);
    free(reading->damage);
    free(reading->misfit);
}

int scion_buddy_open(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    struct reading reading = {.comm = parallel->global, .args = opening->args, .group = -1};
    int rc;

    parallel->buddies = scion_must_allocate(1, sizeof *parallel->buddies);
    rc = open_together(&reading, opening);
    free_reading(&reading);
    if (rc == 0)
        return 0;
    if (opening->container)
        scion_container_close(opening->container);
    else
        scion_parallel_free(parallel);
    return rc;
}

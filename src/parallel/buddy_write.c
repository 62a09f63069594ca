/* Buddy checkpoints that are written: files of copies, made at the open and closed with the others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/agree.h"
#include "file/checksum_tap.h"
#include "geometry/buddy.h"
#include "parallel/buddy.h"
#include "parallel/files.h"
#include "parallel/opening.h"

/* From the owners of the data to the keeper of the copy. */
struct owner {
    struct scion_request_head head;
    sion_int64 rank, chunksize, fsblksize;
};

/* The place of the data in the copy. */
struct keeper_reply {
    struct scion_reply_head head;
    struct scion_place place;
};

/* All tasks learn the first task and the size of every group. */
static int learn_groups(const struct scion_opening *opening, struct scion_buddies *buddies)
{
    struct scion_comm *global = opening->parallel->global;
    sion_int64 mine[2] = {opening->lrank == 0 ? opening->file : -1, opening->facts.ntasks};
    sion_int64 *all = NULL, *groups;
    int n = buddies->ngroups, rc, i;

    groups = scion_must_allocate(2 * (size_t)n, sizeof *groups);
    if (global->rank == 0)
        all = scion_must_allocate((size_t)global->size, sizeof mine);
    rc = scion_gather(global, mine, all, sizeof mine, 0);
    for (i = 0; rc == 0 && global->rank == 0 && i < global->size; i++) {
        if (all[2 * i] >= 0) {
            groups[2 * all[2 * i]] = i;
            groups[2 * all[2 * i] + 1] = all[2 * i + 1];
        }
    }
    if (rc == 0)
        rc = scion_bcast(global, groups, 2 * (size_t)n * sizeof *groups, 0);
    for (i = 0; i < n; i++) {
        buddies->leaders[i] = (int)groups[2 * i];
        buddies->sizes[i] = (int)groups[2 * i + 1];
    }
    free(all);
    free(groups);
    return rc;
}

static void fill_tasks(const struct scion_opening *opening, const struct owner *owners, int n,
                       int nplaceholders, sion_int64 *chunksizes, sion_int64 *ranks)
{
    int i;

    for (i = 0; i < nplaceholders; i++) {
        chunksizes[i] = 0;
        ranks[i] = -(opening->physical->globalranks[i] + 1);
    }
    for (i = 1; i < n; i++) {
        chunksizes[nplaceholders + i - 1] = owners[i].chunksize;
        ranks[nplaceholders + i - 1] = owners[i].rank;
    }
}

/* Create the file, next to its name if the container is atomic. */
static int create_file(const struct scion_opening *opening, struct scion_exchange *exchange,
                       const char *path, struct scion_physical_plan *plan)
{
    const struct scion_parallel_args *args = opening->args;
    char *base = scion_buddy_name(args, exchange->level, 0), *beside = NULL;
    const struct scion_creation creation = {.name = base,
                                            .mode = &args->mode,
                                            .flag2 = opening->facts.flag2,
                                            .is_atomic = opening->parallel->is_atomic};
    int rc = base ? scion_name_beside(&creation, path, exchange->filenumber, &beside)
                  : scion_error_code();

    plan->is_durable = creation.is_atomic || args->mode.sync != SCION_SYNC_NONE;
    plan->final = creation.is_atomic ? path : NULL;
    plan->is_derived = exchange->filenumber == 0 || !args->name_of_file;
    if (rc == 0)
        rc = scion_physical_create(beside ? beside : path, plan, &exchange->physical);
    free(beside);
    free(base);
    return rc;
}

/*
 * On the keeper: create the file of a copy. Its own group's tasks come first, as place-holders,
 * then the owners.
 */
static int create_copy(const struct scion_opening *opening, const struct owner *owners, int n,
                       struct scion_exchange *exchange, const char *path)
{
    const struct scion_parallel_args *args = opening->args;
    int nplaceholders = opening->facts.ntasks, ntasks = nplaceholders + n - 1, rc;
    sion_int64 *numbers = scion_array((size_t)ntasks, 2 * sizeof *numbers);
    int collsize = scion_collective_size(&args->mode, ntasks);
    struct scion_group_criteria criteria = {.collsize = collsize > 0 ? collsize : ntasks};
    struct scion_physical_plan plan = {
        .head = scion_head_of(&opening->facts, opening->file),
        .chunksizes = numbers,
        .globalranks = numbers ? numbers + ntasks : NULL,
        .criteria = &criteria,
        .permissions = scion_permissions(&args->mode),
    };

    if (!numbers)
        return scion_fail_memory("tasks");
    fill_tasks(opening, owners, n, nplaceholders, numbers, numbers + ntasks);
    plan.head.fsblksize = (int)owners[1].fsblksize;
    plan.head.ntasks = ntasks;
    plan.head.filenumber = exchange->filenumber;
    strcpy(plan.head.prefix, args->name);
    rc = create_file(opening, exchange, path, &plan);
    free(numbers);
    return rc;
}

/* A copy that the keeper is creating, in its exchange. */
struct copy_creation {
    const struct scion_opening *opening;
    struct scion_exchange *exchange;
    const char *path;
};

static int decide_copy(void *context, const void *owners, int n, void *to, int *blamed)
{
    const struct copy_creation *copy_creation = context;
    struct keeper_reply *replies = to;
    int nplaceholders = copy_creation->opening->facts.ntasks, rc, i;

    (void)blamed;
    rc = create_copy(copy_creation->opening, owners, n, copy_creation->exchange,
                     copy_creation->path);
    for (i = 1; i < n && rc == 0; i++)
        replies[i].place =
            scion_physical_place(copy_creation->exchange->physical, nplaceholders + i - 1);
    return rc;
}

/* Within the exchange: the keeper makes the file, the owners learn their places in it. */
static int make_copy(struct copy_creation *copy_creation, struct scion_place *place)
{
    const struct scion_opening *opening = copy_creation->opening;
    const struct owner mine = {
        .rank = opening->parallel->global->rank,
        .chunksize = opening->request.chunksize,
        .fsblksize = opening->facts.fsblksize,
    };
    const struct scion_consultation how = {
        .comm = copy_creation->exchange->comm,
        .global = opening->parallel->global,
        .request = sizeof mine,
        .reply = sizeof(struct keeper_reply),
        .decide = decide_copy,
        .context = copy_creation,
    };
    struct keeper_reply reply;
    int rc = scion_consult(&how, &mine, &reply);

    *place = reply.place;
    return rc;
}

/* The stream of this task's data in the copy; its records go through the keeper's file. */
static int enter_copy(struct scion_copy *copy, const struct scion_place *place)
{
    static const struct scion_mark start = {0, 0, 0};
    int rc;

    scion_stream_init(&copy->stream, 1, 0);
    rc = scion_lengths_new(&copy->lengths);
    return rc != 0 ? rc : scion_stream_enter(&copy->stream, NULL, place, &copy->lengths, &start);
}

/* The commit slots of this task's data in a copy, in which the keeper's tasks come first. */
static int need_commit(const struct scion_opening *opening, int level, struct scion_copy *copy)
{
    const struct scion_buddies *buddies = opening->parallel->buddies;
    int before = buddies->sizes[scion_buddy_keeper(buddies->group, level, buddies->ngroups)];
    uint32_t nonce;

    if (scion_marker_trailer(opening->facts.flag2, &nonce) == 0)
        return 0;
    copy->commit = malloc(sizeof *copy->commit);
    if (!copy->commit)
        return scion_fail_memory("commit records");
    scion_commit_init(copy->commit, nonce, before + opening->lrank, 0);
    return 0;
}

/* One round of a level: this task is an owner, or a keeper, or takes no part. */
static int make_round(const struct scion_opening *opening, int level, int round)
{
    struct scion_parallel *parallel = opening->parallel;
    struct scion_buddies *buddies = parallel->buddies;
    struct scion_copy *copy = &buddies->copies[level];
    int kept = scion_buddy_kept(buddies->group, level, buddies->ngroups);
    int is_owner = scion_buddy_round(buddies->group, level, buddies->ngroups) == round;
    int is_keeper =
        opening->lrank == 0 && scion_buddy_round(kept, level, buddies->ngroups) == round;
    struct scion_exchange *exchange = &buddies->exchanges[buddies->nexchanges];
    struct copy_creation copy_creation = {opening, exchange, copy->kept_name};
    struct scion_place place = {.start = 0};
    int rc;

    exchange->level = level;
    exchange->filenumber = is_owner ? buddies->group : is_keeper ? kept : -1;
    rc = scion_split(parallel->global, exchange->filenumber, is_keeper ? 0 : 1 + opening->lrank,
                     &exchange->comm);
    if (rc != 0 || !exchange->comm)
        return rc;
    buddies->nexchanges++;
    rc = scion_buddy_join(exchange);
    if (rc == 0)
        rc = make_copy(&copy_creation, &place);
    if (rc == 0)
        rc = scion_length_gather_reserve(&exchange->gather, exchange->comm);
    if (rc != 0 || is_keeper)
        return rc;
    exchange->stream = &copy->stream;
    rc = enter_copy(copy, &place);
    if (rc == 0)
        rc = need_commit(opening, level, copy);
    exchange->commit = copy->commit;
    if (rc == 0 && opening->checksum)
        rc = scion_checksum_tap_begin(&copy->stream, 1, &copy->sums);
    exchange->sums = copy->sums;
    return rc;
}

static int name_copies(const struct scion_opening *opening, struct scion_buddies *buddies)
{
    int level, rc = 0;

    for (level = 0; level < buddies->levels; level++) {
        struct scion_copy *copy = &buddies->copies[level];

        copy->own_name = scion_buddy_name(opening->args, level, buddies->group);
        copy->kept_name = scion_buddy_name(
            opening->args, level, scion_buddy_kept(buddies->group, level, buddies->ngroups));
        if (!copy->own_name || !copy->kept_name)
            rc = scion_error_code();
    }
    return rc;
}

static int check(const struct scion_opening *opening)
{
    int levels = opening->args->mode.buddies, n = opening->nfiles;

    if (levels >= n)
        return scion_fail(SION_ERR_ARGUMENT,
                          "%d copies of every file need more than %d files, there are %d", levels,
                          levels, n);
    if (!opening->parallel->collective.group)
        return scion_fail(SION_ERR_ARGUMENT, "buddy checkpoints need collective transfers, which "
                                             "this interface has not");
    return 0;
}

/* Everything that is needed at the open, and at the close, where no task can fail alone. */
static int make_buddies(const struct scion_opening *opening)
{
    int levels = opening->args->mode.buddies, ngroups = opening->nfiles;
    struct scion_buddies *new = calloc(1, sizeof *new);

    opening->parallel->buddies = new;
    if (!new)
        return scion_fail_memory("copies");
    new->ngroups = ngroups;
    new->group = opening->file;
    new->copies = calloc((size_t)levels, sizeof *new->copies);
    new->mappings = calloc((size_t)levels, sizeof *new->mappings);
    new->exchanges = calloc((size_t)levels * SCION_BUDDY_ROUNDS, sizeof *new->exchanges);
    new->record_move = calloc((size_t)levels * SCION_BUDDY_ROUNDS + 1, sizeof *new->record_move);
    new->leaders = calloc((size_t)ngroups, sizeof *new->leaders);
    new->sizes = calloc((size_t)ngroups, sizeof *new->sizes);
    if (!new->copies || !new->mappings || !new->exchanges || !new->record_move || !new->leaders ||
        !new->sizes)
        return scion_fail_memory("copies");
    new->levels = levels;
    return name_copies(opening, new);
}

/* The task that keeps the copy of file 0. */
static int keeper_of_first(const struct scion_buddies *buddies, int level)
{
    return buddies->leaders[scion_buddy_keeper(0, level, buddies->ngroups)];
}

static int reserve_mapping(struct scion_parallel *parallel, int level)
{
    struct scion_buddies *buddies = parallel->buddies;

    return keeper_of_first(buddies, level) == parallel->global->rank
               ? scion_mapping_make(&buddies->mappings[level], parallel->global->size)
               : 0;
}

int scion_buddy_create(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    int rc = check(opening), level, round, levels;

    if (rc == 0)
        rc = make_buddies(opening);
    rc = scion_agree(parallel->global, scion_name_rank(parallel->global, rc));
    if (rc == 0)
        rc = learn_groups(opening, parallel->buddies);
    levels = rc == 0 ? parallel->buddies->levels : 0;
    for (level = 0; level < levels && rc == 0; level++) {
        rc = scion_agree(parallel->global, reserve_mapping(parallel, level));
        for (round = 0; round < SCION_BUDDY_ROUNDS && rc == 0; round++)
            rc = scion_agree(parallel->global, make_round(opening, level, round));
    }
    return rc;
}

/* ---- close ---- */

/* On the keeper of a copy, which is rank 0: the place-holders are empty. */
static int finish_copy(struct scion_exchange *exchange, const struct scion_mapping *mapping)
{
    const struct scion_length_order order = {.gather = &exchange->gather,
                                             .nempty = exchange->physical->head.ntasks -
                                                       (exchange->comm->size - 1),
                                             .first = 1};
    const struct scion_length_source written = scion_length_gather_source(&order);

    return scion_physical_finish(exchange->physical, &written, mapping);
}

/* Gather the mapping table of a level on the keeper of file 0. */
static int gather_mapping(struct scion_parallel *parallel, const struct scion_container *container,
                          int level, struct scion_mapping *mapping)
{
    const struct scion_buddies *buddies = parallel->buddies;
    int root = keeper_of_first(buddies, level);
    int before = buddies->sizes[scion_buddy_keeper(buddies->group, level, buddies->ngroups)];

    return scion_gather_mapping(parallel->global, root, buddies->group,
                                before + scion_container_lrank(container), mapping);
}

/* Collective over the exchange: the keeper, which has no data there, writes META2 of the copy. */
static int write_copy_tables(struct scion_exchange *exchange, const struct scion_mapping *mapping,
                             int is_summed)
{
    sion_int64 none = 0;
    struct scion_lengths empty;
    sion_int64 kept = is_summed            ? INT64_MAX
                      : exchange->physical ? scion_physical_gap(exchange->physical)
                                           : 0;
    int rc, other;

    scion_lengths_view(&empty, &none, 1, 1);
    rc = scion_length_gather_begin(&exchange->gather,
                                   exchange->stream ? exchange->stream->lengths : &empty, kept);
    if (rc != 0)
        return rc;
    if (exchange->physical)
        rc = finish_copy(exchange, mapping);
    other = scion_length_gather_end(&exchange->gather);
    return scion_first_failure(rc, other);
}

static int finish_exchange(struct scion_exchange *exchange, const struct scion_mapping *mapping,
                           int is_summed)
{
    int rc = write_copy_tables(exchange, mapping, is_summed), other = 0;

    if (is_summed)
        other = scion_checksum_write_buddy(exchange, mapping, rc);
    rc = scion_first_failure(rc, other);
    if (exchange->physical) {
        other = scion_physical_suspend(exchange->physical);
        rc = scion_first_failure(rc, other);
    }
    return rc;
}

int scion_buddy_finish(struct scion_container *container)
{
    struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_buddies *buddies = parallel->buddies;
    static const struct scion_mapping none = {.size = -1};
    struct scion_mapping *mappings = buddies->mappings;
    int is_summed = scion_checksum_tap_of(container) != NULL, rc = 0, other, i, level;

    for (level = 0; level < buddies->levels; level++) {
        other = gather_mapping(parallel, container, level, &mappings[level]);
        rc = scion_first_failure(rc, other);
    }
    for (i = 0; i < buddies->nexchanges; i++) {
        struct scion_exchange *exchange = &buddies->exchanges[i];

        other = finish_exchange(
            exchange, exchange->filenumber == 0 ? &mappings[exchange->level] : &none, is_summed);
        rc = scion_first_failure(rc, other);
    }
    return rc;
}

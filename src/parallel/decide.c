/*
 * What rank 0 of all and the first task of each file decide: the file, and every task's place in
 * it.
 */
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "base/warning.h"
#include "file/generations.h"
#include "file/mapping.h"
#include "file/members.h"
#include "file/nonce.h"
#include "file/sound.h"
#include "parallel/files.h"
#include "parallel/opening.h"
#include "parallel/staging.h"

static int refuse(const struct scion_request *requests, int i)
{
    int one = requests[i].head.status, first = requests[0].head.status;

    if ((one ^ first) & SCION_ASKS_WRITING)
        return scion_fail(SION_ERR_MISMATCH, "rank %d opens for %s, rank 0 for %s", i,
                          one & SCION_ASKS_WRITING ? "writing" : "reading",
                          first & SCION_ASKS_WRITING ? "writing" : "reading");
    if ((one ^ first) & SCION_ASKS_APPEND)
        return scion_fail(SION_ERR_MISMATCH, "rank %d %s, rank 0 %s", i,
                          one & SCION_ASKS_APPEND ? "appends" : "does not append",
                          first & SCION_ASKS_APPEND ? "appends" : "does not");
    if (one / SCION_ASKS_COPIES != first / SCION_ASKS_COPIES)
        return scion_fail(SION_ERR_MISMATCH, "rank %d asks for %d copies, rank 0 for %d", i,
                          one / SCION_ASKS_COPIES, first / SCION_ASKS_COPIES);
    if (!(first & SCION_ASKS_WRITING))
        return 0;
    if ((one ^ first) & SCION_ASKS_SEAT)
        return scion_fail(SION_ERR_MISMATCH, "rank %d and rank 0: only one chooses its file", i);
    return requests[i].head.number == requests[0].head.number
               ? 0
               : scion_fail(SION_ERR_MISMATCH, "rank %d asks for %d files, rank 0 for %d", i,
                            abs(requests[i].head.number), abs(requests[0].head.number));
}

int scion_check_requests(const struct scion_request *requests, int n)
{
    const int different = ~(3 * SCION_ASKS_CAPABILITY); /* only this may differ */
    int rc = 0, i;

    for (i = 1; i < n && rc == 0; i++) {
        if (((requests[i].head.status ^ requests[0].head.status) & different) ||
            requests[i].head.number != requests[0].head.number)
            rc = refuse(requests, i);
    }
    return rc;
}

static int have_same_names(const struct scion_request *requests, int n)
{
    int i;

    for (i = 1; i < n; i++) {
        if (requests[i].name != requests[0].name)
            return 0;
    }
    return 1;
}

int scion_common_flags(const struct scion_opening *opening)
{
    return (opening->other_names ? SCION_REPLY_NAME : 0) |
           (opening->checksum ? SCION_REPLY_CHECKSUM : 0) |
           (opening->checksum == SCION_COMPARES_AT_OPEN ? SCION_REPLY_AT_OPEN : 0) |
           (opening->members ? SCION_REPLY_MEMBERS : 0) |
           (opening->is_sound ? SCION_REPLY_SOUND : 0) |
           (opening->parallel->staging ? SCION_REPLY_STAGED : 0) |
           (opening->parallel->is_atomic ? SCION_REPLY_ATOMIC : 0) |
           (opening->keeps ? SCION_REPLY_KEEP : 0) | (opening->appends ? SCION_REPLY_APPEND : 0) |
           (opening->publishes ? SCION_REPLY_PUBLISH : 0);
}

static void tell_seats(const struct scion_opening *opening, int n, struct scion_reply *replies)
{
    const struct scion_seats *seats = &opening->seats;
    struct scion_reply one = {
        .head.status = SCION_REPLY_SEAT | scion_common_flags(opening),
        .nfiles = seats->nfiles,
        .first_leader = seats->first_leader,
        .flag2 = opening->flag2,
    };
    int i;

    if (opening->physical) {
        one.format_version = (int16_t)opening->physical->head.format_version;
        one.keyval = (int16_t)scion_meta1_keyval(&opening->physical->head);
        one.flag2 = opening->physical->head.flag2;
        if (opening->physical->head.big_endian)
            one.head.status |= SCION_REPLY_BIG_ENDIAN;
        if (opening->physical->state.generation > 0)
            one.head.status |= SCION_REPLY_STATE;
    }
    for (i = 0; i < n; i++) {
        replies[i] = one;
        replies[i].file = seats->files[i];
        replies[i].head.number = seats->lranks[i];
    }
}

/* What is written on is read before, like what is read. */
static int is_writing(const struct scion_opening *opening)
{
    return opening->args->mode.access == SCION_ACCESS_WRITE && !opening->appends;
}

int scion_lock_file_0(struct scion_opening *opening)
{
    int is_known = opening->seats.first_leader == 0 || !opening->other_names;

    if (opening->parallel->lock)
        return 0;
    return scion_lock_for_writing(opening->args->name, &opening->args->mode, is_known,
                                  &opening->parallel->lock);
}

/* Reading: whether merged streams are read by members; if not, the application is warned. */
static void choose_members(struct scion_opening *opening)
{
    const struct scion_physical *physical = opening->physical;

    opening->members =
        opening->args->mode.merge && scion_meta1_keyval(&physical->head) != SION_KEYVAL_INLINE;
    if (!opening->members)
        scion_members_warn(physical);
}

/*
 * Files or groups are those of nodes, and the requests do not contain the nodes: all tasks must ask
 * again.
 */
static int ask_again(struct scion_reply *replies, int n)
{
    int i;

    for (i = 0; i < n; i++)
        replies[i] = (struct scion_reply){.head.status = SCION_REPLY_AGAIN};
    return 0;
}

int scion_decide_files(struct scion_opening *opening, const struct scion_request *requests, int n,
                       struct scion_reply *replies)
{
    int rc = scion_check_requests(requests, n);

    if (!opening->has_nodes) {
        opening->other_names = !have_same_names(requests, n);
        if (rc == 0 && opening->args->mode.append)
            rc = scion_look_for_old(opening, n);
        opening->keeps = opening->args->mode.keep > 0 ||
                         (opening->appends && opening->physical && opening->physical->generations);
        opening->publishes = opening->args->mode.publish > 0;
        if (rc == 0 && is_writing(opening))
            opening->files = scion_files_wanted(opening, requests, n);
        if (opening->files == SCION_FILES_NODE)
            return ask_again(replies, n);
    }
    if (rc == 0 && is_writing(opening)) {
        rc = scion_seat_writers(opening, requests, n);
        opening->flag2 = scion_recovery_choose(&opening->args->mode);
        opening->parallel->is_atomic = scion_mode_is_atomic(&opening->args->mode);
        if (rc == 0)
            rc = scion_staging_choose(opening);
        if (rc == 0 && !opening->parallel->staging)
            rc = scion_lock_file_0(opening);
    } else if (rc == 0 && !opening->appends) {
        rc = scion_read_file_0(opening);
        if (rc == 0)
            rc = scion_seat_readers(opening, n);
        if (rc == 0)
            choose_members(opening);
    }
    if (rc == 0 && !opening->appends)
        rc = scion_find_checksum(opening);
    if (rc != 0)
        return rc;
    opening->nfiles = opening->seats.nfiles;
    if (!opening->seats.is_set)
        return scion_decide_places(opening, requests, n, replies);
    if (opening->physical)
        opening->generation = opening->physical->state.generation;
    tell_seats(opening, n, replies);
    return 0;
}

/* ---- the first task of a file: the file, and every task's place in it ---- */

/* The place, in its file, of the task that sent request i. */
static int place_of(const struct scion_opening *opening, const struct scion_request *requests,
                    int i)
{
    if (opening->is_set)
        return requests[i].lrank;
    return opening->seats.lranks ? opening->seats.lranks[i] : i;
}

/* Of many tasks that ask for the same there are no requests. */
static int describe_alike(const struct scion_opening *opening, struct scion_physical_plan *plan)
{
    const uint32_t *small = opening->small;

    plan->is_even = !opening->has_sizes;
    plan->small_sizes = opening->has_sizes ? small : NULL;
    plan->stride = (size_t)(opening->has_sizes + opening->has_ranks);
    if (opening->has_ranks)
        plan->small = (struct scion_small_ranks){small + opening->has_sizes, plan->stride, NULL};
    plan->first_rank = opening->parallel->global->rank;
    return 0;
}

/*
 * Put the requests in the order of the file's tasks. If that is the order of ranks, the chunk sizes
 * stay in the requests, and no global ranks are listed. The caller frees *ordered.
 */
static int order_requests(const struct scion_opening *opening, const struct scion_request *requests,
                          int n, struct scion_physical_plan *plan, sion_int64 **ordered)
{
    sion_int64 *numbers;
    int i;

    plan->chunksizes = &requests->chunksize;
    if (opening->likeness != SCION_DIFFER)
        return describe_alike(opening, plan);
    plan->stride = sizeof *requests / sizeof requests->chunksize;
    if (!opening->is_set && !opening->seats.lranks)
        return 0;
    *ordered = numbers = scion_array((size_t)n, 2 * sizeof *numbers);
    if (!numbers)
        return scion_fail_memory("tasks");
    for (i = 0; i < n; i++) {
        int place = opening->is_set ? i : place_of(opening, requests, i);

        numbers[place] = requests[i].chunksize;
        numbers[n + place] = opening->is_set ? requests[i].leader : i;
    }
    plan->chunksizes = numbers;
    plan->stride = 1;
    plan->globalranks = numbers + n;
    return 0;
}

/* Whether the places are given out in the order of the requests, so that no table is needed. */
static int is_passing(const struct scion_opening *opening)
{
    return is_writing(opening) &&
           (!opening->parallel->collective.criteria || opening->likeness != SCION_DIFFER) &&
           (opening->is_set || !opening->seats.lranks);
}

int scion_create_own_file(struct scion_opening *opening, const struct scion_request *requests,
                          int n)
{
    const struct scion_parallel_args *args = opening->args;
    const struct scion_creation creation = {
        args->name,
        &args->mode,
        args->name_of_file,
        opening->nfiles,
        opening->flag2,
        opening->parallel->is_atomic,
        opening->parallel->staging,
    };
    struct scion_physical_plan plan = {
        .head = {.fsblksize = args->fsblksize, .ntasks = n},
        .criteria = opening->parallel->collective.criteria,
        .is_passing = is_passing(opening),
        .even = &opening->even,
        .keep = scion_generations_kept(opening),
    };
    sion_int64 *numbers = NULL;
    int rc = order_requests(opening, requests, n, &plan, &numbers);

    if (rc == 0)
        rc = scion_create_member(&creation, opening->file, &plan, &opening->physical);
    opening->created = rc == 0;
    free(numbers);
    return rc;
}

/* Reading a set: read this task's file, and check that it belongs to file 0. */
static int read_member(struct scion_opening *opening)
{
    const struct scion_reply *seat = &opening->reply;
    const struct scion_meta1 master = {
        .nfiles = opening->nfiles,
        .format_version = seat->format_version,
        .big_endian = (seat->head.status & SCION_REPLY_BIG_ENDIAN) != 0,
        .flag1 = scion_meta1_flag1(seat->keyval),
        .flag2 = seat->flag2,
    };
    int rc;

    /* Rank 0 of all has read file 0 before. */
    if (opening->physical && opening->file == 0)
        return 0;
    rc = scion_read_own_file(opening);
    if (rc == 0)
        rc = scion_physical_go_back(opening->physical, opening->generation);
    if (rc == 0)
        rc = scion_generations_show(opening->physical, opening->view);
    if (rc == 0 && opening->is_sound)
        rc = scion_sound_check(opening->physical);
    return rc != 0 ? rc : scion_physical_check_member(opening->physical, &master, opening->file);
}

/* The rank that sent request i of n has no task. */
static int add_stranger(struct scion_opening *opening, int i, int n, int rank)
{
    const struct scion_damage damage = scion_mapping_damage(i, rank);

    return scion_damages_add(&opening->strangers, n, &damage);
}

/* Groups of merged streams are made of all tasks of a file, and one is not known. */
static int refuse_merged(const struct scion_opening *opening)
{
    char text[SCION_DAMAGE_TEXT];

    if (!opening->args->mode.merge)
        return 0;
    scion_damage_describe(opening->strangers.list, text);
    return scion_fail(SION_ERR_DAMAGED, "%s: %s: merged streams cannot be read together",
                      opening->args->name, text);
}

/* If the mapping has lost ranks, their tasks would be missing without a sign. */
static void warn_of_unread(const struct scion_physical *physical, int read)
{
    int n = 0, t;

    for (t = 0; t < physical->head.ntasks; t++)
        n += !scion_physical_has_place_holder(physical, t);
    if (read < n)
        scion_warn_alone("%d of %d tasks of %s are not read", n - read, n, physical->path);
}

/* Find the requests that do not name their task of the file. */
static int find_strangers(struct scion_opening *opening, const struct scion_request *requests,
                          int n)
{
    int rc = 0, i;

    for (i = 0; i < n && rc == 0; i++) {
        const int pair[2] = {opening->file, requests[i].lrank};

        if (opening->args->mode.access == SCION_ACCESS_WRITE)
            rc = scion_physical_check_task(opening->physical, pair[1], requests[i].leader);
        else if (!scion_mapping_agrees(pair, opening->physical, requests[i].leader))
            rc = add_stranger(opening, i, n, requests[i].leader);
    }
    if (rc != 0 || opening->args->mode.access == SCION_ACCESS_WRITE)
        return rc;
    warn_of_unread(opening->physical, n - opening->strangers.n);
    if (opening->strangers.n == 0)
        return 0;
    if (opening->is_sound)
        return scion_damage_fail(opening->strangers.list, opening->physical->path);
    scion_physical_warn(opening->physical, opening->strangers.list, opening->strangers.n);
    return refuse_merged(opening);
}

struct scion_reply scion_tell_next_place(const struct scion_opening *opening,
                                         const struct scion_request *requests, int i, int flags,
                                         sion_int64 *next)
{
    const struct scion_physical *physical = opening->physical;
    const struct scion_place place =
        scion_physical_next_place(physical, requests[i].chunksize, next);

    return (struct scion_reply){{flags, i}, {{place.start, place.chunksize, physical->head.flag2}}};
}

/* Task i's place. flags: SCION_REPLY_* */
static struct scion_reply tell_place(const struct scion_opening *opening, int i,
                                     const struct scion_physical *physical, int lrank, int flags)
{
    int is_stranger = scion_damages_find(&opening->strangers, i) != NULL;
    const struct scion_place place = scion_physical_place(physical, is_stranger ? 0 : lrank);
    struct scion_reply reply = {{flags, is_stranger ? 0 : lrank},
                                {{place.start, place.chunksize, 0}}};

    if (is_stranger)
        reply.used = -SCION_DAMAGED_NUMBERS;
    else if (flags & SCION_REPLY_SEVERAL)
        reply.used = scion_count_of(physical, lrank);
    else
        reply.used = physical->used ? physical->used[lrank] : physical->head.flag2;
    return reply;
}

/* What was counted in its place. */
static void copy_lengths(struct scion_opening *opening, int i,
                         const struct scion_physical *physical, int lrank)
{
    const struct scion_damage *damage = scion_damages_find(&opening->strangers, i);
    sion_int64 *to = scion_rows_of(&opening->lengths, i);

    if (damage)
        scion_copy_damage(damage, to);
    else
        scion_copy_lengths(physical, lrank, to);
}

static int make_lengths(struct scion_rows *lengths)
{
    if (!scion_rows_fit(lengths))
        return scion_fail(SION_ERR_NO_SPACE, "too many chunks in one physical file: %lld",
                          lengths->total);
    return scion_rows_make(lengths) == 0 ? 0 : scion_fail_memory("chunks of all tasks");
}

static int begin_lengths(struct scion_opening *opening, int n)
{
    return scion_rows_begin(&opening->lengths, n) == 0 ? 0 : scion_fail_memory("tasks");
}

/* List the lengths of all chunks of the readers of a file. */
static int list_lengths(struct scion_opening *opening, const struct scion_reply *replies, int n)
{
    int rc = begin_lengths(opening, n), i;

    for (i = 0; i < n && rc == 0; i++)
        scion_rows_add(&opening->lengths, scion_task_place_numbers(replies[i].used));
    if (rc == 0)
        rc = make_lengths(&opening->lengths);
    for (i = 0; i < n && rc == 0; i++)
        copy_lengths(opening, i, opening->physical, replies[i].head.number);
    return rc;
}

static int prepare_file(struct scion_opening *opening, const struct scion_request *requests, int n)
{
    int rc = scion_collective_choose(opening, requests, n);

    if (rc == 0 && is_writing(opening))
        rc = scion_create_own_file(opening, requests, n);
    else if (rc == 0 && opening->is_set)
        rc = read_member(opening);
    if (rc == 0 && opening->is_set)
        rc = find_strangers(opening, requests, n);
    if (rc == 0 && opening->appends)
        rc = scion_append_own_file(opening);
    if (rc == 0) {
        scion_describe_file(opening->physical, &opening->facts);
        opening->facts.nfiles = opening->nfiles;
    }
    return rc;
}

/* Whether any of the files that were read has a damaged task. */
static int have_damage(const struct scion_opening *opening)
{
    int file, n = opening->strangers.n;

    for (file = 0; file < opening->nall; file++)
        n += opening->all[file] && opening->all[file]->damages.n > 0;
    return n > 0 || (opening->physical && opening->physical->damages.n > 0);
}

int scion_decide_places(struct scion_opening *opening, const struct scion_request *requests, int n,
                        struct scion_reply *replies)
{
    int flags = scion_common_flags(opening), rc, i;
    sion_int64 next = 0;

    if (scion_collective_needs_nodes(opening, n))
        return ask_again(replies, n);
    rc = prepare_file(opening, requests, n);
    if (rc != 0)
        return rc;
    if (!is_writing(opening) && (opening->facts.maxchunks > 1 || have_damage(opening)))
        flags |= SCION_REPLY_SEVERAL;
    for (i = 0; i < n; i++)
        replies[i] = is_passing(opening) ? scion_tell_next_place(opening, requests, i, flags, &next)
                                         : tell_place(opening, i, opening->physical,
                                                      place_of(opening, requests, i), flags);
    if (flags & SCION_REPLY_SEVERAL)
        rc = list_lengths(opening, replies, n);
    return rc != 0 ? rc : scion_collective_assign(opening, replies, n);
}

/* ---- rank 0 of all, for all files ---- */

static int describe_reader(struct scion_opening *opening, int i, int n, struct scion_facts *facts)
{
    int file = opening->seats.files[i];
    const int pair[2] = {file, opening->seats.lranks[i]};
    int rc =
        scion_need_member(opening->all, file, opening->args->name, opening->args->name_of_file, 0);

    if (rc == 0 && opening->is_sound)
        rc = scion_sound_check(opening->all[file]);
    if (rc == 0 && !scion_mapping_agrees(pair, opening->all[file], i))
        rc = add_stranger(opening, i, n, i);
    if (rc != 0)
        return rc;
    scion_describe_file(opening->all[file], facts);
    facts->nfiles = opening->nfiles;
    return 0;
}

/*
 * most: the largest number of chunks. _SEVERAL is equal on all, because it decides on a collective.
 */
static int place_readers(struct scion_opening *opening, int n, int most,
                         struct scion_full_reply *replies)
{
    const struct scion_seats *seats = &opening->seats;
    int several = most > 1 || have_damage(opening);
    int flags = (several ? SCION_REPLY_SEVERAL : 0) | scion_common_flags(opening), i;
    int rc = begin_lengths(opening, n);

    for (i = 0; i < n && rc == 0; i++) {
        replies[i].facts.maxchunks = most;
        replies[i].reply =
            tell_place(opening, i, opening->all[seats->files[i]], seats->lranks[i], flags);
        scion_rows_add(&opening->lengths, scion_task_place_numbers(replies[i].reply.used));
    }
    if (rc == 0 && several)
        rc = make_lengths(&opening->lengths);
    for (i = 0; i < n && rc == 0 && several; i++)
        copy_lengths(opening, i, opening->all[seats->files[i]], seats->lranks[i]);
    return rc;
}

int scion_decide_all_places(struct scion_opening *opening, int n, struct scion_full_reply *replies)
{
    int rc = 0, most = 0, i;

    if (scion_collective_reads_merged(&opening->args->mode, n) &&
        opening->physical->members_at == 0)
        return scion_fail(SION_ERR_MISMATCH,
                          "the threads of a process are in different files of "
                          "%s, and cannot read what was merged in these",
                          opening->args->name);
    opening->all = calloc((size_t)opening->nfiles, sizeof *opening->all);
    if (!opening->all)
        return scion_fail_memory("files");
    opening->nall = opening->nfiles;
    opening->all[0] = opening->physical;
    opening->physical = NULL;
    for (i = 0; i < n && rc == 0; i++) {
        rc = describe_reader(opening, i, n, &replies[i].facts);
        most = replies[i].facts.maxchunks > most ? replies[i].facts.maxchunks : most;
    }
    if (rc == 0 && opening->strangers.n > 0 && opening->is_sound)
        rc = scion_damage_fail(opening->strangers.list, opening->all[0]->path);
    if (rc == 0 && opening->strangers.n > 0) {
        scion_physical_warn(opening->all[0], opening->strangers.list, opening->strangers.n);
        rc = refuse_merged(opening);
    }
    return rc == 0 ? place_readers(opening, n, most, replies) : rc;
}

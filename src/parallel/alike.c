/*
 * Opens of many tasks that ask for the same: one reduction tells all that they do. Rank 0, and the
 * first task of each file, then hold little or nothing of each other task, which finds its file and
 * its place by its rank.
 */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/agree.h"
#include "file/nonce.h"
#include "geometry/split.h"
#include "parallel/opening.h"
#include "vfs/path.h"
#include "vfs/storage.h"

/* ---- whether they do ---- */

enum {
    WORDS = sizeof(struct scion_request) / sizeof(sion_int64),
    SIZE = offsetof(struct scion_request, chunksize) / sizeof(sion_int64),
    WAY = WORDS, /* what is asked for: enum scion_way, and whether nodes have names */
    IN_A_ROW,    /* the tasks of a file are ranks one after the other */
    LEADER,      /* its rank, if it is one; _FOR_STORAGE, of rank 0: what that says */
    GUESS,       /* of rank 0: by what chunks will be rounded */
    NAMED = 100, /* a way that needs nodes, which have names; */
    STAGED = 200 /* it needs them, because it writes to their folders */
};

enum { LEADERS, PLACES }; /* sums */

static int is_leader(const struct scion_comm *global, const struct scion_request *request)
{
    return request->leader == global->rank && request->lrank == 0;
}

/* Of one place in a file, as a task says it: of different ones the sums differ. */
static uint64_t hash_place(int leader, int lrank, int lsize)
{
    uint64_t hash = ((uint64_t)(uint32_t)leader << 32 | (uint32_t)lrank) ^
                    (uint64_t)(uint32_t)lsize * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

/*
 * Each task adds the place that it says, and each leader takes away those that its file has: the
 * sum is 0 if every place is taken once.
 */
static void add_places(const struct scion_comm *global, const struct scion_request *request,
                       sion_int64 sums[SCION_SUMS_MOST])
{
    uint64_t sum = hash_place(request->leader, request->lrank, request->lsize);
    int i;

    sums[LEADERS] = is_leader(global, request);
    for (i = 0; sums[LEADERS] && i < request->lsize && i < global->size; i++)
        sum -= hash_place(request->leader, i, request->lsize);
    sums[PLACES] = (sion_int64)sum;
}

static enum scion_likeness judge(const struct scion_range ranges[SCION_RANGES_MOST],
                                 const sion_int64 sums[SCION_SUMS_MOST])
{
    const struct scion_range *size = &ranges[SIZE], *way = &ranges[WAY];
    int i;

    for (i = 0; i < WORDS; i++) {
        if (i != SIZE && ranges[i].least != ranges[i].most)
            return SCION_DIFFER;
    }
    if (way->least != way->most || way->least == SCION_ASKS_IN_ANOTHER_WAY ||
        (way->least == SCION_WRITES_BY_LEADER && sums[PLACES] != 0))
        return SCION_DIFFER;
    if (size->least == size->most)
        return SCION_ALIKE;
    if (way->least % NAMED == SCION_WRITES_IN_GROUPS)
        return SCION_DIFFER;
    return size->least >= 0 && size->most <= UINT32_MAX ? SCION_SIZES_DIFFER : SCION_DIFFER;
}

/*
 * The block size and the trailer of a file that is not there yet. If this is right, each task knows
 * what its chunk takes before it is told.
 */
static sion_int64 rounding(sion_int64 fsblksize, sion_int64 trailer)
{
    return fsblksize << 32 | trailer;
}

static sion_int64 guess_rounding(const struct scion_opening *opening)
{
    const struct scion_mode *mode = &opening->args->mode;
    struct scion_storage storage = {.fsblksize = opening->args->fsblksize};
    char folder[SCION_PATH];

    if (storage.fsblksize <= 0 && (scion_path_folder(folder, opening->args->name) != 0 ||
                                   scion_storage_of(folder, &storage) != 0))
        return 0;
    return rounding(storage.fsblksize, scion_marker_trailer(scion_recovery_choose(mode), NULL));
}

static int needs_nodes(enum scion_way way)
{
    return way == SCION_WRITES_BY_NODE || way == SCION_WRITES_FOR_STORAGE;
}

/* A task's place in one file depends on its rank, not on what it knows of its file. Readers are
   told sizes and numbers of files. */
static void fill_words(const struct scion_opening *opening, enum scion_way way,
                       sion_int64 words[SCION_RANGES_MOST], sion_int64 sums[SCION_SUMS_MOST])
{
    const struct scion_comm *global = opening->parallel->global;
    const struct scion_request *own = &opening->request;
    struct scion_request same = *own;
    int by_leader = way == SCION_WRITES_BY_LEADER;
    int is_staged = way >= SCION_WRITES_ONE_FILE && *opening->args->mode.stage;

    same.lsize = same.leader = same.lrank = 0;
    if (way == SCION_READS)
        same.chunksize = same.head.number = 0;
    memcpy(words, &same, sizeof same);
    words[WAY] = way + (is_staged ? STAGED : 0) +
                 ((is_staged || needs_nodes(way)) && scion_has_named_node() ? NAMED : 0);
    words[IN_A_ROW] = !by_leader || own->leader + (sion_int64)own->lrank == global->rank;
    words[LEADER] = by_leader && is_leader(global, own) ? global->rank : INT_MAX;
    words[GUESS] = global->rank > 0               ? INT64_MAX
                   : way >= SCION_WRITES_ONE_FILE ? guess_rounding(opening)
                                                  : 0;
    if (by_leader)
        add_places(global, own, sums);
    if (way == SCION_WRITES_FOR_STORAGE)
        scion_share_chunk(own->chunksize, global->size, sums);
    if (way == SCION_WRITES_FOR_STORAGE && global->rank == 0)
        words[LEADER] = scion_files_for_storage(opening->args->name);
}

/* How the storage is written, as rank 0 has found. */
static void settle_way(struct scion_opening *opening, sion_int64 told,
                       const sion_int64 sums[SCION_SUMS_MOST])
{
    int n = opening->parallel->global->size;

    if (told == SCION_FILES_NODE) {
        opening->way = SCION_WRITES_BY_NODE;
        return;
    }
    opening->nfiles = told == SCION_FILES_AUTO ? scion_files_for_shares(sums, n)
                                               : scion_files_for_writers((int)told, n);
    opening->way = opening->nfiles == 1 ? SCION_WRITES_ONE_FILE : SCION_WRITES_EVENLY;
}

static int compare(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    enum scion_way way = scion_reads_own_column(opening, global->size)
                             ? SCION_READS
                             : scion_way_to_write(opening, global->size);
    sion_int64 words[SCION_RANGES_MOST], sums[SCION_SUMS_MOST] = {0};
    struct scion_range ranges[SCION_RANGES_MOST];
    int rc;

    fill_words(opening, way, words, sums);
    rc = scion_find_ranges_and_sums(global, words, ranges, sums);
    if (rc != 0)
        return rc;
    opening->likeness = judge(ranges, sums);
    opening->way = way;
    opening->guess = ranges[GUESS].least;
    opening->is_in_a_row = ranges[IN_A_ROW].least != 0;
    if (way == SCION_WRITES_FOR_STORAGE && opening->likeness != SCION_DIFFER)
        settle_way(opening, ranges[LEADER].least, sums);
    if (way == SCION_WRITES_BY_LEADER && opening->likeness != SCION_DIFFER) {
        opening->nfiles = (int)sums[LEADERS];
        opening->parallel->first_leader = (int)ranges[LEADER].least;
        if (opening->nfiles == 1 && opening->is_in_a_row)
            opening->way = SCION_WRITES_ONE_FILE;
    }
    return 0;
}

/* ---- one file ---- */

struct alike_reply {
    struct scion_reply reply;
    sion_int64 fsblksize, trailer; /* of the file */
    sion_int64 number;             /* _IN_GROUPS: tasks of one; in a set, that of the file, */
    struct scion_facts facts;      /* and its header */
};

/* A failure goes into the reply. */
static void note_failure(const struct scion_opening *opening, int rc, struct scion_reply *reply)
{
    reply->head = (struct scion_reply_head){scion_name_rank(opening->parallel->global, rc), 0};
}

static void note_file(const struct scion_opening *opening, struct alike_reply *told)
{
    told->fsblksize = opening->physical->head.fsblksize;
    told->trailer = opening->physical->trailer;
    told->number = opening->way == SCION_WRITES_IN_GROUPS ? opening->even.size : opening->file;
    told->facts = opening->facts;
}

/* On rank 0. */
static void decide_alike(struct scion_opening *opening, struct alike_reply *told)
{
    int rc = scion_decide_alike(opening, opening->parallel->global->size, &told->reply);

    if (rc != 0) {
        note_failure(opening, rc, &told->reply);
        return;
    }
    note_file(opening, told);
    if (opening->args->is_counted)
        told->reply.head.status |= SCION_REPLY_COUNT;
}

/* Bytes of this task's chunk in the file. */
static sion_int64 round_chunk(const struct scion_opening *opening, sion_int64 rounding,
                              sion_int64 *usable)
{
    const struct scion_physical file = {.head.fsblksize = (int32_t)(rounding >> 32),
                                        .trailer = (int)(rounding & INT32_MAX),
                                        .grain = 1};
    sion_int64 next = 0;

    *usable = rounding > 0
                  ? scion_physical_next_place(&file, opening->request.chunksize, &next).chunksize
                  : 0;
    return next;
}

/*
 * The first task of a file tells the others, and each one learns how many bytes the chunks before
 * its own have, if the first one has guessed well how they are rounded.
 */
static int spread(struct scion_opening *opening, struct scion_comm *comm, struct alike_reply *told,
                  size_t bytes, sion_int64 *before)
{
    sion_int64 words[SCION_TOLD_MOST] = {0}, usable;
    int rc;

    if (opening->likeness == SCION_ALIKE)
        return scion_bcast(comm, told, bytes, 0);
    words[0] = round_chunk(opening, opening->guess, &usable);
    if (comm->rank == 0)
        memcpy(words + 1, told, bytes);
    rc = scion_sums_before(comm, words, 1 + (int)(bytes / sizeof *words));
    if (comm->rank > 0)
        memcpy(told, words + 1, bytes);
    *before = words[0];
    return rc;
}

/* Its collector, too. */
static void find_group(struct scion_opening *opening, const struct scion_comm *comm,
                       const struct alike_reply *told)
{
    sion_int64 bytes = opening->request.chunksize, stored, before;
    const struct scion_even_groups even = {.chunksize = bytes > 0 ? bytes + told->trailer : 0,
                                           .ntasks = comm->size,
                                           .fsblksize = (int)told->fsblksize,
                                           .size = (int)told->number};

    opening->reply.head.number = scion_even_groups_chunk(&even, comm->rank, &stored, &before);
    opening->reply.head.status |= SCION_REPLY_GROUP;
    opening->reply.start += before;
    opening->reply.chunksize = scion_trailer_room(stored, (int)told->trailer);
}

/* Behind the chunks of the tasks before, as the first task would find it. */
static int find_place(struct scion_opening *opening, struct scion_comm *comm,
                      const struct alike_reply *told, sion_int64 before)
{
    sion_int64 own = rounding(told->fsblksize, told->trailer), usable;
    sion_int64 bytes = round_chunk(opening, own, &usable);
    int rc = 0;

    if (opening->likeness == SCION_ALIKE) {
        before = bytes * comm->rank;
    } else if (own != opening->guess) {
        before = bytes;
        rc = scion_sums_before(comm, &before, 1);
    }
    opening->reply = told->reply;
    opening->reply.head.number = comm->rank;
    if (opening->way == SCION_WRITES_IN_GROUPS) {
        find_group(opening, comm, told);
        return 0;
    }
    opening->reply.start += before;
    opening->reply.chunksize = usable;
    return rc;
}

/* To the first task of all, or of a file, which frees them: chunk sizes, which have 32 bits, if
   they differ, and ranks. */
static int gather_small(struct scion_opening *opening, struct scion_comm *comm, int has_ranks,
                        uint32_t **gathered)
{
    uint32_t own[2], n = 0;

    opening->has_sizes = opening->likeness != SCION_ALIKE;
    opening->has_ranks = has_ranks;
    if (opening->has_sizes)
        own[n++] = (uint32_t)opening->request.chunksize;
    if (has_ranks)
        own[n++] = (uint32_t)opening->parallel->global->rank;
    if (n == 0)
        return 0;
    if (comm->rank == 0)
        *gathered = scion_must_allocate((size_t)comm->size, n * sizeof *own);
    return scion_gather(comm, own, *gathered, n * sizeof *own, 0);
}

/* All know that their requests are the same, but perhaps for the chunk sizes. */
static int hear(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    struct alike_reply told = {.fsblksize = 0};
    sion_int64 before = 0;
    uint32_t *sizes = NULL;
    int rc = gather_small(opening, global, 0, &sizes);

    opening->small = sizes;
    if (rc == 0 && global->rank == 0)
        decide_alike(opening, &told);
    opening->small = NULL;
    free(sizes);
    if (rc == 0)
        rc = spread(opening, global, &told, offsetof(struct alike_reply, facts), &before);
    if (rc != 0)
        return rc;
    if (told.reply.head.status < 0)
        return scion_agree_on(global, told.reply.head.status, told.reply.head.number);
    return find_place(opening, global, &told, before);
}

/* ---- a set ---- */

/* Only rank 0 adds something to the last ones, so that the sums are a broadcast, too. */
enum { FILE_NUMBER, STATUS, NFILES, FLAG2, TOLD };

/* On rank 0. A failure becomes the status. */
static void decide_set(struct scion_opening *opening, sion_int64 words[TOLD])
{
    struct scion_reply reply = {.head.status = 0};
    int rc = scion_decide_set(opening, opening->parallel->global->size, &reply);

    if (rc != 0)
        note_failure(opening, rc, &reply);
    else if (opening->args->is_counted)
        reply.head.status |= SCION_REPLY_COUNT;
    words[STATUS] = reply.head.status;
    words[NFILES] = reply.nfiles;
    words[FLAG2] = reply.flag2;
}

/* By leader, only that one knows the number of the file yet. */
static int hear_of_set(struct scion_opening *opening)
{
    struct scion_parallel *parallel = opening->parallel;
    struct scion_comm *global = parallel->global;
    const struct scion_request *request = &opening->request;
    sion_int64 own[TOLD] = {is_leader(global, request)}, words[TOLD];
    int by_leader = opening->way == SCION_WRITES_BY_LEADER, rc;
    struct scion_seat seat;

    if (global->rank == 0)
        decide_set(opening, own);
    memcpy(words, own, sizeof words);
    rc = scion_sums_before(global, words, TOLD);
    if (global->rank == 0)
        memcpy(words + 1, own + 1, sizeof words - sizeof *words);
    if (rc != 0)
        return rc;
    if (words[STATUS] < 0)
        return scion_agree_on(global, (int)words[STATUS], 0);
    seat = by_leader ? (struct scion_seat){(int)words[FILE_NUMBER], request->lrank, 0}
                     : scion_split_evenly(global->rank, global->size, (int)words[NFILES]);
    opening->reply = (struct scion_reply){
        .head = {(int)words[STATUS], seat.lrank},
        .file = seat.filenumber,
        .nfiles = (int32_t)words[NFILES],
        .first_leader = parallel->first_leader,
        .flag2 = words[FLAG2],
    };
    parallel->deals = by_leader ? SCION_DEALT_IN_ORDER : SCION_DEALT_EVENLY;
    return 0;
}

/*
 * A file for each node: its first task leads it. Two nodes whose names look alike are an error that
 * few tasks do not make.
 */
static int find_node(struct scion_opening *opening, sion_int64 *is_torn)
{
    struct scion_comm *global = opening->parallel->global;
    sion_int64 numbers[2] = {0, global->rank};
    struct scion_range ranges[2];
    int rc = scion_split_by_node(global, &opening->node, &numbers[0]);

    if (rc == 0)
        rc = scion_find_ranges(opening->node, numbers, 2, ranges);
    if (rc != 0)
        return rc;
    *is_torn = ranges[0].least != ranges[0].most;
    opening->request.leader = (int32_t)ranges[1].least;
    opening->request.lrank = opening->node->rank;
    opening->request.lsize = opening->node->size;
    return 0;
}

static int hear_by_node(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    const struct scion_request before = opening->request;
    sion_int64 words[SCION_RANGES_MOST] = {0}, sums[SCION_SUMS_MOST] = {0};
    struct scion_range ranges[SCION_RANGES_MOST];
    int rc = find_node(opening, &words[0]);

    if (rc == 0) {
        words[1] = opening->request.leader + (sion_int64)opening->request.lrank == global->rank;
        sums[LEADERS] = is_leader(global, &opening->request);
        rc = scion_find_ranges_and_sums(global, words, ranges, sums);
    }
    if (rc != 0)
        return rc;
    opening->nfiles = (int)sums[LEADERS];
    opening->is_in_a_row = ranges[1].least != 0;
    opening->way = opening->nfiles > 1 ? SCION_WRITES_BY_LEADER : SCION_WRITES_ONE_FILE;
    if (ranges[0].most == 0 && opening->nfiles > 1)
        return hear_of_set(opening);
    scion_comm_free(opening->node);
    opening->node = NULL;
    opening->request = before;
    return ranges[0].most == 0 ? hear(opening) : SCION_MORE;
}

int scion_split_alike(struct scion_opening *opening, struct scion_comm **part)
{
    int color = opening->way == SCION_WRITES_BY_LEADER ? opening->args->leader : opening->file;

    *part = opening->node;
    opening->node = NULL;
    return *part ? 0 : scion_split(opening->parallel->global, color, opening->lrank, part);
}

/* On the file's first task. */
static void decide_member(struct scion_opening *opening, const uint32_t *gathered,
                          struct alike_reply *told)
{
    int rc =
        scion_decide_alike_member(opening, gathered, opening->parallel->local->size, &told->reply);

    if (rc != 0)
        note_failure(opening, rc, &told->reply);
    else
        note_file(opening, told);
}

static void note_deal(struct scion_opening *opening)
{
    const struct scion_comm *global = opening->parallel->global;
    struct scion_seat even = scion_split_evenly(global->rank, global->size, opening->nfiles);

    if (opening->deal == 0 && (even.filenumber != opening->file || even.lrank != opening->lrank))
        opening->deal = SCION_MORE;
}

int scion_ask_alike_member(struct scion_opening *opening)
{
    struct scion_comm *local = opening->parallel->local;
    struct alike_reply told = {.fsblksize = 0};
    uint32_t *gathered = NULL;
    sion_int64 before = 0;
    int rc = gather_small(opening, local, !opening->is_in_a_row, &gathered);

    if (rc == 0 && local->rank == 0)
        decide_member(opening, gathered, &told);
    if (opening->has_ranks && opening->physical)
        opening->physical->small.all = gathered; /* for a new start, too */
    else
        free(gathered);
    if (rc == 0)
        rc = spread(opening, local, &told, sizeof told, &before);
    if (rc != 0)
        return rc;
    if (told.reply.head.status < 0)
        return scion_agree_on(local, told.reply.head.status, told.reply.head.number);
    opening->facts = told.facts;
    opening->file = (int)told.number;
    note_deal(opening);
    return find_place(opening, local, &told, before);
}

/* ---- all ways ---- */

static int hear_alike(struct scion_opening *opening)
{
    int is_one_file =
        opening->way == SCION_WRITES_ONE_FILE || opening->way == SCION_WRITES_IN_GROUPS;

    return is_one_file                            ? hear(opening)
           : opening->way == SCION_WRITES_BY_NODE ? hear_by_node(opening)
                                                  : hear_of_set(opening);
}

int scion_ask_all(struct scion_opening *opening)
{
    struct scion_comm *global = opening->parallel->global;
    int rc = 0;

    scion_note_capability(global, &opening->request.head);
    if (scion_is_large(global) && !opening->must_ask)
        rc = compare(opening);
    if (rc == 0 && opening->likeness != SCION_DIFFER && opening->way == SCION_READS)
        rc = scion_ask_for_survey(opening);
    else if (rc == 0 && opening->likeness != SCION_DIFFER)
        rc = hear_alike(opening);
    else if (rc == 0)
        rc = SCION_MORE;
    if (rc != SCION_MORE)
        return rc;
    opening->likeness = SCION_DIFFER;
    return scion_ask(global, opening, scion_decide_files);
}

/* Checksums of a file that many tasks read: its first task tells each of them where they are. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mode.h"
#include "file/checksum.h"
#include "file/guard.h"
#include "parallel/checksum.h"
#include "parallel/checksum_gather.h"
#include "parallel/opening.h"

/* Words of a row: guard facts; then for each task its index in the file, where its chunk 0 and its
   CRCs begin, its number of chunks, and of the CRCs that are sent; the lengths of chunks; CRCs. */
enum { FACTS = sizeof(struct scion_guard_facts) / sizeof(sion_int64), TASK = 5 };

/* Which task it is, and which one reads for it, in the file; -1: itself only. */
struct seat {
    sion_int64 lrank, collector;
};

struct watch_reply {
    struct scion_reply_head head;
    sion_int64 words; /* that follow; 0: the file has no checksums */
};

/* On the file's first task. */
struct dealing {
    const struct scion_physical *physical;
    struct scion_checksum_table *checksums;
    struct seat *seats; /* [n] of each rank */
    int n;
    int *ranks;             /* [ntasks] of the tasks; -1: none reads it */
    sion_int64 *words;      /* [n] of each row: how many there are, or have been filled */
    struct scion_rows rows; /* of each rank */
};

static void free_dealing(struct dealing *dealing)
{
    scion_checksum_table_free(dealing->checksums);
    free(dealing->seats);
    free(dealing->ranks);
    free(dealing->words);
    scion_rows_free(&dealing->rows);
}

/* ---- on the file's first task ---- */

/* The rank that reads for another one; the same: none does. */
static int reader_for(const struct dealing *dealing, int rank)
{
    sion_int64 collector = dealing->seats[rank].collector;
    int found = collector >= 0 && collector < dealing->physical->head.ntasks
                    ? dealing->ranks[collector]
                    : -1;

    return found >= 0 ? found : rank;
}

/* CRCs that a task could not read any more where they are. */
static sion_int64 count_early(const struct dealing *dealing, size_t lrank)
{
    const struct scion_physical *physical = dealing->physical;
    struct scion_lengths lengths;

    if (!dealing->checksums->are_early)
        return 0;
    scion_lengths_view(&lengths, physical->used + lrank, (size_t)physical->head.ntasks,
                       physical->counts[lrank]);
    return scion_checksum_count(&lengths, dealing->checksums->piece);
}

static sion_int64 words_of(const struct dealing *dealing, int rank)
{
    size_t lrank = (size_t)dealing->seats[rank].lrank;

    return TASK + dealing->physical->counts[lrank] +
           scion_words_of_crcs(count_early(dealing, lrank));
}

/* One task, at the end of a row. */
static void put_task(struct dealing *dealing, int rank, int reader)
{
    const struct scion_physical *physical = dealing->physical;
    size_t ntasks = (size_t)physical->head.ntasks, lrank = (size_t)dealing->seats[rank].lrank;
    sion_int64 *to = scion_rows_of(&dealing->rows, reader) + dealing->words[reader], chunk;
    sion_int64 crcs = count_early(dealing, lrank);

    *to++ = (sion_int64)lrank;
    *to++ = physical->starts[lrank];
    *to++ = scion_checksum_place(dealing->checksums, (int)lrank);
    *to++ = physical->counts[lrank];
    *to++ = crcs;
    for (chunk = 0; chunk < physical->counts[lrank]; chunk++)
        *to++ = physical->used[(size_t)chunk * ntasks + lrank];
    if (crcs > 0)
        memcpy(to, dealing->checksums->crcs + dealing->checksums->first[lrank],
               (size_t)crcs * sizeof *dealing->checksums->crcs);
    dealing->words[reader] += words_of(dealing, rank);
}

static int measure(struct dealing *dealing)
{
    size_t ntasks = (size_t)dealing->physical->head.ntasks, t;
    int r;

    dealing->ranks = scion_array(ntasks, sizeof *dealing->ranks);
    dealing->words = scion_array((uint64_t)dealing->n, sizeof *dealing->words);
    if (!dealing->ranks || !dealing->words || scion_rows_begin(&dealing->rows, dealing->n) != 0)
        return scion_fail_memory("checksums");
    for (t = 0; t < ntasks; t++)
        dealing->ranks[t] = -1;
    for (r = 0; r < dealing->n; r++) {
        dealing->ranks[dealing->seats[r].lrank] = r;
        dealing->words[r] = FACTS + words_of(dealing, r);
    }
    for (r = 0; r < dealing->n; r++) {
        if (reader_for(dealing, r) != r)
            dealing->words[reader_for(dealing, r)] += words_of(dealing, r);
    }
    for (r = 0; r < dealing->n; r++)
        scion_rows_add(&dealing->rows, dealing->words[r]);
    return scion_rows_fit(&dealing->rows)
               ? 0
               : scion_fail(SION_ERR_NO_SPACE, "the tasks have too many chunks");
}

static int fill(struct dealing *dealing)
{
    const struct scion_guard_facts facts = {dealing->checksums->piece,
                                            dealing->physical->head.swapped,
                                            dealing->physical->layout.globalskip};
    int r;

    if (scion_rows_make(&dealing->rows) != 0)
        return scion_fail_memory("checksums");
    for (r = 0; r < dealing->n; r++) {
        memcpy(scion_rows_of(&dealing->rows, r), &facts, sizeof facts);
        dealing->words[r] = FACTS;
    }
    for (r = 0; r < dealing->n; r++) {
        put_task(dealing, r, r);
        if (reader_for(dealing, r) != r)
            put_task(dealing, r, reader_for(dealing, r));
    }
    return 0;
}

/* Without checksums there are no rows. */
static int prepare(struct scion_physical *physical, struct dealing *dealing)
{
    int rc = scion_physical_resume(physical);

    dealing->physical = physical;
    if (rc == 0)
        rc = scion_checksum_table_find(physical, &dealing->checksums);
    if (rc == 0 && dealing->checksums)
        rc = measure(dealing);
    return rc == 0 && dealing->checksums ? fill(dealing) : rc;
}

/* ---- on every task ---- */

/* *own: the row of this task, to be freed; *words 0: there are no checksums. */
static int receive(struct scion_opening *opening, const struct seat *mine, sion_int64 **own,
                   sion_int64 *words)
{
    struct scion_comm *comm = opening->parallel->local;
    const struct scion_consultation how = {
        .comm = comm, .global = opening->parallel->global, .reply = sizeof(struct watch_reply)};
    struct dealing dealing = {.n = comm->size};
    struct watch_reply *replies = NULL, reply;
    int status = 0, rc, r;

    if (comm->rank == 0) {
        dealing.seats = scion_must_allocate((size_t)comm->size, sizeof *dealing.seats);
        replies = scion_must_allocate((size_t)comm->size, sizeof *replies);
    }
    rc = scion_gather(comm, mine, dealing.seats, sizeof *mine, 0);
    if (rc == 0 && comm->rank == 0)
        status = prepare(opening->physical, &dealing);
    for (r = 0; r < dealing.rows.n && status == 0; r++)
        replies[r].words = dealing.rows.counts[r];
    if (rc == 0)
        rc = scion_send_replies(&how, status, -1, replies, &reply);
    free(replies);
    *words = rc == 0 ? reply.words : 0;
    if (*words > 0) {
        *own = scion_must_allocate((size_t)*words, sizeof **own);
        rc = scion_deal_rows(comm, &dealing.rows, *own, *words);
    }
    free_dealing(&dealing);
    return rc;
}

static const sion_int64 *next_task(const sion_int64 *at)
{
    return at + TASK + at[3] + scion_words_of_crcs(at[4]);
}

static int make_guard(const sion_int64 *row, sion_int64 words, struct scion_guard **guard)
{
    struct scion_guard_facts facts;
    const sion_int64 *end = row + words, *at;
    sion_int64 tasks = 0, chunks = 0;
    int rc;

    memcpy(&facts, row, sizeof facts);
    for (at = row + FACTS; at < end; at = next_task(at)) {
        tasks++;
        chunks += at[3];
    }
    rc = scion_guard_new(&facts, (int)tasks, chunks, guard);
    for (at = row + FACTS; rc == 0 && at < end; at = next_task(at)) {
        struct scion_lengths lengths;

        scion_lengths_view(&lengths, (sion_int64 *)at + TASK, 1, at[3]);
        scion_guard_add(*guard, (int)at[0], at[1], at[2], &lengths);
        rc = scion_guard_give(*guard, (const uint32_t *)(at + TASK + at[3]), at[4]);
    }
    return rc;
}

static int receive_guard(struct scion_opening *opening, const struct seat *mine,
                         struct scion_guard **guard)
{
    sion_int64 *row = NULL, words;
    int rc = receive(opening, mine, &row, &words);

    if (rc == 0 && words > 0)
        rc = make_guard(row, words, guard);
    free(row);
    return rc;
}

/* Members of merged streams would read what is damaged, without a sign; and another generation may
   be sound. */
static int lock_out(struct scion_opening *opening, const struct scion_damage *damage)
{
    struct scion_container *container = opening->container;
    const char *path = scion_container_opened(container);

    if (opening->is_sound || opening->members || opening->parallel->collective.merge)
        return scion_damage_fail(damage, path);
    scion_damage_warn(path, damage, 1);
    return scion_parallel_lock_out(container, damage);
}

static int compare_now(struct scion_opening *opening, struct scion_guard *guard)
{
    const struct scion_stream *stream = scion_container_stream(opening->container);
    struct scion_damage damage = {SCION_SOUND, 0, 0, 0, 0};
    int rc = scion_guard_compare(guard, stream->file, stream->place.start, &damage);

    return rc != 0 || damage.kind == SCION_SOUND ? rc : lock_out(opening, &damage);
}

/* Collective over the tasks of a file, each of which has read its own numbers: its CRCs are behind
   those of the tasks before. */
static int make_own_guard(struct scion_opening *opening, struct scion_guard **guard)
{
    const struct scion_comm *local = opening->parallel->local;
    const struct scion_checksum_span *span = &opening->span;
    const struct scion_stream *stream = scion_container_stream(opening->container);
    const struct scion_lengths *lengths = stream->lengths;
    const struct scion_guard_facts facts = {
        span->piece, scion_container_head(opening->container)->swapped, opening->facts.globalskip};
    sion_int64 own, before;
    int rc;

    if (span->piece == 0)
        return 0;
    own = before = scion_checksum_count(lengths, span->piece);
    rc = scion_sums_before(opening->parallel->local, &before, 1);
    if (rc == 0 && local->rank == local->size - 1 && before + own != span->count)
        rc =
            scion_fail(SION_ERR_DAMAGED, "%s: %lld checksums, but not for the data that META2 says",
                       scion_container_opened(opening->container), span->count);
    if (rc == 0)
        rc = scion_guard_new(&facts, 1, lengths->count, guard);
    if (rc == 0)
        scion_guard_add(*guard, scion_container_lrank(opening->container), stream->place.start,
                        span->at + before * (sion_int64)sizeof(uint32_t), lengths);
    return rc;
}

int scion_checksum_watch_parallel(struct scion_opening *opening)
{
    const struct scion_collective *collective = &opening->parallel->collective;
    int now = opening->checksum == SCION_COMPARES_AT_OPEN || opening->members || collective->merge;
    const struct seat mine = {scion_container_lrank(opening->container),
                              collective->group && !now &&
                                      !scion_container_is_zipped(opening->container)
                                  ? collective->collector
                                  : -1};
    struct scion_guard *guard = NULL;
    int rc = opening->is_surveyed ? make_own_guard(opening, &guard)
                                  : receive_guard(opening, &mine, &guard);

    if (rc == 0 && guard && !now) {
        scion_parallel_watch(opening->container, guard);
        return 0;
    }
    if (rc == 0 && guard)
        rc = compare_now(opening, guard);
    scion_guard_free(guard);
    return rc;
}

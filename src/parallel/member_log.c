/*
 * Merged writing: whose the bytes of a collector's stream are.
 *
 * The collector notes each record that it appends. What a member writes by itself is in its own
 * stream; it notes between which of its collective records. There is memory for what is to be noted
 * before a write begins; if not, the write fails.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "file/members.h"
#include "parallel/members.h"
#include "parallel/state.h"
#include "parallel/checksum_gather.h"

/* Bytes of a member, in the collector's stream, of the write that has not ended yet. */
struct member_piece {
    int from;
    sion_int64 offset, bytes;
};

/* Bytes that a sender has written by itself when it had written `after` through its collector. */
struct cut {
    sion_int64 after, bytes;
};

struct scion_member_log {
    int is_broken;    /* something could not be noted: the file gets no record of members */
    sion_int64 noted; /* bytes of the task's own stream, the first ones, whose owner is noted */

    /* On a collector. */
    struct scion_strides *pieces;      /* [size] of each member */
    struct member_piece *member_piece; /* [2 * size + 1] */
    int size, nstaged, begun;          /* begun: staged before the present record */
    int is_ready;                      /* there is memory for what the present write will note */

    /* On a sender. */
    sion_int64 collected; /* bytes that it has written through its collector */
    struct cut *cuts;
    sion_int64 ncuts, most_cuts;
};

void scion_member_log_free(struct scion_member_log *member_log)
{
    int i;

    if (!member_log)
        return;
    for (i = 0; member_log->pieces && i < member_log->size; i++)
        scion_strides_free(&member_log->pieces[i]);
    free(member_log->pieces);
    free(member_log->member_piece);
    free(member_log->cuts);
    free(member_log);
}

int scion_member_log_is_on(const struct scion_container *container)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);

    return scion_container_is_writing(container) && parallel && parallel->collective.merge &&
           parallel->collective.group &&
           scion_container_keyval_mode(container) != SION_KEYVAL_INLINE;
}

static int collects(const struct scion_container *container)
{
    return scion_parallel_of(container)->collective.group->rank == 0;
}

static struct scion_member_log *merging_of(const struct scion_container *container)
{
    return scion_parallel_of(container)->collective.member_log;
}

static int make_tables(struct scion_member_log *member_log, int size)
{
    member_log->size = size;
    member_log->pieces = calloc((size_t)size, sizeof *member_log->pieces);
    member_log->member_piece =
        scion_array(2 * (uint64_t)size + 1, sizeof *member_log->member_piece);
    return member_log->pieces && member_log->member_piece ? 0 : scion_fail_memory("members");
}

static int make(const struct scion_container *container)
{
    struct scion_collective *collective = &scion_parallel_of(container)->collective;
    struct scion_member_log *new;
    int rc;

    if (collective->member_log)
        return 0;
    new = calloc(1, sizeof *new);
    if (!new)
        return scion_fail_memory("members");
    rc = collects(container) ? make_tables(new, collective->group->size) : 0;
    if (rc != 0)
        scion_member_log_free(new);
    else
        collective->member_log = new;
    return rc;
}

/* ---- on a collector ---- */

static void add_piece(struct scion_member_log *member_log, const struct member_piece *piece)
{
    if (!member_log->is_broken &&
        scion_strides_add_piece(&member_log->pieces[piece->from], piece->offset, piece->bytes) != 0)
        member_log->is_broken = 1;
}

/* After a failure the stream may end earlier than it did. */
static void cut_pieces(struct scion_member_log *member_log, sion_int64 end)
{
    int i;

    for (i = 0; i < member_log->size && !member_log->is_broken; i++)
        member_log->is_broken = scion_strides_cut(&member_log->pieces[i], end) != 0;
    member_log->noted = end;
}

/* What the collector has written by itself up to this byte of its stream is its own. */
static void note_own(struct scion_member_log *member_log, sion_int64 total)
{
    const struct member_piece own = {0, member_log->noted, total - member_log->noted};

    if (total < member_log->noted)
        cut_pieces(member_log, total);
    else if (total > member_log->noted)
        add_piece(member_log, &own);
    member_log->noted = total;
}

/* Bytes of the stream so far, by what is staged. */
static sion_int64 staged_end(const struct scion_member_log *member_log)
{
    const struct member_piece *last = member_log->member_piece + member_log->nstaged - 1;

    return member_log->nstaged > 0 ? last->offset + last->bytes : member_log->noted;
}

static void stage(struct scion_member_log *member_log, int from, sion_int64 bytes)
{
    struct member_piece *last = member_log->member_piece + member_log->nstaged - 1;
    sion_int64 offset = staged_end(member_log);

    if (from < 0 || from >= member_log->size)
        member_log->is_broken = 1;
    if (member_log->is_broken || bytes == 0)
        return;
    if (member_log->nstaged > member_log->begun && last->from == from)
        last->bytes += bytes;
    else if (member_log->nstaged <= 2 * member_log->size)
        member_log->member_piece[member_log->nstaged++] =
            (struct member_piece){from, offset, bytes};
    else
        member_log->is_broken = 1;
}

int scion_member_log_begin_record(struct scion_container *container)
{
    struct scion_member_log *member_log = merging_of(container);
    sion_int64 total;
    int rc = member_log && member_log->is_ready ? 0 : scion_fail_memory("members");

    if (rc == 0)
        rc = scion_stream_total(scion_container_stream(container), &total);
    if (rc != 0)
        return rc;
    if (total > staged_end(member_log)) /* through a second FILE* */
        stage(member_log, 0, total - staged_end(member_log));
    member_log->begun = member_log->nstaged;
    return 0;
}

void scion_member_log_add(struct scion_container *container, const struct scion_piece *piece)
{
    stage(merging_of(container), piece->from, piece->bytes);
}

void scion_member_log_drop_record(struct scion_container *container)
{
    struct scion_member_log *member_log = merging_of(container);

    if (member_log)
        member_log->nstaged = member_log->begun;
}

void scion_member_log_drop(struct scion_container *container)
{
    if (merging_of(container))
        merging_of(container)->nstaged = 0;
}

static void end_on_collector(struct scion_member_log *member_log)
{
    int i;

    for (i = 0; i < member_log->nstaged; i++)
        add_piece(member_log, &member_log->member_piece[i]);
    member_log->noted = staged_end(member_log);
    member_log->nstaged = member_log->begun = 0;
}

/* ---- on a sender ---- */

static void note_cut(struct scion_member_log *member_log, sion_int64 total)
{
    if (total == member_log->noted)
        return;
    member_log->is_broken |= total < member_log->noted;
    if (!member_log->is_broken)
        member_log->cuts[member_log->ncuts++] =
            (struct cut){member_log->collected, total - member_log->noted};
    member_log->noted = total;
}

/* ---- memory ---- */

/* A call adds two runs at most: what the collector has written by itself, and a record. */
enum { RUNS = 3 };

static int reserve_runs(struct scion_member_log *member_log)
{
    int rc = 0, i;

    for (i = 0; i < member_log->size && rc == 0; i++)
        rc = scion_strides_reserve(&member_log->pieces[i], RUNS);
    return rc;
}

static int reserve_cuts(struct scion_member_log *member_log)
{
    sion_int64 most = 2 * member_log->most_cuts + 2;
    struct cut *cuts;

    if (member_log->ncuts + 1 < member_log->most_cuts)
        return 0;
    cuts = scion_array_grown(member_log->cuts, (uint64_t)most, sizeof *cuts);
    if (!cuts)
        return scion_fail_memory("members");
    member_log->cuts = cuts;
    member_log->most_cuts = most;
    return 0;
}

/* For the next call, and for the close after it. */
static int reserve(const struct scion_container *container)
{
    int rc = make(container);

    if (rc != 0)
        return rc;
    return collects(container) ? reserve_runs(merging_of(container))
                               : reserve_cuts(merging_of(container));
}

/* ---- both ---- */

/* What the task has written by itself since the last collective write. total: bytes of its stream.
 */
static void note_total(struct scion_container *container, sion_int64 total)
{
    struct scion_member_log *member_log = merging_of(container);

    if (collects(container))
        note_own(member_log, total);
    else
        note_cut(member_log, total);
}

int scion_member_log_begin(struct scion_container *container)
{
    int rc = reserve(container);
    struct scion_member_log *member_log = merging_of(container);
    sion_int64 total;

    if (member_log)
        member_log->is_ready = member_log->nstaged = member_log->begun = 0;
    if (rc == 0)
        rc = scion_stream_total(scion_container_stream(container), &total);
    if (rc != 0)
        return rc;
    note_total(container, total);
    member_log->is_ready = 1;
    return 0;
}

void scion_member_log_end(struct scion_container *container, int rc, sion_int64 bytes)
{
    struct scion_member_log *member_log = merging_of(container);

    if (!member_log)
        return;
    if (collects(container))
        end_on_collector(member_log);
    else if (rc == 1)
        member_log->collected += bytes;
}

/* ---- the close ---- */

/*
 * What a task sends: the collector of its group, the cuts, and, of a collector, the runs of each
 * member after their number.
 */
enum { AT_COLLECTOR, AT_CUTS, ROW_HEAD };
enum { CUT_WORDS = sizeof(struct cut) / sizeof(sion_int64) };

static sion_int64 row_words(const struct scion_member_log *member_log)
{
    sion_int64 words = ROW_HEAD + CUT_WORDS * member_log->ncuts;
    int i;

    for (i = 0; member_log->pieces && i < member_log->size; i++)
        words += 1 + SCION_STRIDE_WORDS * member_log->pieces[i].n;
    return words;
}

static void fill_row(const struct scion_member_log *member_log, sion_int64 *row)
{
    int i;

    row[AT_CUTS] = member_log->ncuts;
    row += ROW_HEAD;
    if (member_log->ncuts > 0)
        memcpy(row, member_log->cuts, (size_t)member_log->ncuts * sizeof *member_log->cuts);
    row += CUT_WORDS * member_log->ncuts;
    for (i = 0; member_log->pieces && i < member_log->size; i++)
        row += scion_member_row(&member_log->pieces[i], NULL, row);
}

/* The stream has ended. */
static sion_int64 bytes_of(const struct scion_lengths *lengths)
{
    sion_int64 bytes = 0, b;

    for (b = 0; b < lengths->count; b++)
        bytes += scion_lengths_used(lengths, b);
    return bytes;
}

/* *row: to be freed in any case. */
static int make_row(struct scion_container *container, sion_int64 **row, sion_int64 *words)
{
    const struct scion_parallel *parallel = scion_parallel_of(container);
    struct scion_member_log *member_log;
    int rc = reserve(container);

    if (rc != 0)
        return rc;
    member_log = merging_of(container);
    note_total(container, bytes_of(scion_container_lengths(container, 0)));
    if (member_log->is_broken)
        return scion_fail(SION_ERR_SYSTEM, "after an earlier failure it is not known whose bytes "
                                           "are in the merged streams");
    *words = row_words(member_log);
    *row = scion_array((uint64_t)*words, sizeof **row);
    if (!*row)
        return scion_fail_memory("record of members");
    (*row)[AT_COLLECTOR] = parallel->collective.collector;
    fill_row(member_log, *row);
    return 0;
}

/* The record as it is put together from the rows. */
struct record_assembly {
    const struct scion_parallel *parallel;
    const struct scion_physical *physical;
    const struct scion_checksum_gather *rows;
    struct scion_members members;
};

static const sion_int64 *row_of(const struct record_assembly *record_assembly, int t)
{
    int rank = scion_rank_of_task(record_assembly->parallel, record_assembly->physical, t);

    return record_assembly->rows->numbers + record_assembly->rows->first[rank];
}

/* Where the runs of the members begin in a collector's row. */
static const sion_int64 *runs_of(const sion_int64 *row)
{
    return row + ROW_HEAD + CUT_WORDS * row[AT_CUTS];
}

/* What a task has written through its collector, and by itself in between. */
static int join_task(const sion_int64 *row, const struct scion_strides *collected,
                     struct scion_strides *pieces)
{
    struct scion_strides_cursor cursor = {.from = collected};
    sion_int64 n = row[AT_CUTS], taken = 0, own = 0, i;
    int rc = 0;

    row += ROW_HEAD;
    for (i = 0; i < n && rc == 0; i++, row += CUT_WORDS) {
        const struct cut cut = {row[0], row[1]};

        rc = scion_strides_take(&cursor, cut.after - taken, pieces);
        if (rc == 0)
            rc = scion_strides_add_piece(pieces, own | SCION_MEMBER_OWN, cut.bytes);
        taken = cut.after;
        own += cut.bytes;
    }
    return rc != 0 ? rc : scion_strides_take(&cursor, collected->bytes - taken, pieces);
}

static int join_rows(struct record_assembly *record_assembly)
{
    struct scion_members *members = &record_assembly->members;
    const struct scion_damage *none;
    const sion_int64 *runs = NULL;
    int rc = 0, t;

    for (t = 0; t < members->ntasks && rc == 0; t++) {
        const sion_int64 *row = row_of(record_assembly, t);
        struct scion_strides collected = {0};

        members->collectors[t] = (int)row[AT_COLLECTOR];
        if (members->collectors[t] == t)
            runs = runs_of(row);
        rc = scion_member_at(&runs, &collected, &none);
        if (rc == 0)
            rc = join_task(row, &collected, &members->pieces[t]);
        scion_strides_free(&collected);
    }
    return rc;
}

static int write_record(struct scion_parallel *parallel, struct scion_physical *physical,
                        const struct scion_checksum_gather *rows)
{
    struct record_assembly record_assembly = {
        .parallel = parallel, .physical = physical, .rows = rows};
    int rc = scion_members_make(&record_assembly.members, physical->head.ntasks);

    if (rc == 0)
        rc = join_rows(&record_assembly);
    if (rc == 0)
        rc = scion_members_write(physical, &record_assembly.members);
    scion_members_free(&record_assembly.members);
    return rc;
}

/* The rows are words, of which two CRCs make one. */
int scion_write_members(struct scion_parallel *parallel, struct scion_container *container, int rc)
{
    struct scion_comm *local = parallel->local;
    struct scion_checksum_gather rows = {0};
    sion_int64 words = 0, *row = NULL;
    int go_on, own;

    if (!scion_member_log_is_on(container))
        return 0;
    own = scion_checksum_gather_begin(&rows, local);
    if (own == 0)
        own = make_row(container, &row, &words);
    go_on = scion_none_failed(local, scion_first_failure(rc, own));
    if (go_on == 1)
        go_on = scion_checksum_gather_all(local, 0, (const uint32_t *)row, 2 * words, &rows);
    rc = scion_first_failure(own, go_on < 0 ? go_on : 0);
    if (go_on == 1 && local->rank == 0)
        rc = write_record(parallel, scion_container_physical(container), &rows);
    free(row);
    scion_checksum_gather_free(&rows);
    return rc;
}

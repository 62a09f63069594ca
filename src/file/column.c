/* One task of a physical file: its numbers are read, and those of the others only added up. */
#include "file/column.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "file/mapping.h"
#include "file/members.h"
#include "file/physical_read.h"
#include "vfs/vfs.h"

enum { PIECE = 4096 }; /* numbers that are read at a time */

static int read_numbers(struct scion_physical *physical, sion_int64 *to, size_t n,
                        sion_int64 offset)
{
    int rc = scion_file_read(physical->file, to, n * sizeof *to, offset);

    if (rc == 0)
        scion_array_decode(to, n, physical->head.swapped);
    return rc;
}

/* Places of the tasks first to first + n, of which one may be the column's. */
static int place_piece(const struct scion_physical *physical, const sion_int64 *sizes, int first,
                       int n, struct scion_column *column, sion_int64 *next)
{
    int grain = physical->grain, before = column->lrank - first, rc;

    if (before < 0 || before >= n)
        return scion_layout_append(sizes, first, n, grain, NULL, next);
    rc = scion_layout_append(sizes, first, before, grain, NULL, next);
    column->chunksize = sizes[before];
    column->start = *next;
    return rc != 0
               ? rc
               : scion_layout_append(sizes + before, column->lrank, n - before, grain, NULL, next);
}

static int read_places(struct scion_physical *physical, struct scion_column *column)
{
    const struct scion_meta1 *head = &physical->head;
    sion_int64 ranks = (sion_int64)scion_meta1_fixed_size(head), sizes[PIECE], next;
    sion_int64 at = ranks + 8 * (sion_int64)head->ntasks;
    int first, n, rc = scion_layout_begin(scion_meta1_size(head->ntasks), head->fsblksize, &next);

    physical->layout.start_of_data = next;
    if (rc == 0)
        rc = read_numbers(physical, &column->globalrank, 1, ranks + 8 * (sion_int64)column->lrank);
    for (first = 0; first < head->ntasks && rc == 0; first += n) {
        n = head->ntasks - first < PIECE ? head->ntasks - first : PIECE;
        rc = read_numbers(physical, sizes, (size_t)n, at + 8 * (sion_int64)first);
        if (rc == 0)
            rc = place_piece(physical, sizes, first, n, column, &next);
    }
    if (rc == 0)
        physical->layout.globalskip = next - physical->layout.start_of_data;
    return rc;
}

/* The column's entries in rows of the table; zeros stay untouched. at: of the first one. */
static int read_rows(struct scion_physical *physical, sion_int64 at, sion_int64 rows,
                     sion_int64 *used, int *all_zero)
{
    sion_int64 row = physical->head.ntasks, piece[PIECE], b;
    int rc = read_numbers(physical, piece, (size_t)((rows - 1) * row + 1), at);

    *all_zero = 1;
    for (b = 0; b < rows && rc == 0; b++) {
        if (piece[b * row] == 0)
            continue;
        used[b] = piece[b * row];
        *all_zero = 0;
    }
    return rc;
}

/* How many entries of the column, of at most `left` from offset `at` on, are in a hole. */
static sion_int64 rows_in_hole(struct scion_physical *physical, sion_int64 at, sion_int64 left)
{
    sion_int64 row = 8 * (sion_int64)physical->head.ntasks, run;
    int is_hole;

    run = scion_file_run(physical->file, at, row * (left - 1) + 8, &is_hole);
    return is_hole && run >= 8 ? (run - 8) / row + 1 : 0;
}

/*
 * As many rows at a time as fit into a piece, or one. A damaged file may claim any number of rows
 * in a hole, which is passed over at once.
 */
static int read_used(struct scion_physical *physical, sion_int64 at, struct scion_column *column)
{
    sion_int64 row = physical->head.ntasks, most = (PIECE - 1) / row + 1, b, rows;
    int all_zero = 0, rc = 0;

    for (b = 0; b < column->rows && rc == 0; b += rows) {
        sion_int64 here = at + 8 * row * b, left = column->rows - b;

        rows = all_zero ? rows_in_hole(physical, here, left) : 0;
        if (rows > 0)
            continue;
        rows = left < most ? left : most;
        rc = read_rows(physical, here, rows, column->used + b, &all_zero);
    }
    return rc;
}

/* The file's tables with this task alone. */
static struct scion_chunk_plan plan_of(const struct scion_chunk_plan *all,
                                       const struct scion_column *column)
{
    struct scion_chunk_plan plan = *all;

    plan.ntasks = 1;
    plan.first = column->lrank;
    plan.starts = &column->start;
    plan.sizes = &column->chunksize;
    return plan;
}

static int allocate_rows(struct scion_column *column, sion_int64 rows)
{
    column->rows = rows;
    column->used = calloc((size_t)rows, sizeof *column->used);
    return column->used ? 0 : scion_fail_memory("metadata");
}

/* Such a task is one with an empty chunk, which nobody can read too much of. */
static int lock_out(const struct scion_physical *physical, struct scion_column *column)
{
    free(column->used);
    column->count = 1;
    scion_physical_warn(physical, &column->damage, 1);
    return allocate_rows(column, 1);
}

/* The count is in range, so that there are so many rows. */
static int read_lengths(struct scion_physical *physical, const struct scion_chunk_plan *plan,
                        sion_int64 limit, struct scion_column *column)
{
    sion_int64 at = physical->start_of_varheader + 8 * (sion_int64)column->lrank;
    int rc = allocate_rows(column, column->count + (column->count < plan->maxchunks));

    if (rc == 0)
        rc = read_used(physical, at + 8 * (sion_int64)physical->head.ntasks, column);
    if (rc == 0)
        scion_meta2_is_sound(plan, 0, limit, column->count, column->used, &column->damage);
    return rc;
}

static int read_chunks(struct scion_physical *physical, struct scion_column *column)
{
    struct scion_chunk_plan plan, all = scion_physical_plan(physical);
    sion_int64 start = physical->start_of_varheader, end;
    int rc = scion_meta2_check_place(&all, start, physical->size, &end);

    plan = plan_of(&all, column);
    if (rc == 0)
        rc = read_numbers(physical, &column->count, 1, start + 8 * (sion_int64)column->lrank);
    if (rc != 0)
        return rc;
    if (column->count >= 1 && column->count <= plan.maxchunks)
        rc = read_lengths(physical, &plan, scion_physical_limit(physical, end), column);
    else
        scion_meta2_is_sound(&plan, 0, 0, column->count, NULL, &column->damage);
    if (rc == 0)
        rc = scion_physical_check_steady(physical);
    if (rc == 0 && column->damage.kind != SCION_SOUND)
        rc = lock_out(physical, column);
    plan.maxchunks = (int)column->rows;
    if (rc == 0)
        scion_physical_mend(physical, &plan, &column->count, column->used);
    return rc;
}

/* Each chunk that says bytes which it cannot have becomes an empty one. */
static int mend_chunks(const struct scion_physical *physical, const struct scion_chunk_plan *plan,
                       sion_int64 limit, struct scion_column *column,
                       int (*repair)(void *user, const struct scion_chunk_repair *chunk),
                       void *user)
{
    struct scion_chunk_repair one = {.entry = 0};
    sion_int64 n = physical->head.ntasks, first = 0;
    int rc = 0;

    while (rc == 0 &&
           scion_meta2_find_bad(plan, 0, limit, first, column->count, column->used, &one.damage)) {
        first = one.damage.chunk;
        column->used[first] = 0;
        one.entry = physical->start_of_varheader + 8 * (n * (1 + first) + column->lrank);
        rc = repair(user, &one);
    }
    if (rc == 0)
        scion_meta2_is_sound(plan, 0, limit, column->count, column->used, &column->damage);
    return rc;
}

int scion_column_mend(struct scion_physical *physical, int lrank, struct scion_column *column,
                      int (*repair)(void *user, const struct scion_chunk_repair *chunk), void *user)
{
    struct scion_chunk_plan plan, all = scion_physical_plan(physical);
    sion_int64 start = physical->start_of_varheader, limit, end;
    int rc = scion_meta2_check_place(&all, start, physical->size, &end);

    *column = (struct scion_column){.lrank = lrank,
                                    .globalrank = physical->globalranks[lrank],
                                    .chunksize = physical->chunksizes[lrank],
                                    .start = physical->starts[lrank]};
    plan = plan_of(&all, column);
    limit = scion_physical_limit(physical, end);
    if (rc == 0)
        rc = read_numbers(physical, &column->count, 1, start + 8 * (sion_int64)lrank);
    if (rc == 0 && (column->count < 1 || column->count > plan.maxchunks))
        scion_meta2_is_sound(&plan, 0, limit, column->count, NULL, &column->damage);
    else if (rc == 0)
        rc = read_lengths(physical, &plan, limit, column);
    if (rc == 0 && column->used)
        rc = mend_chunks(physical, &plan, limit, column, repair, user);
    if (rc != 0)
        scion_column_free(column);
    return rc;
}

/* A failure says which file it is of, and leaves nothing to be freed. */
static int end_reading(const struct scion_physical *physical, struct scion_column *column, int rc)
{
    if (rc == 0)
        return 0;
    scion_column_free(column);
    scion_fail_prefix("cannot read %s", physical->path);
    return rc;
}

int scion_column_read(struct scion_physical *physical, int lrank, struct scion_column *column)
{
    int rc;

    *column = (struct scion_column){.lrank = lrank};
    rc = read_places(physical, column);
    if (rc == 0)
        rc = read_chunks(physical, column);
    return end_reading(physical, column, rc);
}

int scion_column_read_size(struct scion_physical *physical, int lrank, struct scion_column *column,
                           sion_int64 *room)
{
    const struct scion_meta1 *head = &physical->head;
    sion_int64 at = (sion_int64)scion_meta1_fixed_size(head) + 8 * (sion_int64)head->ntasks;
    int rc;

    *room = 0;
    *column = (struct scion_column){.lrank = lrank, .globalrank = lrank};
    rc = read_numbers(physical, &column->chunksize, 1, at + 8 * (sion_int64)lrank);
    if (rc == 0)
        rc = scion_layout_append(&column->chunksize, lrank, 1, physical->grain, NULL, room);
    return end_reading(physical, column, rc);
}

int scion_column_read_chunks(struct scion_physical *physical, struct scion_column *column)
{
    return end_reading(physical, column, read_chunks(physical, column));
}

int scion_column_check_rank(struct scion_physical *physical, int rank, struct scion_column *column)
{
    sion_int64 at = (sion_int64)scion_meta1_fixed_size(&physical->head);
    int rc = read_numbers(physical, &column->globalrank, 1, at + 8 * (sion_int64)column->lrank);

    if (rc == 0 && column->globalrank != rank && column->damage.kind == SCION_SOUND) {
        column->damage = scion_mapping_damage(column->lrank, rank);
        rc = lock_out(physical, column);
    }
    return end_reading(physical, column, rc);
}

void scion_column_free(struct scion_column *column)
{
    free(column->used);
    column->used = NULL;
}

int scion_column_find(struct scion_physical *physical, int rank, int *pair)
{
    struct scion_mapping one = {.size = 1, .pairs = pair};
    sion_int64 size, at = physical->start_of_varheader;
    int rc;

    scion_meta2_size(physical->head.ntasks, physical->maxchunks, &size); /* was checked */
    at += size + 4 + 8 * (sion_int64)rank;
    rc = scion_file_read(physical->file, pair, 2 * sizeof *pair, at);
    if (rc != 0)
        return rc;
    scion_mapping_decode_pairs(&one, physical->head.swapped);
    return scion_mapping_check_pair(pair, rank, physical->head.nfiles);
}

static int read_extent(struct scion_physical *physical)
{
    sion_int64 end;
    int rc = scion_physical_read_sizes(physical);

    if (rc == 0)
        rc = scion_meta2_check_extent(physical->head.ntasks, physical->maxchunks,
                                      physical->start_of_varheader, physical->size, &end);
    if (rc == 0 && scion_physical_is_set(physical))
        rc = scion_physical_read_mapping_size(physical, end);
    if (rc == 0)
        rc = scion_physical_find_records(physical, end);
    return rc == 0 ? scion_physical_check_steady(physical) : rc;
}

int scion_column_open(const char *path, struct scion_physical **physical)
{
    return scion_physical_read_by(path, read_extent, physical);
}

int scion_column_go_back(struct scion_physical *physical, sion_int64 generation)
{
    return scion_physical_read_back(physical, generation, read_extent);
}

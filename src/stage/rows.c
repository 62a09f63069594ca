#include "stage/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/slot.h"
#include "vfs/path.h"

char *scion_stage_rows_name(const char *record)
{
    static const char suffix[] = ".rows";
    char *name = malloc(strlen(record) + sizeof suffix);

    if (!name) {
        scion_fail_memory("file name");
        return NULL;
    }
    return strcat(strcpy(name, record), suffix);
}

/* Behind the rows come blocks of lengths: the first ones of all tasks, then their second ones. */
enum { BLOCK = 512 };

static sion_int64 block_at(const struct scion_stage_row *row, int index, sion_int64 number)
{
    return row->ntasks * (sion_int64)sizeof *row +
           (number * row->ntasks + index) * (sion_int64)(BLOCK * sizeof(sion_int64));
}

/* How many lengths a block has. */
static size_t block_size(const struct scion_stage_row *row, sion_int64 number)
{
    sion_int64 left = row->count - number * BLOCK;

    return left < BLOCK ? (size_t)left : BLOCK;
}

static int write_lengths(struct scion_file *file, int index, const struct scion_stage_row *row,
                         const sion_int64 *used)
{
    sion_int64 i;
    int rc = 0;

    for (i = 0; i * BLOCK < row->count && rc == 0; i++)
        rc = scion_file_write(file, used + i * BLOCK, block_size(row, i) * sizeof *used,
                              block_at(row, index, i), NULL);
    return rc;
}

int scion_stage_row_write(const char *record, int index, const struct scion_stage_row *row,
                          const sion_int64 *used)
{
    char *name = scion_stage_rows_name(record);
    struct scion_file *file;
    int rc = name ? scion_file_open(name, SCION_OPEN_CREATE_OWN, 0600, &file) : SION_ERR_MEMORY;
    int closed;

    free(name);
    if (rc != 0)
        return rc;
    rc = row->is_listed ? write_lengths(file, index, row, used) : 0;
    if (rc == 0)
        rc = scion_file_write(file, row, sizeof *row, index * (sion_int64)sizeof *row, NULL);
    closed = scion_file_close(file);
    return scion_first_failure(rc, closed);
}

int scion_stage_rows_sync(const struct scion_stage_part *part)
{
    char *name = part->nodes > 1 ? scion_stage_rows_name(part->record) : NULL;
    int rc = name ? scion_sync_whole(name) : part->nodes > 1 ? SION_ERR_MEMORY : 0;

    free(name);
    return rc;
}

/* A whole file, malloc'd. */
static int read_whole(const char *name, void **bytes, size_t *size)
{
    struct scion_file *file;
    sion_int64 length;
    int rc = scion_file_open(name, SCION_OPEN_READ, 0, &file);

    if (rc != 0)
        return rc;
    rc = scion_file_size(file, &length);
    *size = rc == 0 ? (size_t)length : 0;
    *bytes = rc == 0 ? scion_array(*size + 1, 1) : NULL;
    if (rc == 0 && !*bytes)
        rc = scion_fail_memory("rows");
    if (rc == 0)
        rc = scion_file_read(file, *bytes, *size, 0);
    scion_file_close(file);
    if (rc != 0)
        free(*bytes);
    return rc;
}

/* All rows of a file, malloc'd with what is behind them: the first one says how many there are. */
static int read_rows(const char *name, struct scion_stage_row **rows, int *n, size_t *size)
{
    void *bytes;
    int rc = read_whole(name, &bytes, size);

    if (rc != 0)
        return rc;
    *rows = bytes;
    *n = *size >= sizeof **rows ? (*rows)->ntasks : 0;
    if (*n >= 0 && (size_t)*n <= *size / sizeof **rows)
        return 0;
    free(bytes);
    return scion_fail(SION_ERR_DAMAGED, "%s: it ends before its %d rows", name, *n);
}

static int count_written(const struct scion_stage_row *rows, int n)
{
    int written = 0, i;

    for (i = 0; i < n; i++)
        written += rows[i].ntasks == n;
    return written;
}

static int read_own(const struct scion_stage_part *part, struct scion_stage_row **rows,
                    size_t *size)
{
    char *name = scion_stage_rows_name(part->record);
    int n, rc = name ? read_rows(name, rows, &n, size) : SION_ERR_MEMORY;
    int written = rc == 0 ? count_written(*rows, n) : 0;

    free(name);
    if (rc == 0 && written != part->ntasks) {
        free(*rows);
        rc = scion_fail(SION_ERR_DAMAGED, "%s: %d tasks say what they wrote, of %d", part->record,
                        written, part->ntasks);
    }
    return rc;
}

static char *shared_name(const struct scion_stage_part *part, int node)
{
    char *report = scion_stage_report(part, node);
    char *name = report ? scion_stage_rows_name(report) : NULL;

    free(report);
    return name;
}

int scion_stage_rows_share(const struct scion_stage_part *part)
{
    struct scion_stage_row *rows;
    char *name = shared_name(part, part->node);
    size_t size;
    int rc = name ? read_own(part, &rows, &size) : SION_ERR_MEMORY;

    if (rc == 0) {
        rc = scion_replace_whole(name, rows, size);
        free(rows);
    }
    free(name);
    return rc;
}

int scion_stage_rows_are_shared(const struct scion_stage_part *part, int node, int *are_shared)
{
    char *name = shared_name(part, node);
    int rc = name ? scion_file_look_for(name, are_shared) : SION_ERR_MEMORY;

    free(name);
    return rc;
}

int scion_stage_rows_of(const struct scion_stage_part *part, int node,
                        struct scion_stage_row **rows, int *n)
{
    char *name = shared_name(part, node);
    size_t size;
    int rc = name ? read_rows(name, rows, n, &size) : SION_ERR_MEMORY;

    free(name);
    return rc;
}

static int read_lengths(const struct scion_stage_part *part, int node, int index,
                        const struct scion_stage_row *row, sion_int64 *used)
{
    char *name = shared_name(part, node);
    struct scion_file *file;
    sion_int64 i;
    int rc = name ? scion_file_open(name, SCION_OPEN_READ, 0, &file) : SION_ERR_MEMORY;

    free(name);
    if (rc != 0)
        return rc;
    for (i = 0; i * BLOCK < row->count && rc == 0; i++)
        rc = scion_file_read(file, used + i * BLOCK, block_size(row, i) * sizeof *used,
                             block_at(row, index, i));
    scion_file_close(file);
    return rc;
}

static sion_int64 room_of(const struct scion_stage_row *row)
{
    return scion_trailer_room(row->size, scion_marker_trailer(row->flag2, NULL));
}

static int check_lengths(const struct scion_stage_row *row, const sion_int64 *used)
{
    sion_int64 i;

    for (i = 0; i < row->count; i++) {
        if (used[i] < 0 || used[i] > room_of(row))
            return scion_fail(SION_ERR_DAMAGED,
                              "the lengths of the chunks of task %lld are damaged", row->rank);
    }
    return 0;
}

int scion_stage_row_lengths(const struct scion_stage_part *part, int node, int index,
                            const struct scion_stage_row *row, sion_int64 **used)
{
    sion_int64 i;
    int rc = 0;

    *used = scion_array((size_t)row->count + 1, sizeof **used);
    if (!*used)
        return scion_fail_memory("lengths of chunks");
    for (i = 0; i < row->count; i++)
        (*used)[i] = i + 1 < row->count ? room_of(row) : row->last;
    if (row->is_listed)
        rc = read_lengths(part, node, index, row, *used);
    if (rc == 0)
        rc = check_lengths(row, *used);
    if (rc != 0)
        free(*used);
    return rc;
}

void scion_stage_rows_withdraw(const struct scion_stage_part *part, int node)
{
    char *name = shared_name(part, node);

    if (name)
        scion_file_remove(name);
    free(name);
}

/* Rows come from a file. */
static int check_row(const struct scion_stage_part *part, const struct scion_stage_row *row)
{
    sion_int64 end;
    int is_good = row->file >= 0 && row->file < part->nfiles && row->start >= 0 && row->size >= 0 &&
                  row->skip >= 0 && row->count >= -1 && row->head_end >= 0 && row->tail >= 0 &&
                  !scion_mul(row->count, row->skip, &end) && !scion_add(end, row->start, &end) &&
                  !scion_add(end, row->size, &end);

    return is_good ? 0
                   : scion_fail(SION_ERR_DAMAGED, "%s: the list of what its tasks wrote is damaged",
                                part->record);
}

/* How many chunks begin in a file of this size. */
static sion_int64 chunks_of(const struct scion_stage_row *row, sion_int64 size)
{
    if (row->count >= 0)
        return row->count;
    if (row->start >= size)
        return 0;
    return row->skip > 0 ? (size - row->start - 1) / row->skip + 1 : 1;
}

/* The ranges of a row in a file of this size; returns their number. to: NULL: only that. */
static size_t add_ranges(const struct scion_stage_row *row, sion_int64 size,
                         struct scion_stage_range *to)
{
    sion_int64 count = chunks_of(row, size), i;
    size_t n = 0;

    for (i = 0; i < count; i++, n++) {
        if (to)
            to[n] = (struct scion_stage_range){row->start + i * row->skip,
                                               row->start + i * row->skip + row->size};
    }
    if (row->head_end > 0) {
        if (to) {
            to[n] = (struct scion_stage_range){0, row->head_end};
            to[n + 1] = (struct scion_stage_range){row->tail, INT64_MAX};
        }
        n += 2;
    }
    return n;
}

static int compare(const void *a, const void *b)
{
    const struct scion_stage_range *one = a, *two = b;

    return one->begin < two->begin ? -1 : one->begin > two->begin;
}

/* Ranges that touch become one; returns their number. */
static size_t unite(struct scion_stage_range *ranges, size_t n)
{
    size_t kept = 0, i;

    for (i = 0; i < n; i++) {
        if (kept > 0 && ranges[i].begin <= ranges[kept - 1].end) {
            if (ranges[i].end > ranges[kept - 1].end)
                ranges[kept - 1].end = ranges[i].end;
        } else {
            ranges[kept++] = ranges[i];
        }
    }
    return kept;
}

int scion_stage_ranges(const struct scion_stage_part *part, int file, sion_int64 size,
                       struct scion_stage_range **ranges, size_t *n)
{
    struct scion_stage_row *rows = NULL;
    size_t all = 0, bytes;
    int rc = read_own(part, &rows, &bytes), has_rows = rc == 0, i;

    for (i = 0; i < part->ntasks && rc == 0; i++) {
        rc = check_row(part, &rows[i]);
        if (rc == 0 && rows[i].file == file)
            all += add_ranges(&rows[i], size, NULL);
    }
    *ranges = rc == 0 ? scion_array(all + 1, sizeof **ranges) : NULL;
    if (rc == 0 && !*ranges)
        rc = scion_fail_memory("ranges");
    for (i = 0, *n = 0; i < part->ntasks && rc == 0; i++) {
        if (rows[i].file == file)
            *n += add_ranges(&rows[i], size, *ranges + *n);
    }
    if (rc == 0) {
        qsort(*ranges, *n, sizeof **ranges, compare);
        *n = unite(*ranges, *n);
    }
    if (has_rows)
        free(rows);
    return rc;
}

#include "stage/rows.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
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

int scion_stage_row_write(const char *record, int index, const struct scion_stage_row *row)
{
    char *name = scion_stage_rows_name(record);
    struct scion_file *file;
    int rc = name ? scion_file_open(name, SCION_OPEN_CREATE_OWN, 0600, &file) : SION_ERR_MEMORY;
    int closed;

    free(name);
    if (rc != 0)
        return rc;
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

/* All rows of a file; malloc'd. */
static int read_rows(const char *name, struct scion_stage_row **rows, int *n)
{
    struct scion_file *file;
    sion_int64 size;
    int rc = scion_file_open(name, SCION_OPEN_READ, 0, &file);

    if (rc != 0)
        return rc;
    rc = scion_file_size(file, &size);
    *n = rc == 0 && size / (sion_int64)sizeof **rows < INT_MAX
             ? (int)(size / (sion_int64)sizeof **rows)
             : 0;
    *rows = scion_array((size_t)*n + 1, sizeof **rows);
    if (rc == 0 && !*rows)
        rc = scion_fail_memory("rows");
    if (rc == 0)
        rc = scion_file_read(file, *rows, (size_t)*n * sizeof **rows, 0);
    scion_file_close(file);
    if (rc != 0)
        free(*rows);
    return rc;
}

static int read_own(const struct scion_stage_part *part, struct scion_stage_row **rows)
{
    char *name = scion_stage_rows_name(part->record);
    int n, rc = name ? read_rows(name, rows, &n) : SION_ERR_MEMORY;

    free(name);
    if (rc == 0 && n != part->ntasks) {
        free(*rows);
        rc = scion_fail(SION_ERR_DAMAGED, "%s: %d tasks say what they wrote, of %d", part->record,
                        n, part->ntasks);
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
    int rc = name ? read_own(part, &rows) : SION_ERR_MEMORY;

    if (rc == 0) {
        rc = scion_replace_whole(name, rows, (size_t)part->ntasks * sizeof *rows);
        free(rows);
    }
    free(name);
    return rc;
}

int scion_stage_rows_of(const struct scion_stage_part *part, int node,
                        struct scion_stage_row **rows, int *n)
{
    char *name = shared_name(part, node);
    int rc = name ? read_rows(name, rows, n) : SION_ERR_MEMORY;

    free(name);
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
    int rc = read_own(part, &rows), has_rows = rc == 0, i;
    size_t all = 0;

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

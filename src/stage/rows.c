#include "stage/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"

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

static int read_rows(const struct scion_stage_part *part, struct scion_stage_row **rows)
{
    char *name = scion_stage_rows_name(part->record);
    size_t n = (size_t)part->ntasks;
    struct scion_file *file;
    int rc = name ? scion_file_open(name, SCION_OPEN_READ, 0, &file) : SION_ERR_MEMORY;

    free(name);
    if (rc != 0)
        return rc;
    *rows = scion_array(n, sizeof **rows);
    rc = *rows ? scion_file_read(file, *rows, n * sizeof **rows, 0) : scion_fail_memory("rows");
    scion_file_close(file);
    return rc;
}

/* Rows come from a file. */
static int check_row(const struct scion_stage_part *part, const struct scion_stage_row *row)
{
    sion_int64 end;
    int is_good = row->file >= 0 && row->file < part->nfiles && row->start >= 0 && row->size >= 0 &&
                  row->skip >= 0 && row->count >= 0 && row->head_end >= 0 && row->tail >= 0 &&
                  !scion_mul(row->count, row->skip, &end) && !scion_add(end, row->start, &end) &&
                  !scion_add(end, row->size, &end);

    return is_good ? 0
                   : scion_fail(SION_ERR_DAMAGED, "%s: the list of what its tasks wrote is damaged",
                                part->record);
}

/* The ranges of a row; returns their number. to: NULL: only that. */
static size_t add_ranges(const struct scion_stage_row *row, struct scion_stage_range *to)
{
    size_t n = 0;
    sion_int64 i;

    for (i = 0; i < row->count; i++, n++) {
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

int scion_stage_ranges(const struct scion_stage_part *part, int file,
                       struct scion_stage_range **ranges, size_t *n)
{
    struct scion_stage_row *rows = NULL;
    int rc = read_rows(part, &rows), i;
    size_t all = 0;

    for (i = 0; i < part->ntasks && rc == 0; i++) {
        rc = check_row(part, &rows[i]);
        if (rc == 0 && rows[i].file == file)
            all += add_ranges(&rows[i], NULL);
    }
    *ranges = rc == 0 ? scion_array(all + 1, sizeof **ranges) : NULL;
    if (rc == 0 && !*ranges)
        rc = scion_fail_memory("ranges");
    for (i = 0, *n = 0; i < part->ntasks && rc == 0; i++) {
        if (rows[i].file == file)
            *n += add_ranges(&rows[i], *ranges + *n);
    }
    if (rc == 0) {
        qsort(*ranges, *n, sizeof **ranges, compare);
        *n = unite(*ranges, *n);
    }
    free(rows);
    return rc;
}

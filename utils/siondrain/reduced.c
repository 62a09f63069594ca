#include "siondrain/reduced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "lib/rescue.h"
#include "stage/report.h"
#include "stage/rows.h"

/* The rows of all nodes that have drained. */
struct rows {
    struct scion_stage_row *row;
    int n;
    int without;    /* those of files whose first task, which has written the tables, is lost */
    char lost[200]; /* "1, 5": numbers of the nodes that have not */
};

static void note_lost(struct rows *rows, int node)
{
    size_t used = strlen(rows->lost);

    snprintf(rows->lost + used, sizeof rows->lost - used, "%s%d", used > 0 ? ", " : "", node);
}

static int add_rows(struct rows *rows, struct scion_stage_row *more, int n)
{
    struct scion_stage_row *grown =
        scion_array_grown(rows->row, (uint64_t)rows->n + (uint64_t)n + 1, sizeof *grown);

    if (!grown)
        return scion_fail_memory("rows");
    rows->row = grown;
    memcpy(grown + rows->n, more, (size_t)n * sizeof *more);
    rows->n += n;
    return 0;
}

static int has_drained(const struct scion_stage_part *part, int node)
{
    struct scion_report report;

    return scion_report_read(part, node, &report) == 0 && report.state == SCION_STAGE_DRAINED;
}

static int gather(const struct scion_stage_part *part, struct rows *rows)
{
    int rc = 0, node;

    for (node = 0; node < part->nodes && rc == 0; node++) {
        struct scion_stage_row *more;
        int n;

        if (!has_drained(part, node)) {
            note_lost(rows, node);
            continue;
        }
        rc = scion_stage_rows_of(part, node, &more, &n);
        if (rc != 0)
            return scion_fail(rc,
                              "node %d has drained, but not said what: run 'siondrain "
                              "--reduced' there, too",
                              node);
        rc = add_rows(rows, more, n);
        free(more);
    }
    return rc;
}

/*
 * The rows say where the bytes of tasks are, but only the tables, whose ranks they are and how many
 * each chunk has.
 */
static int find_tables(const struct scion_stage_part *part, struct rows *rows)
{
    char *are_there = calloc((size_t)part->nfiles + 1, 1);
    int i;

    if (!are_there)
        return scion_fail_memory("files");
    for (i = 0; i < rows->n; i++) {
        if (rows->row[i].file < 0 || rows->row[i].file >= part->nfiles)
            rows->row[i].file = part->nfiles;
        else if (rows->row[i].head_end > 0)
            are_there[rows->row[i].file] = 1;
    }
    for (i = 0; i < rows->n; i++)
        rows->without += !are_there[rows->row[i].file];
    free(are_there);
    return rows->without < rows->n
               ? 0
               : scion_fail(SION_ERR_DAMAGED,
                            "the tables were on a node that is lost (%s): nothing says whose the "
                            "bytes of the others are",
                            rows->lost);
}

/* Whether a node that is left has written the task. */
static int is_left(const struct rows *rows, const struct scion_salvage *salvage, int task)
{
    const struct scion_salvaged_place *place = &salvage->places[task];
    const struct scion_physical *physical = salvage->files[place->file].physical;
    int i;

    for (i = 0; i < rows->n; i++) {
        if (rows->row[i].file == place->file &&
            rows->row[i].start == physical->starts[place->lrank])
            return 1;
    }
    return 0;
}

static int write_left(struct found_part *found, const struct rows *rows,
                      const struct scion_salvage *salvage, const char *name)
{
    int *tasks = scion_array((size_t)salvage->ntasks + 1, sizeof *tasks), n = 0, i, status;

    if (!tasks) {
        scion_fail_memory("tasks");
        part_fail(found);
        return -1;
    }
    for (i = 0; i < salvage->ntasks; i++) {
        if (is_left(rows, salvage, i))
            tasks[n++] = i;
    }
    status = rescue_write(salvage, tasks, n, name);
    free(tasks);
    if (status != TOOL_RUN) {
        scion_fail(SION_ERR_SYSTEM, "%s could not be written", name);
        part_fail(found);
        return -1;
    }
    found->outcome = OUTCOME_REDUCED;
    snprintf(found->reason, sizeof found->reason,
             "%.200s has the %d tasks of the nodes that are left%s; lost: node %s", name, n,
             rows->without > 0 ? ", but for those of files whose tables are lost" : "", rows->lost);
    return 0;
}

static char *reduced_name(const char *target)
{
    static const char suffix[] = ".reduced";
    char *name = malloc(strlen(target) + sizeof suffix);

    if (!name)
        scion_fail_memory("file name");
    return name ? strcat(strcpy(name, target), suffix) : NULL;
}

void make_reduced(struct found_part *found)
{
    struct scion_stage_part *part = &found->part;
    char *new = scion_stage_new(part, 0), *name = reduced_name(part->target);
    struct scion_salvage *salvage = NULL;
    struct rows rows = {0};
    int rc = new &&name ? scion_stage_rows_share(part) : SION_ERR_MEMORY;

    if (rc == 0)
        rc = gather(part, &rows);
    if (rc == 0)
        rc = find_tables(part, &rows);
    if (rc == 0)
        rc = scion_salvage_open(new, 1, &salvage);
    if (rc != 0)
        part_fail(found);
    else
        write_left(found, &rows, salvage, name);
    if (salvage)
        scion_salvage_free(salvage);
    tool_print_warnings();
    free(rows.row);
    free(name);
    free(new);
}

#include "siondrain/reduced.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/meta1.h"
#include "lib/rescue.h"
#include "stage/report.h"
#include "stage/rows.h"

/* The tasks of all nodes that are left. */
struct left {
    struct scion_given_task *tasks;
    int n;
    struct scion_meta1 head; /* of their files */
    char lost[200];          /* "1, 5": numbers of the other nodes */
};

static void note_lost(struct left *left, int node)
{
    size_t used = strlen(left->lost);

    snprintf(left->lost + used, sizeof left->lost - used, "%s%d", used > 0 ? ", " : "", node);
}

/* ---- what a node says of its tasks ---- */

/* Rows come from a file. */
static int check_row(const struct scion_stage_part *part, int node,
                     const struct scion_stage_row *row)
{
    int is_good = row->file >= 0 && row->file < part->nfiles && row->lrank >= 0 &&
                  row->lrank < INT_MAX && row->rank >= 0 && row->start >= 0 && row->size >= 0 &&
                  row->skip >= 0 && row->count >= -1 && row->count < INT_MAX && row->fsblksize > 0;

    return is_good ? 0
                   : scion_fail(SION_ERR_DAMAGED, "the list of what node %d has written is damaged",
                                node);
}

static int add_task(const struct scion_stage_part *part, int node, int index,
                    const struct scion_stage_row *row, struct left *left)
{
    struct scion_given_task *task = &left->tasks[left->n];
    int rc = check_row(part, node, row);

    if (rc != 0)
        return rc;
    *task = (struct scion_given_task){
        .file = (int)row->file,
        .lrank = (int)row->lrank,
        .globalrank = row->rank,
        .start = row->start,
        .chunksize = row->size,
        .globalskip = row->skip,
        .count = row->count,
    };
    if (row->count >= 0)
        rc = scion_stage_row_lengths(part, node, index, row, &task->used);
    if (rc != 0)
        task->used = NULL;
    left->n += rc == 0;
    left->head.flag1 = row->flag1;
    left->head.flag2 = row->flag2;
    left->head.fsblksize = row->fsblksize;
    left->head.big_endian = row->big_endian;
    return rc;
}

static int add_node(const struct scion_stage_part *part, int node, struct left *left)
{
    struct scion_stage_row *rows;
    struct scion_given_task *grown;
    int n, rc = scion_stage_rows_of(part, node, &rows, &n), i;

    if (rc != 0)
        return rc;
    grown = scion_array_grown(left->tasks, (uint64_t)left->n + (uint64_t)n + 1, sizeof *grown);
    if (grown)
        left->tasks = grown;
    else
        rc = scion_fail_memory("tasks");
    for (i = 0; i < n && rc == 0; i++)
        rc = rows[i].lrank == SCION_STAGE_NO_TASK ? 0 : add_task(part, node, i, &rows[i], left);
    free(rows);
    return rc;
}

/* Of what was closed each node says when its part has been copied; else only what it has written.
 */
static int is_left(const struct scion_stage_part *part, int node, int *left)
{
    struct scion_report report;
    int rc = scion_stage_rows_are_shared(part, node, left);

    if (rc != 0 || !scion_stage_is_closed(part))
        return rc;
    if (scion_report_read(part, node, &report) != 0 || report.state != SCION_STAGE_DRAINED)
        *left = 0;
    else if (!*left)
        rc = scion_fail(SION_ERR_NOT_CLOSED,
                        "node %d has drained, but not said what: run 'siondrain --reduced' there, "
                        "too",
                        node);
    return rc;
}

static int gather(const struct scion_stage_part *part, struct left *left)
{
    int rc = 0, node, is;

    for (node = 0; node < part->nodes && rc == 0; node++) {
        rc = is_left(part, node, &is);
        if (rc == 0 && is)
            rc = add_node(part, node, left);
        else if (rc == 0)
            note_lost(left, node);
    }
    return rc;
}

/* ---- the container ---- */

static int write_left(struct found_part *found, const struct left *left,
                      const struct scion_salvage *salvage, const char *name)
{
    if (rescue_write(salvage, name) != TOOL_RUN)
        return scion_fail(SION_ERR_SYSTEM, "%s could not be written", name);
    found->outcome = OUTCOME_REDUCED;
    snprintf(found->reason, sizeof found->reason,
             "%.200s has the %d tasks of the nodes that are left; lost: node %s", name,
             salvage->ntasks, left->lost);
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

static void forget(struct left *left)
{
    int i;

    for (i = 0; i < left->n; i++)
        free(left->tasks[i].used);
    free(left->tasks);
}

void make_reduced(struct found_part *found)
{
    struct scion_stage_part *part = &found->part;
    char *new = scion_stage_new(part, 0), *name = reduced_name(part->target);
    struct scion_salvage *salvage = NULL;
    struct left left = {.head.nfiles = part->nfiles};
    int rc = new &&name ? scion_stage_rows_share(part) : SION_ERR_MEMORY;

    if (rc == 0)
        rc = gather(part, &left);
    if (rc == 0)
        rc = scion_salvage_given(new, &left.head, left.tasks, left.n, &salvage);
    if (rc == 0)
        rc = write_left(found, &left, salvage, name);
    if (rc != 0)
        part_fail(found);
    if (salvage)
        scion_salvage_free(salvage);
    tool_print_warnings();
    forget(&left);
    free(name);
    free(new);
}

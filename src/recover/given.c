/* Files whose tables are lost, of which another one tells what they say of some tasks. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "recover/private.h"

/* ---- a file ---- */

/* It has the tasks up to the last one that is known; what lies between is empty, and not listed. */
static int count_tasks(const struct scion_given_task *tasks, int n, int number)
{
    int ntasks = 0, i;

    for (i = 0; i < n; i++) {
        if (tasks[i].file == number && tasks[i].lrank >= ntasks)
            ntasks = tasks[i].lrank + 1;
    }
    return ntasks;
}

static int allocate(struct scion_salvaged_file *file)
{
    struct scion_physical *physical = file->physical;
    size_t n = (size_t)physical->head.ntasks, i;

    physical->globalranks = scion_array(n, sizeof *physical->globalranks);
    physical->starts = calloc(n, sizeof *physical->starts);
    physical->chunksizes = calloc(n, sizeof *physical->chunksizes);
    file->tasks = calloc(n, sizeof *file->tasks);
    if (!physical->globalranks || !physical->starts || !physical->chunksizes || !file->tasks)
        return scion_fail_memory("tasks");
    for (i = 0; i < n; i++)
        physical->globalranks[i] = -1;
    return 0;
}

/* The lengths are the file's from then on. */
static int take_task(struct scion_salvaged_file *file, struct scion_given_task *given)
{
    struct scion_physical *physical = file->physical;
    struct scion_salvaged_task *task = &file->tasks[given->lrank];

    if (physical->globalranks[given->lrank] >= 0)
        return scion_fail(SION_ERR_DAMAGED, "%s: two tasks of it have the number %d",
                          physical->path, given->lrank);
    physical->globalranks[given->lrank] = given->globalrank;
    physical->starts[given->lrank] = given->start;
    physical->chunksizes[given->lrank] = given->chunksize;
    physical->layout.globalskip = given->globalskip;
    if (!given->used) {
        file->evidence = SCION_EVIDENCE_SLOTS;
        return 0;
    }
    task->lengths = (struct scion_lengths){
        .used = given->used, .stride = 1, .count = given->count, .capacity = given->count};
    given->used = NULL;
    task->certain = scion_salvage_bytes(task);
    return 0;
}

/* Those whose lengths nobody knows: their commit records tell. */
static int find_lengths(struct scion_salvaged_file *file)
{
    struct scion_physical *physical = file->physical;
    int rc = 0, t;

    for (t = 0; t < physical->head.ntasks && rc == 0; t++) {
        if (!file->tasks[t].lengths.used) {
            rc = scion_lengths_new(&file->tasks[t].lengths);
            if (rc == 0 && physical->globalranks[t] >= 0)
                rc = scion_salvage_follow_task(file, t);
        }
    }
    if (rc == 0 && file->evidence == SCION_EVIDENCE_SLOTS)
        rc = scion_salvage_cut_records(file);
    return rc;
}

static int make_file(struct scion_salvage *salvage, int number, const struct scion_meta1 *head,
                     struct scion_given_task *tasks, int n)
{
    struct scion_salvaged_file *file = &salvage->files[number];
    struct scion_physical *physical = calloc(1, sizeof *physical);
    int rc, closed, i;

    if (!physical)
        return scion_fail_memory("file");
    file->physical = physical;
    physical->path = scion_physical_name(salvage->name, number);
    physical->head = *head;
    physical->head.filenumber = number;
    physical->head.ntasks = count_tasks(tasks, n, number);
    physical->grain = 1;
    physical->trailer = scion_marker_trailer(head->flag2, NULL);
    physical->is_derived = number > 0;
    rc = physical->path ? allocate(file) : SION_ERR_MEMORY;
    for (i = 0; i < n && rc == 0; i++)
        rc = tasks[i].file == number ? take_task(file, &tasks[i]) : 0;
    if (rc == 0)
        rc = scion_physical_resume(physical);
    if (rc != 0)
        return rc;
    rc = scion_file_size(physical->file, &file->size);
    if (rc == 0)
        rc = find_lengths(file);
    closed = scion_physical_suspend(physical);
    return scion_first_failure(rc, closed);
}

/* ---- the container ---- */

static int make_files(struct scion_salvage *salvage, const struct scion_meta1 *head,
                      struct scion_given_task *tasks, int n)
{
    int rc = 0, number;

    salvage->files = calloc((size_t)head->nfiles, sizeof *salvage->files);
    if (!salvage->files)
        return scion_fail_memory("files");
    salvage->nfiles = head->nfiles;
    salvage->first = -1;
    for (number = 0; number < head->nfiles && rc == 0; number++) {
        if (count_tasks(tasks, n, number) == 0) {
            salvage->nmissing++;
            continue;
        }
        if (salvage->first < 0)
            salvage->first = number;
        rc = make_file(salvage, number, head, tasks, n);
    }
    return rc;
}

int scion_salvage_given(const char *name, const struct scion_meta1 *head,
                        struct scion_given_task *tasks, int n, struct scion_salvage **salvage)
{
    struct scion_salvage *new = calloc(1, sizeof *new);
    int rc = 0;

    if (new)
        new->name = strdup(name);
    if (!new || !new->name)
        rc = scion_fail_memory("recovery");
    if (rc == 0)
        rc = make_files(new, head, tasks, n);
    if (rc == 0)
        rc = scion_salvage_list_places(new, 1);
    if (rc != 0) {
        scion_salvage_free(new);
        return rc;
    }
    *salvage = new;
    return 0;
}

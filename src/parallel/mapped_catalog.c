#include "parallel/mapped_catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/mapping.h"
#include "geometry/share.h"
#include "parallel/files.h"

static int compare_ranks(const void *a, const void *b)
{
    const struct scion_place_of_rank *one = a, *two = b;

    if (one->rank != two->rank)
        return one->rank < two->rank ? -1 : 1;
    return one->task < two->task ? -1 : one->task > two->task;
}

/*
 * A serial writer chooses any ranks. sion_seek can use them if they are valid and no two are equal.
 */
static int have_ranks(const struct scion_place_of_rank *by_rank, int n)
{
    int i;

    for (i = 1; i < n && by_rank[i].rank != by_rank[i - 1].rank; i++)
        ;
    return i >= n && by_rank[0].rank >= 0 && by_rank[n - 1].rank <= INT32_MAX;
}

int scion_catalog_make(const struct scion_physical *master, struct scion_catalog *catalog)
{
    int i;

    catalog->is_set = master->mapping.size >= 0;
    catalog->ntasks = catalog->is_set ? master->mapping.size : master->head.ntasks;
    catalog->by_rank = NULL;
    catalog->has_ranks = catalog->is_settled = 0;
    if (catalog->is_set)
        return 0;
    catalog->by_rank = scion_array((size_t)catalog->ntasks, sizeof *catalog->by_rank);
    if (!catalog->by_rank)
        return scion_fail_memory("tasks");
    for (i = 0; i < catalog->ntasks; i++)
        catalog->by_rank[i] = (struct scion_place_of_rank){master->globalranks[i], i};
    qsort(catalog->by_rank, (size_t)catalog->ntasks, sizeof *catalog->by_rank, compare_ranks);
    catalog->has_ranks = have_ranks(catalog->by_rank, catalog->ntasks);
    return 0;
}

static int find_rank(const struct scion_catalog *catalog, sion_int64 rank)
{
    int low = 0, high = catalog->ntasks;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (catalog->by_rank[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < catalog->ntasks && catalog->by_rank[low].rank == rank ? catalog->by_rank[low].task
                                                                       : -1;
}

static int need_member(struct scion_mapped_root *root, int number)
{
    return scion_need_member(root->files, number, root->args->name, root->args->name_of_file,
                             root->appends);
}

int scion_catalog_settle(struct scion_mapped_root *root, struct scion_catalog *catalog)
{
    int i, rc = 0;

    if (catalog->is_settled)
        return 0;
    catalog->is_settled = 1;
    for (i = 1; i < root->nfiles && rc == 0; i++)
        rc = need_member(root, i);
    return rc != 0 ? rc : scion_mapping_settle(root->files, root->nfiles);
}

/* The task that a rank's pair names; if it has another rank, after a look at all pairs. */
static int follow_pair(struct scion_mapped_root *root, struct scion_catalog *catalog, int rank,
                       int *filenumber, int *lrank)
{
    const int *pair = root->files[0]->mapping.pairs + 2 * (size_t)rank;
    int rc = 0, agrees = scion_mapping_has_file(pair, root->nfiles);

    if (agrees)
        rc = need_member(root, pair[0]);
    if (rc == 0 && agrees)
        agrees = scion_mapping_agrees(pair, root->files[pair[0]], rank);
    if (rc == 0 && !agrees)
        rc = scion_catalog_settle(root, catalog);
    *filenumber = pair[0];
    *lrank = pair[1];
    return rc;
}

/* Find the file and place of a rank that a process requests. */
static int locate_rank(struct scion_mapped_root *root, struct scion_catalog *catalog,
                       sion_int64 rank, int *filenumber, int *lrank)
{
    *filenumber = 0;
    if (catalog->is_set && rank >= 0 && rank < catalog->ntasks)
        return follow_pair(root, catalog, (int)rank, filenumber, lrank);
    *lrank = catalog->is_set ? -1 : find_rank(catalog, rank);
    return *lrank >= 0
               ? 0
               : scion_fail(SION_ERR_MISMATCH, "%s has no task %lld", root->files[0]->path, rank);
}

/* Find task t of all tasks, in the order in which they are shared out. */
static int locate_share(struct scion_mapped_root *root, struct scion_catalog *catalog, int how,
                        int t, struct scion_task_seat *task)
{
    task->file = 0;
    task->rank = task->lrank = t;
    if (catalog->is_set)
        return locate_rank(root, catalog, t, &task->file, &task->lrank);
    if (how == SCION_SHARE_REST_TO_LAST) {
        task->rank = (int)root->files[0]->globalranks[t];
    } else if (catalog->has_ranks) {
        task->rank = (int)catalog->by_rank[t].rank;
        task->lrank = catalog->by_rank[t].task;
    }
    return 0;
}

int scion_catalog_locate(struct scion_mapped_root *root, struct scion_catalog *catalog, int p,
                         sion_int64 i, struct scion_task_seat *task)
{
    struct scion_task_request request;
    int ntasks = root->requests[p].ntasks;

    if (ntasks < 0)
        return locate_share(root, catalog, ntasks, root->shares[p] + (int)i, task);
    memcpy(&request, scion_rows_of(&root->requested, p) + i * SCION_TASK_REQUEST_WORDS,
           sizeof request);
    task->rank = request.rank;
    return locate_rank(root, catalog, request.rank, &task->file, &task->lrank);
}

/*
 * Sum the bytes of each task. Huge sums are limited, so that the sum over all tasks does not
 * overflow.
 */
static int sum_bytes(struct scion_mapped_root *root, struct scion_catalog *catalog,
                     sion_int64 *bytes)
{
    sion_int64 most = INT64_MAX / catalog->ntasks, b;
    struct scion_task_seat task;
    int rc, t;

    for (t = 0; t < catalog->ntasks; t++) {
        const struct scion_physical *physical;

        rc = locate_share(root, catalog, SCION_SHARE_BY_BYTES, t, &task);
        if (rc != 0)
            return rc;
        physical = root->files[task.file];
        for (bytes[t] = 0, b = 0; b < physical->counts[task.lrank]; b++)
            bytes[t] +=
                physical->used[(size_t)b * (size_t)physical->head.ntasks + (size_t)task.lrank];
        bytes[t] = bytes[t] < most ? bytes[t] : most;
    }
    return 0;
}

static int share_by_bytes(struct scion_mapped_root *root, struct scion_catalog *catalog)
{
    sion_int64 *bytes = scion_array((size_t)catalog->ntasks, sizeof *bytes);
    int rc = bytes ? sum_bytes(root, catalog, bytes) : scion_fail_memory("tasks");

    if (rc == 0)
        rc = scion_share_by_bytes(bytes, catalog->ntasks, root->comm->size, root->shares);
    free(bytes);
    return rc;
}

/* How the tasks are shared out, which all processes without a list say alike; 0: all have one. */
static int requested_share(const struct scion_mapped_root *root)
{
    int p;

    for (p = 0; p < root->comm->size; p++) {
        if (root->requests[p].ntasks < 0)
            return root->requests[p].ntasks;
    }
    return 0;
}

int scion_catalog_count_tasks(struct scion_mapped_root *root, struct scion_catalog *catalog)
{
    int share = requested_share(root);
    int size = root->comm->size, rc = 0, p;

    if (share < 0 && catalog->is_set)
        rc = scion_catalog_settle(root, catalog);
    if (rc != 0)
        return rc;
    if (share < 0) {
        root->shares = calloc((size_t)size + 1, sizeof *root->shares);
        if (!root->shares)
            return scion_fail_memory("shares of all processes");
    }
    if (share == SCION_SHARE_REST_TO_LAST)
        scion_share_rest_to_last(catalog->ntasks, size, root->shares);
    else if (share == SCION_SHARE_BY_TASKS)
        scion_share_by_tasks(catalog->ntasks, size, root->shares);
    else if (share == SCION_SHARE_BY_BYTES)
        rc = share_by_bytes(root, catalog);
    for (p = 0; p < size && rc == 0; p++)
        root->replies[p].ntasks = root->requests[p].ntasks < 0
                                      ? root->shares[p + 1] - root->shares[p]
                                      : root->requests[p].ntasks;
    return rc;
}

/* Rank 0's part of a mapped open. Only rank 0 reads or writes the metadata of the files. */
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "file/mapped.h"
#include "file/mapping.h"
#include "file/members.h"
#include "file/nonce.h"
#include "geometry/share.h"
#include "geometry/split.h"
#include "parallel/files.h"
#include "parallel/mapped.h"
#include "parallel/request.h"

/* ---- writing ---- */

static int refuse_request(const struct scion_task_request *request, int *blamed)
{
    *blamed = request->process;
    return scion_fail(SION_ERR_MISMATCH,
                      "inconsistent task maps: task %d, place %d of file %d, is missing or listed "
                      "twice",
                      request->rank, request->lrank, request->file);
}

/* Check that every rank of 0 .. ntasks - 1 is requested once. */
static int check_ranks(const struct scion_task_request *requests, int ntasks, int *blamed)
{
    char *seen = calloc((size_t)ntasks + 1, 1);
    int rc = seen ? 0 : scion_fail_memory("tasks"), i;

    for (i = 0; i < ntasks && rc == 0; i++) {
        int rank = requests[i].rank;

        if (rank < 0 || rank >= ntasks || seen[rank]++)
            rc = refuse_request(&requests[i], blamed);
    }
    free(seen);
    return rc;
}

/*
 * Check that every place of each file is requested once. Fills first[nfiles + 1]: the number of
 * tasks in the files before it.
 */
static int check_places(const struct scion_task_request *requests, int ntasks, int nfiles,
                        int *first, int *blamed)
{
    int *files = scion_array(2 * (uint64_t)ntasks + 1, sizeof *files), misfit = ntasks, i;
    char *taken = calloc((size_t)ntasks + 1, 1);
    int rc = files && taken ? 0 : scion_fail_memory("tasks");

    for (i = 0; rc == 0 && i < ntasks; i++) {
        files[i] = requests[i].file;
        files[ntasks + i] = requests[i].lrank;
    }
    if (rc == 0)
        misfit = scion_split_check(files, files + ntasks, ntasks, nfiles, first, taken);
    free(files);
    free(taken);
    if (rc != 0)
        return rc;
    if (misfit < 0)
        return scion_fail(SION_ERR_ARGUMENT, "no task of file %d of %d", -1 - misfit, nfiles);
    return misfit == ntasks ? 0 : refuse_request(&requests[misfit], blamed);
}

/* Sort the requests by file and place, in placed[ntasks]. */
static int place_requests(const struct scion_task_request *requests, int ntasks, int nfiles,
                          const struct scion_task_request **placed, int *first, int *blamed)
{
    int rc = check_ranks(requests, ntasks, blamed), i;

    if (rc == 0)
        rc = check_places(requests, ntasks, nfiles, first, blamed);
    for (i = 0; i < ntasks && rc == 0; i++)
        placed[first[requests[i].file] + requests[i].lrank] = &requests[i];
    return rc;
}

static int create_file(struct scion_mapped_root *root, int number,
                       const struct scion_task_request *const *tasks, int n)
{
    const struct scion_mapped_args *args = root->args;
    const struct scion_creation creation = {
        .name = args->name,
        .mode = &args->mode,
        .name_of_file = args->name_of_file,
        .nfiles = root->nfiles,
        .flag2 = root->flag2,
        .is_atomic = scion_mode_is_atomic(&args->mode),
    };
    sion_int64 *numbers = scion_array((size_t)n, 2 * sizeof *numbers);
    struct scion_physical_plan plan = {
        .head = {.fsblksize = root->requests[tasks[0]->process].fsblksize, .ntasks = n},
        .chunksizes = numbers,
        .globalranks = numbers ? numbers + n : NULL,
    };
    int rc, i;

    if (!numbers)
        return scion_fail_memory("tasks");
    for (i = 0; i < n; i++) {
        numbers[i] = tasks[i]->chunksize;
        numbers[n + i] = tasks[i]->rank;
    }
    rc = scion_create_member(&creation, number, &plan, &root->files[number]);
    if (rc == 0) {
        root->files[number]->is_written = 1;
        rc = scion_physical_suspend(root->files[number]);
    }
    free(numbers);
    return rc;
}

static int make_files(struct scion_mapped_root *root)
{
    root->files = calloc((size_t)root->nfiles, sizeof(struct scion_physical *));
    return root->files ? 0 : scion_fail_memory("files");
}

static int make_given(struct scion_mapped_root *root)
{
    return scion_rows_make(&root->given) == 0 ? 0 : scion_fail_memory("places of all tasks");
}

static int create_files(struct scion_mapped_root *root,
                        const struct scion_task_request *const *placed, const int *first)
{
    int rc = make_files(root), i, t;

    if (rc == 0)
        rc = scion_mapping_make(&root->mapping, first[root->nfiles]);
    root->flag2 = scion_recovery_choose(&root->args->mode);
    if (rc == 0 && !root->lock)
        rc = scion_lock_for_writing(root->args->name, &root->args->mode, 1, &root->lock);
    for (i = 0; i < root->nfiles && rc == 0; i++)
        rc = create_file(root, i, placed + first[i], first[i + 1] - first[i]);
    for (t = 0; rc == 0 && t < root->mapping.size; t++) {
        int *pair = &root->mapping.pairs[2 * (size_t)placed[t]->rank];

        pair[0] = placed[t]->file;
        pair[1] = placed[t]->lrank;
    }
    return rc;
}

static int give_written(struct scion_mapped_root *root, const struct scion_task_request *requests,
                        int ntasks)
{
    sion_int64 *next;
    int rc, i, p;

    for (p = 0; p < root->comm->size; p++) {
        root->replies[p].ntasks = root->requests[p].ntasks;
        scion_rows_add(&root->given, root->replies[p].ntasks * SCION_TASK_PLACE_WORDS);
    }
    rc = make_given(root);
    next = root->given.numbers;
    for (i = 0; rc == 0 && i < ntasks; i++)
        next = scion_put_placed(root->files[requests[i].file], requests[i].file, requests[i].lrank,
                                requests[i].rank, next);
    return rc;
}

static int decide_writing(struct scion_mapped_root *root, int ntasks, int *blamed)
{
    struct scion_task_request *requests;
    const struct scion_task_request **placed;
    int *first, rc = 0;

    root->nfiles = root->requests[0].head.number;
    if (root->nfiles < 1 || root->nfiles > ntasks)
        return scion_fail(SION_ERR_ARGUMENT, "%d files for %d tasks", root->nfiles, ntasks);
    requests = scion_array((size_t)ntasks, sizeof *requests);
    placed = scion_array((size_t)ntasks, sizeof *placed);
    first = calloc((size_t)root->nfiles + 1, sizeof *first);
    if (!requests || !placed || !first)
        rc = scion_fail_memory("tasks");
    if (rc == 0)
        memcpy(requests, root->requested.numbers, (size_t)ntasks * sizeof *requests);
    if (rc == 0)
        rc = place_requests(requests, ntasks, root->nfiles, placed, first, blamed);
    if (rc == 0)
        rc = create_files(root, placed, first);
    if (rc == 0)
        rc = give_written(root, requests, ntasks);
    free(first);
    free(placed);
    free(requests);
    return rc;
}

/* ---- reading ---- */

/* The task that has a global rank, in a container of one file. */
struct place_of_rank {
    sion_int64 rank;
    int task;
};

/* How to find a container's tasks: in a set by the mapping, in one file by their ranks. */
struct catalog {
    int ntasks, is_set;
    struct place_of_rank *by_rank; /* one file: [ntasks], in order */
    int has_ranks;                 /* one file: sion_seek can find every task by its rank */
    int is_settled;                /* set: all pairs have been compared */
};

static int compare_ranks(const void *a, const void *b)
{
    const struct place_of_rank *one = a, *two = b;

    if (one->rank != two->rank)
        return one->rank < two->rank ? -1 : 1;
    return one->task < two->task ? -1 : one->task > two->task;
}

/*
 * A serial writer chooses any ranks. sion_seek can use them if they are valid and no two are equal.
 */
static int have_ranks(const struct place_of_rank *by_rank, int n)
{
    int i;

    for (i = 1; i < n && by_rank[i].rank != by_rank[i - 1].rank; i++)
        ;
    return i >= n && by_rank[0].rank >= 0 && by_rank[n - 1].rank <= INT32_MAX;
}

static int make_catalog(const struct scion_physical *master, struct catalog *catalog)
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
        catalog->by_rank[i] = (struct place_of_rank){master->globalranks[i], i};
    qsort(catalog->by_rank, (size_t)catalog->ntasks, sizeof *catalog->by_rank, compare_ranks);
    catalog->has_ranks = have_ranks(catalog->by_rank, catalog->ntasks);
    return 0;
}

static int find_rank(const struct catalog *catalog, sion_int64 rank)
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

/* All files are read, and the tasks of damaged pairs are locked out. */
static int settle(struct scion_mapped_root *root, struct catalog *catalog)
{
    int i, rc = 0;

    if (catalog->is_settled)
        return 0;
    catalog->is_settled = 1;
    for (i = 1; i < root->nfiles && rc == 0; i++)
        rc = scion_need_member(root->files, i, root->args->name, root->args->name_of_file);
    return rc != 0 ? rc : scion_mapping_settle(root->files, root->nfiles);
}

/* The task that a rank's pair names; if it has another rank, after a look at all pairs. */
static int follow_pair(struct scion_mapped_root *root, struct catalog *catalog, int rank,
                       int *filenumber, int *lrank)
{
    const int *pair = root->files[0]->mapping.pairs + 2 * (size_t)rank;
    int rc = 0, agrees = scion_mapping_has_file(pair, root->nfiles);

    if (agrees)
        rc = scion_need_member(root->files, pair[0], root->args->name, root->args->name_of_file);
    if (rc == 0 && agrees)
        agrees = scion_mapping_agrees(pair, root->files[pair[0]], rank);
    if (rc == 0 && !agrees)
        rc = settle(root, catalog);
    *filenumber = pair[0];
    *lrank = pair[1];
    return rc;
}

/* Find the file and place of a rank that a process requests. */
static int locate_rank(struct scion_mapped_root *root, struct catalog *catalog, sion_int64 rank,
                       int *filenumber, int *lrank)
{
    *filenumber = 0;
    if (catalog->is_set && rank >= 0 && rank < catalog->ntasks)
        return follow_pair(root, catalog, (int)rank, filenumber, lrank);
    *lrank = catalog->is_set ? -1 : find_rank(catalog, rank);
    return *lrank >= 0
               ? 0
               : scion_fail(SION_ERR_MISMATCH, "%s has no task %lld", root->files[0]->path, rank);
}

/* A task that a process gets. */
struct task_seat {
    int rank, file, lrank;
};

/* Find task t of all tasks, in the order in which they are shared out. */
static int locate_share(struct scion_mapped_root *root, struct catalog *catalog, int how, int t,
                        struct task_seat *task)
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

/* Find task i of process p, by its list or its share. */
static int locate_task(struct scion_mapped_root *root, struct catalog *catalog, int p, sion_int64 i,
                       struct task_seat *task)
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
static int sum_bytes(struct scion_mapped_root *root, struct catalog *catalog, sion_int64 *bytes)
{
    sion_int64 most = INT64_MAX / catalog->ntasks, b;
    struct task_seat task;
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

static int share_by_bytes(struct scion_mapped_root *root, struct catalog *catalog)
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

static int count_tasks(struct scion_mapped_root *root, struct catalog *catalog)
{
    int share = requested_share(root);
    int size = root->comm->size, rc = 0, p;

    if (share < 0 && catalog->is_set)
        rc = settle(root, catalog);
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

/* Count the numbers for each process, and read the files. */
static int count_given(struct scion_mapped_root *root, struct catalog *catalog, int *blamed)
{
    struct task_seat task;
    int rc = 0, p;

    for (p = 0; p < root->comm->size && rc == 0; p++) {
        sion_int64 count = 0, i;

        for (i = 0; i < root->replies[p].ntasks && rc == 0; i++) {
            rc = locate_task(root, catalog, p, i, &task);
            if (rc == 0)
                count += scion_task_place_words(root->files[task.file], task.lrank);
        }
        scion_rows_add(&root->given, count);
        if (rc == 0 && !scion_rows_fit(&root->given))
            rc = scion_fail(SION_ERR_NO_SPACE, "the requested tasks have too many chunks");
        if (rc != 0)
            *blamed = p;
    }
    return rc;
}

static int give_read(struct scion_mapped_root *root, struct catalog *catalog)
{
    int last = root->comm->size - 1, rc = make_given(root), p;
    struct task_seat task;
    sion_int64 *next, i;

    next = root->given.numbers;
    for (p = 0; p <= last && rc == 0; p++) {
        for (i = 0; i < root->replies[p].ntasks && rc == 0; i++) {
            rc = locate_task(root, catalog, p, i, &task);
            if (rc == 0)
                next = scion_put_placed(root->files[task.file], task.file, task.lrank, task.rank,
                                        next);
        }
    }
    return rc;
}

static int read_master(struct scion_mapped_root *root)
{
    struct scion_physical *master;
    int rc = root->appends ? scion_physical_read_locked(root->args->name, &master)
                           : scion_physical_read(root->args->name, &master);

    if (rc != 0)
        return rc;
    root->nfiles = master->mapping.size >= 0 ? master->head.nfiles : 1;
    rc = make_files(root);
    if (rc != 0)
        scion_physical_close(master);
    else
        root->files[0] = master;
    if (rc == 0 && root->appends && (master->generations || root->args->mode.keep > 0))
        rc = scion_fail(SION_ERR_MODE,
                        "%s cannot be written on by a mapped open: it has generations",
                        root->args->name);
    if (rc == 0 && !root->appends)
        rc = scion_sound_choose(master, &root->args->mode, &root->seen);
    return rc;
}

static int decide_reading(struct scion_mapped_root *root, int *blamed)
{
    struct scion_physical *master;
    struct catalog catalog;
    int rc = read_master(root);

    if (rc != 0)
        return rc;
    master = root->files[0];
    root->members =
        root->args->mode.merge && scion_meta1_keyval(&master->head) != SION_KEYVAL_INLINE;
    if (!root->members)
        scion_members_warn(master);
    rc = make_catalog(master, &catalog);
    if (rc == 0)
        rc = count_tasks(root, &catalog);
    if (rc == 0)
        rc = count_given(root, &catalog, blamed);
    if (rc == 0)
        rc = give_read(root, &catalog);
    if (rc == 0)
        rc = scion_mapped_need_sound(root);
    free(catalog.by_rank);
    return rc;
}

/* ---- writing on ---- */

/* Where each rank is, for the mapping table of the next state. */
static int keep_places(struct scion_mapped_root *root, struct catalog *catalog, int *blamed)
{
    struct task_seat task;
    sion_int64 i;
    int rc = scion_mapping_make(&root->mapping, catalog->ntasks), p;
    char *seen = calloc((size_t)catalog->ntasks + 1, 1);

    if (rc == 0 && !seen)
        rc = scion_fail_memory("tasks");
    for (p = 0; p < root->comm->size && rc == 0; p++) {
        for (i = 0; i < root->requests[p].ntasks && rc == 0; i++) {
            rc = locate_task(root, catalog, p, i, &task);
            if (rc == 0 && (task.rank < 0 || task.rank >= catalog->ntasks || seen[task.rank]++))
                rc = scion_fail(SION_ERR_MISMATCH, "task %d is missing or listed twice", task.rank);
            if (rc != 0)
                break;
            root->mapping.pairs[2 * (size_t)task.rank] = task.file;
            root->mapping.pairs[2 * (size_t)task.rank + 1] = task.lrank;
        }
        if (rc != 0)
            *blamed = p;
    }
    free(seen);
    return rc;
}

static int append_files(struct scion_mapped_root *root)
{
    const struct scion_mode *mode = &root->args->mode;
    int rc = 0, i;

    for (i = 0; i < root->nfiles && rc == 0; i++) {
        const struct scion_physical_plan plan = {
            .is_durable = mode->sync != SCION_SYNC_NONE,
            .is_flushed = scion_mode_syncs_flush(mode),
            .is_derived = i > 0 && !root->args->name_of_file,
        };

        rc = scion_physical_resume(root->files[i]);
        if (rc == 0)
            rc = scion_physical_append(root->files[i], &plan);
        if (rc == 0)
            rc = scion_physical_suspend(root->files[i]);
        if (root->files[i]->sums_at > 0)
            root->checksum = SCION_COMPARES_READS;
    }
    return rc;
}

/* All tasks of a container that is there, which the processes have listed, by their ranks. */
static int decide_appending(struct scion_mapped_root *root, int ntasks, int *blamed)
{
    struct catalog catalog = {0};
    int rc = read_master(root);

    if (rc == 0)
        rc = scion_append_check(root->files[0], &root->args->mode, ntasks);
    if (rc == 0)
        rc = make_catalog(root->files[0], &catalog);
    if (rc == 0 && catalog.is_set)
        rc = settle(root, &catalog);
    if (rc == 0)
        rc = count_tasks(root, &catalog);
    if (rc == 0)
        rc = keep_places(root, &catalog, blamed);
    if (rc == 0)
        rc = append_files(root);
    if (rc == 0)
        rc = count_given(root, &catalog, blamed);
    if (rc == 0)
        rc = give_read(root, &catalog);
    free(catalog.by_rank);
    return rc;
}

/* Mode "a": the container, if it is there; else it is created. */
static int decide_append(struct scion_mapped_root *root, int ntasks, int *blamed)
{
    const struct scion_mapped_args *args = root->args;
    int rc = scion_lock_for_writing(args->name, &args->mode, 1, &root->lock);

    if (rc == 0)
        rc = scion_append_look(args->name, &root->appends);
    if (rc != 0)
        return rc;
    return root->appends ? decide_appending(root, ntasks, blamed)
                         : decide_writing(root, ntasks, blamed);
}

static int decide(struct scion_mapped_root *root, int ntasks, int *blamed)
{
    if (!(root->requests[0].head.status & SCION_ASKS_WRITING))
        return decide_reading(root, blamed);
    return root->args->mode.append ? decide_append(root, ntasks, blamed)
                                   : decide_writing(root, ntasks, blamed);
}

int scion_mapped_decide(struct scion_mapped_root *root, int *blamed)
{
    sion_int64 ntasks = 0;
    int rc = scion_mode_find_checksum(&root->args->mode, &root->checksum), p;

    for (p = 0; p < root->comm->size; p++)
        ntasks += root->requests[p].ntasks;
    if (rc == 0)
        rc = decide(root, (int)ntasks, blamed);
    if (rc != 0)
        return rc;
    scion_describe_file(root->files[0], &root->facts);
    root->facts.nfiles = root->nfiles;
    for (p = 0; p < root->comm->size; p++) {
        root->replies[p].numbers = root->given.counts[p];
        root->replies[p].all = ntasks;
    }
    return 0;
}

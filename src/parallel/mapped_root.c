/* Rank 0's part of a mapped open. Only rank 0 reads or writes the metadata of the files. */
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/error.h"
#include "file/members.h"
#include "file/nonce.h"
#include "geometry/split.h"
#include "parallel/files.h"
#include "parallel/mapped.h"
#include "parallel/mapped_catalog.h"
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
        .keep = args->mode.keep,
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
    root->keeps = root->args->mode.keep > 0;
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

/* Count the numbers for each process, and read the files. */
static int count_given(struct scion_mapped_root *root, struct scion_catalog *catalog, int *blamed)
{
    struct scion_task_seat task;
    int rc = 0, p;

    for (p = 0; p < root->comm->size && rc == 0; p++) {
        sion_int64 count = 0, i;

        for (i = 0; i < root->replies[p].ntasks && rc == 0; i++) {
            rc = scion_catalog_locate(root, catalog, p, i, &task);
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

static int give_read(struct scion_mapped_root *root, struct scion_catalog *catalog)
{
    int last = root->comm->size - 1, rc = make_given(root), p;
    struct scion_task_seat task;
    sion_int64 *next, i;

    next = root->given.numbers;
    for (p = 0; p <= last && rc == 0; p++) {
        for (i = 0; i < root->replies[p].ntasks && rc == 0; i++) {
            rc = scion_catalog_locate(root, catalog, p, i, &task);
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
    if (rc == 0 && root->appends)
        root->keeps = root->args->mode.keep > 0 || master->generations;
    if (rc == 0 && !root->appends)
        rc = scion_sound_choose(master, &root->args->mode, &root->seen);
    return rc;
}

static int decide_reading(struct scion_mapped_root *root, int *blamed)
{
    struct scion_physical *master;
    struct scion_catalog catalog;
    int rc = read_master(root);

    if (rc != 0)
        return rc;
    master = root->files[0];
    root->members =
        root->args->mode.merge && scion_meta1_keyval(&master->head) != SION_KEYVAL_INLINE;
    if (!root->members)
        scion_members_warn(master);
    rc = scion_catalog_make(master, &catalog);
    if (rc == 0)
        rc = scion_catalog_count_tasks(root, &catalog);
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
static int keep_places(struct scion_mapped_root *root, struct scion_catalog *catalog, int *blamed)
{
    struct scion_task_seat task;
    sion_int64 i;
    int rc = scion_mapping_make(&root->mapping, catalog->ntasks), p;
    char *seen = calloc((size_t)catalog->ntasks + 1, 1);

    if (rc == 0 && !seen)
        rc = scion_fail_memory("tasks");
    for (p = 0; p < root->comm->size && rc == 0; p++) {
        for (i = 0; i < root->requests[p].ntasks && rc == 0; i++) {
            rc = scion_catalog_locate(root, catalog, p, i, &task);
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
            .keep = !root->keeps                                    ? 0
                    : mode->keep > 0 || root->files[i]->generations ? mode->keep
                                                                    : 1,
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
    struct scion_catalog catalog = {0};
    int rc = read_master(root);

    if (rc == 0)
        rc = scion_append_check(root->files[0], &root->args->mode, ntasks);
    if (rc == 0)
        rc = scion_catalog_make(root->files[0], &catalog);
    if (rc == 0 && catalog.is_set)
        rc = scion_catalog_settle(root, &catalog);
    if (rc == 0)
        rc = scion_catalog_count_tasks(root, &catalog);
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

/* A physical file that is written: META1 at the open, META2 at the close. */
#include "file/physical.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/trace.h"
#include "file/generations.h"
#include "file/nonce.h"
#include "file/physical_tables.h"
#include "file/piece_writer.h"
#include "format/places.h"
#include "format/slot.h"
#include "file/private.h"
#include "vfs/storage.h"
#include "vfs/writer_lock.h"

/* The requested size, and the trailer if chunks have one; of n tasks, from `first` on. */
static int request(sion_int64 *chunksizes, const sion_int64 *requested, size_t stride,
                   const struct scion_meta1 *head, int first, int n)
{
    int trailer = scion_marker_trailer(head->flag2, NULL), t;

    for (t = 0; t < n; t++) {
        sion_int64 bytes = requested[(size_t)(first + t) * stride];

        if (scion_add(bytes, bytes > 0 ? trailer : 0, &chunksizes[t]))
            return scion_fail(SION_ERR_ARGUMENT, "chunk size of task %d is %lld", first + t, bytes);
    }
    return 0;
}

/* Requested chunk sizes become stored ones. */
static int align(const struct scion_meta1 *head, const struct scion_group_criteria *criteria,
                 struct scion_layout_plan *plan)
{
    int rc;

    if (!criteria)
        return scion_layout_align(plan->chunksizes, head->ntasks, head->fsblksize);
    plan->groups = scion_array((size_t)head->ntasks, sizeof *plan->groups);
    if (!plan->groups)
        return scion_fail_memory("groups of tasks");
    rc = scion_collective_group(plan->chunksizes, head->ntasks, head->fsblksize, criteria,
                                plan->groups);
    return rc != 0 ? rc
                   : scion_collective_align(plan->chunksizes, head->ntasks, head->fsblksize,
                                            criteria->merge, plan->groups);
}

/* It is an error if the tables after one block could not be addressed. */
static int check_end(const struct scion_meta1 *head, const struct scion_layout *layout)
{
    sion_int64 size, end;

    return scion_meta2_size(head->ntasks, 1, &size) || scion_layout_end(layout, 1, &end) ||
                   scion_add(end, size, &end)
               ? scion_fail(SION_ERR_ARGUMENT, "chunk sizes add up to more than a file can hold")
               : 0;
}

/* Where chunks of the requested sizes would be. Nothing in the file or in `physical` changes. */
static int plan_layout(const struct scion_physical *physical, const sion_int64 *requested,
                       size_t stride, const struct scion_group_criteria *criteria,
                       struct scion_layout_plan *plan)
{
    const struct scion_meta1 *head = &physical->head;
    int rc;

    plan->chunksizes = scion_array_to_fill((size_t)head->ntasks, sizeof *requested);
    plan->starts = scion_array_to_fill((size_t)head->ntasks, sizeof *requested);
    if (!plan->chunksizes || !plan->starts)
        return scion_fail_memory("chunk sizes");
    rc = request(plan->chunksizes, requested, stride, head, 0, head->ntasks);
    if (rc == 0)
        rc = align(head, criteria, plan);
    if (rc == 0)
        rc = scion_layout_compute(plan->chunksizes, head->ntasks, scion_meta1_size(head->ntasks),
                                  head->fsblksize, physical->grain, plan->starts, &plan->layout);
    return rc == 0 ? check_end(head, &plan->layout) : rc;
}

/* ---- tasks one after the other, of which nothing is kept ---- */

enum { PASSING = 1024 /* tasks at a time */ };

/* In groups of equal ones, which are known by now. */
static int pass_groups(const struct scion_physical_plan *plan, int first, sion_int64 sizes[PASSING],
                       int n)
{
    sion_int64 before;
    int i;

    for (i = 0; i < n; i++)
        scion_even_groups_chunk(plan->even, first + i, &sizes[i], &before);
    return 0;
}

/* The stored sizes of the next tasks, from `first` on; *n: how many they are. */
static int pass(const struct scion_physical *physical, const struct scion_physical_plan *plan,
                int first, sion_int64 sizes[PASSING], int *n)
{
    const struct scion_meta1 *head = &physical->head;
    size_t step = plan->stride > 0 ? plan->stride : 1, stride = plan->is_even ? 0 : step;
    int rc, i;

    *n = head->ntasks - first < PASSING ? head->ntasks - first : PASSING;
    if (plan->criteria)
        return pass_groups(plan, first, sizes, *n);
    for (i = 0; plan->small_sizes && i < *n; i++)
        sizes[i] = plan->small_sizes[(size_t)(first + i) * step];
    rc = plan->small_sizes ? request(sizes, sizes, 1, head, 0, *n)
                           : request(sizes, plan->chunksizes, stride, head, first, *n);
    return rc == 0 ? scion_layout_align(sizes, *n, head->fsblksize) : rc;
}

/* By the size that all request. */
static int form_groups(const struct scion_meta1 *head, const struct scion_physical_plan *plan)
{
    struct scion_even_groups *even = plan->even;

    if (!plan->criteria)
        return 0;
    *even = (struct scion_even_groups){.ntasks = head->ntasks, .fsblksize = head->fsblksize};
    return request(&even->chunksize, plan->chunksizes, 0, head, 0, 1) != 0
               ? scion_error_code()
               : scion_collective_group_evenly(plan->criteria, even);
}

static int pass_layout(struct scion_physical *physical, const struct scion_physical_plan *plan,
                       struct scion_places *places)
{
    const struct scion_meta1 *head = &physical->head;
    struct scion_layout *layout = &physical->layout;
    sion_int64 sizes[PASSING], next = 0;
    int rc = form_groups(head, plan), t, n;

    if (rc == 0)
        rc = scion_layout_begin(scion_meta1_size(head->ntasks), head->fsblksize, &next);
    layout->start_of_data = next;
    for (t = 0; t < head->ntasks && rc == 0; t += n) {
        sion_int64 before = next - layout->start_of_data;

        rc = pass(physical, plan, t, sizes, &n);
        if (rc == 0)
            rc = scion_layout_append(sizes, t, n, physical->grain, NULL, &next);
        if (rc == 0)
            scion_places_pass(places, sizes, t, n, before);
    }
    layout->globalskip = next - layout->start_of_data;
    return rc == 0 ? check_end(head, layout) : rc;
}

struct scion_place scion_physical_next_place(const struct scion_physical *physical,
                                             sion_int64 requested, sion_int64 *next)
{
    sion_int64 size = requested, start = *next > 0 ? *next : physical->layout.start_of_data;

    /* No overflow: the layout was computed with these sizes. */
    scion_round_up(size > 0 ? size + physical->trailer : 0, physical->head.fsblksize, &size);
    *next = start + size;
    return scion_physical_chunk_place(physical, start, size);
}

void scion_layout_plan_free(struct scion_layout_plan *plan)
{
    free(plan->chunksizes);
    free(plan->starts);
    free(plan->groups);
    *plan = (struct scion_layout_plan){0};
}

/* The plan's arrays become the file's. */
static void take_layout(struct scion_physical *physical, struct scion_layout_plan *plan)
{
    free(physical->chunksizes);
    free(physical->starts);
    free(physical->groups);
    physical->chunksizes = plan->chunksizes;
    physical->starts = plan->starts;
    physical->groups = plan->groups;
    physical->layout = plan->layout;
    *plan = (struct scion_layout_plan){0};
}

/*
 * Commit records on the disk are found by META1, and the file by its name. A task of another file
 * may flush before any task of this one does, so that is done for it at the open.
 */
static int wait_for_header(const struct scion_physical *physical)
{
    int rc;

    if (!scion_physical_is_recovered(physical))
        return 0;
    rc = scion_file_sync(physical->file);
    return rc == 0 ? scion_sync_folder_of(physical->path) : rc;
}

/* passing: of a file that keeps no sizes; or NULL. */
static int put_sizes(struct scion_piece_writer *writer, const struct scion_physical *physical,
                     const struct scion_physical_plan *passing)
{
    sion_int64 sizes[PASSING];
    int rc = 0, t, n;

    if (!passing)
        return scion_piece_writer_put(writer, physical->chunksizes,
                                      8 * (size_t)physical->head.ntasks);
    for (t = 0; t < physical->head.ntasks && rc == 0; t += n) {
        rc = pass(physical, passing, t, sizes, &n);
        if (rc == 0)
            rc = scion_piece_writer_put(writer, sizes, 8 * (size_t)n);
    }
    return rc;
}

/* The places of tasks, which are known already if the sizes are passed. */
static void put_places(unsigned char *fixed, const struct scion_physical *physical,
                       struct scion_places *places)
{
    int i;

    places->globalskip = physical->layout.globalskip;
    for (i = 0; i < places->n && physical->starts; i++)
        places->at[i] = physical->starts[(i + 1) * places->step] - physical->layout.start_of_data;
    scion_places_encode(places, fixed);
}

static sion_int64 rank_of(const struct scion_physical *physical, int t)
{
    return physical->globalranks   ? physical->globalranks[t]
           : physical->small.ranks ? physical->small.ranks[(size_t)t * physical->small.stride]
                                   : physical->first_rank + (sion_int64)t;
}

static int write_meta1(struct scion_physical *physical, const struct scion_physical_plan *passing,
                       struct scion_places *places)
{
    size_t array = 8 * (size_t)physical->head.ntasks;
    struct scion_piece_writer writer;
    int rc = 0, t;

    scion_piece_writer_begin(&writer, physical->file, 0, SCION_META1_FIXED + 2 * (sion_int64)array);
    scion_meta1_encode(&physical->head, writer.bytes);
    put_places(writer.bytes, physical, places);
    writer.filled = SCION_META1_FIXED;
    for (t = 0; t < physical->head.ntasks && rc == 0; t++)
        rc = scion_piece_writer_put_number(&writer, rank_of(physical, t));
    if (rc == 0)
        rc = put_sizes(&writer, physical, passing);
    rc = scion_piece_writer_end(&writer, rc);
    return rc == 0 ? wait_for_header(physical) : rc;
}

/* The other arrays come with the layout. */
static int copy_globalranks(struct scion_physical *physical, const struct scion_physical_plan *plan)
{
    size_t n = (size_t)physical->head.ntasks;

    physical->small = plan->small;
    if (!plan->globalranks)
        return 0;
    physical->globalranks = scion_array_to_fill(n, sizeof *physical->globalranks);
    if (!physical->globalranks)
        return scion_fail_memory("global ranks");
    memcpy(physical->globalranks, plan->globalranks, n * sizeof *physical->globalranks);
    return 0;
}

static int find_block_size(struct scion_physical *physical, const char *beside)
{
    struct scion_storage storage;
    int rc = scion_storage_of(beside ? beside : scion_file_path(physical->file), &storage);

    if (rc == 0)
        physical->head.fsblksize = storage.fsblksize;
    return rc;
}

/* An old file is emptied when nothing but the system can refuse any more. */
static int create_all(struct scion_physical *physical, const struct scion_physical_plan *plan)
{
    struct scion_layout_plan layout = {0};
    struct scion_places places;
    int rc = 0;

    scion_places_plan(&physical->head, &places);
    if (physical->head.fsblksize <= 0)
        rc = find_block_size(physical, plan->beside);
    if (rc == 0)
        rc = copy_globalranks(physical, plan);
    if (rc == 0)
        rc = plan->is_passing
                 ? pass_layout(physical, plan, &places)
                 : plan_layout(physical, plan->chunksizes, plan->stride > 0 ? plan->stride : 1,
                               plan->criteria, &layout);
    if (rc == 0)
        rc = scion_file_truncate(physical->file, 0);
    if (rc == 0 && !plan->is_passing)
        take_layout(physical, &layout);
    if (rc == 0)
        rc = write_meta1(physical, plan->is_passing ? plan : NULL, &places);
    scion_layout_plan_free(&layout);
    return rc;
}

/* What is replaced at the close must be a file that could be written now. */
static int check_replaced(const char *final)
{
    struct stat status;
    int errnum = scion_path_status(final, &status);

    if (errnum == ENOENT)
        return 0;
    if (errnum == 0 && S_ISDIR(status.st_mode))
        errnum = EISDIR;
    if (errnum == 0 && !S_ISREG(status.st_mode))
        return scion_fail(SION_ERR_SYSTEM, "cannot replace %s: not a regular file", final);
    if (errnum == 0)
        errnum = scion_path_check_writable(final);
    return errnum == 0 ? 0 : scion_fail_errno(errnum, "cannot replace %s", final);
}

static int open_new(struct scion_physical *new, const struct scion_physical_plan *plan)
{
    int rc;

    new->is_derived = plan->is_derived || plan->made || plan->final;
    if (plan->made)
        return scion_file_open_own(new->path, plan->made, &new->file);
    if (!plan->final)
        return scion_file_open(new->path,
                               plan->is_derived ? SCION_OPEN_CREATE_OWN : SCION_OPEN_CREATE,
                               plan->permissions, &new->file);
    new->final = strdup(plan->final);
    rc = new->final ? check_replaced(plan->final) : scion_fail_memory("file name");
    if (rc == 0 && plan->is_staged)
        return scion_file_open(new->path, SCION_OPEN_CREATE_OWN, 0600, &new->file);
    if (rc == 0)
        rc = scion_older_look(plan->final, &new->seen);
    if (rc == 0)
        rc = scion_file_open(new->path, SCION_OPEN_NEW,
                             scion_older_permissions(&new->seen, plan->permissions), &new->file);
    new->is_beside = rc == 0;
    if (rc == 0 && plan->is_locked)
        rc = scion_writer_lock_take(new->path, 0, &new->lock);
    return rc;
}

int scion_physical_create(const char *path, const struct scion_physical_plan *plan,
                          struct scion_physical **physical)
{
    struct scion_physical *new = scion_physical_new(path);
    int existed, rc = new ? scion_file_look_for(path, &existed) : SION_ERR_MEMORY;

    if (rc != 0) {
        scion_physical_close(new);
        return rc;
    }
    scion_trace(SCION_TRACE_STEP, "%s, %d tasks", path, plan->head.ntasks);
    new->head = plan->head;
    new->first_rank = plan->first_rank;
    new->grain = 1;
    new->trailer = scion_marker_trailer(plan->head.flag2, NULL);
    new->start_of_varheader = -1;
    new->is_durable = plan->is_durable;
    new->is_flushed = plan->is_flushed;
    rc = plan->keep > 0 ? scion_generations_begin(new, plan->keep) : 0;
    new->grows = plan->keep > 0;
    if (rc == 0)
        rc = open_new(new, plan);
    if (rc == 0) {
        rc = create_all(new, plan);
        if (rc != 0 && !existed)
            scion_file_remove(path);
    }
    if (rc != 0) {
        scion_physical_close(new);
        return rc;
    }
    *physical = new;
    return 0;
}

int scion_physical_plan_restart(const struct scion_physical *physical, const sion_int64 *chunksizes,
                                const struct scion_group_criteria *criteria,
                                struct scion_layout_plan *plan)
{
    *plan = (struct scion_layout_plan){0};
    return plan_layout(physical, chunksizes, 1, criteria, plan);
}

int scion_physical_restart(struct scion_physical *physical, struct scion_layout_plan *plan,
                           int *emptied)
{
    struct scion_places places;
    int rc = scion_file_truncate(physical->file, 0);

    *emptied = rc == 0;
    if (rc != 0)
        return rc;
    take_layout(physical, plan);
    physical->head.flag2 = scion_recovery_renew(physical->head.flag2);
    scion_places_plan(&physical->head, &places);
    return write_meta1(physical, NULL, &places);
}

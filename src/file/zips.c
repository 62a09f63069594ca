#include "file/zips.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/zstd.h"
#include "file/private.h"
#include "file/unzip_table.h"
#include "format/slot.h"

int scion_zips_make(struct scion_container *container)
{
    int n = scion_container_has_tasks(container) ? container->ntasks : 1;
    struct scion_zips *new;

    if (!container->writing || !scion_container_is_zipped(container) ||
        container->compress == SCION_COMPRESS_STORED)
        return 0;
    /* A task that has not known this has exported it. */
    if (scion_stream_take_back(&container->front.stream) != 0)
        return scion_error_code();
    container->front.stream.is_zipped = 1;
    container->zips = new = calloc(1, sizeof *new);
    if (new)
        new->tasks = calloc((size_t)n + 1, sizeof *new->tasks);
    if (!new || !new->tasks)
        return scion_fail_memory("compression");
    new->n = n;
    scion_zip_init(&new->zip, &container->zip_plan);
    return 0;
}

void scion_zips_free(struct scion_container *container)
{
    struct scion_zips *zips = container->zips;
    int i;

    if (!zips)
        return;
    scion_zip_leave(&container->front.stream);
    for (i = 0; zips->tasks && i < zips->n; i++)
        scion_zip_task_free(&zips->tasks[i]);
    scion_zip_free(&zips->zip);
    free(zips->tasks);
    free(zips);
    container->zips = NULL;
}

void scion_zips_enter(struct scion_container *container, int task)
{
    struct scion_zips *zips = container->zips;

    if (zips)
        scion_zip_enter(&container->front.stream, &zips->zip, &zips->tasks[task]);
}

void scion_zips_begin_generation(struct scion_container *container)
{
    struct scion_zips *zips = container->zips;
    int i;

    for (i = 0; zips && i < zips->n; i++)
        scion_zip_begin_generation(&zips->tasks[i]);
}

/* ---- writing on ---- */

/* What a task has, which is written on by its own process. */
struct old_stream {
    struct scion_file *file;
    struct scion_zipped_task frames;
};

static int find_old(struct scion_container *container, int task, struct old_stream *old)
{
    const struct scion_lengths *lengths = scion_container_lengths(container, task);
    struct scion_physical *physical;
    int rc = 0, lrank;

    *old = (struct old_stream){.frames.task = container->lrank};
    if (scion_container_has_tasks(container)) {
        physical = scion_tasks_locate(container, task, &lrank, &old->frames.place);
        rc = scion_tasks_need_descriptor(&container->tasks, physical);
        old->file = physical->file;
        old->frames.task = lrank;
    } else {
        old->file = container->parallel.file;
        old->frames.place = container->front.stream.place;
    }
    scion_lengths_view(&old->frames.lengths, lengths->used, lengths->stride, lengths->count);
    return rc;
}

static int refuse(const struct old_stream *old, const char *why)
{
    return scion_fail(SION_ERR_MODE, "%s cannot be written on: the compressed stream of task %d %s",
                      scion_file_path(old->file), old->frames.task, why);
}

/* All tasks of a process are compressed alike, so their heads have to agree. */
static int take_head(struct scion_zips *zips, const struct old_stream *old, int *is_known)
{
    struct scion_zip_plan *plan = &zips->zip.plan;
    const struct scion_zip_head *head = &old->frames.head;

    if (*is_known && (plan->frame != head->frame || plan->shuffle != head->shuffle))
        return refuse(old, "has other frames than that of another one");
    plan->frame = head->frame;
    plan->shuffle = head->shuffle;
    *is_known = 1;
    return 0;
}

/* The table at the end becomes a frame without data. */
static int take_frames(struct scion_zip_task *task, const struct old_stream *old, sion_int64 bytes)
{
    const struct scion_zipped_task *frames = &old->frames;
    sion_int64 left = bytes - frames->stored[frames->n], i;
    int rc = 0;

    if (left > 0 && !frames->has_table)
        return refuse(old, "ends within a frame");
    for (i = 0; i < frames->n && rc == 0; i++)
        rc = scion_zip_task_add(task, frames->stored[i + 1] - frames->stored[i],
                                frames->plain[i + 1] - frames->plain[i]);
    if (rc == 0 && left > 0)
        rc = scion_zip_task_add(task, left, 0);
    task->tabled = left > 0 ? task->n : 0;
    return rc;
}

static int go_on(struct scion_container *container, int task, int *is_known)
{
    struct scion_damage damage = {.kind = SCION_SOUND};
    struct scion_zips *zips = container->zips;
    struct old_stream old;
    sion_int64 bytes = 0;
    int rc = find_old(container, task, &old);

    if (rc == 0)
        rc = scion_lengths_before(&old.frames.lengths, old.frames.lengths.count, &bytes);
    if (rc == 0 && bytes > 0)
        rc = scion_zipped_find_frames(&old.frames, old.file, &damage);
    if (rc == 0 && damage.kind != SCION_SOUND)
        rc = refuse(&old, "is damaged");
    if (rc == 0 && bytes > 0)
        rc = take_head(zips, &old, is_known);
    if (rc == 0 && bytes > 0)
        rc = take_frames(&zips->tasks[task], &old, bytes);
    scion_lengths_free(&old.frames.lengths);
    free(old.frames.stored);
    free(old.frames.plain);
    return rc;
}

int scion_zips_go_on(struct scion_container *container)
{
    struct scion_zips *zips = container->zips;
    int rc = zips && container->appends ? scion_zstd_need("compressed streams") : 0, is_known = 0,
        i;

    for (i = 0; zips && container->appends && i < zips->n && rc == 0; i++)
        rc = go_on(container, i, &is_known);
    if (rc == 0 && zips && container->keeps)
        scion_zips_begin_generation(container);
    return rc;
}

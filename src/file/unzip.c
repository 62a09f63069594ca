#include "file/unzip.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/warning.h"
#include "file/mapped.h"
#include "file/members.h"
#include "file/private.h"

int scion_container_unzips(const struct scion_container *container)
{
    return !container->writing && container->compress != SCION_COMPRESS_STORED &&
           scion_container_is_zipped(container);
}

/* From now on nothing of the file is lent, not even what was lent at the open. */
static int keep_file(struct scion_container *container)
{
    int rc = scion_stream_take_back(&container->front.stream);

    container->front.stream.is_zipped = 1;
    return rc;
}

/* ---- a file with its tables ---- */

static int add_task(struct scion_physical *physical, struct scion_unzip_view *view, int t)
{
    const struct scion_place place = scion_physical_place(physical, t);
    struct scion_damage damage = {.kind = SCION_SOUND};
    struct scion_lengths lengths;
    int rc;

    if (scion_damages_find(&physical->damages, t))
        return 0;
    scion_lengths_view(&lengths, physical->used + t, (size_t)physical->head.ntasks,
                       physical->counts[t]);
    rc = scion_unzip_view_add(view, physical->file, t, &place, &lengths, &damage);
    if (rc != 0 || damage.kind == SCION_SOUND)
        return rc;
    scion_damage_warn(physical->path, &damage, 1);
    return scion_damages_add(&physical->damages, physical->head.ntasks, &damage);
}

static int add_tasks(struct scion_physical *physical, struct scion_unzip_view *view,
                     sion_int64 *starts, sion_int64 *bytes)
{
    int rc = 0, t;

    for (t = 0; t < physical->head.ntasks && rc == 0; t++) {
        starts[t] = scion_unzip_view_bytes(view);
        rc = add_task(physical, view, t);
        bytes[t] = scion_unzip_view_bytes(view) - starts[t];
    }
    return rc;
}

/* Its tables are those of the plain streams from now on. */
static int unzip_physical(struct scion_physical *physical)
{
    size_t n = (size_t)physical->head.ntasks;
    sion_int64 *starts = scion_array(n, sizeof *starts), *bytes = scion_array(n, sizeof *bytes);
    struct scion_unzip_view *view = scion_unzip_view_new();
    int rc = starts && bytes && view ? 0 : scion_fail_memory("compressed streams");

    if (rc == 0)
        rc = add_tasks(physical, view, starts, bytes);
    if (rc == 0)
        rc = scion_physical_take_tables(physical, &starts, &bytes);
    if (rc == 0) {
        physical->unzip = view;
        view = NULL;
        scion_file_show(physical->file, scion_unzip_view_of(physical->unzip));
    }
    scion_unzip_view_free(view);
    free(starts);
    free(bytes);
    return rc;
}

int scion_container_unzip_all(struct scion_container *container)
{
    struct scion_tasks *tasks = &container->tasks;
    int rc = 0, i;

    if (!scion_container_unzips(container))
        return 0;
    for (i = 0; i < tasks->nopen && rc == 0; i++) {
        rc = scion_tasks_need_descriptor(tasks, tasks->files[i]);
        if (rc == 0)
            rc = unzip_physical(tasks->files[i]);
    }
    container->maxchunks = 1;
    if (rc == 0)
        rc = keep_file(container);
    return rc == 0 ? scion_container_enter_again(container) : rc;
}

int scion_physical_unzip_task(struct scion_physical *physical, const struct scion_column *column,
                              struct scion_damage *damage, sion_int64 *bytes)
{
    const struct scion_place place =
        scion_physical_chunk_place(physical, column->start, column->chunksize);
    struct scion_unzip_view *view = scion_unzip_view_new();
    struct scion_lengths lengths;
    int rc = view ? 0 : SION_ERR_MEMORY;

    scion_lengths_view(&lengths, column->used, 1, column->count);
    if (rc == 0)
        rc = scion_unzip_view_add(view, physical->file, column->lrank, &place, &lengths, damage);
    if (rc != 0) {
        scion_unzip_view_free(view);
        return rc;
    }
    if (damage->kind != SCION_SOUND)
        scion_damage_warn(physical->path, damage, 1);
    *bytes = scion_unzip_view_bytes(view);
    physical->unzip = view;
    scion_file_show(physical->file, scion_unzip_view_of(view));
    return 0;
}

/* ---- one task of a parallel container ---- */

int scion_container_unzip_own(struct scion_container *container)
{
    const struct scion_mark start = {0, 0, 0};
    struct scion_parallel_view *view = &container->parallel;
    struct scion_stream *stream = &container->front.stream;
    struct scion_damage damage = {.kind = SCION_SOUND};
    struct scion_place place = stream->place;
    sion_int64 *used;
    int rc;

    if (!scion_container_unzips(container))
        return 0;
    rc = keep_file(container);
    if (rc != 0 || stream->damage)
        return rc;
    view->unzip = scion_unzip_view_new();
    used = scion_array(1, sizeof *used);
    rc = view->unzip && used ? 0 : scion_fail_memory("compressed streams");
    if (rc == 0)
        rc = scion_unzip_view_add(view->unzip, view->file, container->lrank, &place, &view->lengths,
                                  &damage);
    if (rc != 0 || damage.kind != SCION_SOUND) {
        free(used);
        if (rc != 0)
            return rc;
        scion_damage_warn(container->name, &damage, 1);
        return scion_parallel_lock_out(container, &damage);
    }
    used[0] = place.chunksize = scion_unzip_view_bytes(view->unzip);
    scion_lengths_free(&view->lengths);
    free(view->used);
    view->used = used;
    scion_lengths_view(&view->lengths, used, 1, 1);
    container->maxchunks = 1;
    scion_file_show(view->file, scion_unzip_view_of(view->unzip));
    place = (struct scion_place){.chunksize = used[0]};
    return scion_stream_enter(stream, view->file, &place, &view->lengths, &start);
}

/* ---- the tasks of a process of a mapped container ---- */

/* The numbers of all tasks after this, as container->mapped.used has them. */
struct unzipping {
    struct scion_container *container;
    sion_int64 *used, *next;
};

static void take_task(struct unzipping *unzipping, int i, sion_int64 base, sion_int64 bytes,
                      const struct scion_damage *damage)
{
    struct scion_task_place *task = &unzipping->container->mapped.tasks[i];
    struct scion_lengths *lengths = &unzipping->container->tasks.lengths[i];

    task->place = (struct scion_place){.start = base, .chunksize = bytes};
    task->count = damage ? -SCION_DAMAGED_NUMBERS : 1;
    *unzipping->next = bytes;
    if (damage)
        memcpy(unzipping->next + 1, damage, sizeof *damage);
    scion_lengths_free(lengths);
    scion_lengths_view(lengths, unzipping->next, 1, 1);
    unzipping->next += damage ? SCION_DAMAGED_NUMBERS : 1;
}

static int unzip_task(struct unzipping *unzipping, int i)
{
    struct scion_container *container = unzipping->container;
    const struct scion_task_place *task = &container->mapped.tasks[i];
    struct scion_physical *physical = container->tasks.files[task->index];
    const struct scion_damage *known = scion_container_damage(container, i);
    struct scion_damage damage = known ? *known : (struct scion_damage){.kind = SCION_SOUND};
    sion_int64 base = scion_unzip_view_bytes(physical->unzip);
    int rc = scion_tasks_need_descriptor(&container->tasks, physical);

    if (rc == 0 && physical->file)
        scion_file_show(physical->file, NULL); /* the stored bytes, until all are known */
    if (rc == 0 && !known)
        rc = scion_unzip_view_add(physical->unzip, physical->file, task->lrank, &task->place,
                                  &container->tasks.lengths[i], &damage);
    if (rc != 0)
        return rc;
    if (!known && damage.kind != SCION_SOUND)
        scion_damage_warn(physical->path, &damage, 1);
    take_task(unzipping, i, base, scion_unzip_view_bytes(physical->unzip) - base,
              damage.kind != SCION_SOUND ? &damage : NULL);
    return 0;
}

static int unzip_files(struct unzipping *unzipping)
{
    struct scion_container *container = unzipping->container;
    struct scion_tasks *tasks = &container->tasks;
    int rc = 0, i;

    for (i = 0; i < tasks->nopen && rc == 0; i++) {
        tasks->files[i]->unzip = scion_unzip_view_new();
        rc = tasks->files[i]->unzip ? 0 : SION_ERR_MEMORY;
    }
    for (i = 0; i < container->ntasks && rc == 0; i++)
        rc = unzip_task(unzipping, i);
    for (i = 0; i < tasks->nopen && rc == 0; i++) {
        if (tasks->files[i]->file)
            scion_file_show(tasks->files[i]->file, scion_unzip_view_of(tasks->files[i]->unzip));
    }
    return rc;
}

int scion_container_unzip_mapped(struct scion_container *container)
{
    size_t n = (size_t)container->ntasks + 1;
    struct unzipping unzipping = {.container = container};
    int rc;

    if (!scion_container_unzips(container))
        return 0;
    unzipping.used = unzipping.next = scion_array(n * SCION_DAMAGED_NUMBERS, sizeof(sion_int64));
    rc = unzipping.used ? keep_file(container) : scion_fail_memory("compressed streams");
    if (rc == 0)
        rc = unzip_files(&unzipping);
    if (unzipping.next != unzipping.used) { /* some are in use, and the old ones may be */
        free(container->mapped.used);
        container->mapped.used = unzipping.used;
        unzipping.used = NULL;
    }
    free(unzipping.used);
    return rc == 0 && container->ntasks > 0 ? scion_container_enter(container, container->selected)
                                            : rc;
}

/* What other layers ask of a container. */
#include "base/error.h"
#include "file/mapped.h"
#include "file/private.h"
#include "format/slot.h"

#define FACT(type, function, fact)                                                                 \
    type function(const struct scion_container *container)                                         \
    {                                                                                              \
        return fact;                                                                               \
    }
FACT(int, scion_container_is_writing, container->writing)
FACT(int, scion_container_is_posix, container->posix)
FACT(int, scion_container_syncs_close, container->sync != SCION_SYNC_NONE)
FACT(int, scion_container_is_mapped, container->view == SCION_VIEW_MAPPED)
FACT(int, scion_container_commits, container->commits != NULL)
FACT(int, scion_container_is_zipped, scion_marker_is_zipped(container->head.flag2))
FACT(int, scion_container_is_shared,
     container->view == SCION_VIEW_PARALLEL || container->view == SCION_VIEW_MAPPED)
FACT(int, scion_container_has_tasks,
     container->view == SCION_VIEW_ALL || container->view == SCION_VIEW_MAPPED)
FACT(int, scion_container_is_duplicate, container->is_duplicate)
FACT(int, scion_container_keyval_mode, container->keyval)
FACT(int, scion_container_nfiles, container->nfiles)
FACT(int, scion_container_ntasks, container->ntasks)
FACT(int, scion_container_maxchunks, container->maxchunks)
FACT(const struct scion_meta1 *, scion_container_head, &container->head)
FACT(const char *, scion_container_opened, scion_file_path(container->parallel.file))
FACT(const char *, scion_container_name, container->name)
FACT(int, scion_container_selected, container->selected)
FACT(int, scion_container_rank, container->rank)
FACT(int, scion_container_lrank, container->lrank)
FACT(int, scion_container_nopen, container->tasks.nopen)

int scion_mode_syncs_flush(const struct scion_mode *mode)
{
    return mode->posix || mode->sync == SCION_SYNC_FLUSH;
}

int scion_container_syncs_flush(const struct scion_container *container)
{
    const struct scion_mode mode = {.posix = container->posix, .sync = container->sync};

    return scion_mode_syncs_flush(&mode);
}

/* ---- the selected task ---- */

static const struct scion_task_place *selected(const struct scion_container *container)
{
    return container->view == SCION_VIEW_MAPPED && container->ntasks > 0
               ? &container->mapped.tasks[container->selected]
               : NULL;
}

const char *scion_container_path(const struct scion_container *container, int *filenumber)
{
    const struct scion_task_place *task = selected(container);

    *filenumber = task ? task->file : container->head.filenumber;
    return task ? scion_physical_final(container->tasks.files[task->index]) : container->name;
}

/* ---- calls that the owner may handle ---- */

int scion_container_at_end(struct scion_container *container, int *at_end)
{
    if (container->owner && container->owner->at_end)
        return container->owner->at_end(container, at_end);
    return scion_stream_at_end(&container->front.stream, at_end);
}

int scion_container_entry(struct scion_container *container, int index,
                          struct scion_io_entry *entry)
{
    return container->owner && container->owner->entry
               ? container->owner->entry(container, index, entry)
               : -1;
}

int scion_container_seat(const struct scion_container *container, int *size)
{
    *size = 1;
    return container->owner && container->owner->seat ? container->owner->seat(container, size) : 0;
}

/* ---- its files and tasks ---- */

void scion_container_locate(const struct scion_container *container, int task, int *file,
                            int *lrank)
{
    const struct scion_mapping *mapping = container->serial.mapping;

    *file = mapping ? mapping->pairs[2 * (size_t)task] : 0;
    *lrank = mapping ? mapping->pairs[2 * (size_t)task + 1] : task;
}

const struct scion_physical *scion_container_file(const struct scion_container *container, int file)
{
    return container->tasks.files[file];
}

int scion_container_need_file(struct scion_container *container, int file,
                              struct scion_file **opened)
{
    struct scion_physical *physical = container->tasks.files[file];
    int rc = scion_tasks_need_descriptor(&container->tasks, physical);

    *opened = physical->file;
    return rc;
}

struct scion_physical *scion_container_physical(const struct scion_container *container)
{
    switch (container->view) {
    case SCION_VIEW_RANK:
        return container->one.physical;
    case SCION_VIEW_PARALLEL:
        return container->parallel.physical;
    default:
        return NULL;
    }
}

const struct scion_mapping *scion_container_mapping(const struct scion_container *container)
{
    return container->view == SCION_VIEW_ALL ? container->serial.mapping : NULL;
}

const struct scion_task_place *scion_container_task_place(const struct scion_container *container,
                                                          int task)
{
    return &container->mapped.tasks[task];
}

const struct scion_lengths *scion_container_lengths(const struct scion_container *container,
                                                    int task)
{
    switch (container->view) {
    case SCION_VIEW_RANK:
        return &container->one.lengths;
    case SCION_VIEW_PARALLEL:
        return &container->parallel.lengths;
    default:
        return &container->tasks.lengths[task];
    }
}

void scion_container_keep(struct scion_container *container)
{
    container->keeps = 1;
}

int scion_container_forget_before(struct scion_container *container, sion_int64 before)
{
    if (!container->writing)
        return scion_fail(SION_ERR_MODE, "%s is open for reading", container->name);
    if (!container->keeps)
        return scion_fail(SION_ERR_MODE, "%s has no generations (mode word keep)", container->name);
    if (before > container->forget)
        container->forget = before;
    return 0;
}

void scion_container_note_forgotten(struct scion_container *container)
{
    container->forget = 0;
}

sion_int64 scion_container_forgets(const struct scion_container *container)
{
    return container->forget;
}

int scion_container_has_bytes(const struct scion_container *container)
{
    int n = container->view == SCION_VIEW_MAPPED ? container->ntasks : 1, has = 0;

    while (n-- > 0)
        has |= scion_lengths_has_bytes(scion_container_lengths(container, n));
    return has;
}

int scion_container_has_news(const struct scion_container *container)
{
    const struct scion_tasks *tasks = &container->tasks;
    int n = container->view == SCION_VIEW_PARALLEL ? 1 : container->ntasks, has = 0, task;

    if (container->view == SCION_VIEW_ALL) {
        for (task = tasks->last_visited; task > 0 && !has; task = tasks->visited[task - 1])
            has = scion_lengths_has_news(&tasks->lengths[task - 1]);
        return has;
    }
    while (n-- > 0 && !has)
        has = scion_lengths_has_news(scion_container_lengths(container, n));
    return has;
}

void scion_container_drop_chunks(struct scion_container *container, sion_int64 chunks)
{
    container->parallel.lengths.forgotten = chunks;
}

void scion_container_note_published(struct scion_container *container)
{
    int i;

    container->forget = 0;
    if (container->view == SCION_VIEW_PARALLEL)
        scion_lengths_tell(&container->parallel.lengths);
    for (i = 0; container->view == SCION_VIEW_MAPPED && i < container->ntasks; i++)
        scion_lengths_tell(&container->tasks.lengths[i]);
}

static const struct scion_damage *damage_of_file(const struct scion_container *container, int task)
{
    int file, lrank;

    scion_container_locate(container, task, &file, &lrank);
    return scion_damages_find(&container->tasks.files[file]->damages, lrank);
}

const struct scion_damage *scion_container_damage(const struct scion_container *container, int task)
{
    switch (container->view) {
    case SCION_VIEW_ALL:
        return damage_of_file(container, task);
    case SCION_VIEW_MAPPED:
        return scion_damage_at(container->tasks.lengths[task].used,
                               container->mapped.tasks[task].count);
    default:
        return container->front.stream.damage;
    }
}

int scion_container_keeps(const struct scion_container *container)
{
    return container->keeps;
}

int scion_container_appends(const struct scion_container *container)
{
    return container->appends;
}

void scion_container_set_ending(struct scion_container *container,
                                const struct scion_ending *ending)
{
    container->ending = *ending;
}

const struct scion_ending *scion_container_ending(const struct scion_container *container)
{
    return container->ending.run ? &container->ending : NULL;
}

/* Duplicates: another descriptor and cursor on the same data. */
#include "file/container.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/mapped.h"
#include "file/members.h"
#include "file/private.h"
#include "file/unzip_view.h"

/* As scion_task_place has it. */
static sion_int64 count_of(const struct scion_container *container)
{
    return container->front.stream.damage ? -SCION_DAMAGED_NUMBERS
                                          : container->parallel.lengths.count;
}

/* A view refers to the original's array; it is copied, so that the original may be closed first. */
static sion_int64 *copy_numbers(const struct scion_container *container)
{
    const struct scion_lengths *lengths = &container->parallel.lengths;
    const struct scion_damage *damage = container->front.stream.damage;
    sion_int64 *copy =
        scion_array((uint64_t)scion_task_place_numbers(count_of(container)), sizeof *copy);
    sion_int64 b;

    if (copy && damage) {
        copy[0] = 0;
        memcpy(copy + 1, damage, sizeof *damage);
        return copy;
    }
    for (b = 0; copy && b < lengths->count; b++)
        copy[b] = scion_lengths_used(lengths, b);
    return copy;
}

/* The place and the length are those of the member already. */
static int copy_member(const struct scion_container *container, struct scion_container *duplicate)
{
    struct scion_parallel_view *view = &duplicate->parallel;

    if (container->parallel.unzip) {
        view->unzip = scion_unzip_view_copy(container->parallel.unzip);
        if (!view->unzip)
            return SION_ERR_MEMORY;
        duplicate->front.stream.is_zipped = 1;
        scion_file_show(view->file, scion_unzip_view_of(view->unzip));
    }
    if (!container->parallel.members)
        return 0;
    view->members = scion_piece_view_copy(container->parallel.members);
    if (!view->members)
        return SION_ERR_MEMORY;
    scion_file_show(view->file, &view->members->view);
    return 0;
}

static int copy_guard(const struct scion_container *container, struct scion_container *duplicate)
{
    struct scion_guard *guard;
    int rc = scion_guard_copy(container->parallel.guard, &guard);

    if (rc == 0)
        scion_parallel_watch(duplicate, guard);
    return rc;
}

static int duplicate_at(struct scion_container *container, struct scion_file *file, char *name,
                        sion_int64 *used, struct scion_container **duplicate)
{
    const struct scion_mode mode = scion_container_mode(container);
    const struct scion_task task = {
        .placed = {.rank = container->rank,
                   .file = container->head.filenumber,
                   .lrank = container->lrank,
                   .place = container->front.stream.place,
                   .count = count_of(container)},
        .used = used,
    };
    sion_int64 pos;
    int rc = scion_stream_pos(&container->front.stream, &pos);

    if (rc == 0)
        rc = scion_container_attach(&container->head, &mode, file, name, &task, duplicate);
    if (rc == 0)
        rc = copy_member(container, *duplicate);
    if (rc == 0)
        rc = copy_guard(container, *duplicate);
    if (rc == 0)
        rc = scion_stream_seek(&(*duplicate)->front.stream, container->front.stream.chunk, pos);
    return rc;
}

static int duplicate_parallel(struct scion_container *container, struct scion_container **duplicate)
{
    struct scion_container *new = NULL;
    struct scion_file *file = NULL;
    char *name = strdup(container->name);
    sion_int64 *used = copy_numbers(container);
    int rc;

    if (!name || !used)
        rc = scion_fail_memory("duplicate");
    else if (!container->parallel.file)
        rc = scion_fail(SION_ERR_MODE, "%s is read by collective calls only", name);
    else
        rc = scion_file_open(container->name, SCION_OPEN_READ, 0, &file);
    if (rc == 0)
        rc = duplicate_at(container, file, name, used, &new);
    if (rc == 0) {
        *duplicate = new;
        return 0;
    }
    if (new) {
        scion_container_free(new);
        return rc;
    }
    free(name);
    free(used);
    scion_file_close(file);
    return rc;
}

/* The file is read again, and may have been replaced. */
static int check_unchanged(const struct scion_physical *physical, const struct scion_physical *old,
                           sion_int64 chunks, const struct scion_mark *mark)
{
    if (scion_physical_is_same(physical, old) && mark->chunk < chunks)
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "%s is another container than the one that was opened",
                      physical->path);
}

/* One task of a container that was opened by one process, where it stands. */
static int duplicate_task(struct scion_container *container, int task, int rank,
                          struct scion_container **duplicate)
{
    const struct scion_mode mode = scion_container_mode(container);
    struct scion_physical *physical = container->one.physical;
    struct scion_container *new;
    struct scion_mark mark;
    int file, lrank = container->lrank, rc = scion_container_mark(container, task, &mark);

    if (container->view == SCION_VIEW_ALL) {
        scion_container_locate(container, task, &file, &lrank);
        physical = container->tasks.files[file];
    }
    if (rc == 0)
        rc = scion_container_open_member(physical->path, &mode, rank, lrank, &new);
    if (rc != 0)
        return rc;
    rc = check_unchanged(new->one.physical, physical, new->one.column.count, &mark);
    if (rc == 0)
        rc = scion_stream_seek(&new->front.stream, mark.chunk, mark.pos);
    if (rc != 0)
        scion_container_free(new);
    else
        *duplicate = new;
    return rc;
}

static int copy_marks(struct scion_container *container, struct scion_container *duplicate)
{
    int task, file, lrank, rc = 0;

    if (duplicate->ntasks != container->ntasks || duplicate->nfiles != container->nfiles)
        return scion_fail(SION_ERR_DAMAGED, "%s is another container than the one that was opened",
                          container->tasks.files[0]->path);
    for (task = 0; task < container->ntasks && rc == 0; task++) {
        rc = scion_container_mark(container, task, &duplicate->tasks.marks[task]);
        scion_container_locate(duplicate, task, &file, &lrank);
        if (rc == 0)
            rc = check_unchanged(duplicate->tasks.files[file], container->tasks.files[file],
                                 duplicate->tasks.files[file]->counts[lrank],
                                 &duplicate->tasks.marks[task]);
    }
    return rc != 0 ? rc : scion_container_enter(duplicate, container->selected);
}

static int duplicate_all(struct scion_container *container, struct scion_container **duplicate)
{
    const struct scion_mode mode = scion_container_mode(container);
    int rc = scion_container_open(container->tasks.files[0]->path, &mode, duplicate);

    if (rc != 0)
        return rc;
    rc = copy_marks(container, *duplicate);
    if (rc != 0)
        scion_container_free(*duplicate);
    return rc;
}

static int duplicate_view(struct scion_container *container, int task,
                          struct scion_container **duplicate)
{
    switch (container->view) {
    case SCION_VIEW_ALL:
        return task < 0 ? duplicate_all(container, duplicate)
                        : duplicate_task(container, task, task, duplicate);
    case SCION_VIEW_RANK:
        return duplicate_task(container, container->selected, container->rank, duplicate);
    case SCION_VIEW_PARALLEL:
        return duplicate_parallel(container, duplicate);
    default:
        return scion_container_duplicate_mapped(container, task, duplicate);
    }
}

int scion_container_duplicate(struct scion_container *container, int task, const uint64_t *key,
                              struct scion_container **duplicate)
{
    struct scion_container *new;
    int rc = duplicate_view(container, task, &new);

    if (rc != 0)
        return rc;
    new->is_duplicate = 1;
    new->wanted = container->wanted;
    new->indexes.one_key = container->indexes.one_key || key;
    new->indexes.key = container->indexes.one_key || !key ? container->indexes.key : *key;
    rc = scion_container_copy_keyvals(container, task, new);
    if (rc != 0)
        scion_container_free(new);
    else
        *duplicate = new;
    return rc;
}

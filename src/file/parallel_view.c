/* One task of a container that several processes have opened together. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/members.h"
#include "file/private.h"
#include "file/unzip_view.h"

static int release(struct scion_container *container)
{
    struct scion_parallel_view *view = &container->parallel;
    int rc = scion_physical_close(view->physical), other = scion_file_close(view->file);

    scion_lengths_free(&view->lengths);
    free(view->used);
    scion_piece_view_free(view->members);
    scion_unzip_view_free(view->unzip);
    scion_guard_free(view->guard);
    return scion_first_failure(rc, other);
}

static const struct scion_view_operations operations = {SCION_VIEW_PARALLEL, NULL, NULL, release};

int scion_container_attach(const struct scion_meta1 *head, const struct scion_mode *mode,
                           struct scion_file *file, char *name, const struct scion_task *task,
                           struct scion_container **container)
{
    struct scion_mark start = {0, 0, 0};
    struct scion_container *new;
    struct scion_parallel_view *view;
    int rc = scion_container_new(&operations, mode, !task->used || task->appends, head, &new);

    if (rc != 0)
        return rc;
    view = &new->parallel;
    if (task->appends) {
        struct scion_lengths old;

        scion_lengths_view(&old, task->used, 1, scion_task_place_chunks(task->placed.count));
        rc = scion_lengths_go_on(&view->lengths, &old, &start);
        new->appends = 1;
    } else if (task->used) {
        scion_lengths_view(&view->lengths, task->used, 1,
                           scion_task_place_chunks(task->placed.count));
        new->front.stream.damage = scion_damage_at(task->used, task->placed.count);
    } else {
        rc = scion_lengths_new(&view->lengths);
    }
    if (rc == 0)
        rc = scion_stream_enter(&new->front.stream, file, &task->placed.place, &view->lengths,
                                &start);
    if (rc != 0) {
        scion_container_free(new);
        return rc;
    }
    view->used = task->used;
    view->file = file;
    new->name = name;
    new->ntasks = head->ntasks;
    new->maxchunks = task->maxchunks;
    new->rank = task->placed.rank;
    new->lrank = task->placed.lrank;
    *container = new;
    return 0;
}

int scion_parallel_go_on(struct scion_container *container)
{
    struct scion_parallel_view *view = &container->parallel;
    struct scion_stream *stream = &container->front.stream;
    const struct scion_place place = stream->place;
    const struct scion_mark mark = {stream->chunk, stream->before,
                                    scion_lengths_used(&view->lengths, stream->chunk)};

    return scion_stream_enter(stream, view->file, &place, &view->lengths, &mark);
}

int scion_parallel_lock_out(struct scion_container *container, const struct scion_damage *damage)
{
    const struct scion_mark start = {0, 0, 0};
    struct scion_parallel_view *view = &container->parallel;
    const struct scion_place place = container->front.stream.place;
    sion_int64 *used = scion_array(SCION_DAMAGED_NUMBERS, sizeof *used);

    if (!used)
        return scion_fail_memory("damaged task");
    used[0] = 0;
    memcpy(used + 1, damage, sizeof *damage);
    scion_lengths_free(&view->lengths);
    free(view->used);
    view->used = used;
    scion_lengths_view(&view->lengths, used, 1, 1);
    container->front.stream.damage = (const void *)(used + 1);
    return scion_stream_enter(&container->front.stream, view->file, &place, &view->lengths, &start);
}

void scion_parallel_watch(struct scion_container *container, struct scion_guard *guard)
{
    scion_guard_free(container->parallel.guard);
    container->parallel.guard = guard;
    if (container->parallel.file)
        scion_guard_watch(guard, container->parallel.file);
}

/* used[SCION_DAMAGED_NUMBERS]: the length of the only chunk, and what is wrong with it. */
static void take_member(struct scion_parallel_view *view, sion_int64 *used,
                        struct scion_piece_view *members)
{
    scion_lengths_free(&view->lengths);
    free(view->used);
    view->used = used;
    view->members = members;
    scion_lengths_view(&view->lengths, used, 1, 1);
    scion_file_show(view->file, &members->view);
}

int scion_container_show_member(struct scion_container *container, struct scion_strides *pieces,
                                const struct scion_damage *damage)
{
    const struct scion_mark start = {0, 0, 0};
    struct scion_parallel_view *view = &container->parallel;
    struct scion_piece_view *members = scion_piece_view_new(pieces);
    sion_int64 *used = scion_array(SCION_DAMAGED_NUMBERS, sizeof *used);
    const struct scion_place place = {.chunksize = members ? members->pieces.bytes : 0};

    if (!used || !members) {
        free(used);
        scion_piece_view_free(members);
        return scion_fail_memory("member of a merged stream");
    }
    used[0] = place.chunksize;
    if (damage)
        memcpy(used + 1, damage, sizeof *damage);
    take_member(view, used, members);
    container->maxchunks = 1;
    container->front.stream.damage = damage ? (const void *)(used + 1) : NULL;
    return scion_stream_enter(&container->front.stream, view->file, &place, &view->lengths, &start);
}

void scion_container_keep_physical(struct scion_container *container,
                                   struct scion_physical *physical)
{
    container->parallel.physical = physical;
}

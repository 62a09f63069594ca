/* The stream's way from one task to another, and what is read of a task without it. */
#include "base/error.h"
#include "file/commits.h"
#include "file/private.h"
#include "file/zips.h"

/* The chunk lengths of a task that is visited for the first time. */
static int need_lengths(struct scion_container *container, int task,
                        const struct scion_physical *physical, int lrank)
{
    struct scion_lengths *lengths = &container->tasks.lengths[task];
    int rc = 0;

    if (lengths->count > 0)
        return 0;
    if (container->writing)
        rc = scion_lengths_new(lengths);
    else
        scion_lengths_view(lengths, physical->used + lrank, (size_t)physical->head.ntasks,
                           physical->counts[lrank]);
    if (rc == 0)
        scion_tasks_visit(&container->tasks, task);
    return rc;
}

int scion_container_enter(struct scion_container *container, int task)
{
    struct scion_tasks *tasks = &container->tasks;
    struct scion_place place;
    int lrank;
    struct scion_physical *physical = scion_tasks_locate(container, task, &lrank, &place);
    int rc = scion_tasks_need_descriptor(tasks, physical);

    if (rc == 0)
        rc = need_lengths(container, task, physical, lrank);
    if (rc != 0)
        return rc;
    container->front.stream.damage = scion_container_damage(container, task);
    rc = scion_stream_enter(&container->front.stream, physical->file, &place, &tasks->lengths[task],
                            &tasks->marks[task]);
    if (rc == 0) {
        tasks->selected = physical;
        container->selected = task;
        container->rank =
            container->view == SCION_VIEW_MAPPED ? container->mapped.tasks[task].rank : task;
        container->lrank = lrank;
        scion_commits_enter(container, task);
        scion_zips_enter(container, task);
        scion_stream_turn_tap(&container->front.stream, task);
    }
    return rc;
}

int scion_container_select(struct scion_container *container, int task)
{
    SCION_HOLD(&container->front.stream.hold);
    int old = container->selected, rc;

    if (task == old)
        return 0;
    rc = scion_stream_leave(&container->front.stream, &container->tasks.marks[old]);
    if (rc != 0)
        return rc;
    scion_commits_leave(container, old);
    rc = scion_container_enter(container, task);
    if (rc != 0)
        scion_container_enter(container, old);
    return rc;
}

int scion_container_mark(struct scion_container *container, int task, struct scion_mark *mark)
{
    struct scion_stream *stream = &container->front.stream;

    if (task != container->selected) {
        *mark = container->tasks.marks[task];
        return 0;
    }
    mark->chunk = stream->chunk;
    mark->before = stream->before;
    return scion_stream_pos(stream, &mark->pos);
}

static int find_byte(struct scion_container *container, int task, sion_int64 chunk, sion_int64 pos,
                     struct scion_physical **physical, sion_int64 *offset)
{
    struct scion_place place;
    int lrank, rc;

    *physical = scion_tasks_locate(container, task, &lrank, &place);
    rc = scion_tasks_need_descriptor(&container->tasks, *physical);
    if (rc == 0 && scion_chunk_start(&place, chunk, offset))
        rc = scion_fail(SION_ERR_DAMAGED, "chunk %lld of task %d is beyond the end of any file",
                        chunk, task);
    *offset += pos;
    return rc;
}

int scion_container_read_chunk(struct scion_container *container, int task, sion_int64 chunk,
                               sion_int64 pos, void *to, size_t bytes)
{
    struct scion_physical *physical;
    sion_int64 offset = 0;
    int rc = find_byte(container, task, chunk, pos, &physical, &offset);

    return rc != 0 ? rc : scion_file_read(physical->file, to, bytes, offset);
}

int scion_container_find_run(struct scion_container *container, int task, sion_int64 chunk,
                             sion_int64 pos, sion_int64 *run, int *is_hole)
{
    struct scion_physical *physical;
    sion_int64 offset = 0;
    int rc = find_byte(container, task, chunk, pos, &physical, &offset);

    if (rc == 0)
        *run = scion_file_run(physical->file, offset, *run, is_hole);
    return rc;
}

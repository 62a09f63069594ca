/* The tasks of a process that has several: their files, and the stream's way from one to another.
 */
#include <stdlib.h>

#include "base/error.h"
#include "file/commits.h"
#include "file/private.h"

int scion_tasks_make(struct scion_tasks *tasks, int ntasks)
{
    size_t n = (size_t)ntasks + (ntasks == 0);

    tasks->lengths = calloc(n, sizeof *tasks->lengths);
    tasks->marks = calloc(n, sizeof *tasks->marks);
    tasks->visited = calloc(n, sizeof *tasks->visited);
    return tasks->lengths && tasks->marks && tasks->visited ? 0 : scion_fail_memory("tasks");
}

void scion_tasks_visit(struct scion_tasks *tasks, int task)
{
    tasks->visited[task] = tasks->last_visited;
    tasks->last_visited = task + 1;
}

/* There may be a million tasks of which one has been visited: memory of the others is not
   touched. */
int scion_tasks_free(struct scion_tasks *tasks)
{
    int task, rc = 0, i;

    for (task = tasks->last_visited; task > 0; task = tasks->visited[task - 1])
        scion_lengths_free(&tasks->lengths[task - 1]);
    for (i = 0; i < tasks->nopen; i++) {
        int other = scion_physical_close(tasks->files[i]);

        rc = scion_first_failure(rc, other);
    }
    free(tasks->files);
    free(tasks->lengths);
    free(tasks->marks);
    free(tasks->visited);
    return rc;
}

/* The oldest one makes room, but never that of the stream, which goes on with it until it has
   entered another task. */
static struct scion_physical **next_slot(struct scion_tasks *tasks)
{
    if (tasks->most == 0)
        tasks->most = scion_set_descriptors();
    if (tasks->selected && tasks->recent[tasks->next_recent] == tasks->selected)
        tasks->next_recent = (tasks->next_recent + 1) % tasks->most;
    return &tasks->recent[tasks->next_recent];
}

int scion_tasks_need_descriptor(struct scion_tasks *tasks, struct scion_physical *physical)
{
    struct scion_physical **slot;
    int rc;

    if (physical->file)
        return 0;
    slot = next_slot(tasks);
    if (*slot && (rc = scion_physical_suspend(*slot)) != 0)
        return rc;
    *slot = NULL;
    rc = scion_physical_resume(physical);
    if (rc == 0) {
        *slot = physical;
        tasks->next_recent = (tasks->next_recent + 1) % tasks->most;
    }
    return rc;
}

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

struct scion_physical *scion_tasks_locate(const struct scion_container *container, int task,
                                          int *lrank, struct scion_place *place)
{
    struct scion_physical *physical;
    int file;

    if (container->view == SCION_VIEW_MAPPED)
        return scion_mapped_locate(container, task, lrank, place);
    scion_container_locate(container, task, &file, lrank);
    physical = container->tasks.files[file];
    *place = scion_physical_place(physical, *lrank);
    return physical;
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
        scion_stream_turn_tap(&container->front.stream, task);
    }
    return rc;
}

static int find_byte(struct scion_container *container, int task, sion_int64 chunk, sion_int64 pos,
                     struct scion_physical **physical, sion_int64 *offset)
{
    struct scion_place place;
    int lrank, rc;

    *physical = scion_tasks_locate(container, task, &lrank, &place);
    rc = scion_tasks_need_descriptor(&container->tasks, *physical);
    if (rc == 0 && scion_chunk_start(&place, chunk, offset))
        rc = scion_fail(SION_ERR_DAMAGED, "chunk %lld of task %d lies beyond any file's end", chunk,
                        task);
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

int scion_container_sync(struct scion_container *container)
{
    struct scion_tasks *tasks = &container->tasks;
    int rc = 0, i;

    if (container->view == SCION_VIEW_PARALLEL)
        return scion_file_sync(container->parallel.file);
    for (i = 0; i < tasks->nopen && rc == 0; i++) {
        rc = scion_tasks_need_descriptor(tasks, tasks->files[i]);
        if (rc == 0)
            rc = scion_file_sync(tasks->files[i]->file);
    }
    return rc;
}

int scion_container_check_written(const struct scion_container *container)
{
    const struct scion_tasks *tasks = &container->tasks;
    int rc = 0, i;

    if (container->view == SCION_VIEW_PARALLEL)
        return scion_file_check_written(container->parallel.file);
    for (i = 0; i < tasks->nopen && rc == 0; i++)
        rc = scion_physical_check_written(tasks->files[i]);
    return rc;
}

/* The tasks of a process that has several, and their files. */
#include <stdlib.h>

#include "base/error.h"
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

int scion_tasks_leap(struct scion_tasks *tasks, int task, sion_int64 floor)
{
    struct scion_lengths *lengths = &tasks->lengths[task];
    struct scion_mark *mark = &tasks->marks[task];
    int rc = mark->chunk < floor ? scion_lengths_extend(lengths, floor + 1) : 0;

    if (rc == 0 && mark->chunk < floor)
        *mark = (struct scion_mark){
            .chunk = floor, .before = mark->before + scion_lengths_used(lengths, mark->chunk)};
    return rc;
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
    free(tasks->forgotten);
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

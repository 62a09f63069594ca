/* One task of a container that several processes have opened together. */
#include <stdlib.h>

#include "base/error.h"
#include "file/private.h"

int scion_container_attach(const struct scion_meta1 *head, const struct scion_mode *mode,
                           struct scion_file *file, char *name, const struct scion_task *task,
                           struct scion_container **container)
{
    const struct scion_mark start = {0, 0, 0};
    struct scion_container *new;
    struct scion_parallel_view *view;
    int rc = scion_container_new(SCION_VIEW_PARALLEL, mode, task->used == NULL, head, &new);

    if (rc != 0)
        return rc;
    view = &new->parallel;
    if (task->used) {
        scion_lengths_view(&view->lengths, task->used, 1, scion_placed_chunks(task->placed.count));
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

void scion_container_keep_physical(struct scion_container *container,
                                   struct scion_physical *physical)
{
    container->parallel.physical = physical;
}

int scion_parallel_view_free(struct scion_container *container)
{
    struct scion_parallel_view *view = &container->parallel;
    int rc = scion_physical_close(view->physical), other = scion_file_close(view->file);

    scion_lengths_free(&view->lengths);
    free(view->used);
    return scion_first_failure(rc, other);
}

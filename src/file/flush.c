/* The flush of a container that is written, and the end of its stream. */
#include "base/error.h"
#include "file/commits.h"
#include "file/private.h"
#include "file/zips.h"

static int flush_owner(struct scion_container *container)
{
    return container->owner && container->owner->flush ? container->owner->flush(container) : 0;
}

int scion_container_flush(struct scion_container *container)
{
    SCION_HOLD(&container->front.stream.hold);
    int rc = flush_owner(container), other;

    if (container->commits) {
        other = scion_commits_flush(container);
        return scion_first_failure(rc, other);
    }
    other = scion_stream_flush(&container->front.stream);
    rc = scion_first_failure(rc, other);
    if (rc != 0)
        return rc;
    return scion_container_syncs_flush(container)
               ? scion_file_sync(container->front.stream.file)
               : scion_file_check_flushed(container->front.stream.file);
}

int scion_container_finish_zips(struct scion_container *container)
{
    const struct scion_zips *zips = container->zips;
    int selected = container->selected, rc = 0, other, i;

    if (!zips || !container->front.stream.zip || !container->front.stream.lengths)
        return 0;
    for (i = 0; i < zips->n; i++) {
        other = 0;
        if (scion_container_has_tasks(container) && i != container->selected) {
            if (zips->tasks[i].n == zips->tasks[i].tabled)
                continue;
            other = scion_container_select(container, i);
        }
        if (other == 0)
            other = scion_zip_finish(&container->front.stream);
        rc = scion_first_failure(rc, other);
    }
    other = scion_container_has_tasks(container) ? scion_container_select(container, selected) : 0;
    return scion_first_failure(rc, other);
}

int scion_container_end_stream(struct scion_container *container)
{
    SCION_HOLD(&container->front.stream.hold);
    int is_there = container->front.stream.lengths != NULL;
    int rc = is_there ? scion_container_finish_zips(container) : 0;
    int other = container->commits && is_there ? scion_container_flush(container) : 0;

    rc = scion_first_failure(rc, other);
    other = scion_stream_close(&container->front.stream);
    return rc != 0 ? rc : other;
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

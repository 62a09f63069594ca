#include "file/zips.h"

#include <stdlib.h>

#include "base/error.h"
#include "file/private.h"
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
    for (i = 0; zips->tasks && i < zips->n; i++)
        scion_zip_task_free(&zips->tasks[i]);
    scion_zip_free(&zips->zip);
    free(zips->tasks);
    free(zips);
    container->zips = NULL;
    container->front.stream.zip = NULL;
}

void scion_zips_enter(struct scion_container *container, int task)
{
    if (!container->zips)
        return;
    container->zips->zip.task = &container->zips->tasks[task];
    container->front.stream.zip = &container->zips->zip;
}

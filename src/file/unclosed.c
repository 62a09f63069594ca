/* What is left of a container for which no close has come, at the end of its process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/commits.h"
#include "file/private.h"

static sion_int64 bytes_of(const struct scion_lengths *lengths)
{
    sion_int64 bytes = 0, chunk;

    for (chunk = 0; lengths->used && chunk < lengths->count; chunk++)
        bytes += scion_lengths_used(lengths, chunk);
    return bytes;
}

/* Of all tasks of this process. */
static sion_int64 written_bytes(const struct scion_container *container)
{
    const struct scion_tasks *tasks = &container->tasks;
    sion_int64 bytes = 0;
    int task;

    if (!scion_container_has_tasks(container))
        return bytes_of(scion_container_lengths(container, 0));
    for (task = tasks->last_visited; task > 0; task = tasks->visited[task - 1])
        bytes += bytes_of(&tasks->lengths[task - 1]);
    return bytes;
}

/* Since the last state that this process has published, or went on with. */
static sion_int64 news_bytes(const struct scion_lengths *lengths, int *is_told)
{
    const struct scion_lengths news = scion_lengths_news(lengths);

    if (!lengths->used)
        return 0;
    *is_told |= lengths->told > 0;
    return bytes_of(&news) - (lengths->told > 0 ? lengths->told_last : 0);
}

int scion_container_was_published(const struct scion_container *container, sion_int64 *news)
{
    const struct scion_tasks *tasks = &container->tasks;
    int task, is_told = 0;

    *news = 0;
    if (!scion_container_has_tasks(container))
        *news = news_bytes(scion_container_lengths(container, 0), &is_told);
    for (task = scion_container_has_tasks(container) ? tasks->last_visited : 0; task > 0;
         task = tasks->visited[task - 1])
        *news += news_bytes(&tasks->lengths[task - 1], &is_told);
    return is_told;
}

static int save(struct scion_container *container)
{
    struct scion_stream *stream = &container->front.stream;
    const struct scion_owner *owner = container->owner;
    int rc = owner && owner->save ? owner->save(container) : 0, other = scion_stream_save(stream);

    rc = scion_first_failure(rc, other);
    if (rc == 0 && stream->file && scion_container_syncs_flush(container))
        rc = scion_file_sync(stream->file);
    other = container->commits && stream->file ? scion_commits_write_left(container) : 0;
    return scion_first_failure(rc, other);
}

int scion_container_save(struct scion_container *container, sion_int64 *bytes)
{
    struct scion_hold *hold = &container->front.stream.hold;
    int rc;

    *bytes = 0;
    if (!scion_hold_try(hold))
        return scion_fail(SCION_IN_A_CALL, "a call that changes it has not ended");
    rc = save(container);
    *bytes = written_bytes(container);
    scion_hold_release(hold);
    return rc;
}

void scion_container_forget(struct scion_container *container)
{
    scion_stream_forget(&container->front.stream);
}

/* Whether the files of the container get their names at its close only. */
static int is_beside(const struct scion_container *container)
{
    if (container->view == SCION_VIEW_PARALLEL)
        return strcmp(scion_file_path(container->parallel.file), container->name) != 0;
    return container->tasks.nopen > 0 && container->tasks.files[0]->final;
}

/* Of a container of which this process has opened file `number` > 0: the name of file 0, unless the
   application has named its files itself. */
char *scion_name_of_set(const char *name, int number)
{
    char suffix[16], *base = strdup(name);
    size_t length = strlen(name), more;

    more = (size_t)snprintf(suffix, sizeof suffix, ".%06d", number);
    if (base && number > 0 && length > more && strcmp(name + length - more, suffix) == 0)
        base[length - more] = '\0';
    return base;
}

char *scion_container_unclosed_name(const struct scion_container *container)
{
    int number = container->view == SCION_VIEW_PARALLEL ? container->head.filenumber : 0;
    const char *path =
        container->view == SCION_VIEW_MAPPED ? scion_container_path(container, &number) : NULL;
    char *name = scion_name_of_set(path ? path : container->name, number), *beside;

    if (!name || !is_beside(container))
        return name;
    beside = scion_physical_beside(name, name, container->head.flag2, 0);
    free(name);
    return beside;
}

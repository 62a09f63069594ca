/* The states of a container that one process writes: at its close, and published before. */
#include "base/error.h"
#include "file/checksum_tap.h"
#include "file/generations.h"
#include "file/private.h"
#include "file/stats.h"
#include "file/zips.h"

/* ---- generations ---- */

/* Before a state: what it has. */
static void choose_generations(struct scion_container *container)
{
    struct scion_generations *generations = container->tasks.files[0]->generations;
    const struct scion_tasks *tasks = &container->tasks;
    int task;

    if (!generations)
        return;
    generations->is_new = 0;
    generations->forget = container->forget;
    for (task = tasks->last_visited; task > 0; task = tasks->visited[task - 1])
        generations->is_new |= scion_lengths_has_bytes(&tasks->lengths[task - 1]);
}

/* Before the checksums of a state: which chunks have none. */
static void drop_chunks(struct scion_container *container)
{
    const struct scion_generations *generations = container->tasks.files[0]->generations;
    struct scion_tasks *tasks = &container->tasks;
    int task;

    for (task = generations ? tasks->last_visited : 0; task > 0; task = tasks->visited[task - 1])
        tasks->lengths[task - 1].forgotten = generations->forgotten;
}

/* With generations: each task goes on in the first free block. */
static int leap_all(struct scion_container *container)
{
    struct scion_tasks *tasks = &container->tasks;
    sion_int64 floor = tasks->files[0]->floor;
    int rc = 0, task;

    if (!tasks->files[0]->generations)
        return 0;
    scion_zips_begin_generation(container);
    for (task = tasks->last_visited; task > 0 && rc == 0; task = tasks->visited[task - 1]) {
        if (task - 1 != container->selected)
            rc = scion_tasks_leap(tasks, task - 1, floor);
    }
    return rc == 0 ? scion_stream_leap(&container->front.stream) : rc;
}

int scion_serial_visit_all(struct scion_container *container)
{
    struct scion_tasks *tasks = &container->tasks;
    int rc = 0, t;

    for (t = 0; t < container->ntasks && rc == 0; t++) {
        if (tasks->lengths[t].count > 0)
            continue;
        rc = scion_lengths_new(&tasks->lengths[t]);
        if (rc == 0)
            scion_tasks_visit(tasks, t);
    }
    return rc;
}

int scion_serial_begin_generation(struct scion_container *container)
{
    struct scion_tasks *tasks = &container->tasks;
    int rc = leap_all(container), t;

    for (t = 0; t < container->ntasks; t++)
        scion_lengths_tell(&tasks->lengths[t]);
    return rc;
}

/* ---- the close ---- */

static int write_tables(struct scion_container *container)
{
    static const struct scion_mapping no_tasks = {.size = 0};
    const struct scion_length_source written = scion_length_source_of(container->tasks.lengths);
    int rc;

    choose_generations(container);
    rc = scion_physical_finish(container->tasks.files[0], &written, &no_tasks);
    drop_chunks(container);
    return rc == 0 && container->sums ? scion_checksum_write_serial(container, &no_tasks) : rc;
}

int scion_serial_finish(struct scion_container *container, int rc)
{
    struct scion_physical *file = container->tasks.files[0];
    int other;

    /* A generation that lacks data does not count: the newest one stays. */
    if (rc != 0 && file->generations && file->tail_start > 0)
        return rc;
    other = write_tables(container);
    if (other == 0)
        other = scion_physical_switch(file, 1);
    if (other == 0)
        scion_generations_punch(file);
    rc = scion_first_failure(rc, other);
    if (rc == 0)
        rc = scion_physical_settle(file);
    return rc == 0 ? scion_physical_commit(file) : rc;
}

/* ---- publishing ---- */

static int has_news(const struct scion_container *container)
{
    return scion_container_has_news(container) || container->tasks.files[0]->tail_start == 0 ||
           container->forget > 0;
}

/* Tasks that were never selected have no lengths. */
static sion_int64 count_news(const void *context, int task)
{
    const struct scion_lengths *lengths = context;

    return scion_lengths_news(&lengths[task]).count;
}

static sion_int64 used_news(const void *context, int task, sion_int64 i)
{
    const struct scion_lengths *lengths = context, news = scion_lengths_news(&lengths[task]);

    return scion_lengths_used(&news, i);
}

/* Tables and checksums of a state, and the switch to it. */
static int publish(struct scion_container *container)
{
    static const struct scion_mapping no_tasks = {.size = 0};
    struct scion_tasks *tasks = &container->tasks;
    const struct scion_length_source news = {count_news, used_news, tasks->lengths, NULL};
    struct scion_physical *physical = tasks->files[0];
    int rc, task;

    choose_generations(container);
    rc = scion_physical_publish(physical, &news, &no_tasks, container->sums != NULL);
    drop_chunks(container);
    if (rc == 0 && container->sums)
        rc = scion_checksum_write_serial(container, &no_tasks);
    if (rc == 0)
        rc = scion_physical_switch(physical, 0);
    scion_physical_settle_state(physical, rc == 0);
    if (rc == 0) {
        scion_checksum_tap_told(container->sums);
        container->front.stream.place.floor = physical->floor;
        container->forget = 0;
        rc = leap_all(container);
    }
    for (task = tasks->last_visited; rc == 0 && task > 0; task = tasks->visited[task - 1])
        scion_lengths_tell(&tasks->lengths[task - 1]);
    return rc;
}

int scion_publish_check(const struct scion_container *container)
{
    const char *why = NULL;

    if (!container->writing)
        why = "it is open for reading";
    else if (container->commits)
        why = "it has commit records (mode word recover)";
    else if (container->view == SCION_VIEW_ALL && container->tasks.files[0]->final)
        why = "it gets its name at the close";
    return why ? scion_fail(SION_ERR_MODE, "%s cannot be published: %s", container->name, why) : 0;
}

void scion_publish_by_clock(struct scion_container *container, const struct scion_mode *mode)
{
    container->publishes = mode->publish && scion_publish_check(container) == 0;
    container->interval = mode->publish_seconds;
    container->published = scion_seconds();
}

int scion_container_is_due(const struct scion_container *container)
{
    return container->publishes && scion_seconds() - container->published >= container->interval;
}

int scion_container_publish(struct scion_container *container)
{
    SCION_HOLD(&container->front.stream.hold);
    struct scion_stream *stream = &container->front.stream;
    struct scion_physical *physical;
    int rc = scion_publish_check(container);

    if (rc != 0)
        return rc;
    physical = container->tasks.files[0];
    rc = scion_container_finish_zips(container);
    if (rc == 0)
        rc = scion_stream_flush(stream);
    if (rc == 0 && scion_container_syncs_close(container))
        rc = scion_container_sync(container);
    container->published = scion_seconds();
    if (rc != 0 || !has_news(container))
        return rc;
    physical->grows = 1;
    rc = publish(container);
    stream->place.floor = physical->floor;
    return rc;
}

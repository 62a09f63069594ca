/* Arrays over all tasks, for applications. */
#include "file/container.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/mapped.h"
#include "file/private.h"

struct scion_location_arrays {
    sion_int64 *chunksizes, *globalranks, *counts; /* [ntasks] */
    sion_int64 *used;                              /* [capacity * ntasks] */
    sion_int64 capacity;                           /* chunks */
    struct scion_location_arrays *older;           /* outgrown, but an application may have them */
};

static void combined_free(struct scion_location_arrays *location_arrays)
{
    struct scion_location_arrays *older;

    for (; location_arrays; location_arrays = older) {
        older = location_arrays->older;
        free(location_arrays->chunksizes);
        free(location_arrays->globalranks);
        free(location_arrays->counts);
        free(location_arrays->used);
        free(location_arrays);
    }
}

void scion_answers_free(struct scion_answers *answers)
{
    combined_free(answers->location_arrays);
    free(answers->offsets);
    free(answers->chunks);
}

static int combined_new(size_t ntasks, size_t capacity,
                        struct scion_location_arrays **location_arrays)
{
    struct scion_location_arrays *new = calloc(1, sizeof *new);

    if (!new)
        return scion_fail_memory("locations");
    new->chunksizes = scion_array(ntasks, sizeof(sion_int64));
    new->globalranks = scion_array(ntasks, sizeof(sion_int64));
    new->counts = scion_array(ntasks, sizeof(sion_int64));
    new->used = scion_array(scion_elements(ntasks, capacity), sizeof(sion_int64));
    if (!new->chunksizes || !new->globalranks || !new->counts || !new->used) {
        combined_free(new);
        return scion_fail_memory("locations");
    }
    new->capacity = (sion_int64)capacity;
    new->older = *location_arrays;
    *location_arrays = new;
    return 0;
}

/* Chunk lengths of any task, visited or not; reading. */
static struct scion_lengths view_task(const struct scion_container *container, int task)
{
    struct scion_lengths lengths;
    const struct scion_physical *physical;
    int file, lrank;

    scion_container_locate(container, task, &file, &lrank);
    physical = container->tasks.files[file];
    scion_lengths_view(&lengths, physical->used + lrank, (size_t)physical->head.ntasks,
                       physical->counts[lrank]);
    return lengths;
}

/* Entries of chunks that a task does not have: -1 in sets of files, 0 elsewhere, as in SIONlib. */
static void fill_used(struct scion_location_arrays *location_arrays,
                      const struct scion_container *container, int task,
                      const struct scion_lengths *lengths, sion_int64 maxchunks)
{
    size_t n = (size_t)container->ntasks;
    sion_int64 b;

    location_arrays->counts[task] = lengths->count > 0 ? lengths->count : 1;
    for (b = 0; b < maxchunks; b++)
        location_arrays->used[(size_t)b * n + (size_t)task] =
            b < lengths->count ? scion_lengths_used(lengths, b)
                               : (container->serial.mapping ? -1 : 0);
}

static void fill_combined(struct scion_location_arrays *location_arrays,
                          const struct scion_container *container, sion_int64 maxchunks)
{
    int task;

    for (task = 0; task < container->ntasks; task++) {
        struct scion_lengths lengths =
            container->writing ? container->tasks.lengths[task] : view_task(container, task);
        int file, lrank;

        scion_container_locate(container, task, &file, &lrank);
        location_arrays->chunksizes[task] = container->tasks.files[file]->chunksizes[lrank];
        if (container->writing) /* what data may take */
            location_arrays->chunksizes[task] =
                scion_physical_place(container->tasks.files[file], lrank).chunksize;
        location_arrays->globalranks[task] = container->tasks.files[file]->globalranks[lrank];
        fill_used(location_arrays, container, task, &lengths, maxchunks);
    }
}

static sion_int64 most_chunks_written(const struct scion_container *container)
{
    sion_int64 most = 1;
    int task;

    for (task = 0; task < container->ntasks; task++) {
        if (container->tasks.lengths[task].count > most)
            most = container->tasks.lengths[task].count;
    }
    return most;
}

/*
 * Writing: bring the arrays up to date. Arrays that have become too small are kept, because
 * applications may still read them; each new one is twice as large, which limits the memory.
 */
static int update_combined(struct scion_container *container)
{
    sion_int64 pos, maxchunks,
        capacity = container->serial.answers.location_arrays
                       ? container->serial.answers.location_arrays->capacity
                       : 0;
    int rc = scion_stream_pos(&container->front.stream, &pos);

    if (rc != 0)
        return rc;
    maxchunks = most_chunks_written(container);
    if (maxchunks > capacity)
        rc = combined_new((size_t)container->ntasks,
                          (size_t)(maxchunks > 2 * capacity ? maxchunks : 2 * capacity),
                          &container->serial.answers.location_arrays);
    if (rc == 0) {
        container->maxchunks = (int)maxchunks;
        fill_combined(container->serial.answers.location_arrays, container, maxchunks);
    }
    return rc;
}

/* A set of files: the arrays are made once. */
static int need_combined(struct scion_container *container)
{
    int rc;

    if (container->writing)
        return update_combined(container);
    if (container->serial.answers.location_arrays)
        return 0;
    rc = combined_new((size_t)container->ntasks, (size_t)container->maxchunks,
                      &container->serial.answers.location_arrays);
    if (rc == 0)
        fill_combined(container->serial.answers.location_arrays, container, container->maxchunks);
    return rc;
}

static void locations_of_file(const struct scion_physical *physical,
                              struct scion_locations *locations)
{
    locations->globalskip = physical->layout.globalskip;
    if (!physical->is_written)
        locations->start_of_varheader = physical->start_of_varheader;
    locations->chunksizes = physical->chunksizes;
    locations->globalranks = physical->globalranks;
}

int scion_container_locations(struct scion_container *container, struct scion_locations *locations)
{
    int rc =
        container->view == SCION_VIEW_RANK ? scion_physical_complete(container->one.physical) : 0;
    memset(locations, 0, sizeof *locations);
    if (rc != 0)
        return rc;
    locations->globalskip = container->front.stream.place.globalskip;
    locations->start_of_varheader = -1;
    locations->maxchunks = container->maxchunks;
    if (container->view == SCION_VIEW_RANK)
        locations_of_file(container->one.physical, locations);
    if (container->view != SCION_VIEW_ALL)
        return 0;
    locations_of_file(container->tasks.files[0], locations);
    locations->globalskip = container->front.stream.place.globalskip;
    if (!container->serial.mapping && !container->writing) {
        locations->counts = container->tasks.files[0]->counts;
        locations->used = container->tasks.files[0]->used;
        return 0;
    }
    rc = need_combined(container);
    if (rc != 0)
        return rc;
    locations->maxchunks = container->maxchunks;
    locations->chunksizes = container->serial.answers.location_arrays->chunksizes;
    locations->globalranks = container->serial.answers.location_arrays->globalranks;
    locations->counts = container->serial.answers.location_arrays->counts;
    locations->used = container->serial.answers.location_arrays->used;
    return 0;
}

int scion_container_task_chunks(struct scion_container *container, sion_int64 *count,
                                sion_int64 **used)
{
    struct scion_lengths *lengths = container->front.stream.lengths;
    sion_int64 pos;
    int rc = scion_stream_pos(&container->front.stream, &pos);
    *count = lengths->count;
    return rc != 0 ? rc : scion_lengths_show(lengths, used);
}

static int own_pair(struct scion_container *container, int **pairs)
{
    struct scion_rank_view *view = &container->one;

    if (container->nfiles <= 1)
        return -1;
    view->pair[0] = container->head.filenumber;
    view->pair[1] = container->lrank;
    *pairs = view->pair;
    return 1;
}

int scion_container_pairs(struct scion_container *container, int **pairs)
{
    const struct scion_mapping *mapping = scion_container_mapping(container);

    *pairs = mapping ? mapping->pairs : NULL;
    if (mapping)
        return mapping->size;
    if (container->view == SCION_VIEW_RANK)
        return own_pair(container, pairs);
    return container->view == SCION_VIEW_MAPPED && container->writing ? container->mapped.all : -1;
}

int scion_container_filenumber(const struct scion_container *container)
{
    return container->view == SCION_VIEW_MAPPED && container->writing && container->ntasks > 0
               ? container->mapped.tasks[container->selected].file
               : container->head.filenumber;
}

/* One of the arrays of [ntasks] for the cursors, made once: applications keep it. */
static int need_array(sion_int64 **array, size_t n)
{
    if (!*array)
        *array = scion_array(n, sizeof **array);
    return *array ? 0 : scion_fail_memory("query");
}

int scion_container_cursors(struct scion_container *container, sion_int64 **offsets,
                            sion_int64 **chunks)
{
    const struct scion_physical *physical;
    size_t n = (size_t)container->ntasks;
    struct scion_mark mark = {.chunk = container->front.stream.chunk};
    int task, rc;

    *offsets = *chunks = NULL;
    if (container->view != SCION_VIEW_ALL || container->serial.mapping)
        return 0;
    rc = scion_stream_pos(&container->front.stream, &mark.pos);
    if (rc != 0)
        return rc;
    container->tasks.marks[container->selected].chunk = mark.chunk;
    container->tasks.marks[container->selected].pos = mark.pos;
    if (need_array(&container->serial.answers.offsets, n) != 0 ||
        need_array(&container->serial.answers.chunks, n) != 0)
        return SION_ERR_MEMORY;
    *offsets = container->serial.answers.offsets;
    *chunks = container->serial.answers.chunks;
    physical = container->tasks.files[0];
    for (task = 0; task < container->ntasks; task++) {
        mark = container->tasks.marks[task];
        (*chunks)[task] = mark.chunk;
        (*offsets)[task] =
            physical->starts[task] + mark.chunk * physical->layout.globalskip + mark.pos;
    }
    return 0;
}

static sion_int64 cost_of_file(const struct scion_physical *physical)
{
    sion_int64 n = physical->head.ntasks;

    return (sion_int64)sizeof *physical + (physical->starts ? 24 * n : 0) +
           (physical->used ? 8 * n : 0) + (physical->used ? 8 * n * physical->maxchunks : 0) +
           (physical->mapping.pairs ? 8 * (sion_int64)physical->mapping.size : 0) +
           scion_guard_cost(physical->guard);
}

static void add_tasks(const struct scion_container *container, sion_int64 *bytes, int *descriptors)
{
    const struct scion_tasks *tasks = &container->tasks;
    int i;

    if (tasks->lengths)
        *bytes += container->ntasks * (sion_int64)(sizeof *tasks->lengths + sizeof *tasks->marks +
                                                   sizeof *tasks->visited);
    if (tasks->forgotten)
        *bytes += container->ntasks * (sion_int64)sizeof *tasks->forgotten;
    for (i = 0; i < tasks->nopen; i++) {
        *bytes += cost_of_file(tasks->files[i]);
        *descriptors += tasks->files[i]->file != NULL;
    }
}

void scion_container_cost(const struct scion_container *container, sion_int64 *bytes,
                          int *descriptors)
{
    const struct scion_physical *physical = scion_container_physical(container);
    const struct scion_stream *stream = &container->front.stream;

    *bytes = (sion_int64)sizeof *container;
    *descriptors = physical != NULL;
    if (container->view == SCION_VIEW_PARALLEL) {
        *descriptors += container->parallel.file != NULL;
        *bytes += scion_guard_cost(container->parallel.guard);
    }
    if (stream->buffer)
        *bytes += (sion_int64)stream->buffer_size;
    if (container->view == SCION_VIEW_RANK)
        *bytes += 8 * container->one.column.count;
    if (physical)
        *bytes += cost_of_file(physical);
    add_tasks(container, bytes, descriptors);
}

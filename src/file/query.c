#include "file/container.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/mapped.h"
#include "file/private.h"

struct scion_combined {
    sion_int64 *chunksizes, *globalranks, *counts; /* [ntasks] */
    sion_int64 *used;                              /* [capacity * ntasks] */
    sion_int64 capacity;                           /* chunks */
    struct scion_combined *older;                  /* outgrown, but an application may have them */
};

void scion_combined_free(struct scion_combined *combined)
{
    struct scion_combined *older;

    for (; combined; combined = older) {
        older = combined->older;
        free(combined->chunksizes);
        free(combined->globalranks);
        free(combined->counts);
        free(combined->used);
        free(combined);
    }
}

static int combined_new(size_t ntasks, size_t capacity, struct scion_combined **combined)
{
    struct scion_combined *new = calloc(1, sizeof *new);

    if (!new)
        return scion_fail_memory("locations");
    new->chunksizes = malloc(ntasks * sizeof(sion_int64));
    new->globalranks = malloc(ntasks * sizeof(sion_int64));
    new->counts = malloc(ntasks * sizeof(sion_int64));
    new->used = malloc(ntasks * capacity * sizeof(sion_int64));
    if (!new->chunksizes || !new->globalranks || !new->counts || !new->used) {
        scion_combined_free(new);
        return scion_fail_memory("locations");
    }
    new->capacity = (sion_int64)capacity;
    new->older = *combined;
    *combined = new;
    return 0;
}

/* Chunk lengths of any task, visited or not; reading. */
static struct scion_lengths view_task(const struct scion_container *container, int rank)
{
    struct scion_lengths lengths;
    const struct scion_physical *physical;
    int file, lrank;

    scion_container_locate(container, rank, &file, &lrank);
    physical = container->files[file];
    scion_lengths_view(&lengths, physical->used + lrank, (size_t)physical->head.ntasks,
                       physical->counts[lrank]);
    return lengths;
}

/* Entries of chunks that a task does not have: -1 in sets of files, 0 elsewhere, as in SIONlib. */
static void fill_used(struct scion_combined *combined, const struct scion_container *container,
                      int rank, const struct scion_lengths *lengths, sion_int64 maxchunks)
{
    size_t n = (size_t)container->ntasks;
    sion_int64 b;

    combined->counts[rank] = lengths->count > 0 ? lengths->count : 1;
    for (b = 0; b < maxchunks; b++)
        combined->used[(size_t)b * n + (size_t)rank] =
            b < lengths->count ? scion_lengths_used(lengths, b) : (container->mapping ? -1 : 0);
}

static void fill_combined(struct scion_combined *combined, const struct scion_container *container,
                          sion_int64 maxchunks)
{
    int rank;

    for (rank = 0; rank < container->ntasks; rank++) {
        struct scion_lengths lengths =
            container->writing ? container->lengths[rank] : view_task(container, rank);
        int file, lrank;

        scion_container_locate(container, rank, &file, &lrank);
        combined->chunksizes[rank] = container->files[file]->chunksizes[lrank];
        combined->globalranks[rank] = container->files[file]->globalranks[lrank];
        fill_used(combined, container, rank, &lengths, maxchunks);
    }
}

static sion_int64 most_chunks_written(const struct scion_container *container)
{
    sion_int64 most = 1;
    int rank;

    for (rank = 0; rank < container->ntasks; rank++) {
        if (container->lengths[rank].count > most)
            most = container->lengths[rank].count;
    }
    return most;
}

/*
 * Writing: brought up to date. Arrays that are too small by now stay, so that what was given out
 * before can still be read; they double, which bounds what that takes.
 */
static int update_combined(struct scion_container *container)
{
    sion_int64 pos, maxchunks, capacity = container->combined ? container->combined->capacity : 0;
    int rc = scion_stream_pos(&container->stream, &pos);

    if (rc != 0)
        return rc;
    maxchunks = most_chunks_written(container);
    if (maxchunks > capacity)
        rc = combined_new((size_t)container->ntasks,
                          (size_t)(maxchunks > 2 * capacity ? maxchunks : 2 * capacity),
                          &container->combined);
    if (rc == 0) {
        container->maxchunks = (int)maxchunks;
        fill_combined(container->combined, container, maxchunks);
    }
    return rc;
}

/* A set of files: made once. */
static int need_combined(struct scion_container *container)
{
    int rc;

    if (container->writing)
        return update_combined(container);
    if (container->combined)
        return 0;
    rc =
        combined_new((size_t)container->ntasks, (size_t)container->maxchunks, &container->combined);
    if (rc == 0)
        fill_combined(container->combined, container, container->maxchunks);
    return rc;
}

static void locations_of_file(const struct scion_physical *physical,
                              struct scion_locations *locations)
{
    locations->globalskip = physical->layout.globalskip;
    locations->start_of_varheader = physical->start_of_varheader;
    locations->chunksizes = physical->chunksizes;
    locations->globalranks = physical->globalranks;
}

int scion_container_locations(struct scion_container *container, struct scion_locations *locations)
{
    int rc;

    memset(locations, 0, sizeof *locations);
    locations->globalskip = container->stream.place.globalskip;
    locations->start_of_varheader = -1;
    locations->maxchunks = container->maxchunks;
    if (container->view == SCION_VIEW_RANK)
        locations_of_file(container->physical, locations);
    if (container->view != SCION_VIEW_ALL)
        return 0;
    locations_of_file(container->files[0], locations);
    locations->globalskip = container->stream.place.globalskip;
    if (!container->mapping && !container->writing) {
        locations->counts = container->files[0]->counts;
        locations->used = container->files[0]->used;
        return 0;
    }
    rc = need_combined(container);
    if (rc != 0)
        return rc;
    locations->maxchunks = container->maxchunks;
    locations->chunksizes = container->combined->chunksizes;
    locations->globalranks = container->combined->globalranks;
    locations->counts = container->combined->counts;
    locations->used = container->combined->used;
    return 0;
}

int scion_container_task_chunks(struct scion_container *container, sion_int64 *count,
                                sion_int64 **used)
{
    struct scion_lengths *lengths = container->stream.lengths;
    sion_int64 pos;
    int rc = scion_stream_pos(&container->stream, &pos);

    *count = lengths->count;
    return rc != 0 ? rc : scion_lengths_show(lengths, used);
}

int scion_container_pairs(struct scion_container *container, int **pairs)
{
    *pairs = NULL;
    if (container->mapping) {
        *pairs = container->mapping->pairs;
        return container->mapping->size;
    }
    if (container->view == SCION_VIEW_RANK && container->nfiles > 1) {
        container->pair[0] = container->head.filenumber;
        container->pair[1] = container->lrank;
        *pairs = container->pair;
        return 1;
    }
    return container->view == SCION_VIEW_MAPPED && container->writing ? container->all : -1;
}

int scion_container_filenumber(const struct scion_container *container)
{
    return container->view == SCION_VIEW_MAPPED && container->writing && container->ntasks > 0
               ? container->attached[container->rank].filenumber
               : container->head.filenumber;
}

/* One of the arrays of [ntasks] for the cursors, made once: applications keep it. */
static int need_array(sion_int64 **array, size_t n)
{
    if (!*array)
        *array = malloc(n * sizeof **array);
    return *array ? 0 : scion_fail_memory("query");
}

int scion_container_cursors(struct scion_container *container, sion_int64 **offsets,
                            sion_int64 **chunks)
{
    const struct scion_physical *physical;
    size_t n = (size_t)container->ntasks;
    struct scion_mark mark = {.chunk = container->stream.chunk};
    int rank, rc;

    *offsets = *chunks = NULL;
    if (container->view != SCION_VIEW_ALL || container->mapping)
        return 0;
    rc = scion_stream_pos(&container->stream, &mark.pos);
    if (rc != 0)
        return rc;
    container->marks[container->rank].chunk = mark.chunk;
    container->marks[container->rank].pos = mark.pos;
    if (need_array(&container->cursors[0], n) != 0 || need_array(&container->cursors[1], n) != 0)
        return SION_ERR_MEMORY;
    *offsets = container->cursors[0];
    *chunks = container->cursors[1];
    physical = container->files[0];
    for (rank = 0; rank < container->ntasks; rank++) {
        mark = container->marks[rank];
        (*chunks)[rank] = mark.chunk;
        (*offsets)[rank] =
            physical->starts[rank] + mark.chunk * physical->layout.globalskip + mark.pos;
    }
    return 0;
}

static sion_int64 cost_of_file(const struct scion_physical *physical)
{
    sion_int64 n = physical->head.ntasks;

    return (sion_int64)sizeof *physical + (physical->starts ? 24 * n : 0) +
           (physical->used ? 8 * n : 0) + (physical->used ? 8 * n * physical->maxchunks : 0) +
           (physical->mapping.size > 0 ? 8 * (sion_int64)physical->mapping.size : 0);
}

void scion_container_cost(const struct scion_container *container, sion_int64 *bytes,
                          int *descriptors)
{
    int i;

    *bytes = (sion_int64)sizeof *container;
    *descriptors = (container->physical != NULL) + (container->file != NULL);
    if (container->stream.buffer)
        *bytes += (sion_int64)container->stream.buffer_size;
    if (container->lengths)
        *bytes +=
            container->ntasks * (sion_int64)(sizeof *container->lengths + sizeof *container->marks);
    for (i = 0; i < container->nopen; i++) {
        *bytes += cost_of_file(container->files[i]);
        *descriptors += container->files[i]->file != NULL;
    }
    if (container->physical)
        *bytes += cost_of_file(container->physical);
}

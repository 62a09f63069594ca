#include "file/container.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/private.h"

struct scion_combined {
    sion_int64 *chunksizes, *globalranks, *counts; /* [ntasks] */
    sion_int64 *used;                              /* [maxchunks * ntasks] */
};

void scion_combined_free(struct scion_combined *combined)
{
    if (!combined)
        return;
    free(combined->chunksizes);
    free(combined->globalranks);
    free(combined->counts);
    free(combined->used);
    free(combined);
}

static int combined_new(size_t ntasks, size_t maxchunks, struct scion_combined **combined)
{
    struct scion_combined *new = calloc(1, sizeof *new);

    if (!new)
        return scion_fail_memory("locations");
    new->chunksizes = malloc(ntasks * sizeof(sion_int64));
    new->globalranks = malloc(ntasks * sizeof(sion_int64));
    new->counts = malloc(ntasks * sizeof(sion_int64));
    new->used = malloc(ntasks * maxchunks * sizeof(sion_int64));
    if (!new->chunksizes || !new->globalranks || !new->counts || !new->used) {
        scion_combined_free(new);
        return scion_fail_memory("locations");
    }
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

/* A set of files: made once. Writing: made anew, what was given out before is gone. */
static int need_combined(struct scion_container *container)
{
    sion_int64 pos, maxchunks = container->maxchunks;
    int rc;

    if (container->writing) {
        rc = scion_stream_pos(&container->stream, &pos);
        if (rc != 0)
            return rc;
        maxchunks = most_chunks_written(container);
        scion_combined_free(container->combined);
        container->combined = NULL;
    }
    if (container->combined)
        return 0;
    rc = combined_new((size_t)container->ntasks, (size_t)maxchunks, &container->combined);
    if (rc == 0) {
        container->maxchunks = (int)maxchunks;
        fill_combined(container->combined, container, maxchunks);
    }
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
    int file, lrank, rc;

    memset(locations, 0, sizeof *locations);
    locations->globalskip = container->stream.place.globalskip;
    locations->start_of_varheader = -1;
    locations->maxchunks = container->maxchunks;
    if (container->view == SCION_VIEW_RANK)
        locations_of_file(container->physical, locations);
    if (container->view != SCION_VIEW_ALL)
        return 0;
    scion_container_locate(container, 0, &file, &lrank);
    locations_of_file(container->files[file], locations);
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

/* Make scratch array i anew with n entries. */
static sion_int64 *need_scratch(struct scion_container *container, int i, size_t n)
{
    free(container->scratch[i]);
    container->scratch[i] = malloc(n * sizeof(sion_int64));
    if (!container->scratch[i])
        scion_fail_memory("query");
    return container->scratch[i];
}

int scion_container_task_chunks(struct scion_container *container, sion_int64 *count,
                                sion_int64 **used)
{
    const struct scion_lengths *lengths = container->stream.lengths;
    sion_int64 b, pos;
    int rc = scion_stream_pos(&container->stream, &pos);

    if (rc != 0)
        return rc;
    *count = lengths->count;
    *used = lengths->used;
    if (lengths->stride == 1)
        return 0;
    *used = need_scratch(container, 0, (size_t)lengths->count);
    for (b = 0; *used && b < lengths->count; b++)
        (*used)[b] = scion_lengths_used(lengths, b);
    return *used ? 0 : SION_ERR_MEMORY;
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
    *offsets = need_scratch(container, 1, n);
    *chunks = need_scratch(container, 2, n);
    if (!*offsets || !*chunks)
        return SION_ERR_MEMORY;
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

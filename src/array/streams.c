#include "array/streams.h"

#include <stdlib.h>

#include "array/numbers.h"
#include "base/error.h"
#include "base/memory.h"

struct scion_array_streams {
    struct sion_layer_parts *parts;
    int ntasks, nfiles;
    int *part_of;             /* [ntasks] by the task's number */
    sion_int64 **ends;        /* [ntasks] by part: where each chunk ends in the stream, or NULL */
    struct scion_file **open; /* [nfiles] */
    int recent[SCION_DESCRIPTORS]; /* those that are open, -1: none */
    int most, next;                /* at most so many */
};

static int number_parts(struct scion_array_streams *streams)
{
    size_t n = (size_t)streams->ntasks;
    sion_int64 *ranks = scion_array(n + 1, sizeof *ranks);
    int *numbers = scion_array(n + 1, sizeof *numbers), i;
    struct sion_layer_part part;

    if (!ranks || !numbers) {
        free(ranks);
        free(numbers);
        return scion_fail_memory("tasks");
    }
    for (i = 0; i < streams->ntasks; i++) {
        sion_layer_parts_get(streams->parts, i, &part);
        ranks[i] = part.globalrank;
    }
    scion_array_number_tasks(ranks, streams->ntasks, numbers);
    for (i = 0; i < streams->ntasks; i++)
        streams->part_of[numbers[i]] = i;
    free(ranks);
    free(numbers);
    return 0;
}

static int fill(struct scion_array_streams *streams)
{
    int i;

    streams->ntasks = sion_layer_parts_count(streams->parts);
    streams->nfiles = sion_layer_parts_files(streams->parts);
    streams->part_of = calloc((size_t)streams->ntasks + 1, sizeof *streams->part_of);
    streams->ends = calloc((size_t)streams->ntasks + 1, sizeof(sion_int64 *));
    streams->open = calloc((size_t)streams->nfiles + 1, sizeof(struct scion_file *));
    streams->most = scion_set_descriptors();
    for (i = 0; i < SCION_DESCRIPTORS; i++)
        streams->recent[i] = -1;
    return streams->part_of && streams->ends && streams->open ? number_parts(streams)
                                                              : scion_fail_memory("tasks");
}

int scion_array_streams_open(const char *name, struct scion_array_streams **streams)
{
    struct scion_array_streams *new = calloc(1, sizeof *new);
    int rc = new ? sion_layer_parts_open(name, &new->parts) : scion_fail_memory("container");

    if (rc != 0) {
        free(new);
        return rc;
    }
    rc = fill(new);
    if (rc != 0)
        scion_array_streams_close(new);
    else
        *streams = new;
    return rc;
}

void scion_array_streams_close(struct scion_array_streams *streams)
{
    int i;

    if (!streams)
        return;
    for (i = 0; streams->ends && i < streams->ntasks; i++)
        free(streams->ends[i]);
    for (i = 0; i < SCION_DESCRIPTORS; i++) {
        if (streams->recent[i] >= 0)
            scion_file_close(streams->open[streams->recent[i]]);
    }
    sion_layer_parts_close(streams->parts);
    free(streams->part_of);
    free(streams->ends);
    free(streams->open);
    free(streams);
}

int scion_array_streams_count(const struct scion_array_streams *streams)
{
    return streams->ntasks;
}

/* ---- places ---- */

/* A task's part, and where its chunks end in its stream; NULL: it has none, is damaged, or there is
   no memory. */
static const sion_int64 *find_part(struct scion_array_streams *streams, int task,
                                   struct sion_layer_part *part)
{
    int at = streams->part_of[task];
    sion_int64 *ends = streams->ends[at], chunk, sum = 0;

    sion_layer_parts_get(streams->parts, at, part);
    if (sion_layer_parts_check(streams->parts, at) != 0)
        return NULL;
    if (ends || part->count < 1)
        return ends;
    ends = scion_array((uint64_t)part->count, sizeof *ends);
    if (!ends) {
        scion_fail_memory("chunks of a task");
        return NULL;
    }
    for (chunk = 0; chunk < part->count; chunk++) {
        sum += part->used[(size_t)chunk * part->stride];
        ends[chunk] = sum;
    }
    streams->ends[at] = ends;
    return ends;
}

sion_int64 scion_array_streams_length(struct scion_array_streams *streams, int task)
{
    struct sion_layer_part part;
    const sion_int64 *ends = find_part(streams, task, &part);

    return part.count < 1 ? 0 : ends ? ends[part.count - 1] : -1;
}

int scion_array_streams_is_damaged(const struct scion_array_streams *streams, int task)
{
    return sion_layer_parts_check(streams->parts, streams->part_of[task]) != 0;
}

/* The chunk that a byte is in. */
static sion_int64 find_chunk(const sion_int64 *ends, sion_int64 count, sion_int64 position)
{
    sion_int64 low = 0, high = count - 1;

    while (low < high) {
        sion_int64 middle = low + (high - low) / 2;

        if (ends[middle] <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Find a byte in the file; *bytes: how many bytes from there on are contiguous, at most as many as
   wanted. */
static int find_place(struct scion_array_streams *streams, int task, sion_int64 position,
                      struct sion_layer_part *part, sion_int64 *offset, sion_int64 *bytes)
{
    const sion_int64 *ends = find_part(streams, task, part);
    sion_int64 chunk, start;

    if (!ends && part->count > 0)
        return sion_error_code(); /* said by find_part() */
    if (!ends || position < 0 || *bytes > ends[part->count - 1] - position)
        return scion_fail(SION_ERR_DAMAGED, "task %d has no byte %lld", task, position + *bytes);
    chunk = find_chunk(ends, part->count, position);
    if (scion_chunk_start(&part->place, chunk, &start))
        return scion_fail(SION_ERR_DAMAGED, "the place of chunk %lld of task %d is not known",
                          chunk, task);
    *offset = start + position - (chunk > 0 ? ends[chunk - 1] : 0);
    if (*bytes > ends[chunk] - position)
        *bytes = ends[chunk] - position;
    return 0;
}

sion_int64 scion_array_streams_locate(struct scion_array_streams *streams, int task,
                                      sion_int64 position, sion_int64 bytes, const char **path)
{
    struct sion_layer_part part;
    sion_int64 offset = -1, piece = bytes;

    if (find_place(streams, task, position, &part, &offset, &piece) != 0 || piece < bytes)
        offset = -1;
    *path = part.path;
    return offset;
}

/* ---- files ---- */

/* If too many files are open, close the one that was opened first. */
static int need_file(struct scion_array_streams *streams, const struct sion_layer_part *part)
{
    int old = streams->recent[streams->next], rc;

    if (streams->open[part->file])
        return 0;
    if (old >= 0) {
        scion_file_close(streams->open[old]);
        streams->open[old] = NULL;
        streams->recent[streams->next] = -1;
    }
    rc = scion_file_open(part->path, SCION_OPEN_READ, 0, &streams->open[part->file]);
    if (rc != 0)
        return rc;
    streams->recent[streams->next] = part->file;
    streams->next = (streams->next + 1) % streams->most;
    return 0;
}

int scion_array_streams_hole(struct scion_array_streams *streams, int task, sion_int64 position,
                             sion_int64 bytes, sion_int64 *hole)
{
    struct sion_layer_part part;
    sion_int64 offset;
    int is_hole = 0, rc = find_place(streams, task, position, &part, &offset, &bytes);

    *hole = 0;
    if (rc == 0)
        rc = need_file(streams, &part);
    if (rc == 0)
        bytes = scion_file_run(streams->open[part.file], offset, bytes, &is_hole);
    if (is_hole)
        *hole = bytes;
    return rc;
}

int scion_array_streams_read(struct scion_array_streams *streams, int task, sion_int64 position,
                             void *to, sion_int64 bytes)
{
    struct sion_layer_part part;
    sion_int64 offset, piece;
    char *at = to;
    int rc = 0;

    for (; bytes > 0 && rc == 0; bytes -= piece, position += piece, at += piece) {
        piece = bytes;
        rc = find_place(streams, task, position, &part, &offset, &piece);
        if (rc == 0)
            rc = need_file(streams, &part);
        if (rc == 0)
            rc = scion_file_read(streams->open[part.file], at, (size_t)piece, offset);
    }
    return rc;
}

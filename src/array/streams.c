#include "array/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/numbers.h"
#include "base/error.h"
#include "base/memory.h"

struct scion_array_streams {
    struct sion_layer_parts *parts;
    int ntasks;
    int *part_of;      /* [ntasks] by the task's number */
    sion_int64 **ends; /* [ntasks] by part: where each chunk ends in the stream, or NULL */
    char **locked;     /* [ntasks] by part: why nothing of it may be read, or NULL */
    int refused;       /* part of the last read that has found damaged bytes; -1: none has */
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
    streams->ntasks = sion_layer_parts_count(streams->parts);
    streams->refused = -1;
    streams->part_of = calloc((size_t)streams->ntasks + 1, sizeof *streams->part_of);
    streams->ends = calloc((size_t)streams->ntasks + 1, sizeof(sion_int64 *));
    streams->locked = calloc((size_t)streams->ntasks + 1, sizeof(char *));
    return streams->part_of && streams->ends && streams->locked ? number_parts(streams)
                                                                : scion_fail_memory("tasks");
}

int scion_array_streams_open(const char *name, const char *mode,
                             struct scion_array_streams **streams)
{
    struct scion_array_streams *new = calloc(1, sizeof *new);
    int rc =
        new ? sion_layer_parts_open(name, mode, 1, &new->parts) : scion_fail_memory("container");

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
    for (i = 0; streams->locked && i < streams->ntasks; i++)
        free(streams->locked[i]);
    sion_layer_parts_close(streams->parts);
    free(streams->part_of);
    free(streams->ends);
    free(streams->locked);
    free(streams);
}

int scion_array_streams_count(const struct scion_array_streams *streams)
{
    return streams->ntasks;
}

/* ---- damaged tasks ---- */

static int check_part(const struct scion_array_streams *streams, int part)
{
    return streams->locked[part] ? scion_fail(SION_ERR_DAMAGED, "%s", streams->locked[part])
                                 : sion_layer_parts_check(streams->parts, part);
}

int scion_array_streams_is_damaged(const struct scion_array_streams *streams, int task)
{
    return check_part(streams, streams->part_of[task]) != 0;
}

int scion_array_streams_lock_out(struct scion_array_streams *streams, int task)
{
    int part = streams->part_of[task];
    char text[SCION_ERROR_TEXT + 40];

    if (streams->refused != part)
        return 0;
    streams->refused = -1;
    snprintf(text, sizeof text, "%s: nothing is read of this task", scion_error_text());
    streams->locked[part] = strdup(text);
    return streams->locked[part] ? 1 : scion_fail_memory("damaged tasks");
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
    if (check_part(streams, at) != 0)
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

    if (find_place(streams, task, position, &part, &offset, &piece) != 0 || piece < bytes ||
        part.is_zipped)
        offset = -1;
    *path = part.path;
    return offset;
}

/* ---- bytes ---- */

int scion_array_streams_hole(struct scion_array_streams *streams, int task, sion_int64 position,
                             sion_int64 bytes, sion_int64 *hole)
{
    struct sion_layer_part part;
    sion_int64 offset;
    int rc = find_place(streams, task, position, &part, &offset, &bytes);

    *hole = 0;
    return rc == 0 ? sion_layer_parts_hole(streams->parts, part.file, bytes, offset, hole) : rc;
}

int scion_array_streams_read(struct scion_array_streams *streams, int task, sion_int64 position,
                             void *to, sion_int64 bytes)
{
    struct sion_layer_part part;
    sion_int64 offset, piece;
    char *at = to;
    int rc = 0;

    streams->refused = -1;
    for (; bytes > 0 && rc == 0; bytes -= piece, position += piece, at += piece) {
        piece = bytes;
        rc = find_place(streams, task, position, &part, &offset, &piece);
        if (rc != 0)
            break;
        rc = sion_layer_parts_read(streams->parts, part.file, at, piece, offset);
        if (rc == SION_ERR_DAMAGED)
            streams->refused = streams->part_of[task];
    }
    return rc;
}

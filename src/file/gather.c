/*
 * The whole streams of many tasks at once. Small tasks are close together in a file, so one read
 * fetches what many of them have, and from there it is copied to where it belongs.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/private.h"

enum {
    WINDOW = 1 << 20,    /* bytes of a read that serves several pieces */
    PIECES = 4096,       /* so many at most */
    WORTH_READING = 8192 /* bytes between two pieces that cost less than another read */
};

/* Bytes that are together in the file and in the caller's memory. */
struct read_piece {
    char *to;
    sion_int64 offset, bytes;
};

/* What has been asked for and not yet read: from the first piece to the end of the last one. */
struct read_batch {
    struct scion_file *file;
    int n;
    struct read_piece pieces[PIECES];
    char bytes[WINDOW];
};

/* Where a task has its stream. */
struct source {
    struct scion_physical *physical; /* NULL: the container has one stream only */
    struct scion_place place;
    struct scion_lengths lengths;
};

static void find_source(struct scion_container *container, int task, struct source *source)
{
    int lrank;

    memset(source, 0, sizeof *source);
    if (!scion_container_has_tasks(container)) {
        source->place = container->front.stream.place;
        source->lengths = *container->front.stream.lengths;
        return;
    }
    source->physical = scion_tasks_locate(container, task, &lrank, &source->place);
    source->lengths = container->tasks.lengths[task];
    if (source->lengths.count == 0) /* not visited yet */
        scion_lengths_view(&source->lengths, source->physical->used + lrank,
                           (size_t)source->physical->head.ntasks, source->physical->counts[lrank]);
}

/* Fail if the task is damaged. */
static int check_task(const struct scion_container *container, int task)
{
    const struct scion_damage *damage = scion_container_damage(container, task);
    struct scion_place place;
    int lrank;

    if (!damage)
        return 0;
    if (!scion_container_has_tasks(container))
        return scion_stream_check(&container->front.stream);
    return scion_damage_fail(damage, scion_tasks_locate(container, task, &lrank, &place)->path);
}

static sion_int64 size_of(const struct scion_lengths *lengths)
{
    sion_int64 chunk, bytes = 0;

    for (chunk = 0; chunk < lengths->count; chunk++)
        bytes += scion_lengths_used(lengths, chunk);
    return bytes;
}

static sion_int64 end_of(const struct read_piece *read_piece)
{
    return read_piece->offset + read_piece->bytes;
}

static int read_alone(const struct read_batch *read_batch, int n)
{
    const struct read_piece *read_piece = read_batch->pieces;
    int rc = 0;

    for (; read_piece < read_batch->pieces + n && rc == 0; read_piece++)
        rc = scion_file_read(read_batch->file, read_piece->to, (size_t)read_piece->bytes,
                             read_piece->offset);
    return rc;
}

/* Read what the window has been asked for, after which it is empty. Between its pieces there may be
   bytes that a file's guard refuses. */
static int flush_batch(struct read_batch *read_batch)
{
    const struct read_piece *first = read_batch->pieces, *last = first + read_batch->n - 1,
                            *read_piece;
    int rc, n = read_batch->n;
    size_t bytes, got, more;

    read_batch->n = 0;
    if (n < 2)
        return read_alone(read_batch, n);
    bytes = (size_t)(end_of(last) - first->offset);
    rc = scion_file_read_some(read_batch->file, read_batch->bytes, bytes, first->offset, &got);
    if (rc != 0)
        return rc;
    for (; got < bytes; got += more) {
        if (scion_file_read_some(read_batch->file, read_batch->bytes + got, bytes - got,
                                 first->offset + (sion_int64)got, &more) != 0 ||
            more == 0)
            break;
    }
    if (got < bytes)
        return read_alone(read_batch, n);
    for (read_piece = first; read_piece <= last; read_piece++)
        memcpy(read_piece->to, read_batch->bytes + (read_piece->offset - first->offset),
               (size_t)read_piece->bytes);
    return 0;
}

static int fits(const struct read_batch *read_batch, const struct read_piece *read_piece)
{
    const struct read_piece *first = read_batch->pieces, *last = first + read_batch->n - 1;

    return read_batch->n > 0 && read_batch->n < PIECES && read_piece->offset >= end_of(last) &&
           read_piece->offset - end_of(last) <= WORTH_READING &&
           end_of(read_piece) - first->offset <= WINDOW;
}

static int want(struct read_batch *read_batch, const struct read_piece *read_piece)
{
    int rc = fits(read_batch, read_piece) ? 0 : flush_batch(read_batch);

    read_batch->pieces[read_batch->n++] = *read_piece;
    return rc;
}

/* A file of a set may lose its descriptor when another one gets it: the window is read before. */
static int use_file(struct scion_container *container, const struct source *source,
                    struct read_batch *read_batch)
{
    struct scion_file *file = container->front.stream.file;
    int rc = 0;

    if (source->physical && source->physical->file && source->physical->file == read_batch->file)
        return 0;
    if (source->physical) {
        rc = flush_batch(read_batch);
        if (rc == 0)
            rc = scion_tasks_need_descriptor(&container->tasks, source->physical);
        file = source->physical->file;
    }
    read_batch->file = file;
    return rc;
}

static int want_stream(struct scion_container *container, int task, const struct source *source,
                       char *to, struct read_batch *read_batch)
{
    sion_int64 chunk;
    int rc = use_file(container, source, read_batch);

    for (chunk = 0; chunk < source->lengths.count && rc == 0; chunk++) {
        struct read_piece read_piece = {.to = to,
                                        .bytes = scion_lengths_used(&source->lengths, chunk)};

        if (read_piece.bytes == 0)
            continue;
        if (scion_chunk_start(&source->place, chunk, &read_piece.offset))
            return scion_fail(SION_ERR_DAMAGED,
                              "chunk %lld of task %d is beyond the end of any file", chunk, task);
        rc = want(read_batch, &read_piece);
        to += read_piece.bytes;
    }
    return rc;
}

/* The task of a rank, where it has its stream, and how many bytes that has. */
static int find_stream(struct scion_container *container, int rank, int *task,
                       struct source *source, sion_int64 *bytes)
{
    int rc = scion_container_find_task(container, rank, task);

    if (rc == 0)
        rc = check_task(container, *task);
    if (rc != 0)
        return rc;
    find_source(container, *task, source);
    *bytes = size_of(&source->lengths);
    return 0;
}

int scion_container_stream_size(struct scion_container *container, int rank, sion_int64 *bytes)
{
    struct source source;
    int task;

    return find_stream(container, rank, &task, &source, bytes);
}

/* The stream of one rank is asked for, if there is room for it. */
static int gather_one(struct scion_container *container, int rank, sion_int64 start,
                      const struct scion_read_buffer *room, struct read_batch *read_batch,
                      sion_int64 *bytes)
{
    struct source source;
    int task, rc = find_stream(container, rank, &task, &source, bytes);

    if (rc != 0)
        return rc;
    if (start < 0 || start > room->bytes || *bytes > room->bytes - start)
        return scion_fail(SION_ERR_ARGUMENT,
                          "the %lld bytes of task %d do not fit at %lld into %lld bytes", *bytes,
                          rank, start, room->bytes);
    return *bytes > 0
               ? want_stream(container, task, &source, (char *)room->data + start, read_batch)
               : 0;
}

static int gather(struct scion_container *container, int n, const int *ranks,
                  const sion_int64 *starts, const struct scion_read_buffer *room, sion_int64 *done)
{
    struct read_batch *read_batch = scion_array(1, sizeof *read_batch);
    sion_int64 bytes = 0;
    int rc = 0, i;

    *done = 0;
    if (!read_batch)
        return scion_fail_memory("tasks");
    read_batch->n = 0;
    read_batch->file = NULL;
    for (i = 0; i < n && rc == 0; i++) {
        rc = gather_one(container, ranks[i], starts[i], room, read_batch, &bytes);
        *done += bytes;
    }
    if (rc == 0)
        rc = flush_batch(read_batch);
    free(read_batch);
    return rc;
}

/* The selected task's file may lose its descriptor, so the stream leaves it for that time. */
int scion_container_gather(struct scion_container *container, int n, const int *ranks,
                           const sion_int64 *starts, const struct scion_read_buffer *room,
                           sion_int64 *done)
{
    int selected = container->selected, rc, other;

    if (!scion_container_has_tasks(container) || selected < 0)
        return gather(container, n, ranks, starts, room, done);
    *done = 0;
    rc = scion_stream_leave(&container->front.stream, &container->tasks.marks[selected]);
    if (rc != 0)
        return rc;
    rc = gather(container, n, ranks, starts, room, done);
    other = scion_container_enter(container, selected);
    return scion_first_failure(rc, other);
}

/*
 * The whole streams of many tasks at once. Small tasks lie close together in a file, so one read
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

/* Bytes that lie together in the file and in the caller's memory. */
struct piece {
    char *to;
    sion_int64 offset, bytes;
};

/* What has been asked for and not yet read: from the first piece to the end of the last one. */
struct window {
    struct scion_file *file;
    int n;
    struct piece pieces[PIECES];
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

static sion_int64 end_of(const struct piece *piece)
{
    return piece->offset + piece->bytes;
}

/* Read what the window has been asked for, after which it is empty. */
static int read_window(struct window *window)
{
    const struct piece *first = window->pieces, *last = first + window->n - 1, *piece;
    int rc;

    if (window->n == 0)
        return 0;
    if (window->n == 1) {
        window->n = 0;
        return scion_file_read(window->file, first->to, (size_t)first->bytes, first->offset);
    }
    window->n = 0;
    rc = scion_file_read(window->file, window->bytes, (size_t)(end_of(last) - first->offset),
                         first->offset);
    for (piece = first; piece <= last && rc == 0; piece++)
        memcpy(piece->to, window->bytes + (piece->offset - first->offset), (size_t)piece->bytes);
    return rc;
}

static int fits(const struct window *window, const struct piece *piece)
{
    const struct piece *first = window->pieces, *last = first + window->n - 1;

    return window->n > 0 && window->n < PIECES && piece->offset >= end_of(last) &&
           piece->offset - end_of(last) <= WORTH_READING && end_of(piece) - first->offset <= WINDOW;
}

static int want(struct window *window, const struct piece *piece)
{
    int rc = fits(window, piece) ? 0 : read_window(window);

    window->pieces[window->n++] = *piece;
    return rc;
}

/* A file of a set may lose its descriptor when another one gets it: the window is read before. */
static int use_file(struct scion_container *container, const struct source *source,
                    struct window *window)
{
    struct scion_file *file = container->front.stream.file;
    int rc = 0;

    if (source->physical && source->physical->file && source->physical->file == window->file)
        return 0;
    if (source->physical) {
        rc = read_window(window);
        if (rc == 0)
            rc = scion_tasks_need_descriptor(&container->tasks, source->physical);
        file = source->physical->file;
    }
    window->file = file;
    return rc;
}

static int want_stream(struct scion_container *container, int task, const struct source *source,
                       char *to, struct window *window)
{
    sion_int64 chunk;
    int rc = use_file(container, source, window);

    for (chunk = 0; chunk < source->lengths.count && rc == 0; chunk++) {
        struct piece piece = {.to = to, .bytes = scion_lengths_used(&source->lengths, chunk)};

        if (piece.bytes == 0)
            continue;
        if (scion_chunk_start(&source->place, chunk, &piece.offset))
            return scion_fail(SION_ERR_DAMAGED, "chunk %lld of task %d lies beyond any file's end",
                              chunk, task);
        rc = want(window, &piece);
        to += piece.bytes;
    }
    return rc;
}

int scion_container_stream_size(struct scion_container *container, int rank, sion_int64 *bytes)
{
    struct source source;
    int task, rc = scion_container_find_task(container, rank, &task);

    if (rc == 0)
        rc = check_task(container, task);
    if (rc != 0)
        return rc;
    find_source(container, task, &source);
    *bytes = size_of(&source.lengths);
    return 0;
}

/* The stream of one rank is asked for, if there is room for it. */
static int gather_one(struct scion_container *container, int rank, sion_int64 start,
                      const struct scion_room *room, struct window *window, sion_int64 *bytes)
{
    struct source source;
    int task, rc = scion_container_find_task(container, rank, &task);

    if (rc == 0)
        rc = check_task(container, task);
    if (rc != 0)
        return rc;
    find_source(container, task, &source);
    *bytes = size_of(&source.lengths);
    if (start < 0 || start > room->bytes || *bytes > room->bytes - start)
        return scion_fail(SION_ERR_ARGUMENT,
                          "the %lld bytes of task %d do not fit at %lld into %lld bytes", *bytes,
                          rank, start, room->bytes);
    return *bytes > 0 ? want_stream(container, task, &source, (char *)room->data + start, window)
                      : 0;
}

static int gather(struct scion_container *container, int n, const int *ranks,
                  const sion_int64 *starts, const struct scion_room *room, sion_int64 *done)
{
    struct window *window = scion_array(1, sizeof *window);
    sion_int64 bytes = 0;
    int rc = 0, i;

    *done = 0;
    if (!window)
        return scion_fail_memory("tasks");
    window->n = 0;
    window->file = NULL;
    for (i = 0; i < n && rc == 0; i++) {
        rc = gather_one(container, ranks[i], starts[i], room, window, &bytes);
        *done += bytes;
    }
    if (rc == 0)
        rc = read_window(window);
    free(window);
    return rc;
}

/* The selected task's file may lose its descriptor, so the stream leaves it for that time. */
int scion_container_gather(struct scion_container *container, int n, const int *ranks,
                           const sion_int64 *starts, const struct scion_room *room,
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

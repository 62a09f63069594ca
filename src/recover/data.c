/* Data that no commit record describes: found by the holes, and by bytes that are not zero. */
#include "recover/private.h"

#include <string.h>

#include "base/error.h"

enum { PIECE = 64 << 10, MOST_EMPTY = 1 << 20 };

/* A run of data, and the part of it that is in one chunk. */
struct visit {
    struct scion_salvaged_file *file;
    sion_int64 begin, end; /* of the run */
    int task;
    sion_int64 chunk;
    sion_int64 start, room, size; /* of the chunk: where it begins, bytes for data, all bytes */
};

/* Whether the last bytes that are not zero are in from .. end - 1; *last: after them. */
static int find_last_byte(struct scion_file *file, sion_int64 from, sion_int64 end,
                          sion_int64 *last)
{
    unsigned char bytes[PIECE];

    for (*last = from; end > from;) {
        size_t part = end - from < PIECE ? (size_t)(end - from) : PIECE, got;
        int rc = scion_file_read_some(file, bytes, part, end - (sion_int64)part, &got);

        if (rc != 0)
            return rc;
        while (got > 0 && bytes[got - 1] == 0)
            got--;
        if (got > 0) {
            *last = end - (sion_int64)part + (sion_int64)got;
            return 0;
        }
        end -= (sion_int64)part;
    }
    return 0;
}

static sion_int64 least(sion_int64 a, sion_int64 b)
{
    return a < b ? a : b;
}

/* Bytes after the committed ones. A run may end within a chunk: the last one of it counts. */
static int note_possible(const struct visit *visit, struct scion_salvaged_task *task)
{
    sion_int64 last = task->lengths.count - 1, from = visit->start, end, behind;
    int rc;

    if (visit->chunk == last)
        from += task->lengths.used[last];
    end = least(visit->start + visit->room, visit->end);
    if (visit->begin > from)
        from = visit->begin;
    rc = find_last_byte(visit->file->physical->file, from, end, &behind);
    if (rc == 0)
        task->possible += behind - from;
    return rc;
}

/* Commit records of chunks after a chunk that has none: how many bytes are before them is not
   known. */
static int note_lost(const struct visit *visit, struct scion_salvaged_task *task)
{
    sion_int64 trailer = visit->start + visit->room;
    struct scion_slot slot;
    int rc;

    if (visit->begin > trailer || visit->end <= trailer)
        return 0;
    rc = scion_salvage_slot(visit->file, visit->task, visit->chunk, task->sequence, &slot);
    if (rc == 1)
        task->lost += slot.used;
    return rc < 0 ? rc : 0;
}

static int visit_with_slots(const struct visit *visit)
{
    struct scion_salvaged_task *task = &visit->file->tasks[visit->task];
    sion_int64 chunks = task->sequence < 0 ? 0 : task->lengths.count;
    int rc = 0;

    if (visit->chunk >= chunks)
        rc = note_lost(visit, task);
    if (rc == 0 && visit->chunk >= chunks - 1)
        rc = note_possible(visit, task);
    return rc;
}

/* A small file can claim any number of chunks in holes, and each of them takes memory. */
static int count_chunk(const struct visit *visit, const struct scion_lengths *lengths)
{
    struct scion_salvaged_chunks *chunks = &visit->file->chunks;

    chunks->filled++;
    chunks->empty += visit->chunk - lengths->count;
    if (chunks->empty <= MOST_EMPTY + chunks->filled)
        return 0;
    return scion_fail(
        SION_ERR_DAMAGED,
        "%s has data in chunk %lld of task %d, but nearly all chunks before are holes",
        visit->file->physical->path, visit->chunk, visit->task);
}

/* Without slots: all bytes up to the last one that is not in a hole. */
static int visit_without(const struct visit *visit)
{
    struct scion_salvaged_task *task = &visit->file->tasks[visit->task];
    sion_int64 end = least(visit->end, visit->start + visit->room);
    int rc = task->lengths.count <= visit->chunk ? count_chunk(visit, &task->lengths) : 0;

    while (task->lengths.count <= visit->chunk && rc == 0)
        rc = scion_lengths_append(&task->lengths);
    if (rc != 0)
        return rc;
    task->possible += end - visit->start - task->lengths.used[visit->chunk];
    task->lengths.used[visit->chunk] = end - visit->start;
    return 0;
}

/* The last task whose chunk begins at or before an offset in block 0. */
static int find_task(const struct scion_physical *physical, sion_int64 offset)
{
    int low = 0, high = physical->head.ntasks - 1;

    while (low < high) {
        int middle = high - (high - low) / 2;

        if (physical->starts[middle] <= offset)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* All chunks that a run of data touches. */
static int visit_run(struct visit *visit)
{
    const struct scion_physical *physical = visit->file->physical;
    sion_int64 skip = physical->layout.globalskip, at = visit->begin, in_block;
    int rc = 0;

    while (at < visit->end && rc == 0) {
        visit->chunk = (at - physical->layout.start_of_data) / skip;
        in_block = at - visit->chunk * skip;
        visit->task = find_task(physical, in_block);
        /* No overflow: the chunk begins before the end of the file. */
        scion_salvage_chunk(visit->file, visit->task, visit->chunk, &visit->start, &visit->room);
        visit->size =
            (visit->task + 1 < physical->head.ntasks ? physical->starts[visit->task + 1]
                                                     : physical->layout.start_of_data + skip) -
            physical->starts[visit->task];
        if (visit->room > 0)
            rc = visit->file->evidence == SCION_EVIDENCE_SLOTS ? visit_with_slots(visit)
                                                               : visit_without(visit);
        at = visit->start + visit->size;
    }
    return rc;
}

int scion_salvage_walk_data(struct scion_salvaged_file *file)
{
    struct visit visit = {.file = file};
    sion_int64 from = file->physical->layout.start_of_data;
    int is_hole, rc = 0;

    if (file->physical->layout.globalskip == 0)
        return 0;
    for (; from < file->size && rc == 0; from = visit.end) {
        visit.begin = from;
        visit.end = from + scion_file_run(file->physical->file, from, file->size - from, &is_hole);
        if (!is_hole)
            rc = visit_run(&visit);
    }
    return rc;
}

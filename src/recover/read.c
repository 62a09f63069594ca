/* The streams of what is left. */
#include "base/error.h"
#include "recover/private.h"

sion_int64 scion_salvage_bytes(const struct scion_salvaged_task *task)
{
    sion_int64 total = 0, b;

    for (b = 0; b < task->lengths.count; b++)
        total += scion_lengths_used(&task->lengths, b);
    return total;
}

int scion_salvage_read_task(const struct scion_salvaged_file *file, int task, sion_int64 offset,
                            void *to, size_t bytes)
{
    struct scion_lengths *lengths = &file->tasks[task].lengths;
    sion_int64 chunk, before, begin, room;
    char *next = to;
    int rc = 0;

    while (bytes > 0 && rc == 0) {
        sion_int64 left;
        size_t part;

        rc = scion_lengths_find(lengths, offset, 1, &chunk);
        if (rc == 0)
            rc = scion_lengths_before(lengths, chunk, &before);
        if (rc != 0 || scion_salvage_chunk(file, task, chunk, &begin, &room))
            return rc != 0 ? rc : SION_ERR_DAMAGED;
        left = before + scion_lengths_used(lengths, chunk) - offset;
        part = left < (sion_int64)bytes ? (size_t)left : bytes;
        rc = scion_file_read(file->physical->file, next, part, begin + offset - before);
        next += part;
        offset += (sion_int64)part;
        bytes -= part;
    }
    return rc;
}

/* A file of a set is open only while it is read. */
static int begin(const struct scion_salvaged_file *file, int *is_open)
{
    *is_open = file->physical->file != NULL;
    return scion_physical_resume(file->physical);
}

static int end(const struct scion_salvaged_file *file, int is_open, int rc)
{
    int other = !is_open && file->physical->file ? scion_physical_suspend(file->physical) : 0;

    return scion_first_failure(rc, other);
}

int scion_salvage_read(const struct scion_salvage *salvage, int task, sion_int64 offset, void *to,
                       size_t bytes)
{
    const struct scion_salvaged_place *place = &salvage->places[task];
    const struct scion_salvaged_file *file = &salvage->files[place->file];
    int is_open, rc = begin(file, &is_open);

    if (rc == 0)
        rc = scion_salvage_read_task(file, place->lrank, offset, to, bytes);
    return end(file, is_open, rc);
}

/* Where the next byte is, and how many there are until the end of the chunk; 0: none. */
static sion_int64 find_next(const struct scion_salvaged_file *file, int lrank,
                            struct scion_salvaged_cursor *cursor, sion_int64 *offset)
{
    const struct scion_lengths *lengths = &file->tasks[lrank].lengths;
    sion_int64 left = 0, begin, room;

    for (; cursor->chunk < lengths->count; cursor->chunk++, cursor->pos = 0) {
        left = scion_lengths_used(lengths, cursor->chunk) - cursor->pos;
        if (left > 0)
            break;
    }
    if (left <= 0 || scion_salvage_chunk(file, lrank, cursor->chunk, &begin, &room))
        return 0;
    *offset = begin + cursor->pos;
    return left;
}

/* Add the next bytes to a run, unless it ends before them: then *more is 0. */
static int add_bytes(const struct scion_salvaged_file *file, int lrank,
                     struct scion_salvaged_cursor *cursor, struct scion_salvaged_run *run,
                     int *more)
{
    sion_int64 offset, left = find_next(file, lrank, cursor, &offset);
    int is_hole, rc = 0;

    *more = 0;
    if (left > 0)
        left = scion_file_run(file->physical->file, offset, left, &is_hole);
    if (left == 0 || (run->length > 0 && is_hole != run->is_hole))
        return 0;
    if (!is_hole) {
        sion_int64 space = (sion_int64)run->space - run->length;

        left = left < space ? left : space;
        rc = scion_file_read(file->physical->file, (char *)run->bytes + run->length, (size_t)left,
                             offset);
    }
    run->is_hole = is_hole;
    run->length += left;
    cursor->pos += left;
    *more = is_hole || run->length < (sion_int64)run->space;
    return rc;
}

int scion_salvage_read_run(const struct scion_salvage *salvage, int task,
                           struct scion_salvaged_cursor *cursor, struct scion_salvaged_run *run)
{
    const struct scion_salvaged_place *place = &salvage->places[task];
    const struct scion_salvaged_file *file = &salvage->files[place->file];
    int is_open, more = 1, rc = begin(file, &is_open);

    run->length = 0;
    while (rc == 0 && more)
        rc = add_bytes(file, place->lrank, cursor, run, &more);
    return end(file, is_open, rc);
}

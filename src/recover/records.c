/* Streams of key-value records end with a whole one. */
#include "recover/private.h"

#include <stdlib.h>

#include "sion_const.h"

#include "base/error.h"
#include "format/record.h"

enum { HEAD = 16, WINDOW = 64 << 10 };

/* A task's stream with a window on it. */
struct reader {
    const struct scion_salvaged_file *file;
    int task;
    sion_int64 total;      /* bytes of the stream */
    sion_int64 first, end; /* those in the window */
    unsigned char window[WINDOW];
};

/* HEAD bytes at an offset, which are there. */
static int read_head(struct reader *reader, sion_int64 at, const unsigned char **head)
{
    int rc = 0;

    if (at < reader->first || at + HEAD > reader->end) {
        sion_int64 bytes = reader->total - at < WINDOW ? reader->total - at : WINDOW;

        rc = scion_salvage_read_task(reader->file, reader->task, at, reader->window, (size_t)bytes);
        reader->first = at;
        reader->end = rc == 0 ? at + bytes : at;
    }
    *head = reader->window + (at - reader->first);
    return rc;
}

/* *end: of the last record that is whole. */
static int find_end(struct reader *reader, sion_int64 *end)
{
    const unsigned char *head;
    uint64_t key, length;
    sion_int64 at = 0;
    int rc = 0;

    while (rc == 0 && reader->total - at >= HEAD) {
        rc = read_head(reader, at, &head);
        if (rc == 0) {
            scion_record_decode(head, reader->file->physical->head.swapped, &key, &length);
            if (length > (uint64_t)(reader->total - at - HEAD))
                break;
            at += HEAD + (sion_int64)length;
        }
    }
    *end = at;
    return rc;
}

/* Bytes of a task's stream from here on belong to no record: they become possible ones. */
static void cut_salvaged(struct scion_salvaged_task *task, sion_int64 bytes)
{
    struct scion_lengths *lengths = &task->lengths;
    sion_int64 cut = scion_salvage_bytes(task) - bytes;

    if (task->certain > bytes) {
        task->possible += task->certain - bytes;
        task->certain = bytes;
    }
    while (cut > 0) {
        sion_int64 *used = &lengths->used[lengths->count - 1];
        sion_int64 part = cut < *used ? cut : *used;

        *used -= part;
        cut -= part;
        if (*used == 0 && lengths->count > 1)
            lengths->count--;
    }
}

/* Count the whole of every chunk that is followed by another one; holes do not show this. */
static void fill_chunks(struct scion_salvaged_file *file, int t)
{
    struct scion_salvaged_task *task = &file->tasks[t];
    const struct scion_place place = scion_physical_place(file->physical, t);
    sion_int64 b;

    for (b = 0; b + 1 < task->lengths.count; b++) {
        task->possible += place.chunksize - task->lengths.used[b];
        task->lengths.used[b] = place.chunksize;
    }
}

static int cut_task(struct scion_salvaged_file *file, struct reader *reader, int t)
{
    struct scion_salvaged_task *task = &file->tasks[t];
    sion_int64 end;
    int rc;

    if (file->evidence == SCION_EVIDENCE_HOLES)
        fill_chunks(file, t);
    reader->file = file;
    reader->task = t;
    reader->first = reader->end = 0;
    reader->total = scion_salvage_bytes(task);
    rc = find_end(reader, &end);
    /* The sums over the chunks are now those of the whole stream. */
    free(task->lengths.before);
    task->lengths.before = NULL;
    if (end < task->flushed)
        end = task->flushed;
    if (rc == 0 && end < reader->total)
        cut_salvaged(task, end);
    return rc;
}

int scion_salvage_cut_records(struct scion_salvaged_file *file)
{
    struct reader *reader;
    int rc = 0, t;

    if (scion_meta1_keyval(&file->physical->head) != SION_KEYVAL_INLINE)
        return 0;
    reader = malloc(sizeof *reader);
    if (!reader)
        return scion_fail_memory("key-value records");
    for (t = 0; t < file->physical->head.ntasks && rc == 0; t++)
        rc = cut_task(file, reader, t);
    free(reader);
    return rc;
}

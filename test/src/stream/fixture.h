/*
 * A file with the streams of some tasks, and the data that they must have: byte i of the stream of
 * task t is check_payload(t, i). The model is the list of the chunks' lengths.
 */
#ifndef TEST_UNIT_STREAM_FIXTURE_H
#define TEST_UNIT_STREAM_FIXTURE_H

#include "base/error.h"
#include "stream/stream.h"
#include "vfs/fault.h"
#include "scratch.h"

enum { FIXTURE_TASKS = 4, FIXTURE_CHUNKS = 4000, FIXTURE_RECORD = 400000 };

struct fixture_task {
    struct scion_place place;
    struct scion_lengths lengths;
    struct scion_mark mark;
    /* the model */
    sion_int64 used[FIXTURE_CHUNKS];
    int chunks;
    sion_int64 total;
};

static struct {
    struct scion_stream stream;
    struct scion_file *file;
    struct fixture_task task[FIXTURE_TASKS];
    int ntasks, present; /* the task that the stream has selected */
    int fill;            /* key-value: records are divided, and every chunk is filled */
    int in_memory;       /* the file counts as one in tmpfs, wherever it is */
    unsigned char record[FIXTURE_RECORD];
} fixture;

static inline struct fixture_task *fixture_present(void)
{
    return &fixture.task[fixture.present];
}

/* Also where the scratch folder is in memory. */
static inline void fixture_init(int writing, size_t buffer_size)
{
    enum { PAGE = 4096, UNIT = 64 << 10 };
    size_t most = fixture.in_memory ? PAGE : UNIT;

    scion_stream_init(&fixture.stream, writing, buffer_size);
    fixture.stream.unit = buffer_size >= most ? most : buffer_size >= PAGE ? PAGE : 1;
    fixture.stream.is_in_memory = fixture.in_memory;
}

static inline void fixture_enter(int t)
{
    struct fixture_task *task = &fixture.task[t];

    fixture.present = t;
    CHECK_INT(scion_stream_enter(&fixture.stream, fixture.file, &task->place, &task->lengths,
                                 &task->mark),
              0);
}

static inline void fixture_leave(void)
{
    CHECK_INT(scion_stream_leave(&fixture.stream, &fixture_present()->mark), 0);
}

/* Place tasks with these chunk sizes one after the other; the first chunk begins at `start`. */
static inline void fixture_place(const sion_int64 *chunksizes, int ntasks, sion_int64 start)
{
    sion_int64 next = start;
    int t;

    fixture.ntasks = ntasks;
    fixture.fill = 0;
    for (t = 0; t < ntasks; t++) {
        memset(&fixture.task[t], 0, sizeof fixture.task[t]);
        fixture.task[t].place.start = next;
        fixture.task[t].place.chunksize = chunksizes[t];
        fixture.task[t].chunks = 1;
        next += chunksizes[t];
    }
    for (t = 0; t < ntasks; t++)
        fixture.task[t].place.globalskip = next - start;
}

/* Begin to write the placed tasks into a new file. */
static inline void fixture_write(size_t buffer_size)
{
    int t;

    CHECK_INT(scion_file_open(scratch_path("s"), SCION_OPEN_CREATE, 0666, &fixture.file), 0);
    CHECK_INT(scion_file_truncate(fixture.file, 0), 0);
    fixture_init(1, buffer_size);
    for (t = 0; t < fixture.ntasks; t++)
        CHECK_INT(scion_lengths_new(&fixture.task[t].lengths), 0);
    fixture_enter(0);
}

/* Begin to write one task with chunks of this size. */
static inline void fixture_write_one(sion_int64 chunksize, size_t buffer_size)
{
    fixture_place(&chunksize, 1, 100);
    fixture_write(buffer_size);
}

static inline void fixture_free(void)
{
    int t;

    CHECK_INT(scion_file_close(fixture.file), 0);
    for (t = 0; t < fixture.ntasks; t++)
        scion_lengths_free(&fixture.task[t].lengths);
}

/* The next bytes of the selected task's stream. */
static inline const unsigned char *fixture_record(size_t bytes)
{
    check_fill(fixture.record, fixture.present, (long)fixture_present()->total, bytes);
    return fixture.record;
}

/* Add a record of this size to the model. Returns 0 if it does not fit. */
static inline int model_ensure(sion_int64 bytes)
{
    struct fixture_task *task = fixture_present();

    if (bytes > task->place.chunksize)
        return 0;
    if (task->used[task->chunks - 1] + bytes <= task->place.chunksize)
        return 1;
    if (fixture.fill && task->used[task->chunks - 1] < task->place.chunksize)
        return 0;
    task->chunks++;
    return 1;
}

static inline void model_append(size_t bytes)
{
    fixture_present()->used[fixture_present()->chunks - 1] += (sion_int64)bytes;
    fixture_present()->total += (sion_int64)bytes;
}

static inline void model_append_split(size_t bytes)
{
    for (; bytes > 0; bytes--) {
        model_ensure(1);
        model_append(1);
    }
}

/* Write the next bytes to the stream; after success, the model follows. */
static inline int fixture_append(size_t bytes)
{
    int rc = scion_stream_write(&fixture.stream, fixture_record(bytes), bytes);

    if (rc == 1 && fixture.fill) {
        model_append_split(bytes);
    } else if (rc == 1) {
        CHECK(bytes == 0 || model_ensure((sion_int64)bytes));
        model_append(bytes);
    }
    return rc;
}

/* Check that the lengths of a task equal those of the model. */
static inline void fixture_compare_lengths(int t)
{
    struct fixture_task *task = &fixture.task[t];
    int b;

    CHECK_INT(task->lengths.count, task->chunks);
    for (b = 0; b < task->chunks && b < task->lengths.count; b++)
        CHECK_INT(scion_lengths_used(&task->lengths, b), task->used[b]);
}

/* The end of the last chunk in use. */
static inline size_t fixture_extent(void)
{
    sion_int64 end = 0;
    int t;

    for (t = 0; t < fixture.ntasks; t++) {
        const struct fixture_task *task = &fixture.task[t];
        sion_int64 last = task->place.start + task->chunks * task->place.globalskip;

        end = last > end ? last : end;
    }
    return (size_t)end;
}

/* The offset of the first byte in which the file and the model differ, or -1. Gaps are zero. */
static inline long fixture_compare_file(void)
{
    size_t size = fixture_extent(), i;
    unsigned char *expected = calloc(1, size), *found = calloc(1, size);
    long difference = -1;
    int t, b;

    for (t = 0; t < fixture.ntasks; t++) {
        const struct fixture_task *task = &fixture.task[t];
        sion_int64 before = 0;

        for (b = 0; b < task->chunks; before += task->used[b++])
            check_fill(expected + task->place.start + b * task->place.globalskip, t, (long)before,
                       (size_t)task->used[b]);
    }
    scratch_read(scratch_path("s"), found, size);
    for (i = 0; i < size && difference < 0; i++)
        difference = expected[i] == found[i] ? -1 : (long)i;
    free(expected);
    free(found);
    return difference;
}

/* Close the stream, which must succeed, and compare everything. */
static inline void fixture_close_and_compare(void)
{
    int t;

    CHECK_INT(scion_stream_close(&fixture.stream), 0);
    for (t = 0; t < fixture.ntasks; t++)
        fixture_compare_lengths(t);
    CHECK_INT(fixture_compare_file(), -1);
    fixture_free();
}

/* Open the file again to read what the model has; if there is none, make it from the model. */
static inline void fixture_read(size_t buffer_size)
{
    int t;

    CHECK_INT(scion_file_open(scratch_path("s"), SCION_OPEN_READ, 0, &fixture.file), 0);
    fixture_init(0, buffer_size);
    for (t = 0; t < fixture.ntasks; t++) {
        struct fixture_task *task = &fixture.task[t];

        memset(&task->mark, 0, sizeof task->mark);
        scion_lengths_view(&task->lengths, task->used, 1, task->chunks);
    }
    fixture_enter(0);
}

static inline void fixture_end_reading(void)
{
    CHECK_INT(scion_stream_close(&fixture.stream), 0);
    fixture_free();
}

/* Write records of these sizes for one task, and open it for reading. 0 ends the list. */
static inline void fixture_read_records(sion_int64 chunksize, const size_t *sizes,
                                        size_t buffer_size)
{
    fixture_write_one(chunksize, 64);
    for (; *sizes > 0; sizes++)
        CHECK_INT(fixture_append(*sizes), 1);
    fixture_close_and_compare();
    fixture_read(buffer_size);
}

/* Read, and compare with the payload at `offset` of the stream. Returns the result of the read. */
static inline int fixture_expect(size_t bytes, sion_int64 offset)
{
    int rc = scion_stream_read(&fixture.stream, fixture.record, bytes);

    if (rc == 1)
        CHECK_INT(check_compare(fixture.record, fixture.present, (long)offset, bytes), -1);
    return rc;
}

static inline sion_int64 fixture_total(void)
{
    sion_int64 total = -1;

    CHECK_INT(scion_stream_total(&fixture.stream, &total), 0);
    return total;
}

static inline sion_int64 fixture_pos(void)
{
    sion_int64 pos = -1;

    CHECK_INT(scion_stream_pos(&fixture.stream, &pos), 0);
    return pos;
}

#endif

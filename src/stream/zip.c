#include "stream/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/shuffle.h"
#include "base/zstd.h"
#include "format/frames.h"
#include "stream/stream_private.h"

/* ---- memory ---- */

static size_t out_size(const struct scion_zip *zip)
{
    return scion_zstd_bound(zip->plan.frame);
}

static int need_memory(struct scion_zip *zip)
{
    if (zip->encoder)
        return 0;
    zip->frame = zip->frame ? zip->frame : malloc(zip->plan.frame);
    zip->out = zip->out ? zip->out : malloc(out_size(zip));
    if (zip->plan.shuffle > 1 && !zip->shuffled)
        zip->shuffled = malloc(zip->plan.frame);
    if (zip->frame && zip->out && (zip->shuffled || zip->plan.shuffle <= 1))
        zip->encoder = scion_zstd_encoder_new(zip->plan.level, zip->plan.threads);
    return zip->encoder ? 0 : scion_fail_memory("compression");
}

void scion_zip_free(struct scion_zip *zip)
{
    scion_zstd_encoder_free(zip->encoder);
    free(zip->frame);
    free(zip->shuffled);
    free(zip->out);
}

void scion_zip_task_free(struct scion_zip_task *task)
{
    free(task->entries);
    *task = (struct scion_zip_task){0};
}

/* ---- the table ---- */

static int make_room(struct scion_zip_task *task)
{
    size_t capacity = task->n < 8 ? 16 : 2 * task->n;
    uint32_t *entries;

    if (task->n < task->capacity)
        return 0;
    entries = scion_array_grown(task->entries, 2 * (uint64_t)capacity, sizeof *entries);
    if (!entries)
        return scion_fail_memory("table of frames");
    task->entries = entries;
    task->capacity = capacity;
    return 0;
}

static void add_entry(struct scion_zip_task *task, size_t stored, size_t plain)
{
    task->entries[2 * task->n] = (uint32_t)stored;
    task->entries[2 * task->n + 1] = (uint32_t)plain;
    task->n++;
    task->plain += (sion_int64)plain;
}

int scion_zip_task_add(struct scion_zip_task *task, sion_int64 stored, sion_int64 plain)
{
    int rc = make_room(task);

    if (rc == 0 && (stored > UINT32_MAX || plain > UINT32_MAX))
        rc = scion_fail(SION_ERR_DAMAGED, "a frame of %lld stored bytes is too large", stored);
    if (rc == 0)
        add_entry(task, (size_t)stored, (size_t)plain);
    return rc;
}

/* ---- frames ---- */

enum {
    SAMPLE = 8 << 10, /* bytes of a frame that are tried after one that did not shrink */
    MOST_WAIT = 8     /* frames that are then not even tried */
};

/*
 * Plain bytes of the frame that begins now. Where the last one did not shrink, it has one block,
 * which stays in the cache until it is stored, and ends where the next transfer may begin.
 */
static size_t limit_of(struct scion_stream *stream)
{
    const struct scion_zip *zip = stream->zip;
    size_t most = SCION_RAW_BLOCK - SCION_RAW_HEAD - SCION_RAW_BLOCK_HEAD -
                  scion_stream_beyond_unit(stream, scion_stream_own_pos(stream));

    return zip->dull > 0 && zip->plan.frame > most ? most : zip->plan.frame;
}

/* What the present one still takes; nothing if it could not be stored when it was full. */
static size_t room_of(struct scion_stream *stream)
{
    struct scion_zip *zip = stream->zip;

    if (zip->used == 0)
        zip->limit = limit_of(stream);
    return zip->limit > zip->used ? zip->limit - zip->used : 0;
}

/* Whether `stored` bytes are worth the time that it takes to read them. */
static int is_shrunk(size_t stored, size_t plain)
{
    return stored > 0 && stored < plain - plain / 32;
}

/* Whether it is to be expected that the frame shrinks. */
static int may_shrink(struct scion_zip *zip, const void *from, size_t plain)
{
    const char *middle = (const char *)from + (plain - SAMPLE) / 2;

    if (zip->dull == 0 || plain < 2 * SAMPLE)
        return 1;
    if (zip->wait > 0) {
        zip->wait = zip->wait > plain ? zip->wait - plain : 0;
        return 0;
    }
    return is_shrunk(scion_zstd_encode(zip->encoder, middle, SAMPLE, zip->out, out_size(zip)),
                     SAMPLE);
}

/* What is stored of a frame is in zip->out; its bytes. 0: it does not shrink. */
static size_t encode(struct scion_zip *zip, const void *from, size_t plain)
{
    size_t stored = 0;

    if (may_shrink(zip, from, plain))
        stored = scion_zstd_encode(zip->encoder, from, plain, zip->out, out_size(zip));
    if (is_shrunk(stored, plain)) {
        zip->dull = zip->wait = 0;
        return stored;
    }
    zip->dull = zip->dull < MOST_WAIT ? zip->dull + 1 : MOST_WAIT;
    zip->wait = zip->wait > 0 ? zip->wait : (zip->dull - 1) * zip->plan.frame;
    return 0;
}

/* A frame of blocks that are not compressed, from where they are. */
static int store_raw(struct scion_stream *stream, const char *from, size_t plain)
{
    unsigned char heads[SCION_RAW_HEAD + SCION_RAW_BLOCK_HEAD];
    size_t size = sizeof heads, part;
    struct scion_mark mark;
    int rc = scion_stream_mark(stream, &mark);

    if (rc != 0)
        return rc;
    scion_raw_head_encode((uint32_t)plain, heads);
    for (; rc == 0 && plain > 0; from += part, plain -= part, size = SCION_RAW_BLOCK_HEAD) {
        unsigned char *block = heads + (size - SCION_RAW_BLOCK_HEAD);

        part = plain < SCION_RAW_BLOCK ? plain : SCION_RAW_BLOCK;
        scion_raw_block_encode((uint32_t)part, part == plain, block);
        rc = scion_stream_store(stream, heads, size);
        if (rc == 0)
            rc = scion_stream_store(stream, from, part);
    }
    if (rc != 0)
        scion_stream_take_back_record(stream, &mark);
    return rc;
}

static int store_head(struct scion_stream *stream)
{
    const struct scion_zip_plan *plan = &stream->zip->plan;
    const struct scion_zip_head head = {(uint32_t)plan->frame, (uint32_t)plan->shuffle};
    unsigned char bytes[SCION_ZIP_HEAD];
    int rc = make_room(stream->zip->task);

    scion_zip_head_encode(&head, bytes);
    if (rc == 0)
        rc = scion_stream_store(stream, bytes, sizeof bytes);
    if (rc == 0)
        add_entry(stream->zip->task, sizeof bytes, 0);
    return rc;
}

/* Append a frame to what is stored, or fail and leave that as it was. */
static int store_frame(struct scion_stream *stream, const void *from, size_t plain)
{
    struct scion_zip *zip = stream->zip;
    int rc = zip->task->n == 0 ? store_head(stream) : 0;
    size_t stored;

    if (rc == 0)
        rc = make_room(zip->task);
    if (rc != 0)
        return rc;
    if (zip->plan.shuffle > 1) {
        scion_shuffle(from, plain, zip->plan.shuffle, zip->shuffled);
        from = zip->shuffled;
    }
    stored = encode(zip, from, plain);
    if (stored > 0) {
        rc = scion_stream_store(stream, zip->out, stored);
    } else {
        rc = store_raw(stream, from, plain);
        stored = scion_raw_size(plain);
    }
    if (rc == 0)
        add_entry(zip->task, stored, plain);
    return rc;
}

static int end_frame(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);
    struct scion_zip *zip = stream->zip;
    int rc = zip->used > 0 ? store_frame(stream, zip->frame, zip->used) : 0;

    if (rc == 0)
        zip->used = 0;
    return rc;
}

/* A record that ends the present frame. The frame's memory stays as it is until all is stored. */
static int write_frames(struct scion_stream *stream, const char *data, size_t bytes)
{
    struct scion_zip *zip = stream->zip;
    size_t used = zip->used, done = 0, size;
    int rc = 0;

    if (used > 0) {
        done = room_of(stream);
        memcpy(zip->frame + used, data, done);
        rc = store_frame(stream, zip->frame, used + done);
    }
    for (; rc == 0 && bytes - done >= limit_of(stream); done += size) {
        size = bytes - done < zip->plan.frame ? bytes - done : zip->plan.frame;
        rc = store_frame(stream, data + done, size);
    }
    if (rc != 0)
        return rc;
    memcpy(zip->frame, data + done, bytes - done);
    zip->used = bytes - done;
    zip->limit = limit_of(stream);
    return 0;
}

static int write_zip(struct scion_stream *stream, const void *data, size_t bytes)
{
    SCION_HOLD(&stream->hold);
    struct scion_zip *zip = stream->zip;
    const struct scion_zip_mark before = scion_zip_mark(zip);
    struct scion_mark mark;
    int rc = need_memory(zip);

    if (rc == 0 && bytes < room_of(stream)) {
        memcpy(zip->frame + zip->used, data, bytes);
        zip->used += bytes;
        return 1;
    }
    if (rc == 0)
        rc = scion_stream_mark(stream, &mark);
    if (rc != 0)
        return rc;
    rc = write_frames(stream, data, bytes);
    if (rc == 0)
        return 1;
    scion_stream_take_back_record(stream, &mark);
    scion_zip_return(zip, &before);
    return rc;
}

/* ---- begin and end ---- */

void scion_zip_init(struct scion_zip *zip, const struct scion_zip_plan *plan)
{
    zip->write = write_zip;
    zip->end_frame = end_frame;
    zip->plan = *plan;
}

static int store_table(struct scion_stream *stream)
{
    enum { ENTRIES = 512 };
    const struct scion_zip_task *task = stream->zip->task;
    unsigned char bytes[ENTRIES * SCION_SEEK_ENTRY];
    size_t done, n, i;
    int rc;

    scion_seek_head_encode((uint32_t)task->n, bytes);
    rc = scion_stream_store(stream, bytes, SCION_SEEK_HEAD);
    for (done = 0; rc == 0 && done < task->n; done += n) {
        n = task->n - done < ENTRIES ? task->n - done : ENTRIES;
        for (i = 0; i < n; i++)
            scion_seek_entry_encode(task->entries[2 * (done + i)],
                                    task->entries[2 * (done + i) + 1],
                                    bytes + i * SCION_SEEK_ENTRY);
        rc = scion_stream_store(stream, bytes, n * SCION_SEEK_ENTRY);
    }
    scion_seek_footer_encode((uint32_t)task->n, bytes);
    return rc == 0 ? scion_stream_store(stream, bytes, SCION_SEEK_FOOTER) : rc;
}

int scion_zip_finish(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);
    struct scion_zip_task *task = stream->zip->task;
    struct scion_mark mark;
    int rc = end_frame(stream);

    /* Readers of a stream with more frames find them one by one. */
    if (rc != 0 || task->n == task->tabled || task->n >= SCION_SEEK_MOST)
        return rc;
    rc = make_room(task);
    if (rc == 0)
        rc = scion_stream_mark(stream, &mark);
    if (rc != 0)
        return rc;
    rc = store_table(stream);
    if (rc == 0)
        add_entry(task, SCION_SEEK_HEAD + task->n * SCION_SEEK_ENTRY + SCION_SEEK_FOOTER, 0);
    else
        scion_stream_take_back_record(stream, &mark);
    if (rc == 0)
        task->tabled = task->n;
    return rc;
}

#include "stream/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/shuffle.h"
#include "base/zstd.h"
#include "format/frames.h"
#include "stream/stream_private.h"

enum { HEADS = SCION_RAW_HEAD + SCION_RAW_BLOCK_HEAD }; /* of a frame of one raw block */

/* ---- memory ---- */

static size_t out_size(const struct scion_zip *zip)
{
    return scion_zstd_bound(zip->plan.frame);
}

static int need_memory(struct scion_stream *stream)
{
    struct scion_zip *zip = stream->zip;

    if (zip->encoder)
        return 0;
    zip->memory = zip->memory ? zip->memory : malloc(HEADS + zip->plan.frame);
    zip->frame = zip->memory ? zip->memory + HEADS : NULL;
    scion_zip_empty_frame(stream);
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
    free(zip->memory);
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
    MOST_WAIT = 8,    /* frames that are then not even tried, one fewer */
    LARGE = 64 << 10
};

/*
 * Plain bytes of the frame that begins now. Where the last one did not shrink, it has one block,
 * which stays in the cache until it is stored, and ends where the next transfer may begin.
 */
static size_t limit_of(struct scion_stream *stream)
{
    const struct scion_zip *zip = stream->zip;
    size_t most =
        SCION_RAW_BLOCK - HEADS - scion_stream_beyond_unit(stream, scion_stream_own_pos(stream));

    return zip->dull > 0 && zip->plan.frame > most ? most : zip->plan.frame;
}

/*
 * Records of so many bytes are better not copied into the frame, as they will hardly shrink;
 * smaller ones are, without compression, copied into the stream's buffer.
 */
static size_t large_of(const struct scion_stream *stream)
{
    const struct scion_zip *zip = stream->zip;
    size_t large = stream->buffer_size > LARGE ? stream->buffer_size : LARGE;

    return zip->dull > 0 && zip->plan.shuffle <= 1 && zip->plan.frame > large ? large : SIZE_MAX;
}

/* The record that fills the frame is not in the window, nor is one that passes it. */
static void open_window(struct scion_stream *stream)
{
    struct scion_span *window = &stream->window;
    size_t room = stream->zip->limit - scion_zip_used(stream), large = large_of(stream);

    if (room > large)
        room = large;
    window->limit = window->cursor + room - 1;
}

static void begin_frame(struct scion_stream *stream)
{
    scion_zip_empty_frame(stream);
    stream->zip->limit = limit_of(stream);
    open_window(stream);
}

/* What the present one still takes; with so much it is full. */
static size_t room_of(struct scion_stream *stream)
{
    if (scion_zip_used(stream) == 0)
        begin_frame(stream);
    return stream->zip->limit - scion_zip_used(stream);
}

/* Whether `stored` bytes are worth the time that it takes to read them. */
static int is_shrunk(size_t stored, size_t plain)
{
    return stored > 0 && stored < plain - plain / 32;
}

/* Whether so many bytes are not even tried. */
static int waits(struct scion_zip *zip, size_t plain)
{
    int is_waiting = zip->wait > 0;

    zip->wait = zip->wait > plain ? zip->wait - plain : 0;
    return is_waiting;
}

/* Whether it is to be expected that the frame shrinks. */
static int may_shrink(struct scion_zip *zip, const char *from, size_t plain)
{
    const char *middle = from + (plain - SAMPLE) / 2;

    return zip->dull == 0 || plain < 2 * SAMPLE ||
           is_shrunk(scion_zstd_encode(zip->encoder, middle, SAMPLE, zip->out, out_size(zip)),
                     SAMPLE);
}

static void note_dull(struct scion_zip *zip)
{
    zip->wait = zip->dull * zip->plan.frame;
    zip->dull = zip->dull < MOST_WAIT ? zip->dull + 1 : MOST_WAIT;
}

/* What is stored of a frame is in zip->out; its bytes. 0: it does not shrink. */
static size_t encode(struct scion_zip *zip, const char *from, size_t plain)
{
    size_t stored = 0;

    if (waits(zip, plain))
        return 0;
    if (may_shrink(zip, from, plain))
        stored = scion_zstd_encode(zip->encoder, from, plain, zip->out, out_size(zip));
    if (is_shrunk(stored, plain)) {
        zip->dull = 0;
        return stored;
    }
    note_dull(zip);
    return 0;
}

struct piece {
    const char *from;
    size_t bytes;
};

/* The next bytes of two pieces. */
static int store_pieces(struct scion_stream *stream, struct piece pieces[2], size_t bytes)
{
    int rc = 0, i;

    for (i = 0; rc == 0 && i < 2; i++) {
        size_t part = bytes < pieces[i].bytes ? bytes : pieces[i].bytes;

        if (part > 0)
            rc = scion_stream_store(stream, pieces[i].from, part);
        pieces[i].from += part;
        pieces[i].bytes -= part;
        bytes -= part;
    }
    return rc;
}

/* A frame of blocks that are not compressed, of two pieces, from where they are. */
static int store_raw(struct scion_stream *stream, struct piece first, struct piece second)
{
    unsigned char heads[HEADS];
    struct piece pieces[2] = {first, second};
    size_t plain = first.bytes + second.bytes, size = sizeof heads, part;
    struct scion_mark mark;
    int rc = scion_stream_mark(stream, &mark);

    if (rc != 0)
        return rc;
    scion_raw_head_encode((uint32_t)plain, heads);
    for (; rc == 0 && plain > 0; plain -= part, size = SCION_RAW_BLOCK_HEAD) {
        unsigned char *block = heads + (size - SCION_RAW_BLOCK_HEAD);

        part = plain < SCION_RAW_BLOCK ? plain : SCION_RAW_BLOCK;
        scion_raw_block_encode((uint32_t)part, part == plain, block);
        rc = scion_stream_store(stream, heads, size);
        if (rc == 0)
            rc = store_pieces(stream, pieces, part);
    }
    if (rc != 0)
        scion_stream_take_back_record(stream, &mark);
    return rc;
}

/* The present frame, if that is one block: in one piece with its heads. */
static int store_raw_frame(struct scion_stream *stream, size_t plain)
{
    struct piece all = {stream->zip->begin, plain};
    unsigned char *heads = (unsigned char *)stream->zip->begin - HEADS;

    if (plain > SCION_RAW_BLOCK)
        return store_raw(stream, all, (struct piece){all.from, 0});
    scion_raw_head_encode((uint32_t)plain, heads);
    scion_raw_block_encode((uint32_t)plain, 1, heads + SCION_RAW_HEAD);
    return scion_stream_store(stream, heads, HEADS + plain);
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

/* The table has room for a frame more, and the stream has a head. */
static int need_room(struct scion_stream *stream)
{
    int rc = stream->zip->task->n == 0 ? store_head(stream) : 0;

    return rc == 0 ? make_room(stream->zip->task) : rc;
}

/* Append a frame to what is stored, or fail and leave that as it was. */
static int store_frame(struct scion_stream *stream, const char *from, size_t plain)
{
    struct scion_zip *zip = stream->zip;
    int rc = need_room(stream);
    size_t stored;

    if (rc != 0)
        return rc;
    if (zip->plan.shuffle > 1) {
        scion_shuffle(from, plain, zip->plan.shuffle, zip->shuffled);
        from = (char *)zip->shuffled;
    }
    stored = encode(zip, from, plain);
    if (stored > 0) {
        rc = scion_stream_store(stream, zip->out, stored);
    } else {
        rc = from == zip->begin
                 ? store_raw_frame(stream, plain)
                 : store_raw(stream, (struct piece){from, plain}, (struct piece){from, 0});
        stored = scion_raw_size(plain);
    }
    if (rc == 0)
        add_entry(zip->task, stored, plain);
    return rc;
}

/* What another thread adds to the window meanwhile is behind the frame. */
static int save_frame(struct scion_stream *stream)
{
    char *begin = stream->zip->begin,
         *end = __atomic_load_n(&stream->window.cursor, __ATOMIC_ACQUIRE);
    int rc = end > begin ? store_frame(stream, begin, (size_t)(end - begin)) : 0;

    if (rc == 0) {
        stream->zip->limit -= (size_t)(end - begin);
        stream->zip->begin = end;
    }
    return rc;
}

static int end_frame(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);
    int rc = save_frame(stream);

    if (rc == 0)
        scion_zip_empty_frame(stream);
    return rc;
}

static void add(struct scion_stream *stream, const char *data, size_t bytes)
{
    memcpy(stream->window.cursor, data, bytes);
    stream->window.cursor += bytes;
    open_window(stream);
}

/* A record that ends the present frame. The frame's memory stays as it is until all is stored. */
static int write_frames(struct scion_stream *stream, const char *data, size_t bytes)
{
    struct scion_zip *zip = stream->zip;
    size_t used = scion_zip_used(stream), done = 0, size;
    int rc = 0;

    if (used > 0) {
        done = room_of(stream);
        memcpy(zip->begin + used, data, done);
        rc = store_frame(stream, zip->begin, used + done);
    }
    for (; rc == 0 && bytes - done >= limit_of(stream); done += size) {
        size = bytes - done < zip->plan.frame ? bytes - done : zip->plan.frame;
        rc = store_frame(stream, data + done, size);
    }
    if (rc != 0)
        return rc;
    begin_frame(stream);
    add(stream, data + done, bytes - done);
    return 0;
}

/*
 * A large record that will not shrink, with all that is in the present frame: without a copy. Each
 * of these frames is the record's or, of a record that is larger than a frame, a part of it.
 */
static int pass_record(struct scion_stream *stream, const char *data, size_t bytes)
{
    struct scion_zip *zip = stream->zip;
    struct piece held = {zip->begin, scion_zip_used(stream)};
    int rc = 0;

    while (rc == 0 && bytes > 0) {
        size_t room = zip->plan.frame - held.bytes, part = bytes < room ? bytes : room;

        rc = need_room(stream);
        if (rc == 0)
            rc = store_raw(stream, held, (struct piece){data, part});
        if (rc != 0)
            break;
        add_entry(zip->task, scion_raw_size(held.bytes + part), held.bytes + part);
        held.bytes = 0;
        data += part;
        bytes -= part;
    }
    if (rc == 0)
        scion_zip_empty_frame(stream);
    return rc;
}

/* Whether it is. */
static int passes(struct scion_stream *stream, const char *data, size_t bytes)
{
    struct scion_zip *zip = stream->zip;

    if (bytes < large_of(stream))
        return 0;
    if (waits(zip, bytes))
        return 1;
    if (may_shrink(zip, data, bytes))
        return 0;
    note_dull(zip);
    return 1;
}

static int store_record(struct scion_stream *stream, const char *data, size_t bytes)
{
    if (passes(stream, data, bytes))
        return pass_record(stream, data, bytes);
    if (bytes >= room_of(stream))
        return write_frames(stream, data, bytes);
    add(stream, data, bytes);
    return 0;
}

/* A record that is not in the window. */
static int write_zip(struct scion_stream *stream, const void *data, size_t bytes)
{
    SCION_HOLD(&stream->hold);
    const struct scion_zip_mark before = scion_zip_mark(stream);
    struct scion_mark mark;
    int rc = need_memory(stream);

    if (rc == 0)
        rc = scion_stream_mark(stream, &mark);
    if (rc != 0)
        return rc;
    rc = store_record(stream, data, bytes);
    if (rc == 0)
        return 1;
    scion_stream_take_back_record(stream, &mark);
    scion_zip_return(stream, &before);
    return rc;
}

/* ---- begin and end ---- */

void scion_zip_init(struct scion_zip *zip, const struct scion_zip_plan *plan)
{
    zip->write = write_zip;
    zip->end_frame = end_frame;
    zip->save_frame = save_frame;
    zip->plan = *plan;
}

void scion_zip_enter(struct scion_stream *stream, struct scion_zip *zip,
                     struct scion_zip_task *task)
{
    zip->task = task;
    if (stream->zip)
        return;
    zip->stored = stream->window;
    stream->zip = zip;
    scion_zip_empty_frame(stream);
}

void scion_zip_leave(struct scion_stream *stream)
{
    if (!stream->zip)
        return;
    stream->window = stream->zip->stored;
    stream->zip = NULL;
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

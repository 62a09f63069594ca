/* Shared by the files that make up the stream; nobody else includes this. */
#ifndef SCION_STREAM_PRIVATE_H
#define SCION_STREAM_PRIVATE_H

#include "stream/stream.h"

enum {
    SCION_LARGE_RECORD = 16 << 10, /* bytes; is better not copied when it is read */
    SCION_HUGE_RECORD = 32 << 10   /* in memory: what is behind it is left to the next read */
};

/*
 * Transfers have good ends at multiples of this in the file. A write that ends at a multiple of 64
 * KiB lets the next one begin there, and a file system that keeps data in large pieces (ext4, XFS)
 * then need not cut them: that is 1.5 times as fast. In memory, where pages are kept, as little as
 * possible is copied to get there; so it is with a small buffer. The data of most containers begin
 * at an odd block, behind the header.
 */
size_t scion_stream_find_unit(struct scion_stream *stream);

static inline size_t scion_stream_unit(struct scion_stream *stream)
{
    return stream->unit > 0 ? stream->unit : scion_stream_find_unit(stream);
}

/* Bytes from the last good end of a transfer to an offset of the present chunk. */
static inline size_t scion_stream_beyond_unit(struct scion_stream *stream, sion_int64 pos)
{
    return (size_t)((stream->origin + pos) % (sion_int64)scion_stream_unit(stream));
}

/* The window in the buffer; the records of a stream that compresses have another one. */
static inline struct scion_span *scion_stream_stored(struct scion_stream *stream)
{
    return stream->zip ? &stream->zip->stored : &stream->window;
}

/* Nothing buffered: the window is empty and the position is base. */
static inline void scion_stream_empty_window(struct scion_stream *stream)
{
    struct scion_span *stored = scion_stream_stored(stream);

    stored->cursor = stored->limit = stream->buffer;
}

/* Offset in the chunk by the stream's own count; not for exported streams. */
static inline sion_int64 scion_stream_own_pos(const struct scion_stream *stream)
{
    const char *end = stream->zip ? stream->zip->stored.cursor : stream->window.cursor;

    return stream->base + (end - stream->buffer);
}

/* ---- of a stream that compresses ---- */

/* Bytes in the present frame. */
static inline size_t scion_zip_used(const struct scion_stream *stream)
{
    return (size_t)(stream->window.cursor - stream->zip->begin);
}

/* The next record begins a frame. */
static inline void scion_zip_empty_frame(struct scion_stream *stream)
{
    struct scion_zip *zip = stream->zip;

    zip->begin = stream->window.cursor = stream->window.limit = zip->frame;
}

/* The present task starts again. */
static inline void scion_zip_restart(struct scion_stream *stream)
{
    struct scion_zip_task *task = stream->zip->task;

    scion_zip_empty_frame(stream);
    task->n = task->tabled = 0;
    task->plain = 0;
}

static inline struct scion_zip_mark scion_zip_mark(const struct scion_stream *stream)
{
    const struct scion_zip_task *task = stream->zip->task;

    return (struct scion_zip_mark){task->plain, task->n, scion_zip_used(stream)};
}

static inline void scion_zip_return(struct scion_stream *stream, const struct scion_zip_mark *mark)
{
    struct scion_zip *zip = stream->zip;

    zip->task->plain = mark->plain;
    zip->task->n = mark->n;
    stream->window.cursor = zip->begin + mark->used;
}

/* Plain bytes that the present task has written. */
static inline sion_int64 scion_zip_total(const struct scion_stream *stream)
{
    const struct scion_zip_task *task = stream->zip->task;

    return task->earlier + task->plain + (sion_int64)scion_zip_used(stream);
}

/* Offset in the chunk, also while the FILE* or the descriptor has the position. An application's
   fclose is noticed here. */
int scion_stream_sync_pos(struct scion_stream *stream, sion_int64 *pos);

/* An application may have closed the FILE*; the stream goes on without it. */
int scion_stream_notice_fclose(struct scion_stream *stream);

/*
 * Reading: fail if the file's guard refuses some of the task's data. For an application that reads
 * without the guard: by the descriptor, or its own FILE*.
 */
int scion_stream_check_data(const struct scion_stream *stream);

/* Tell the exported FILE* where the chunk begins and ends. */
void scion_stream_bound_file(struct scion_stream *stream);

/* The stream gives up this FILE*. offset: where the FILE* stood; negative: its position does not
   count. */
void scion_stream_go_on_without(struct scion_stream *stream, sion_int64 offset);

/* For the close. */
int scion_stream_close_second(struct scion_stream *stream);

/* Go to an offset of a chunk; nothing may be buffered. before: bytes in earlier chunks. */
int scion_stream_place_cursor(struct scion_stream *stream, sion_int64 chunk, sion_int64 before,
                              sion_int64 pos);

/* Make the buffer if there is none. */
int scion_stream_need_buffer(struct scion_stream *stream);

/*
 * Writing: after a failure the stream ends before the record again, or earlier if stdio has lost
 * bytes that were written before it.
 */
void scion_stream_take_back_record(struct scion_stream *stream, const struct scion_mark *mark);

/*
 * Writing, of a stream that compresses: bytes as they are stored, over as many chunks as they need.
 * All or nothing: 0 or an error code.
 */
int scion_stream_store(struct scion_stream *stream, const void *bytes, size_t size);

/*
 * Reading: the chunk that holds the next record of so many bytes, the present one or a later one.
 * 1, 0 at the end of the stream, or an error code.
 */
int scion_stream_find_record(struct scion_stream *stream, size_t bytes, sion_int64 *chunk);

/* Reading: to the beginning of a later chunk; those between are empty. */
int scion_stream_go_to_chunk(struct scion_stream *stream, sion_int64 chunk);

#endif

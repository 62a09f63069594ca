/* Writing a stream. */
#include "stream/stream.h"

#include <errno.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/error.h"
#include "stream/stream_private.h"

/* The window behind what is buffered, whose first byte goes to `base`. */
static void open_window(struct scion_stream *stream)
{
    struct scion_span *stored = scion_stream_stored(stream);
    size_t used = (size_t)(stored->cursor - stream->buffer);
    size_t end = stream->buffer_size;
    sion_int64 room = stream->place.chunksize - scion_stream_own_pos(stream);

    end -= scion_stream_beyond_unit(stream, stream->base + (sion_int64)end);
    if (end < used)
        end = stream->buffer_size;
    stored->limit = stored->cursor + ((sion_int64)(end - used) < room ? end - used : (size_t)room);
}

void scion_stream_show(const struct scion_stream *stream, const void *bytes, size_t size)
{
    if (stream->tap.run && size > 0)
        stream->tap.run(stream->tap.user, stream->before + stream->base, bytes, size);
}

/* The first bytes of the buffer have been written. */
static void take_out(struct scion_stream *stream, size_t done)
{
    struct scion_span *stored = scion_stream_stored(stream);

    scion_stream_show(stream, stream->buffer, done);
    stream->base += (sion_int64)done;
    stored->cursor -= done;
    memmove(stream->buffer, stream->buffer + done, (size_t)(stored->cursor - stream->buffer));
    open_window(stream);
}

static size_t waiting_in(struct scion_stream *stream)
{
    return (size_t)(scion_stream_stored(stream)->cursor - stream->buffer);
}

/* Writing: write the buffer out; what could not be written stays buffered. */
static int drain(struct scion_stream *stream)
{
    size_t bytes = waiting_in(stream), done;
    int rc;

    if (bytes == 0)
        return 0;
    rc =
        scion_file_write(stream->file, stream->buffer, bytes, stream->origin + stream->base, &done);
    take_out(stream, done);
    return rc;
}

/* What is buffered goes to the system. */
static int give(struct scion_stream *stream)
{
    sion_int64 pos;
    int rc = 0;

    if (stream->fp)
        rc = scion_app_file_flush(stream->fp);
    else if (stream->exported == SCION_EXPORT_NONE)
        rc = drain(stream);
    return rc != 0 ? rc : scion_stream_sync_pos(stream, &pos);
}

int scion_stream_flush(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);
    int rc = stream->zip ? stream->zip->end_frame(stream) : 0, other = give(stream);

    return rc != 0 ? rc : other;
}

/* All bytes have been given to the system, and the lengths contain their number. */
static int write_slot(struct scion_stream *stream, int is_flush)
{
    return scion_commit_write(stream->commit, stream->file, &stream->place, stream->chunk,
                              scion_lengths_used(stream->lengths, stream->chunk), is_flush);
}

/* A slot on the disk vouches for bytes, which must be there before it. */
static int sync_and_write_slot(struct scion_stream *stream, int is_flush)
{
    int rc = stream->commit->durable ? scion_file_sync(stream->file) : 0;

    return rc == 0 ? write_slot(stream, is_flush) : rc;
}

/* Bytes that a FILE* has lost were reported once, but the position is not certain any more. */
static int has_lost(const struct scion_stream *stream)
{
    return stream->failed != 0 || (stream->own && stream->own->lost) ||
           (stream->second && stream->second->lost);
}

static int fail_lost(const struct scion_stream *stream)
{
    return scion_fail(SION_ERR_SYSTEM, "bytes written through the FILE* of %s were lost",
                      scion_file_path(stream->file));
}

int scion_stream_commit(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);
    int rc = scion_stream_flush(stream);

    if (rc != 0 || !stream->commit)
        return rc;
    return has_lost(stream) ? fail_lost(stream) : write_slot(stream, 1);
}

/* ---- the end of the process ---- */

/* The bytes before the cursor. What another thread does with the window meanwhile is only to copy
   more bytes behind them, and to move the cursor. */
static int write_waiting(struct scion_stream *stream)
{
    const char *end = __atomic_load_n(&scion_stream_stored(stream)->cursor, __ATOMIC_ACQUIRE);
    size_t bytes = (size_t)(end - stream->buffer), done = 0;
    int rc = bytes > 0 ? scion_file_write(stream->file, stream->buffer, bytes,
                                          stream->origin + stream->base, &done)
                       : 0;

    stream->lengths->used[stream->chunk] = stream->base + (sion_int64)done;
    return rc;
}

int scion_stream_save(struct scion_stream *stream)
{
    sion_int64 pos;
    int rc = 0;

    if (!stream->lengths || !stream->file || (stream->second && !stream->commit))
        return 0;
    if (stream->zip)
        rc = stream->zip->save_frame(stream);
    if (rc != 0)
        return rc;
    if (stream->exported == SCION_EXPORT_NONE)
        rc = write_waiting(stream);
    else
        rc = scion_stream_flush(stream);
    if (rc == 0 && stream->exported != SCION_EXPORT_NONE)
        rc = scion_stream_sync_pos(stream, &pos);
    if (rc == 0 && has_lost(stream))
        rc = fail_lost(stream);
    return rc == 0 && stream->commit ? sync_and_write_slot(stream, 1) : rc;
}

enum { TABLES = 40 }; /* bits of an offset that are left for the tables at the end of the file */

/* Refuse a chunk whose block would end beyond the largest offset that can be stored. */
static int check_next_chunk(const struct scion_stream *stream, sion_int64 next)
{
    sion_int64 end;

    if (scion_chunk_start(&stream->place, next + 1, &end) ||
        end > INT64_MAX - (INT64_C(1) << TABLES))
        return scion_fail(SION_ERR_NO_SPACE, "chunk %lld of %s would be beyond the largest offset",
                          next, scion_file_path(stream->file));
    return 0;
}

/* The next one that the task may begin; those before it stay empty. */
static sion_int64 find_free_chunk(const struct scion_stream *stream)
{
    sion_int64 next = stream->chunk + 1;

    return next < stream->place.floor ? stream->place.floor : next;
}

/* Back to the present chunk. */
static void drop_chunks(struct scion_stream *stream, sion_int64 present)
{
    stream->lengths->count = present + 1;
    stream->chunk = present;
}

static int go_to_chunk(struct scion_stream *stream, sion_int64 next)
{
    sion_int64 used, present = stream->chunk;
    int rc = check_next_chunk(stream, next);

    if (rc == 0)
        rc = give(stream);
    if (rc == 0 && stream->commit)
        rc = sync_and_write_slot(stream, 0);
    if (rc != 0)
        return rc;
    used = stream->lengths->used[present];
    rc = scion_lengths_extend(stream->lengths, next + 1);
    if (rc == 0)
        rc = scion_stream_place_cursor(stream, next, stream->before + used, 0);
    if (rc != 0)
        drop_chunks(stream, present);
    return rc;
}

static int next_chunk(struct scion_stream *stream)
{
    return go_to_chunk(stream, find_free_chunk(stream));
}

int scion_stream_leap(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);

    return stream->chunk < stream->place.floor ? go_to_chunk(stream, stream->place.floor) : 0;
}

static int ensure(struct scion_stream *stream, sion_int64 bytes)
{
    sion_int64 pos;
    int rc;

    if (bytes > stream->place.chunksize)
        return scion_fail(SION_ERR_NO_SPACE, "could not write %lld bytes, chunksize=%lld", bytes,
                          stream->place.chunksize);
    rc = scion_stream_sync_pos(stream, &pos);
    if (rc == 0 && (pos < 0 || pos > stream->place.chunksize))
        rc = scion_fail(SION_ERR_NO_SPACE,
                        "the second FILE* for %s is at offset %lld, outside of the task's chunk",
                        scion_file_path(stream->file), stream->origin + pos);
    if (rc != 0 || bytes <= stream->place.chunksize - pos)
        return rc;
    if (stream->fill_chunks && pos < stream->place.chunksize)
        return scion_fail(
            SION_ERR_NO_SPACE,
            "%lld bytes are free in the chunk, and key-value streams fill every chunk",
            stream->place.chunksize - pos);
    return next_chunk(stream);
}

/* Frames go over any number of chunks. */
int scion_stream_ensure_free_space(struct scion_stream *stream, sion_int64 bytes)
{
    SCION_HOLD(&stream->hold);

    return stream->zip ? 0 : ensure(stream, bytes);
}

/*
 * Bytes at the end of a record that stay in the buffer, so that the write has a good end. If the
 * record fills the chunk, nothing stays there.
 */
static size_t tail_of(struct scion_stream *stream, size_t bytes)
{
    sion_int64 end = scion_stream_own_pos(stream) + (sion_int64)bytes;
    size_t tail = scion_stream_beyond_unit(stream, end);

    return end < stream->place.chunksize && tail <= bytes ? tail : 0;
}

/* Write a record without a copy, but for its tail, in one call with the buffered bytes. A failed
   record leaves the position unchanged. */
static int write_direct(struct scion_stream *stream, const char *data, size_t bytes)
{
    struct scion_span *stored = scion_stream_stored(stream);
    size_t waiting = waiting_in(stream), tail = tail_of(stream, bytes), done;
    const struct iovec runs[2] = {{stream->buffer, waiting}, {(void *)data, bytes - tail}};
    int rc = tail > 0 ? scion_stream_need_buffer(stream) : 0;

    if (rc != 0)
        return rc;
    rc = scion_file_write_two(stream->file, runs, stream->origin + stream->base, &done);
    if (waiting > 0)
        take_out(stream, done < waiting ? done : waiting);
    if (rc != 0)
        return rc;
    scion_stream_show(stream, data, bytes - tail);
    stream->base += (sion_int64)(bytes - tail);
    if (tail > 0) {
        memcpy(stored->cursor, data + bytes - tail, tail);
        stored->cursor += tail;
    }
    if (stream->buffer)
        open_window(stream);
    return 0;
}

/* Put a record into the buffer if it fits there. */
static int write_buffered(struct scion_stream *stream, const char *data, size_t bytes)
{
    struct scion_span *stored = scion_stream_stored(stream);
    int rc = scion_stream_need_buffer(stream);

    if (rc != 0)
        return rc;
    open_window(stream);
    if (bytes > (size_t)(stored->limit - stored->cursor))
        return write_direct(stream, data, bytes);
    memcpy(stored->cursor, data, bytes);
    stored->cursor += bytes;
    return 0;
}

static int write_descriptor(struct scion_stream *stream, const void *data, size_t bytes)
{
    sion_int64 offset = stream->origin + stream->base;
    int rc = scion_file_write(stream->file, data, bytes, offset, NULL);

    return rc != 0 ? rc : scion_file_seek(stream->file, offset + (sion_int64)bytes);
}

/* The record fits into the present chunk. */
static int write_present_chunk(struct scion_stream *stream, const void *data, size_t bytes)
{
    switch (stream->exported) {
    case SCION_EXPORT_STREAM:
        return scion_app_file_write(stream->fp, data, bytes);
    case SCION_EXPORT_DESCRIPTOR:
        return write_descriptor(stream, data, bytes);
    default:
        return bytes >= stream->buffer_size ? write_direct(stream, data, bytes)
                                            : write_buffered(stream, data, bytes);
    }
}

/* Write as much as fits into one chunk: the present one or, if that is full, the next. */
static int write_part(struct scion_stream *stream, const char *data, size_t bytes, size_t *part)
{
    sion_int64 pos, room;
    int rc = ensure(stream, 1);

    if (rc == 0)
        rc = scion_stream_sync_pos(stream, &pos);
    if (rc != 0)
        return rc;
    room = stream->place.chunksize - pos;
    *part = (sion_int64)bytes < room ? bytes : (size_t)room;
    return write_present_chunk(stream, data, *part);
}

/* Key-value streams: write over as many chunks as the record needs. */
static int write_split(struct scion_stream *stream, const char *data, size_t bytes)
{
    while (bytes > 0) {
        size_t part;
        int rc = write_part(stream, data, bytes, &part);

        if (rc != 0)
            return rc;
        data += part;
        bytes -= part;
    }
    return 0;
}

void scion_stream_take_back_record(struct scion_stream *stream, const struct scion_mark *mark)
{
    SCION_HOLD(&stream->hold);
    int moved = stream->chunk != mark->chunk;
    sion_int64 pos;

    if (!moved && stream->exported == SCION_EXPORT_NONE && stream->base < mark->pos) {
        scion_stream_stored(stream)->cursor = stream->buffer + (mark->pos - stream->base);
        open_window(stream);
    } else if (moved || (scion_stream_sync_pos(stream, &pos) == 0 && pos > mark->pos)) {
        stream->lengths->count = mark->chunk + 1;
        scion_stream_place_cursor(stream, mark->chunk, mark->before, mark->pos);
    }
    scion_stream_sync_pos(stream, &pos);
}

/* Only whether the record fits must be checked, as in the window, so this costs little more than an
   fwrite(). */
static int write_exported(struct scion_stream *stream, const void *data, size_t bytes,
                          sion_int64 offset)
{
    int rc = scion_app_file_write(stream->fp, data, bytes);

    if (rc == 0)
        return 1;
    scion_stream_take_back_record(
        stream, &(struct scion_mark){stream->chunk, stream->before, offset - stream->origin});
    return rc;
}

/* Where it does not go to a FILE* that has room for it. */
static int write_closely(struct scion_stream *stream, const void *data, size_t bytes)
{
    SCION_HOLD(&stream->hold);
    struct scion_mark mark;
    int rc = stream->fill_chunks ? 0 : scion_stream_ensure_free_space(stream, (sion_int64)bytes);

    mark = (struct scion_mark){.chunk = stream->chunk, .before = stream->before};
    if (rc == 0)
        rc = scion_stream_sync_pos(stream, &mark.pos);
    if (rc != 0)
        return rc;
    rc = stream->fill_chunks ? write_split(stream, data, bytes)
                             : write_present_chunk(stream, data, bytes);
    if (rc != 0)
        scion_stream_take_back_record(stream, &mark);
    return rc != 0 ? rc : 1;
}

static int write_record(struct scion_stream *stream, const void *data, size_t bytes)
{
    sion_int64 offset;

    if (stream->zip)
        return stream->zip->write(stream, data, bytes);
    if (stream->fp && !stream->fill_chunks &&
        scion_app_file_has(stream->fp, (sion_int64)bytes, &offset))
        return scion_stdio_put(stream->fp->stream, data, bytes)
                   ? 1
                   : write_exported(stream, data, bytes, offset);
    return write_closely(stream, data, bytes);
}

int scion_stream_store(struct scion_stream *stream, const void *bytes, size_t size)
{
    struct scion_mark mark;
    int rc = scion_stream_mark(stream, &mark);

    if (rc != 0)
        return rc;
    rc = write_split(stream, bytes, size);
    if (rc != 0)
        scion_stream_take_back_record(stream, &mark);
    return rc;
}

/* What the system refuses is known to the file; what lacks memory does not get there. */
static int note_refused(struct scion_stream *stream, int rc)
{
    if (rc == SION_ERR_MEMORY)
        scion_file_refuse(stream->file, ENOMEM);
    return rc;
}

int scion_stream_write_slow(struct scion_stream *stream, const void *data, size_t bytes)
{
    return bytes > 0 ? note_refused(stream, write_record(stream, data, bytes)) : 1;
}

int scion_stream_write_bytes(struct scion_stream *stream, const void *data, size_t bytes,
                             size_t *done)
{
    SCION_HOLD(&stream->hold);
    const char *from = data;

    *done = 0;
    if (stream->zip) {
        int rc = scion_stream_write_slow(stream, data, bytes);

        *done = rc == 1 ? bytes : 0;
        return rc == 1 ? 0 : rc;
    }
    while (*done < bytes) {
        struct scion_mark mark;
        size_t part;
        int rc = scion_stream_mark(stream, &mark);

        if (rc != 0)
            return rc;
        rc = write_part(stream, from + *done, bytes - *done, &part);
        if (rc != 0) {
            scion_stream_take_back_record(stream, &mark);
            return note_refused(stream, rc);
        }
        *done += part;
    }
    return 0;
}

int scion_stream_write_pair(struct scion_stream *stream, const void *first, size_t first_bytes,
                            const void *second, size_t second_bytes)
{
    SCION_HOLD(&stream->hold);
    struct scion_mark mark = {.chunk = stream->chunk, .before = stream->before};
    int rc = scion_stream_sync_pos(stream, &mark.pos);

    if (rc != 0)
        return rc;
    rc = scion_stream_write(stream, first, first_bytes);
    if (rc > 0 && second_bytes > 0)
        rc = scion_stream_write(stream, second, second_bytes);
    if (rc < 0)
        scion_stream_take_back_record(stream, &mark);
    return rc;
}

int scion_stream_restart(struct scion_stream *stream, const struct scion_place *place)
{
    SCION_HOLD(&stream->hold);
    stream->place = *place;
    if (stream->zip)
        scion_zip_restart(stream);
    stream->lengths->count = 1;
    stream->lengths->used[0] = 0;
    return scion_stream_place_cursor(stream, 0, 0, 0);
}

/* Reading a stream. */
#include "stream/stream.h"

#include <stdlib.h>

#include "base/error.h"
#include "stream/stream_private.h"

enum { LEAST_AHEAD = 4096 };

/* The next chunk after the present one that holds data; 0 if there is none. */
static int find_next_chunk(const struct scion_stream *stream, sion_int64 *chunk)
{
    const struct scion_lengths *lengths = stream->lengths;

    for (*chunk = stream->chunk + 1; *chunk < lengths->count; (*chunk)++) {
        if (scion_lengths_used(lengths, *chunk) > 0)
            return 1;
    }
    return 0;
}

int scion_stream_go_to_chunk(struct scion_stream *stream, sion_int64 chunk)
{
    sion_int64 used = scion_lengths_used(stream->lengths, stream->chunk);

    int rc = scion_stream_place_cursor(stream, chunk, stream->before + used, 0);

    stream->ended = stream->origin; /* the next chunk goes on where this one ended */
    return rc;
}

static int read_direct(struct scion_stream *stream, char *data, size_t bytes)
{
    int rc = scion_file_read(stream->file, data, bytes, stream->origin + stream->base);

    if (rc == 0)
        stream->base += (sion_int64)bytes;
    return rc;
}

/*
 * How far to read ahead: twice as far as before while reads follow each other, or leave out less
 * than that, up to the size of the buffer; little after a jump.
 */
static size_t read_ahead(struct scion_stream *stream, size_t least)
{
    sion_int64 jump = stream->origin + stream->base - stream->ended;

    stream->ahead = jump >= 0 && jump < (sion_int64)stream->ahead ? 2 * stream->ahead : LEAST_AHEAD;
    if (stream->ahead < least)
        stream->ahead = least;
    if (stream->ahead > stream->buffer_size)
        stream->ahead = stream->buffer_size;
    return stream->ahead;
}

/* Fill the buffer from `base` on, not beyond the chunk's data; `least` bytes have to be there. */
static int refill(struct scion_stream *stream, size_t least)
{
    sion_int64 left = scion_lengths_used(stream->lengths, stream->chunk) - stream->base;
    size_t ahead = read_ahead(stream, least), got;
    size_t bytes = left < (sion_int64)ahead ? (size_t)left : ahead;
    int rc = scion_stream_need_buffer(stream);

    if (rc == 0)
        rc = scion_file_read_least(stream->file, stream->buffer, bytes, least,
                                   stream->origin + stream->base, &got);
    if (rc == 0) {
        stream->window.limit = stream->buffer + got;
        stream->ended = stream->origin + stream->base + (sion_int64)got;
    }
    return rc;
}

/* Reads follow each other: what is behind the next `bytes` bytes, up to a good end, in the chunk.
 */
static size_t bytes_behind(struct scion_stream *stream, size_t bytes)
{
    sion_int64 end = stream->base + (sion_int64)bytes;
    sion_int64 left = scion_lengths_used(stream->lengths, stream->chunk) - end;
    size_t beyond = scion_stream_beyond_unit(stream, end);
    size_t behind = beyond > 0 ? scion_stream_unit(stream) - beyond : 0;

    if (read_ahead(stream, bytes) <= bytes)
        return 0;
    return left < (sion_int64)behind ? (size_t)left : behind;
}

/* The rest of a large record without a copy, and in the same call what is behind it. */
static int read_past_buffer(struct scion_stream *stream, char *data, size_t bytes)
{
    size_t behind = bytes_behind(stream, bytes), got;
    int rc = behind > 0 ? scion_stream_need_buffer(stream) : 0;
    struct iovec runs[2] = {{data, bytes}, {stream->buffer, behind}};

    if (rc == 0)
        rc = scion_file_read_runs(stream->file, runs, behind > 0 ? 2 : 1, bytes,
                                  stream->origin + stream->base, &got);
    if (rc != 0)
        return rc;
    stream->ended = stream->origin + stream->base + (sion_int64)got;
    stream->base += (sion_int64)bytes;
    if (got > bytes)
        stream->window.limit = stream->buffer + (got - bytes);
    return 0;
}

/* What is left of a record is read by itself. */
static int is_read_alone(struct scion_stream *stream, size_t bytes, size_t rest)
{
    return rest >= stream->buffer_size ||
           (bytes >= SCION_HUGE_RECORD && scion_stream_unit(stream) > 0 && stream->is_in_memory);
}

/* The whole record is in the present chunk. */
static int read_own(struct scion_stream *stream, char *data, size_t bytes)
{
    size_t part = (size_t)(stream->window.limit - stream->window.cursor);
    int rc;

    if (part > 0)
        memcpy(data, stream->window.cursor, part);
    stream->base = scion_stream_own_pos(stream) + (sion_int64)part;
    scion_stream_empty_window(stream);
    if (is_read_alone(stream, bytes, bytes - part))
        return read_direct(stream, data + part, bytes - part);
    if (bytes >= SCION_LARGE_RECORD && scion_file_reads_runs(stream->file))
        return read_past_buffer(stream, data + part, bytes - part);
    rc = refill(stream, bytes - part);
    if (rc == 0) {
        memcpy(data + part, stream->window.cursor, bytes - part);
        stream->window.cursor += bytes - part;
    }
    return rc;
}

/* ---- a file whose guard reads whole pieces ---- */

/* The piece that has the next byte comes into the buffer, which may have to grow. */
static int buffer_piece(struct scion_stream *stream, sion_int64 begin, sion_int64 end)
{
    size_t bytes = (size_t)(end - begin), into = (size_t)(stream->origin + stream->base - begin);
    int rc;

    if (stream->buffer_size < bytes) {
        free(stream->buffer);
        stream->buffer = NULL;
        stream->buffer_size = bytes;
    }
    rc = scion_stream_need_buffer(stream);
    if (rc == 0)
        rc = scion_file_read(stream->file, stream->buffer, bytes, begin);
    if (rc != 0)
        return rc;
    stream->base = begin - stream->origin;
    stream->window.cursor = stream->buffer + into;
    stream->window.limit = stream->buffer + bytes;
    stream->ended = end;
    return 0;
}

/*
 * As read_own(), piece by piece. Large records are copied, too: on its way through the cache, where
 * the guard needs it, a piece costs less than a read to where the application's memory begins.
 */
static int read_pieces(struct scion_stream *stream, char *data, size_t bytes)
{
    sion_int64 begin, end;
    int rc = 0;

    while (rc == 0) {
        size_t left = (size_t)(stream->window.limit - stream->window.cursor),
               part = left < bytes ? left : bytes;

        if (part > 0) {
            memcpy(data, stream->window.cursor, part);
            stream->window.cursor += part;
            data += part;
            bytes -= part;
        }
        if (bytes == 0)
            return 0;
        stream->base = scion_stream_own_pos(stream);
        scion_stream_empty_window(stream);
        if (!scion_file_piece(stream->file, stream->origin + stream->base, &begin, &end))
            return read_own(stream, data, bytes);
        rc = buffer_piece(stream, begin, end);
    }
    return rc;
}

static int read_descriptor(struct scion_stream *stream, void *data, size_t bytes)
{
    int rc = read_direct(stream, data, bytes);

    return rc != 0 ? rc : scion_file_seek(stream->file, stream->origin + stream->base);
}

static int read_present_chunk(struct scion_stream *stream, void *data, size_t bytes)
{
    switch (stream->exported) {
    case SCION_EXPORT_STREAM:
        return scion_app_file_read(stream->fp, data, bytes);
    case SCION_EXPORT_DESCRIPTOR:
        return read_descriptor(stream, data, bytes);
    default:
        return scion_file_is_watched(stream->file) && stream->buffer_size > 0
                   ? read_pieces(stream, data, bytes)
                   : read_own(stream, data, bytes);
    }
}

/* Go back after a failed read. The first error is the one to report. */
static void go_back(struct scion_stream *stream, const struct scion_mark *mark)
{
    scion_stream_place_cursor(stream, mark->chunk, mark->before, mark->pos);
}

/* This happens only if the application has moved its FILE* or descriptor there. */
static int check_not_before(const struct scion_stream *stream, sion_int64 pos)
{
    if (pos >= 0)
        return 0;
    return scion_fail(SION_ERR_MODE, "%s is read at offset %lld, before the task's chunk",
                      scion_file_path(stream->file), stream->origin + pos);
}

/* The data that the present chunk holds after the position. */
static int find_left(struct scion_stream *stream, sion_int64 *left)
{
    sion_int64 pos;
    int rc = scion_stream_check(stream);

    if (rc == 0)
        rc = scion_stream_sync_pos(stream, &pos);
    if (rc == 0)
        rc = check_not_before(stream, pos);
    if (rc == 0)
        *left = scion_lengths_used(stream->lengths, stream->chunk) - pos;
    return rc;
}

int scion_stream_find_record(struct scion_stream *stream, size_t bytes, sion_int64 *chunk)
{
    sion_int64 left;
    int rc = find_left(stream, &left);

    if (rc != 0)
        return rc;
    *chunk = stream->chunk;
    if (left <= 0) {
        if (!find_next_chunk(stream, chunk))
            return 0;
        left = scion_lengths_used(stream->lengths, *chunk);
    }
    if (left < (sion_int64)bytes)
        return scion_fail(SION_ERR_NO_SPACE,
                          "not enough bytes left in chunk, aborting (%lld < %zu) ...", left, bytes);
    return 1;
}

/* The record certainly is in the present chunk, so this costs little more than an fread(). */
static int read_exported(struct scion_stream *stream, void *data, size_t bytes, sion_int64 offset)
{
    int rc = scion_app_file_read(stream->fp, data, bytes);

    if (rc == 0)
        return 1;
    go_back(stream, &(struct scion_mark){stream->chunk, stream->before, offset - stream->origin});
    return rc;
}

int scion_stream_read_slow(struct scion_stream *stream, void *data, size_t bytes)
{
    struct scion_mark mark = {.chunk = stream->chunk, .before = stream->before};
    sion_int64 next, offset;
    int rc;

    if (bytes == 0)
        return 1;
    if (stream->fp && scion_app_file_has(stream->fp, (sion_int64)bytes, &offset))
        return scion_stdio_take(stream->fp->stream, data, bytes)
                   ? 1
                   : read_exported(stream, data, bytes, offset);
    rc = scion_stream_find_record(stream, bytes, &next);
    if (rc != 1)
        return rc;
    rc = scion_stream_sync_pos(stream, &mark.pos);
    if (rc == 0 && next != stream->chunk)
        rc = scion_stream_go_to_chunk(stream, next);
    if (rc == 0)
        rc = read_present_chunk(stream, data, bytes);
    if (rc != 0)
        go_back(stream, &mark);
    return rc != 0 ? rc : 1;
}

int scion_stream_at_end(struct scion_stream *stream, int *at_end)
{
    sion_int64 left, next;
    int rc = find_left(stream, &left);

    if (rc != 0)
        return rc;
    *at_end = 0;
    if (left > 0)
        return 0;
    if (find_next_chunk(stream, &next))
        return scion_stream_go_to_chunk(stream, next);
    *at_end = 1;
    return 0;
}

int scion_stream_seek(struct scion_stream *stream, sion_int64 chunk, sion_int64 pos)
{
    sion_int64 before;
    int rc;

    if (chunk == stream->chunk && stream->exported == SCION_EXPORT_NONE && pos >= stream->base &&
        pos <= stream->base + (stream->window.limit - stream->buffer)) {
        if (stream->buffer)
            stream->window.cursor = stream->buffer + (pos - stream->base);
        return 0;
    }
    rc = scion_lengths_before(stream->lengths, chunk, &before);
    return rc != 0 ? rc : scion_stream_place_cursor(stream, chunk, before, pos);
}

int scion_stream_seek_offset(struct scion_stream *stream, sion_int64 offset, int later)
{
    sion_int64 chunk, before;
    int rc = scion_stream_check(stream);

    if (rc == 0)
        rc = scion_lengths_find(stream->lengths, offset, later, &chunk);
    if (rc == 0)
        rc = scion_lengths_before(stream->lengths, chunk, &before);
    return rc != 0 ? rc : scion_stream_seek(stream, chunk, offset - before);
}

int scion_stream_read_bytes(struct scion_stream *stream, void *data, size_t bytes, size_t *done)
{
    char *to = data;

    *done = 0;
    while (*done < bytes) {
        sion_int64 left;
        size_t part;
        int at_end, rc = scion_stream_at_end(stream, &at_end);

        if (rc != 0 || at_end)
            return rc;
        rc = scion_stream_available(stream, &left);
        if (rc != 0)
            return rc;
        part = (sion_int64)(bytes - *done) < left ? bytes - *done : (size_t)left;
        rc = scion_stream_read(stream, to + *done, part);
        if (rc < 0)
            return rc;
        *done += part;
    }
    return 0;
}

int scion_stream_size(struct scion_stream *stream, sion_int64 *bytes)
{
    int rc = scion_stream_check(stream);

    if (rc != 0)
        return rc;
    if (stream->writing)
        return scion_stream_total(stream, bytes);
    return scion_lengths_before(stream->lengths, stream->lengths->count, bytes);
}

int scion_stream_skip(struct scion_stream *stream, sion_int64 bytes, sion_int64 *skipped)
{
    sion_int64 at, size;
    int at_end, rc = scion_stream_at_end(stream, &at_end);

    *skipped = 0;
    if (rc == 0)
        rc = scion_stream_total(stream, &at);
    if (rc == 0)
        rc = scion_stream_size(stream, &size);
    if (rc != 0 || size <= at)
        return rc;
    if (bytes > size - at)
        bytes = size - at;
    rc = scion_stream_seek_offset(stream, at + bytes, 0);
    if (rc == 0)
        *skipped = bytes;
    return rc;
}

int scion_stream_read_range(struct scion_stream *stream, sion_int64 offset, void *data,
                            size_t bytes)
{
    size_t done = bytes;
    int rc = bytes > 0 ? scion_stream_seek_offset(stream, offset, 1) : 0;

    if (rc == 0 && bytes > 0)
        rc = scion_stream_read_bytes(stream, data, bytes, &done);
    if (rc == 0 && done < bytes)
        rc = scion_fail(SION_ERR_DAMAGED, "key-value stream ends early");
    return rc;
}

#include "stream/stream.h"

#include <stdlib.h>

#include "base/error.h"
#include "stream/stream_private.h"

void scion_stream_init(struct scion_stream *stream, int writing, size_t buffer_size)
{
    memset(stream, 0, sizeof *stream);
    stream->writing = writing;
    stream->buffer_size = buffer_size;
}

int scion_stream_enter(struct scion_stream *stream, struct scion_file *file,
                       const struct scion_place *place, struct scion_lengths *lengths,
                       const struct scion_mark *mark)
{
    stream->file = file;
    stream->place = *place;
    stream->lengths = lengths;
    if (stream->cookie)
        scion_cookie_retarget(stream->cookie, file);
    return scion_stream_place_cursor(stream, mark->chunk, mark->before, mark->pos);
}

int scion_stream_leave(struct scion_stream *stream, struct scion_mark *mark)
{
    int rc = stream->writing ? scion_stream_flush(stream) : 0;

    if (rc == 0)
        rc = scion_stream_sync_pos(stream, &mark->pos);
    mark->chunk = stream->chunk;
    mark->before = stream->before;
    return rc;
}

/* An application may have read, or gone, beyond the data of the chunk. */
static void clamp_reading(struct scion_stream *stream)
{
    sion_int64 used = scion_lengths_used(stream->lengths, stream->chunk);

    if (stream->base < 0 || stream->base > used)
        stream->base = used;
}

int scion_stream_take_back(struct scion_stream *stream)
{
    sion_int64 offset;
    int rc;

    if (!stream->cookie)
        return 0;
    rc = scion_cookie_close(stream->cookie, &offset);
    stream->cookie = NULL;
    stream->exported = SCION_EXPORT_NONE;
    stream->base = offset - stream->origin;
    scion_stream_empty_window(stream);
    if (stream->writing)
        stream->failed = rc;
    else
        clamp_reading(stream);
    return rc;
}

int scion_stream_close(struct scion_stream *stream)
{
    int rc = 0, late = 0;

    if (stream->writing && stream->lengths)
        rc = scion_stream_flush(stream);
    late = scion_stream_take_back(stream);
    if ((rc != 0 || late != 0) && stream->exported == SCION_EXPORT_NONE && stream->writing)
        stream->lengths->used[stream->chunk] = stream->base;
    rc = rc != 0 ? rc : late != 0 ? late : stream->failed;
    if (stream->second && fclose(stream->second) != 0 && rc == 0)
        rc = scion_fail(SION_ERR_SYSTEM, "cannot write all to the second FILE*");
    free(stream->buffer);
    scion_stream_init(stream, stream->writing, 0);
    return rc;
}

/* An application may have closed the FILE*; the stream goes on without it. */
static int notice_fclose(struct scion_stream *stream)
{
    return stream->cookie && !scion_cookie_stream(stream->cookie) ? scion_stream_take_back(stream)
                                                                  : 0;
}

static void note_length(struct scion_stream *stream, sion_int64 pos)
{
    if (stream->writing)
        stream->lengths->used[stream->chunk] = pos;
}

int scion_stream_sync_pos(struct scion_stream *stream, sion_int64 *pos)
{
    sion_int64 offset;
    int rc = notice_fclose(stream);

    if (rc != 0)
        return rc;
    if (stream->exported == SCION_EXPORT_NONE) {
        *pos = scion_stream_own_pos(stream);
        note_length(stream, *pos);
        return 0;
    }
    rc = stream->exported == SCION_EXPORT_STREAM ? scion_cookie_tell(stream->cookie, &offset)
                                                 : scion_file_tell(stream->file, &offset);
    if (rc != 0)
        return rc;
    *pos = offset - stream->origin;
    if (stream->writing && (*pos < 0 || *pos > stream->place.chunksize))
        return scion_fail(SION_ERR_NO_SPACE,
                          "%s was written at offset %lld, outside of the task's chunk",
                          scion_file_path(stream->file), offset);
    stream->base = *pos;
    note_length(stream, *pos);
    return 0;
}

int scion_stream_place_cursor(struct scion_stream *stream, sion_int64 chunk, sion_int64 before,
                              sion_int64 pos)
{
    sion_int64 origin;
    int rc = notice_fclose(stream);

    if (rc != 0)
        return rc;
    if (scion_chunk_start(&stream->place, chunk, &origin))
        return scion_fail(SION_ERR_NO_SPACE, "chunk %lld of %s would lie behind the largest offset",
                          chunk, scion_file_path(stream->file));
    if (stream->exported == SCION_EXPORT_STREAM)
        rc = scion_cookie_seek(stream->cookie, origin + pos, origin,
                               origin + stream->place.chunksize);
    else if (stream->exported == SCION_EXPORT_DESCRIPTOR)
        rc = scion_file_seek(stream->file, origin + pos);
    if (rc != 0)
        return rc;
    stream->chunk = chunk;
    stream->before = before;
    stream->base = pos;
    stream->origin = origin;
    scion_stream_empty_window(stream);
    return 0;
}

int scion_stream_need_buffer(struct scion_stream *stream)
{
    if (stream->buffer)
        return 0;
    stream->buffer = malloc(stream->buffer_size);
    scion_stream_empty_window(stream);
    return stream->buffer ? 0 : scion_fail_memory("stream buffer");
}

int scion_stream_pos(struct scion_stream *stream, sion_int64 *pos)
{
    return scion_stream_sync_pos(stream, pos);
}

int scion_stream_available(struct scion_stream *stream, sion_int64 *bytes)
{
    sion_int64 pos;
    int rc = scion_stream_sync_pos(stream, &pos);

    if (rc == 0)
        *bytes = scion_lengths_used(stream->lengths, stream->chunk) - pos;
    return rc;
}

int scion_stream_total(struct scion_stream *stream, sion_int64 *bytes)
{
    sion_int64 pos;
    int rc = scion_stream_sync_pos(stream, &pos);

    if (rc == 0)
        *bytes = stream->before + pos;
    return rc;
}

int scion_stream_export(struct scion_stream *stream, FILE **fp)
{
    sion_int64 pos;
    int rc;

    if (stream->second) {
        *fp = stream->second;
        return 0;
    }
    if (!stream->file)
        return scion_fail(SION_ERR_MODE, "this task has no file of its own");
    rc = scion_stream_leave(stream, &(struct scion_mark){0});
    if (rc == 0)
        rc = scion_stream_sync_pos(stream, &pos);
    if (rc == 0 && stream->exported != SCION_EXPORT_STREAM) {
        rc = scion_cookie_open(stream->file, stream->writing, stream->buffer_size, &stream->cookie);
        if (rc == 0) {
            scion_stream_blind_tap(stream);
            stream->exported = SCION_EXPORT_STREAM;
            rc = scion_stream_place_cursor(stream, stream->chunk, stream->before, pos);
        }
    }
    if (rc == 0)
        *fp = scion_cookie_stream(stream->cookie);
    return rc;
}

int scion_stream_export_descriptor(struct scion_stream *stream, int *fd)
{
    struct scion_mark mark;
    int rc = stream->file ? scion_stream_leave(stream, &mark)
                          : scion_fail(SION_ERR_MODE, "this task has no file of its own");

    if (rc == 0 && stream->exported == SCION_EXPORT_NONE) {
        scion_stream_blind_tap(stream);
        stream->exported = SCION_EXPORT_DESCRIPTOR;
        rc = scion_stream_place_cursor(stream, mark.chunk, mark.before, mark.pos);
    }
    if (rc == 0)
        *fd = scion_file_descriptor(stream->file);
    return rc;
}

int scion_stream_set_second(struct scion_stream *stream, FILE *second)
{
    struct scion_mark mark;
    int rc = scion_stream_leave(stream, &mark);

    if (rc != 0)
        return rc;
    rc = scion_stream_place_cursor(stream, mark.chunk, mark.before, mark.pos);
    if (rc == 0)
        stream->second = second;
    return rc;
}

int scion_stream_set_buffer(struct scion_stream *stream, size_t buffer_size)
{
    struct scion_mark mark;
    int rc = scion_stream_leave(stream, &mark);

    if (rc != 0)
        return rc;
    stream->buffer_size = buffer_size;
    free(stream->buffer);
    stream->buffer = NULL;
    scion_stream_empty_window(stream);
    if (stream->exported == SCION_EXPORT_STREAM)
        return scion_cookie_set_buffer(stream->cookie, buffer_size);
    return scion_stream_place_cursor(stream, mark.chunk, mark.before, mark.pos);
}

/* Where a stream stands. */
#include "stream/stream.h"

#include <stdlib.h>

#include "base/error.h"
#include "stream/stream_private.h"

static void note_length(struct scion_stream *stream, sion_int64 pos)
{
    if (stream->writing)
        stream->lengths->used[stream->chunk] = pos;
}

/*
 * Only a descriptor or a FILE* of the application's own can write past the end of the chunk. Those
 * bytes do not belong to the stream, and the error is repeated until the position is right.
 */
static int note_outside(struct scion_stream *stream, sion_int64 offset)
{
    if (stream->fp)
        note_length(stream, stream->fp->end - stream->origin);
    else
        note_length(stream, offset > stream->origin ? stream->place.chunksize : stream->base);
    return scion_fail(SION_ERR_NO_SPACE,
                      "%s was written at offset %lld, outside of the task's chunk",
                      scion_file_path(stream->file), offset);
}

int scion_stream_sync_pos(struct scion_stream *stream, sion_int64 *pos)
{
    sion_int64 offset;
    int rc = scion_stream_notice_fclose(stream);

    if (rc != 0)
        return rc;
    if (stream->exported == SCION_EXPORT_NONE) {
        *pos = scion_stream_own_pos(stream);
        note_length(stream, *pos);
        return 0;
    }
    rc = stream->fp ? scion_app_file_tell(stream->fp, &offset)
                    : scion_file_tell(stream->file, &offset);
    if (rc != 0)
        return rc;
    *pos = offset - stream->origin;
    if (stream->fp && !scion_app_file_counts(stream->fp))
        return 0; /* it may still be moved to its place */
    if (stream->writing && (*pos < 0 || *pos > stream->place.chunksize))
        return note_outside(stream, offset);
    stream->base = *pos;
    note_length(stream, *pos);
    return 0;
}

int scion_stream_place_cursor(struct scion_stream *stream, sion_int64 chunk, sion_int64 before,
                              sion_int64 pos)
{
    sion_int64 origin;
    int rc = scion_stream_notice_fclose(stream);

    if (rc != 0)
        return rc;
    if (scion_chunk_start(&stream->place, chunk, &origin))
        return scion_fail(SION_ERR_NO_SPACE, "chunk %lld of %s would be beyond the largest offset",
                          chunk, scion_file_path(stream->file));
    if (stream->fp)
        rc = scion_app_file_seek(stream->fp, origin + pos);
    else if (stream->exported == SCION_EXPORT_DESCRIPTOR)
        rc = scion_file_seek(stream->file, origin + pos);
    if (rc != 0)
        return rc;
    stream->chunk = chunk;
    stream->before = before;
    stream->base = pos;
    stream->origin = origin;
    scion_stream_empty_window(stream);
    if (stream->fp)
        scion_stream_bound_file(stream);
    return 0;
}

size_t scion_stream_find_unit(struct scion_stream *stream)
{
    enum { PAGE = 4096, UNIT = 64 << 10 };
    size_t most;

    stream->is_in_memory = scion_file_is_in_memory(stream->file);
    most = stream->is_in_memory ? PAGE : UNIT;
    stream->unit = stream->buffer_size >= most ? most : stream->buffer_size >= PAGE ? PAGE : 1;
    return stream->unit;
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

int scion_stream_check(const struct scion_stream *stream)
{
    const char *path = stream->file ? scion_file_path(stream->file) : NULL;

    return stream->damage ? scion_damage_fail(stream->damage, path) : 0;
}

int scion_stream_available(struct scion_stream *stream, sion_int64 *bytes)
{
    sion_int64 pos;
    int rc = scion_stream_check(stream);

    if (rc == 0)
        rc = scion_stream_sync_pos(stream, &pos);
    if (rc == 0)
        *bytes = scion_lengths_used(stream->lengths, stream->chunk) - pos;
    return rc;
}

int scion_stream_total(struct scion_stream *stream, sion_int64 *bytes)
{
    sion_int64 pos;
    int rc = scion_stream_sync_pos(stream, &pos);

    if (rc == 0)
        *bytes = stream->zip ? scion_zip_total(stream) : stream->before + pos;
    return rc;
}

int scion_stream_mark(struct scion_stream *stream, struct scion_mark *mark)
{
    mark->chunk = stream->chunk;
    mark->before = stream->before;
    return scion_stream_sync_pos(stream, &mark->pos);
}

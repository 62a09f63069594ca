#include "stream/stream.h"

#include <stdlib.h>

#include "base/error.h"
#include "stream/stream_private.h"

void scion_stream_init(struct scion_stream *stream, int writing, size_t buffer_size)
{
    memset(stream, 0, sizeof *stream);
    stream->writing = writing;
    stream->buffer_size = buffer_size;
    stream->lent = -1;
}

/* What the application holds goes along, but for a FILE* of its own. The present file must still be
 * open. */
static int go_to_file(struct scion_stream *stream, struct scion_file *file)
{
    int rc = 0;

    if (stream->second && file != stream->file)
        return scion_fail(SION_ERR_MODE, "the second FILE* cannot go from %s to %s",
                          scion_file_path(stream->file), scion_file_path(file));
    if (stream->own && file != stream->file)
        rc = scion_app_file_retarget(stream->own, file);
    if (rc == 0 && stream->lent >= 0 && file != stream->file)
        rc = scion_file_lend(file, &stream->lent);
    if (rc == 0)
        stream->file = file;
    return rc;
}

int scion_stream_enter(struct scion_stream *stream, struct scion_file *file,
                       const struct scion_place *place, struct scion_lengths *lengths,
                       const struct scion_mark *mark)
{
    SCION_HOLD(&stream->hold);
    int rc = go_to_file(stream, file);

    if (rc != 0)
        return rc;
    stream->place = *place;
    stream->lengths = lengths;
    return scion_stream_place_cursor(stream, mark->chunk, mark->before, mark->pos);
}

int scion_stream_leave(struct scion_stream *stream, struct scion_mark *mark)
{
    SCION_HOLD(&stream->hold);
    int rc = stream->writing ? scion_stream_flush(stream) : 0;

    if (rc == 0)
        rc = scion_stream_sync_pos(stream, &mark->pos);
    mark->chunk = stream->chunk;
    mark->before = stream->before;
    return rc;
}

/* All but the hold, which the present call has. */
static void empty(struct scion_stream *stream)
{
    const struct scion_hold hold = stream->hold;

    scion_stream_init(stream, stream->writing, 0);
    stream->hold = hold;
}

int scion_stream_close(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);
    int rc = 0, late, second;

    if (stream->writing && stream->lengths)
        rc = scion_stream_flush(stream);
    second = scion_stream_close_second(stream);
    late = scion_stream_take_back(stream);
    if ((rc != 0 || second != 0 || late != 0) && stream->exported == SCION_EXPORT_NONE &&
        stream->writing && stream->lengths)
        stream->lengths->used[stream->chunk] = stream->base;
    if (stream->file && stream->lent >= 0) /* one that was never used may be all 0 */
        scion_file_take_back(stream->file, stream->lent);
    free(stream->buffer);
    rc = scion_first_failure(rc, second);
    rc = scion_first_failure(rc, late);
    rc = scion_first_failure(rc, stream->failed);
    empty(stream);
    return rc;
}

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
        return scion_fail(SION_ERR_NO_SPACE, "chunk %lld of %s would lie beyond the largest offset",
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
        *bytes = stream->before + pos;
    return rc;
}

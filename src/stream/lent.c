/* The FILE*s that the application has: the bounds of the chunk, and their end. */
#include "stream/stream.h"

#include "stream/stream_private.h"

int scion_stream_check_data(const struct scion_stream *stream)
{
    sion_int64 chunk, start;
    int rc = 0;

    if (stream->writing || !scion_file_is_watched(stream->file))
        return 0;
    for (chunk = 0; chunk < stream->lengths->count && rc == 0; chunk++) {
        if (!scion_chunk_start(&stream->place, chunk, &start))
            rc = scion_file_check(stream->file, start, scion_lengths_used(stream->lengths, chunk));
    }
    return rc;
}

void scion_stream_bound_file(struct scion_stream *stream)
{
    sion_int64 bytes = stream->writing ? stream->place.chunksize
                                       : scion_lengths_used(stream->lengths, stream->chunk);

    stream->fp->is_refused = stream->damage != NULL;
    scion_app_file_set_bounds(stream->fp, stream->origin, stream->origin + bytes,
                              stream->origin + stream->base);
}

/* An application may have read, or gone, beyond the data of the chunk. */
static void clamp_reading(struct scion_stream *stream)
{
    sion_int64 used = scion_lengths_used(stream->lengths, stream->chunk);

    if (stream->base < 0 || stream->base > used)
        stream->base = used;
}

void scion_stream_go_on_without(struct scion_stream *stream, sion_int64 offset)
{
    stream->fp = NULL;
    stream->exported = SCION_EXPORT_NONE;
    scion_stream_empty_window(stream);
    if (offset < 0)
        return;
    stream->base = offset - stream->origin;
    if (!stream->writing)
        clamp_reading(stream);
}

int scion_stream_take_back(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);
    struct scion_app_file *own = stream->own;
    sion_int64 offset;
    int rc;

    if (!own)
        return 0;
    rc = scion_app_file_close(own, &offset);
    stream->own = NULL;
    if (stream->fp == own)
        scion_stream_go_on_without(stream, offset);
    if (stream->writing && rc != 0)
        stream->failed = rc;
    return rc;
}

void scion_stream_forget(struct scion_stream *stream)
{
    if (stream->own)
        scion_app_file_forget(stream->own);
}

int scion_stream_notice_fclose(struct scion_stream *stream)
{
    return stream->fp && !stream->fp->stream ? scion_stream_take_back(stream) : 0;
}

int scion_stream_close_second(struct scion_stream *stream)
{
    struct scion_app_file *second = stream->second;
    sion_int64 offset;
    int rc;

    if (!second)
        return 0;
    rc = scion_app_file_close(second, &offset);
    stream->second = NULL;
    scion_stream_go_on_without(stream, offset);
    return rc;
}

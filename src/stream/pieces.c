/* One record that is moved by several calls. */
#include "stream/stream.h"

#include "stream/stream_private.h"

static int begin_writing(struct scion_stream *stream, size_t bytes, struct scion_mark *mark)
{
    int rc = stream->fill_chunks ? 0 : scion_stream_ensure_free_space(stream, (sion_int64)bytes);

    if (rc == 0 && stream->zip) /* so that all of it can be taken back */
        rc = stream->zip->end_frame(stream);
    if (rc == 0 && stream->zip)
        stream->zip->record = scion_zip_mark(stream);
    if (rc == 0)
        rc = scion_stream_mark(stream, mark);
    return rc != 0 ? rc : 1;
}

int scion_stream_begin_pieces(struct scion_stream *stream, size_t bytes, struct scion_mark *mark)
{
    SCION_HOLD(&stream->hold);
    sion_int64 chunk;
    int rc, found;

    if (stream->writing)
        return begin_writing(stream, bytes, mark);
    found = scion_stream_find_record(stream, bytes, &chunk);
    if (found != 1)
        return found;
    rc = scion_stream_mark(stream, mark);
    if (rc == 0 && chunk != stream->chunk)
        rc = scion_stream_go_to_chunk(stream, chunk);
    return rc != 0 ? rc : 1;
}

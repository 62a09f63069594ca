/* Records that another task moves, which knows only their offset in the file. */
#include "stream/stream.h"

#include "base/error.h"
#include "stream/stream_private.h"

static int reserve_for_writing(struct scion_stream *stream, sion_int64 bytes)
{
    int rc = scion_stream_ensure_free_space(stream, bytes);

    return rc != 0 ? rc : 1;
}

/* Buffered bytes of the chunk are dropped. */
static int reserve_for_reading(struct scion_stream *stream, sion_int64 bytes)
{
    sion_int64 chunk;
    int rc = scion_stream_find_record(stream, (size_t)bytes, &chunk);

    if (rc == 1 && chunk != stream->chunk) {
        int moved = scion_stream_go_to_chunk(stream, chunk);

        rc = moved != 0 ? moved : rc;
    }
    return rc;
}

int scion_stream_reserve(struct scion_stream *stream, sion_int64 bytes, struct scion_mark *mark,
                         sion_int64 *offset)
{
    SCION_HOLD(&stream->hold);
    sion_int64 pos;
    int rc = stream->writing ? scion_stream_flush(stream) : 0, found;

    if (rc == 0)
        rc = scion_stream_mark(stream, mark);
    if (rc != 0)
        return rc;
    found =
        stream->writing ? reserve_for_writing(stream, bytes) : reserve_for_reading(stream, bytes);
    if (found == 1)
        rc = scion_stream_sync_pos(stream, &pos);
    if (rc != 0 || found != 1) {
        scion_stream_return(stream, mark);
        return scion_first_failure(rc, found);
    }
    *offset = stream->origin + pos;
    return 1;
}

int scion_stream_pass(struct scion_stream *stream, sion_int64 bytes)
{
    SCION_HOLD(&stream->hold);
    sion_int64 pos;
    int rc = scion_stream_sync_pos(stream, &pos);

    if (rc == 0)
        rc = scion_stream_place_cursor(stream, stream->chunk, stream->before, pos + bytes);
    return rc != 0 ? rc : scion_stream_sync_pos(stream, &pos);
}

void scion_stream_return(struct scion_stream *stream, const struct scion_mark *mark)
{
    SCION_HOLD(&stream->hold);
    if (stream->writing) {
        scion_stream_take_back_record(stream, mark);
        if (stream->zip)
            scion_zip_return(stream, &stream->zip->record);
    } else {
        scion_stream_place_cursor(stream, mark->chunk, mark->before, mark->pos);
    }
}

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
    if (stream->exported == SCION_EXPORT_DESCRIPTOR || stream->second)
        rc = scion_stream_check_data(stream);
    return rc != 0 ? rc : scion_stream_place_cursor(stream, mark->chunk, mark->before, mark->pos);
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

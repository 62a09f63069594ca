/* The FILE* and the descriptor that the application gets. */
#include "stream/stream.h"

#include <stdlib.h>

#include "base/error.h"
#include "stream/stream_private.h"

static const char no_file[] = "this task has no file of its own";

static int check_lends(const struct scion_stream *stream)
{
    return stream->is_zipped
               ? scion_fail(SION_ERR_MODE,
                            "the streams of %s are compressed: no FILE* and no descriptor has them",
                            scion_file_path(stream->file))
               : 0;
}

/* From now on, this FILE* has the position and the buffer, which must be empty. */
static void hand_over(struct scion_stream *stream, struct scion_app_file *fp)
{
    scion_stream_blind_tap(stream);
    scion_stream_empty_window(stream);
    stream->fp = fp;
    stream->exported = SCION_EXPORT_STREAM;
    scion_stream_bound_file(stream);
}

static int make_own(struct scion_stream *stream, sion_int64 pos)
{
    int rc = scion_app_file_open(stream->file, stream->writing, stream->buffer_size, &stream->own);
    sion_int64 nowhere;

    if (rc != 0)
        return rc;
    stream->base = pos;
    hand_over(stream, stream->own);
    rc = scion_stream_place_cursor(stream, stream->chunk, stream->before, pos);
    if (rc != 0) {
        scion_app_file_close(stream->own, &nowhere);
        stream->own = NULL;
        scion_stream_go_on_without(stream, -1);
    }
    return rc;
}

int scion_stream_export(struct scion_stream *stream, FILE **fp)
{
    SCION_HOLD(&stream->hold);
    struct scion_mark mark;
    int rc;

    if (!stream->file)
        return scion_fail(SION_ERR_MODE, no_file);
    rc = check_lends(stream);
    if (rc == 0)
        rc = stream->second ? 0 : scion_stream_leave(stream, &mark);
    if (rc == 0 && !stream->fp)
        rc = make_own(stream, mark.pos);
    if (rc == 0)
        *fp = stream->fp->stream;
    return rc;
}

/* Leave a good stream that has a file, and note where it stands. */
static int leave_file(struct scion_stream *stream, struct scion_mark *mark)
{
    int rc = scion_stream_check(stream);

    if (rc == 0 && !stream->file)
        rc = scion_fail(SION_ERR_MODE, no_file);
    if (rc == 0)
        rc = check_lends(stream);
    return rc == 0 ? scion_stream_leave(stream, mark) : rc;
}

int scion_stream_export_descriptor(struct scion_stream *stream, int *fd)
{
    SCION_HOLD(&stream->hold);
    struct scion_mark mark;
    int rc = leave_file(stream, &mark);

    if (rc == 0)
        rc = scion_stream_check_data(stream);
    if (rc == 0 && stream->lent < 0)
        rc = scion_file_lend(stream->file, &stream->lent);
    if (rc == 0 && stream->exported == SCION_EXPORT_NONE) {
        scion_stream_blind_tap(stream);
        stream->exported = SCION_EXPORT_DESCRIPTOR;
        rc = scion_stream_place_cursor(stream, mark.chunk, mark.before, mark.pos);
    }
    if (rc == 0)
        *fd = stream->lent;
    return rc;
}

int scion_stream_set_second(struct scion_stream *stream, FILE *second)
{
    SCION_HOLD(&stream->hold);
    struct scion_mark mark;
    int rc = leave_file(stream, &mark);

    if (rc == 0)
        rc = scion_stream_check_data(stream);
    if (rc == 0)
        rc = scion_app_file_adopt(second, stream->file, stream->writing, &stream->second);
    if (rc != 0)
        return rc;
    stream->base = mark.pos;
    hand_over(stream, stream->second);
    return 0;
}

int scion_stream_unset_second(struct scion_stream *stream)
{
    SCION_HOLD(&stream->hold);
    struct scion_app_file *second = stream->second;
    sion_int64 offset, pos;
    int rc, other;

    if (!second)
        return 0;
    rc = scion_app_file_release(second, &offset);
    stream->second = NULL;
    scion_stream_go_on_without(stream, offset);
    if (stream->own && !stream->own->stream)
        scion_stream_take_back(stream);
    pos = stream->base;
    stream->fp = stream->own;
    stream->exported = stream->own ? SCION_EXPORT_STREAM : SCION_EXPORT_NONE;
    other = scion_stream_place_cursor(stream, stream->chunk, stream->before, pos);
    if (other == 0)
        other = scion_stream_sync_pos(stream, &pos);
    if (stream->writing && rc != 0)
        stream->failed = rc;
    return scion_first_failure(rc, other);
}

int scion_stream_set_buffer(struct scion_stream *stream, size_t buffer_size)
{
    SCION_HOLD(&stream->hold);
    struct scion_mark mark;
    int rc = scion_stream_leave(stream, &mark);

    if (rc != 0)
        return rc;
    stream->buffer_size = buffer_size;
    stream->unit = 0;
    free(stream->buffer);
    stream->buffer = NULL;
    scion_stream_empty_window(stream);
    if (stream->own && (rc = scion_app_file_set_buffer(stream->own, buffer_size)) != 0)
        return rc;
    return stream->fp ? 0 : scion_stream_place_cursor(stream, mark.chunk, mark.before, mark.pos);
}

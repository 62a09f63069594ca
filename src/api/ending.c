/* The position of a task that writes, and what it writes at the close. */
#include "api/handle.h"
#include "api/private_abi.h"
#include "sion_const.h"

int sion_layer_attach_ending(int sid, const struct scion_ending *ending)
{
    struct scion_container *container = scion_api_find(sid);
    struct scion_io_entry entry;

    if (!container)
        return scion_fail(SION_ERR_HANDLE, "invalid sion_filedesc, aborting %d ...", sid);
    if (!scion_container_is_writing(container))
        return scion_fail(SION_ERR_MODE, "sid %d is open for reading", sid);
    if (scion_container_keyval_mode(container) != SION_KEYVAL_NONE)
        return scion_fail(SION_ERR_MODE, "sid %d is a container of key-value records", sid);
    if (scion_container_is_zipped(container))
        return scion_fail(SION_ERR_MODE, "sid %d has compressed streams", sid);
    if (scion_container_entry(container, 0, &entry) >= 0)
        return scion_fail(SION_ERR_MODE, "sid %d is a buddy checkpoint", sid);
    scion_container_set_ending(container, ending);
    return 0;
}

void *sion_layer_ending(int sid, int (*run)(void *user, struct scion_comm *comm, int is_mapped))
{
    const struct scion_container *container = scion_api_find(sid);
    const struct scion_ending *ending = container ? scion_container_ending(container) : NULL;

    return ending && ending->run == run ? ending->user : NULL;
}

int sion_layer_appends(int sid, char **name)
{
    const struct scion_container *container = scion_api_find(sid);

    *name = NULL;
    if (!container || !scion_container_appends(container))
        return 0;
    if (scion_container_is_shared(container) && !sion_layer_has_rank(sid, 0))
        return 1;
    *name = scion_container_unclosed_name(container);
    return *name ? 1 : SION_ERR_MEMORY;
}

int sion_layer_read_end(int sid, void *to, sion_int64 bytes)
{
    struct scion_container *container = scion_api_find(sid);
    struct scion_stream *stream = scion_container_stream(container);
    sion_int64 chunk = stream->chunk, used, piece, start;
    char *end = (char *)to + bytes;
    int rc = scion_stream_flush(stream);

    if (rc == 0)
        rc = scion_stream_pos(stream, &used);
    while (rc == 0 && bytes > 0) {
        piece = used < bytes ? used : bytes;
        if (scion_chunk_start(&stream->place, chunk, &start))
            return scion_fail(SION_ERR_DAMAGED, "chunk %lld is beyond the end of any file", chunk);
        rc = scion_file_read(stream->file, end - piece, (size_t)piece, start + used - piece);
        end -= piece;
        bytes -= piece;
        used = --chunk >= 0 ? scion_lengths_used(stream->lengths, chunk) : 0;
    }
    return rc;
}

int sion_layer_keeps(int sid)
{
    const struct scion_container *container = scion_api_find(sid);

    return container && scion_container_keeps(container);
}

int sion_layer_has_news(int sid)
{
    struct scion_container *container = scion_api_find(sid);
    sion_int64 pos;
    int rc;

    if (scion_container_has_tasks(container) && scion_container_ntasks(container) == 0)
        return 0;
    rc = scion_stream_pos(scion_container_stream(container), &pos);
    return rc != 0 ? rc : scion_container_has_news(container);
}

/* Bytes of the stream before the present generation, which begins with the chunk that was entered
   when the one before was published. */
static sion_int64 find_generation(const struct scion_stream *stream)
{
    const struct scion_lengths *lengths = stream->lengths;
    sion_int64 chunk = lengths->told > 0 ? lengths->told - 1 : 0, begin = stream->before;

    for (; chunk < stream->chunk; chunk++)
        begin -= scion_lengths_used(lengths, chunk);
    return begin;
}

int sion_layer_room(int sid, struct sion_layer_room *room)
{
    struct scion_container *container = scion_api_find(sid);
    int has_tasks = container && scion_container_has_tasks(container), rc;
    const struct scion_stream *stream;
    sion_int64 pos;

    if (!container || (has_tasks && scion_container_ntasks(container) == 0))
        return scion_fail(SION_ERR_HANDLE, "sid %d has no task", sid);
    rc = scion_stream_pos(scion_container_stream(container), &pos);
    if (rc != 0)
        return rc;
    stream = scion_container_stream(container);
    room->task = scion_container_selected(container);
    room->tasks = has_tasks ? scion_container_ntasks(container) : 1;
    room->rank = scion_container_rank(container);
    room->stream = stream->before + pos;
    if (scion_container_keeps(container))
        room->stream -= find_generation(stream);
    room->offset = stream->origin + pos;
    room->chunksize = stream->place.chunksize;
    room->left = room->chunksize - pos;
    room->next = stream->origin + stream->place.globalskip;
    room->buffer = (sion_int64)stream->buffer_size;
    return 0;
}

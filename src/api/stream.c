/* Bytes without records, and whole streams of many tasks. */
#include "api/public.h"

#include "api/device.h"
#include "api/handle.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/trace.h"
#include "file/stats.h"

/* The container of a sid, open for reading or writing, unless it is a key-value one. */
static struct scion_container *get(const char *function, int sid)
{
    struct scion_container *container = scion_api_get_record(function, sid, -1);

    if (!container || scion_container_keyval_mode(container) != SION_KEYVAL_INLINE)
        return container;
    scion_fail(SION_ERR_MODE, "a key-value container has records with keys, not plain streams");
    scion_api_fail(function, container, -1);
    return NULL;
}

/* The same if it is open for this access, and the arguments of the transfer are valid. */
static struct scion_container *get_for(const char *function, int sid, int writing, int has_data,
                                       sion_int64 bytes)
{
    struct scion_container *container = get(function, sid);

    if (!container || scion_api_refuse_access(function, container, writing, -1))
        return NULL;
    if (scion_is_size(bytes) && (has_data || bytes == 0))
        return container;
    if (!scion_is_size(bytes))
        scion_fail(SION_ERR_ARGUMENT, "%lld bytes", bytes);
    else
        scion_fail(SION_ERR_ARGUMENT, "data is NULL");
    scion_api_fail(function, container, -1);
    return NULL;
}

/* The end of a transfer: report an error, and compute the result. */
static sion_int64 finish(const char *function, struct scion_container *container, int rc,
                         size_t done)
{
    sion_int64 result = rc != 0 && done == 0 ? -1 : (sion_int64)done;

    if (rc != 0)
        scion_api_fail(function, container, (int)(result < 0 ? -1 : 0));
    if (scion_tracing(SCION_TRACE_RECORD))
        scion_trace_line(SCION_TRACE_RECORD, function, "returns %lld", result);
    return result;
}

/* A record that is not in the window, or a case that is not plain. What is written is not changed.
 */
static __attribute__((noinline)) sion_int64 move_closely(const char *function, int sid, void *data,
                                                         sion_int64 bytes, int writing)
{
    struct scion_container *container = get_for(function, sid, writing, data != NULL, bytes);
    struct scion_device_place place;
    struct scion_call_count counting;
    struct scion_stream *stream;
    size_t done;
    int rc;

    if (!container)
        return -1;
    counting = scion_count_begin(container, (size_t)bytes);
    stream = scion_container_stream(container);
    if (scion_api_find_device(container, data, (size_t)bytes, &place))
        rc = scion_api_move_device_bytes(container, &place, data, (size_t)bytes, &done);
    else
        rc = writing ? scion_stream_write_bytes(stream, data, (size_t)bytes, &done)
                     : scion_stream_read_bytes(stream, data, (size_t)bytes, &done);
    scion_count_end(&counting, done);
    return finish(function, container, rc, done);
}

/* Whether a transfer of a plain stream is in the window. */
static inline int is_in_window(const struct scion_stream *stream, const void *data,
                               sion_int64 bytes)
{
    return data && !stream->fill_chunks && scion_stream_holds(stream, (uint64_t)bytes);
}

sion_int64 sion_stream_write(int sid, const void *data, sion_int64 bytes)
{
    struct scion_container *container = scion_api_find_plain(sid, 1);

    if (!container || !is_in_window(scion_container_stream(container), data, bytes))
        return move_closely(__func__, sid, (void *)data, bytes, 1);
    scion_stream_write(scion_container_stream(container), data, (size_t)bytes);
    return bytes;
}

sion_int64 sion_stream_read(int sid, void *data, sion_int64 bytes)
{
    struct scion_container *container = scion_api_find_plain(sid, 0);

    if (!container || !is_in_window(scion_container_stream(container), data, bytes))
        return move_closely(__func__, sid, data, bytes, 0);
    scion_stream_read(scion_container_stream(container), data, (size_t)bytes);
    return bytes;
}

sion_int64 sion_stream_skip(int sid, sion_int64 bytes)
{
    /* What is skipped need not fit into memory. */
    struct scion_container *container = get_for(__func__, sid, 0, 1, bytes < 0 ? bytes : 0);
    sion_int64 skipped;

    if (!container)
        return -1;
    if (scion_stream_skip(scion_container_stream(container), bytes, &skipped) != 0)
        return scion_api_fail(__func__, container, -1);
    return skipped;
}

sion_int64 sion_stream_tell(int sid)
{
    return scion_api_bytes(__func__, get(__func__, sid), scion_stream_total);
}

sion_int64 sion_stream_size(int sid)
{
    return scion_api_bytes(__func__, get(__func__, sid), scion_stream_size);
}

/* A container whose tasks are read as wholes. */
static struct scion_container *get_for_tasks(const char *function, int sid, int ntasks,
                                             int has_arrays, int has_data, sion_int64 bytes)
{
    struct scion_container *container = get_for(function, sid, 0, has_data, bytes);

    if (!container || (ntasks >= 0 && has_arrays))
        return container;
    if (ntasks < 0)
        scion_fail(SION_ERR_ARGUMENT, "%d tasks", ntasks);
    else
        scion_fail(SION_ERR_ARGUMENT, "an array is NULL");
    scion_api_fail(function, container, -1);
    return NULL;
}

/* Tasks that are named repeatedly can be larger together than any file. */
static int add_up(struct scion_container *container, int ntasks, const int *ranks,
                  sion_int64 *starts)
{
    int i, rc = 0;

    starts[0] = 0;
    for (i = 0; i < ntasks && rc == 0; i++) {
        sion_int64 bytes;

        rc = scion_container_stream_size(container, ranks[i], &bytes);
        if (rc == 0 && scion_add(starts[i], bytes, &starts[i + 1]))
            rc = scion_fail(SION_ERR_ARGUMENT, "the streams of %d tasks have too many bytes",
                            ntasks);
    }
    return rc;
}

sion_int64 sion_stream_sizes(int sid, int ntasks, const int *ranks, sion_int64 *starts)
{
    struct scion_container *container =
        get_for_tasks(__func__, sid, ntasks, starts && (ranks || ntasks == 0), 1, 0);

    if (!container)
        return -1;
    if (add_up(container, ntasks, ranks, starts) != 0)
        return scion_api_fail(__func__, container, -1);
    return starts[ntasks];
}

sion_int64 sion_stream_read_tasks(int sid, int ntasks, const int *ranks, const sion_int64 *starts,
                                  void *data, sion_int64 bytes)
{
    struct scion_container *container =
        get_for_tasks(__func__, sid, ntasks, (ranks && starts) || ntasks == 0, data != NULL, bytes);
    struct scion_call_count counting;
    struct scion_host_data host;
    sion_int64 done = 0;
    int rc, late;

    if (!container)
        return -1;
    counting = scion_count_begin(container, (size_t)bytes);
    rc = scion_begin_host_data(container, data, (size_t)bytes, 1, &host);
    if (rc == 0) {
        rc = scion_container_gather(container, ntasks, ranks, starts,
                                    &(struct scion_read_buffer){host.data, bytes}, &done);
        late = scion_end_host_data(&host, rc == 0 ? (size_t)bytes : 0);
        rc = scion_first_failure(rc, late);
    }
    scion_count_end(&counting, rc == 0 ? (size_t)done : 0);
    return rc == 0 ? done : scion_api_fail(__func__, container, -1);
}

/* Collective reads and writes of records. */
#include "api/device.h"
#include "api/handle.h"
#include "api/parallel_private.h"
#include "api/public.h"
#include "base/trace.h"
#include "file/stats.h"
#include "parallel/parallel.h"

#pragma GCC visibility push(default)
#include "sion_generic.h"
#pragma GCC visibility pop

static int is_collective(const struct scion_container *container)
{
    return scion_collective_is_on(container) || scion_buddy_is_on(container);
}

/*
 * Whether a collective call on this container is valid, which is equal on all tasks of the file; if
 * not, print a message.
 */
static int check_container(const char *function, const struct scion_container *container,
                           int writing)
{
    if (scion_container_is_writing(container) != writing)
        scion_fail(SION_ERR_MODE, "container is open for %s",
                   scion_container_is_writing(container) ? "writing" : "reading");
    else if (scion_container_keyval_mode(container) == SION_KEYVAL_INLINE)
        scion_fail(SION_ERR_MODE, "key-value containers have no collective reads and writes");
    else if (scion_layer_check_comm(container) == 0)
        return 0;
    return scion_api_fail(function, container, -1);
}

/* The size of this task's record. A task whose arguments are wrong takes part without a record. */
static int measure(size_t size, size_t nitems, const void *data, sion_int64 *bytes)
{
    if (__builtin_mul_overflow(size, nitems, bytes))
        return scion_fail(SION_ERR_ARGUMENT, "too many bytes: %zu items of %zu bytes", nitems,
                          size);
    if (*bytes > 0 && !data)
        return scion_fail(SION_ERR_ARGUMENT, "data is NULL");
    return 0;
}

static size_t finish(const char *function, const struct scion_container *container, int rc,
                     sion_int64 bytes, size_t nitems)
{
    size_t done = rc == 1 && bytes > 0 ? nitems : 0;

    if (rc < 0)
        scion_api_fail(function, container, 0);
    if (scion_tracing(SCION_TRACE_RECORD))
        scion_trace_line(SCION_TRACE_RECORD, function, "returns %zu", done);
    return done;
}

static int move_together(struct scion_container *container, int sid, int rc, void *data,
                         sion_int64 bytes, int writing)
{
    if (scion_buddy_is_on(container))
        return writing ? scion_buddy_write(container, sid, rc, data, bytes)
                       : scion_buddy_read(container, sid, rc, data, bytes);
    return writing ? scion_collective_write(container, sid, rc, data, bytes)
                   : scion_collective_read(container, sid, rc, data, bytes);
}

/* A task whose data do not get to its device has made the transfer all the same. */
static int move_host_data(struct scion_container *container, int sid, struct scion_host_data *host,
                          sion_int64 bytes, int writing)
{
    int rc = move_together(container, sid, 0, host->data, bytes, writing);
    int late = scion_end_host_data(host, !writing && rc == 1 ? (size_t)bytes : 0);

    return late != 0 ? late : rc;
}

/* What is written is not changed. */
static size_t move(const char *function, void *data, size_t size, size_t nitems, int sid,
                   int writing)
{
    struct scion_container *container = scion_api_get_record(function, sid, -1);
    struct scion_call_count counting;
    struct scion_host_data host;
    sion_int64 bytes;
    int rc;

    if (!container)
        return (size_t)-1;
    if (is_collective(container) && check_container(function, container, writing) != 0)
        return 0;
    if (!(writing ? scion_collective_has_group(container)
                  : scion_collective_reads_together(container)) &&
        !scion_buddy_is_on(container))
        return writing ? sion_fwrite(data, size, nitems, sid) : sion_fread(data, size, nitems, sid);
    counting = scion_count_begin(container, SIZE_MAX);
    rc = measure(size, nitems, data, &bytes);
    if (rc == 0)
        rc = scion_begin_host_data(container, data, (size_t)bytes, writing, &host);
    if (rc == 0)
        rc = move_host_data(container, sid, &host, bytes, writing);
    else
        rc = move_together(container, sid, rc, data, bytes, writing);
    scion_count_end(&counting, rc == 1 ? (size_t)bytes : 0);
    return finish(function, container, rc, bytes, nitems);
}

/* The records are written, whatever becomes of a publish. */
size_t sion_coll_fwrite(const void *data, size_t size, size_t nitems, int sid)
{
    size_t done = move(__func__, (void *)data, size, nitems, sid, 1);

    if (done != (size_t)-1)
        scion_layer_meet(__func__, scion_api_find(sid), 0);
    return done;
}

size_t sion_coll_fread(void *data, size_t size, size_t nitems, int sid)
{
    return move(__func__, data, size, nitems, sid, 0);
}

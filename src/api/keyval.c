/* Records with keys. */
#include "api/public.h"

#include "api/device.h"
#include "api/handle.h"
#include "base/trace.h"
#include "file/stats.h"
#include "keyval/keyval.h"

/* The container of a sid, if it is a key-value one open for this kind of access. */
static struct scion_container *get(const char *function, int sid, int writing)
{
    struct scion_container *container = scion_api_get_record(function, sid, 0);

    if (!container)
        return NULL;
    if (scion_container_keyval_mode(container) == SION_KEYVAL_INLINE &&
        scion_container_is_writing(container) == writing)
        return container;
    scion_fail(SION_ERR_MODE,
               "trying to %s in keyval mode %s file which is not opened in that mode, aborting ...",
               writing ? "write" : "read", writing ? "to" : "from");
    scion_api_fail(function, container, 0);
    return NULL;
}

/* The container and the index of its selected task. */
static struct scion_container *get_index(const char *function, int sid,
                                         struct scion_keyval **keyval)
{
    struct scion_container *container = get(function, sid, 0);

    if (container && scion_container_keyval(container, keyval) != 0) {
        scion_api_fail(function, container, 0);
        return NULL;
    }
    return container;
}

/* Print an error. Returns the function's result, 1 or 0. */
static int finish(const char *function, const struct scion_container *container, int rc)
{
    if (scion_tracing(SCION_TRACE_RECORD))
        scion_trace_line(SCION_TRACE_RECORD, function, "returns %d", rc > 0 ? rc : 0);
    return rc < 0 ? scion_api_fail(function, container, 0) : rc;
}

size_t sion_fwrite_key(const void *data, uint64_t key, size_t size, size_t nitems, int sid)
{
    struct scion_container *container = get(__func__, sid, 1);
    struct scion_call_count counting;
    struct scion_host_data host;
    size_t bytes;
    int rc;

    if (!container || size == 0)
        return 0;
    counting = scion_count_begin(container, SIZE_MAX);
    if (__builtin_mul_overflow(size, nitems, &bytes) || bytes > PTRDIFF_MAX)
        rc = scion_fail(SION_ERR_ARGUMENT, "too many bytes: %zu items of %zu bytes", nitems, size);
    else if (!data && bytes > 0)
        rc = scion_fail(SION_ERR_ARGUMENT, "data is NULL");
    else
        rc = scion_begin_host_data(container, (void *)data, bytes, 1, &host);
    if (rc == 0) {
        rc = scion_keyval_write(scion_container_stream(container), key, host.data, bytes);
        scion_end_host_data(&host, 0);
    }
    scion_count_end(&counting, rc > 0 ? bytes : 0);
    return finish(__func__, container, rc) ? nitems : 0;
}

/* As scion_keyval_read, into memory of the host or of a device. */
static int read_items(struct scion_container *container, struct scion_keyval *keyval, uint64_t key,
                      void *data, size_t size, size_t nitems, size_t *items)
{
    struct scion_stream *stream = scion_container_stream(container);
    struct scion_host_data host;
    size_t bytes;
    int rc = 0, late;

    if (__builtin_mul_overflow(size, nitems, &bytes)) /* more than any record has */
        bytes = 0;
    rc = scion_begin_host_data(container, data, bytes, 0, &host);
    if (rc != 0)
        return rc;
    rc = scion_keyval_read(keyval, stream, key, host.data, size, nitems, items);
    late = scion_end_host_data(&host, *items * size);
    if (late != 0)
        *items = 0;
    return late != 0 ? late : rc;
}

size_t sion_fread_key(void *data, uint64_t key, size_t size, size_t nitems, int sid)
{
    struct scion_keyval *keyval;
    struct scion_container *container = get_index(__func__, sid, &keyval);
    struct scion_call_count counting;
    size_t items = 0;
    int rc;

    if (!container || size == 0 || nitems == 0)
        return 0;
    counting = scion_count_begin(container, SIZE_MAX);
    rc = data ? read_items(container, keyval, key, data, size, nitems, &items)
              : scion_fail(SION_ERR_ARGUMENT, "data is NULL");
    scion_count_end(&counting, items * size);
    finish(__func__, container, rc);
    return items;
}

int sion_fread_key_iterator_reset(int sid)
{
    struct scion_keyval *keyval;

    if (!get_index(__func__, sid, &keyval))
        return 0;
    scion_keyval_rewind(keyval);
    return 1;
}

int sion_fread_key_iterator_next(int sid, uint64_t *key, size_t *size)
{
    struct scion_keyval *keyval;
    struct scion_container *container = get_index(__func__, sid, &keyval);
    uint64_t found;
    size_t length;
    int rc;

    if (!container)
        return 0;
    rc = scion_keyval_next(keyval, scion_container_stream(container), &found, &length);
    if (rc > 0 && key)
        *key = found;
    if (rc > 0 && size)
        *size = length;
    return finish(__func__, container, rc);
}

int sion_seek_key(int sid, uint64_t key, int entrynum, sion_int64 posinentry)
{
    struct scion_keyval *keyval;
    struct scion_container *container = get_index(__func__, sid, &keyval);
    int is_current = entrynum == SION_CURRENT_BLOCK, rc;

    if (!container)
        return 0;
    if (posinentry == SION_CURRENT_POS && !is_current)
        rc =
            scion_fail(SION_ERR_ARGUMENT, "SION_CURRENT_POS is possible in the current block only");
    else if (is_current)
        rc = posinentry < 0 && posinentry != SION_CURRENT_POS
                 ? 0
                 : scion_keyval_seek_current(keyval, scion_container_stream(container), key,
                                             posinentry);
    else if (entrynum == SION_ABSOLUTE_POS)
        rc = scion_keyval_seek_absolute(keyval, scion_container_stream(container), key, posinentry);
    else
        rc =
            scion_keyval_seek(keyval, scion_container_stream(container), key, entrynum, posinentry);
    return finish(__func__, container, rc);
}

int sion_key_full_scan(int sid)
{
    struct scion_keyval *keyval;
    struct scion_container *container = get_index(__func__, sid, &keyval);

    return container ? finish(__func__, container,
                              scion_keyval_scan(keyval, scion_container_stream(container)))
                     : 0;
}

int sion_key_list_iterator_reset(int sid)
{
    const struct scion_container *container = scion_api_find(sid);
    struct scion_keyval *keyval;

    /* While records are written there is no list of keys to reset. */
    if (container && scion_container_is_writing(container) &&
        scion_container_keyval_mode(container) == SION_KEYVAL_INLINE)
        return 1;
    if (!get_index(__func__, sid, &keyval))
        return 0;
    scion_keyval_rewind_keys(keyval);
    return 1;
}

int sion_key_list_iterator_next(int sid, uint64_t *key)
{
    struct scion_keyval *keyval;
    uint64_t found = 0;
    int rc = get_index(__func__, sid, &keyval) ? scion_keyval_next_key(keyval, &found) : 0;

    if (key)
        *key = found;
    return rc;
}

int sion_key_get_stat(int sid, uint64_t key, sion_key_stat_t *keystat)
{
    struct scion_keyval *keyval;
    sion_int64 records, bytes;

    if (!get_index(__func__, sid, &keyval) || !scion_keyval_count(keyval, key, &records, &bytes))
        return 0;
    if (keystat)
        *keystat = (sion_key_stat_t){.key = key, .num_blocks = records, .total_size = bytes};
    return 1;
}

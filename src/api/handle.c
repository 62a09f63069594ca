#include "api/handle.h"

#include <stdio.h>

#include "base/env.h"
#include "base/trace.h"
#include "base/warning.h"

int scion_api_fail(const char *function, const struct scion_container *container, int rc)
{
    int rank = container ? scion_container_rank(container) : -1;

    if (scion_tracing(SCION_TRACE_FUNCTION))
        scion_trace_line(SCION_TRACE_FUNCTION, function, "fails: %s", scion_error_text());
    scion_fail_prefix("%s", function);
    scion_log_warnings(rank);
    scion_log_error(rank, rc);
    return rc;
}

int scion_api_is_speaker(int rank, int size)
{
    long long requested;

    if (!scion_env_number("ERROR_MSG_RANK", &requested) || requested < 0 || requested >= size)
        requested = 0;
    return rank == requested;
}

void scion_api_log_warnings(int rank, int size)
{
    if (!scion_api_is_speaker(rank, size))
        scion_warnings_drop_common();
    scion_log_warnings(rank);
}

static struct scion_container *get(int bit, const char *function, int sid, int rc)
{
    struct scion_container *container = scion_api_find(sid);

    if (scion_tracing(bit))
        scion_trace_line(bit, function, "sid %d", sid);
    if (!container) {
        scion_fail(SION_ERR_HANDLE, "invalid sion_filedesc, aborting %d ...", sid);
        scion_api_fail(function, NULL, rc);
    }
    return container;
}

struct scion_container *scion_api_get(const char *function, int sid, int rc)
{
    return get(SCION_TRACE_FUNCTION, function, sid, rc);
}

struct scion_container *scion_api_get_record(const char *function, int sid, int rc)
{
    return get(SCION_TRACE_RECORD, function, sid, rc);
}

int scion_api_refuse_access(const char *function, const struct scion_container *container,
                            int writing, int rc)
{
    if (scion_container_is_writing(container) == writing)
        return 0;
    scion_fail(SION_ERR_MODE, "container is open for %s", writing ? "reading" : "writing");
    scion_api_fail(function, container, rc);
    return 1;
}

int scion_api_result(const char *function, int result)
{
    if (scion_tracing(SCION_TRACE_FUNCTION))
        scion_trace_line(SCION_TRACE_FUNCTION, function, "returns %d", result);
    return result;
}

sion_int64 scion_api_bytes(const char *function, struct scion_container *container,
                           int (*count)(struct scion_stream *stream, sion_int64 *bytes))
{
    sion_int64 bytes;

    if (!container)
        return -1;
    if (count(scion_container_stream(container), &bytes) != 0)
        return scion_api_fail(function, container, -1);
    return bytes;
}

int scion_api_export(struct scion_container *container, FILE **fileptr)
{
    if (!fileptr)
        return 0;
    *fileptr = NULL;
    return scion_container_is_posix(container) || scion_container_stream(container)->is_zipped
               ? 0
               : scion_stream_export(scion_container_stream(container), fileptr);
}

/* Records of the selected task, its position, and its FILE*. */
#include "api/public.h"

#include "api/bindings.h"
#include "api/device.h"
#include "api/handle.h"
#include "base/trace.h"
#include "file/stats.h"

/*
 * Writing and reading are written once; `writing` is a constant wherever they are expanded. What is
 * written is not changed.
 */
#define EXPANDED static inline __attribute__((always_inline))

/* Any record, also one that is refused. */
EXPANDED size_t move_record(const char *function, void *data, size_t size, size_t nitems,
                            struct scion_container *container, int writing)
{
    struct scion_stream *stream = scion_container_stream(container);
    struct scion_device_place place;
    size_t bytes;
    int rc;

    if (__builtin_mul_overflow(size, nitems, &bytes) || bytes > PTRDIFF_MAX)
        rc = scion_fail(SION_ERR_ARGUMENT, "too many bytes: %zu items of %zu bytes", nitems, size);
    else if (bytes == 0)
        return 0;
    else if (!data)
        rc = scion_fail(SION_ERR_ARGUMENT, "data is NULL");
    else if (scion_api_may_be_on_device(container, bytes) &&
             scion_api_find_device(container, data, bytes, &place))
        rc = scion_api_move_device_record(container, &place, data, bytes);
    else
        rc = writing ? scion_stream_write(stream, data, bytes)
                     : scion_stream_read(stream, data, bytes);
    if (rc == 1)
        return nitems;
    if (writing || rc < 0)
        scion_api_fail(function, container, 0);
    return 0;
}

static __attribute__((noinline)) size_t write_record(void *data, size_t size, size_t nitems,
                                                     struct scion_container *container)
{
    return move_record("sion_fwrite", data, size, nitems, container, 1);
}

static __attribute__((noinline)) size_t read_record(void *data, size_t size, size_t nitems,
                                                    struct scion_container *container)
{
    return move_record("sion_fread", data, size, nitems, container, 0);
}

static void trace_result(const char *function, struct scion_container *container, size_t done)
{
    sion_int64 pos;

    if (scion_tracing(SCION_TRACE_RECORD_INTERNAL) &&
        scion_stream_pos(scion_container_stream(container), &pos) == 0)
        scion_trace_line(SCION_TRACE_RECORD_INTERNAL, function,
                         "task %d stands in chunk %lld at %lld", scion_container_rank(container),
                         scion_container_stream(container)->chunk, pos);
    if (scion_tracing(SCION_TRACE_RECORD))
        scion_trace_line(SCION_TRACE_RECORD, function, "returns %zu", done);
}

/* What a call will move; 0 also for too much to be one, which is refused later. */
static inline size_t bytes_of(size_t size, size_t nitems)
{
    size_t bytes;

    return __builtin_mul_overflow(size, nitems, &bytes) ? 0 : bytes;
}

/*
 * Not the plain case: there is no such container, it has a high number or is open for the other
 * access, or records are traced or counted.
 */
static __attribute__((noinline)) size_t move_closely(const char *function, void *data, size_t size,
                                                     size_t nitems, int sid, int writing)
{
    struct scion_container *container = scion_api_find(sid);
    struct scion_call_count counting;
    size_t done;

    if (!container)
        return scion_api_get_record(function, sid, 0), 0;
    if (scion_tracing(SCION_TRACE_RECORD))
        scion_trace_line(SCION_TRACE_RECORD, function, "sid %d, %zu items of %zu bytes", sid,
                         nitems, size);
    if (scion_api_refuse_access(function, container, writing, 0))
        return 0;
    counting = scion_count_begin(container, bytes_of(size, nitems));
    done = writing ? write_record(data, size, nitems, container)
                   : read_record(data, size, nitems, container);
    scion_count_end(&counting, done * size);
    trace_result(function, container, done);
    return done;
}

EXPANDED size_t move_items(const char *function, void *data, size_t size, size_t nitems, int sid,
                           int writing)
{
    struct scion_container *container = scion_api_find_plain(sid, writing);
    size_t bytes = bytes_of(size, nitems);

    if (!container)
        return move_closely(function, data, size, nitems, sid, writing);
    if (!data || !scion_stream_holds(scion_container_stream(container), bytes))
        return writing ? write_record(data, size, nitems, container)
                       : read_record(data, size, nitems, container);
    if (writing)
        scion_stream_write(scion_container_stream(container), data, bytes);
    else
        scion_stream_read(scion_container_stream(container), data, bytes);
    return nitems;
}

size_t sion_fwrite(const void *data, size_t size, size_t nitems, int sid)
{
    return move_items(__func__, (void *)data, size, nitems, sid, 1);
}

size_t sion_fread(void *data, size_t size, size_t nitems, int sid)
{
    return move_items(__func__, data, size, nitems, sid, 0);
}

static __attribute__((noinline)) int ensure_closely(const char *function, int sid, sion_int64 bytes)
{
    struct scion_container *container = scion_api_get_record(function, sid, 0);

    if (!container || scion_api_refuse_access(function, container, 1, 0))
        return SION_NOT_SUCCESS;
    if (bytes > 0 && scion_stream_ensure_free_space(scion_container_stream(container), bytes) != 0)
        return scion_api_fail(function, container, SION_NOT_SUCCESS);
    return SION_SUCCESS;
}

int sion_ensure_free_space(int sid, sion_int64 bytes)
{
    struct scion_container *container = scion_api_find_plain(sid, 1);
    if (container && scion_stream_has_room(scion_container_stream(container), bytes))
        return SION_SUCCESS;
    return ensure_closely(__func__, sid, bytes);
}

static __attribute__((noinline)) int feof_closely(const char *function, int sid)
{
    struct scion_container *container = scion_api_get_record(function, sid, -1);
    int at_end;

    if (!container)
        return -1;
    if (scion_container_is_writing(container))
        return 1;
    if (scion_container_at_end(container, &at_end) != 0)
        return scion_api_fail(function, container, 1);
    return at_end;
}

int sion_feof(int sid)
{
    struct scion_container *container = scion_api_find_plain(sid, 0);
    if (container && scion_stream_has(scion_container_stream(container), 1))
        return 0;
    return feof_closely(__func__, sid);
}

sion_int64 sion_bytes_avail_in_chunk(int sid)
{
    return scion_api_bytes(__func__, scion_api_get_record(__func__, sid, -1),
                           scion_stream_available);
}

sion_int64 sion_bytes_avail_in_block(int sid)
{
    return scion_api_bytes(__func__, scion_api_get_record(__func__, sid, -1),
                           scion_stream_available);
}

static int publish(int sid, struct scion_container *container)
{
    const struct scion_ending *ending = scion_container_ending(container);
    int rc;

    if (scion_container_is_shared(container))
        return scion_fail(SION_ERR_MODE,
                          "sid %d was opened in parallel: its tasks publish together, "
                          "by sion_parpublish_mpi or the like",
                          sid);
    rc = scion_publish_check(container);
    if (rc == 0 && ending)
        rc = ending->run(ending->user, NULL, 0);
    if (rc == 0)
        rc = scion_container_publish(container);
    if (rc == 0 && ending)
        ending->published(ending->user);
    if (rc == 0)
        scion_log_warnings(-1);
    return rc;
}

int sion_flush(int sid)
{
    struct scion_container *container = scion_api_get_record(__func__, sid, 0);
    struct scion_call_count counting;
    int rc;

    if (!container)
        return SION_NOT_SUCCESS;
    if (!scion_container_is_writing(container))
        return SION_SUCCESS;
    counting = scion_count_begin(container, 0);
    rc = scion_container_flush(container);
    if (rc == 0 && scion_container_is_due(container))
        rc = publish(sid, container);
    scion_count_phase(&counting, SCION_PHASE_FLUSH);
    return rc == 0 ? SION_SUCCESS : scion_api_fail(__func__, container, SION_NOT_SUCCESS);
}

int sion_publish(int sid)
{
    struct scion_container *container = scion_api_get_record(__func__, sid, 0);
    struct scion_call_count counting;
    int rc;

    if (!container)
        return SION_NOT_SUCCESS;
    counting = scion_count_begin(container, 0);
    rc = publish(sid, container);
    scion_count_phase(&counting, SCION_PHASE_FLUSH);
    return rc == 0 ? SION_SUCCESS : scion_api_fail(__func__, container, SION_NOT_SUCCESS);
}

sion_int64 sion_refresh(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);
    sion_int64 bytes;
    int rank, size, rc;

    if (!container)
        return -1;
    rc = scion_container_refresh(container, &bytes);
    rank = scion_container_seat(container, &size);
    if (rc == 0)
        scion_api_log_warnings(rank, size);
    else if (scion_api_is_speaker(rank, size))
        scion_api_fail(__func__, container, -1);
    return rc == 0 ? bytes : -1;
}

int sion_get_generation(int sid, sion_int64 *generation, sion_int64 *forgotten)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    sion_int64 number, bytes;
    int rank, size;

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_container_generation(container, &number, &bytes) != 0) {
        rank = scion_container_seat(container, &size);
        if (scion_api_is_speaker(rank, size))
            scion_api_fail(__func__, container, 0);
        return SION_NOT_SUCCESS;
    }
    if (generation)
        *generation = number;
    if (forgotten)
        *forgotten = bytes;
    return SION_SUCCESS;
}

int sion_forget(int sid, sion_int64 before)
{
    struct scion_container *container = scion_api_get_record(__func__, sid, 0);

    if (!container)
        return SION_NOT_SUCCESS;
    return scion_container_forget_before(container, before) == 0
               ? SION_SUCCESS
               : scion_api_fail(__func__, container, SION_NOT_SUCCESS);
}

int sion_seek(int sid, int rank, int currentblocknr, sion_int64 posinblk)
{
    struct scion_container *container = scion_api_get_record(__func__, sid, 0);

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_container_seek(container, rank, currentblocknr, posinblk) != 0)
        return scion_api_fail(__func__, NULL, SION_NOT_SUCCESS);
    return SION_SUCCESS;
}

int sion_seek_fp(int sid, int rank, int currentblocknr, sion_int64 posinblk, FILE **fileptr)
{
    struct scion_container *container = scion_api_get_record(__func__, sid, 0);
    int rc;

    if (!container)
        return SION_NOT_SUCCESS;
    rc = scion_container_seek(container, rank, currentblocknr, posinblk);
    if (rc != 0)
        scion_api_fail(__func__, NULL, SION_NOT_SUCCESS);
    /* Programs that do not look at the result go on with the FILE*. */
    if (scion_api_export(container, fileptr) != 0)
        rc = scion_api_fail(__func__, NULL, SION_NOT_SUCCESS);
    return rc == 0 ? SION_SUCCESS : SION_NOT_SUCCESS;
}

sion_int64 sion_get_position(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);
    sion_int64 pos;

    if (!container)
        return -1;
    if (scion_stream_pos(scion_container_stream(container), &pos) != 0)
        return scion_api_fail(__func__, container, -1);
    return scion_container_stream(container)->origin + pos;
}

static sion_int64 total_bytes(const char *function, int sid, int writing)
{
    struct scion_container *container = scion_api_get(function, sid, -1);
    sion_int64 bytes;

    if (!container || scion_container_is_writing(container) != writing)
        return -1;
    if (scion_stream_total(scion_container_stream(container), &bytes) != 0)
        return scion_api_fail(function, container, -1);
    return bytes;
}

sion_int64 sion_get_bytes_written(int sid)
{
    return total_bytes(__func__, sid, 1);
}

sion_int64 sion_get_bytes_read(int sid)
{
    return total_bytes(__func__, sid, 0);
}

/* Who asks is told why there is none. */
static int export(struct scion_container *container, FILE **fp)
{
    return scion_container_is_posix(container)
               ? 0
               : scion_stream_export(scion_container_stream(container), fp);
}

FILE *sion_get_fp(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    FILE *fp = NULL;

    if (container && export(container, &fp) != 0)
        scion_api_fail(__func__, container, 0);
    return fp;
}

int sion_get_fd(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);
    int fd;

    if (!container || !scion_container_is_posix(container))
        return -1;
    if (scion_stream_export_descriptor(scion_container_stream(container), &fd) != 0)
        return scion_api_fail(__func__, container, -1);
    return fd;
}

int sion_layer_fileno(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, -1);
    FILE *fp;
    int fd;

    if (!container)
        return -1;
    if (scion_container_is_posix(container))
        return sion_get_fd(sid);
    if (export(container, &fp) != 0)
        return scion_api_fail(__func__, container, -1);
    fd = fileno(fp);
    return fd >= 0 ? fd : scion_file_descriptor(scion_container_stream(container)->file);
}

int sion_set_second_fp(int sid, FILE *fp)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);
    int rc;

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_container_is_posix(container) || !fp)
        rc = scion_fail(SION_ERR_MODE, fp ? "not possible in posix mode" : "fp is NULL");
    else if (scion_container_stream(container)->second) {
        scion_warn("a second FILE* is set already");
        scion_log_warnings(scion_container_rank(container));
        rc = 0;
    } else
        rc = scion_stream_set_second(scion_container_stream(container), fp);
    return rc == 0 ? SION_SUCCESS : scion_api_fail(__func__, container, SION_NOT_SUCCESS);
}

int sion_unset_second_fp(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_container_is_posix(container)) {
        scion_fail(SION_ERR_MODE, "not possible in posix mode");
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    }
    if (!scion_container_stream(container)->second) {
        scion_warn("no second FILE* is set");
        scion_log_warnings(scion_container_rank(container));
    }
    if (scion_stream_unset_second(scion_container_stream(container)) != 0)
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    return SION_SUCCESS;
}

int sion_set_fp_closed(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);

    if (!container)
        return SION_NOT_SUCCESS;
    if (scion_stream_take_back(scion_container_stream(container)) != 0)
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    return SION_SUCCESS;
}

int sion_optimize_fp_buffer(int sid)
{
    struct scion_container *container = scion_api_get(__func__, sid, 0);

    if (!container)
        return SION_NOT_SUCCESS;
    if (!scion_container_is_posix(container) &&
        scion_stream_set_buffer(scion_container_stream(container),
                                (size_t)scion_container_head(container)->fsblksize) != 0)
        return scion_api_fail(__func__, container, SION_NOT_SUCCESS);
    return SION_SUCCESS;
}

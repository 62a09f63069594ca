#include "api/device.h"

#include <stdlib.h>

#include "api/handle.h"
#include "api/private_abi.h"
#include "base/error.h"
#include "base/handles.h"

static void choose(void *container)
{
    scion_container_choose_records(container);
}

/* A driver that was loaded after the container was opened: from now on, all containers know. */
static int look_again(void)
{
    if (!scion_device_look())
        return 0;
    scion_handle_visit(SCION_HANDLE_CONTAINER, choose);
    return 1;
}

int scion_api_find_device(const struct scion_container *container, const void *data, size_t bytes,
                          struct scion_device_place *place)
{
    if (!data || bytes == 0)
        return 0;
    if (!scion_container_may_have_devices(container) &&
        (bytes < SCION_DEVICE_LATE || !look_again()))
        return 0;
    return scion_device_find(data, place);
}

/* ---- by pieces ---- */

struct device_move {
    struct scion_stream *stream;
    size_t done;
};

/* The result of a part of a record; its end of data was seen before the first part. */
static int part_result(int rc)
{
    if (rc == 0)
        return scion_fail(SION_ERR_DAMAGED, "the record ends early");
    return rc > 0 ? 0 : rc;
}

static int take_part(void *user, const void *piece, size_t bytes)
{
    struct device_move *move = user;

    return part_result(scion_stream_write(move->stream, piece, bytes));
}

static int give_part(void *user, void *piece, size_t room, size_t *got)
{
    struct device_move *move = user;

    *got = room;
    return part_result(scion_stream_read(move->stream, piece, room));
}

int scion_api_move_device_record(struct scion_container *container,
                                 const struct scion_device_place *place, void *data, size_t bytes)
{
    struct device_move move = {.stream = scion_container_stream(container)};
    SCION_HOLD(&move.stream->hold);
    struct scion_mark mark;
    int rc = scion_stream_begin_pieces(move.stream, bytes, &mark);

    if (rc != 1)
        return rc;
    scion_container_use_device(container);
    rc = move.stream->writing ? scion_device_fetch(place, data, bytes, take_part, &move)
                              : scion_device_store(place, data, bytes, give_part, &move);
    if (rc != 0)
        scion_stream_return(move.stream, &mark);
    return rc != 0 ? rc : 1;
}

static int take_bytes(void *user, const void *piece, size_t bytes)
{
    struct device_move *move = user;
    size_t part;
    int rc = scion_stream_write_bytes(move->stream, piece, bytes, &part);

    move->done += part;
    return rc;
}

static int give_bytes(void *user, void *piece, size_t room, size_t *got)
{
    struct device_move *move = user;
    int rc = scion_stream_read_bytes(move->stream, piece, room, got);

    move->done += *got;
    return rc;
}

int scion_api_move_device_bytes(struct scion_container *container,
                                const struct scion_device_place *place, void *data, size_t bytes,
                                size_t *done)
{
    struct device_move move = {.stream = scion_container_stream(container)};
    SCION_HOLD(&move.stream->hold);
    struct scion_mark mark;
    int rc = scion_stream_mark(move.stream, &mark);

    *done = 0;
    if (rc != 0)
        return rc;
    scion_container_use_device(container);
    rc = move.stream->writing ? scion_device_fetch(place, data, bytes, take_bytes, &move)
                              : scion_device_store(place, data, bytes, give_bytes, &move);
    *done = move.done;
    return rc;
}

/* ---- as a whole ---- */

int scion_begin_host_data(struct scion_container *container, void *data, size_t bytes, int is_read,
                          struct scion_host_data *host)
{
    int rc;

    *host = (struct scion_host_data){.data = data, .original = data};
    if (!scion_api_find_device(container, data, bytes, &host->place))
        return 0;
    scion_container_use_device(container);
    host->data = malloc(bytes);
    rc = host->data ? 0 : scion_fail_memory("copy of a device's memory");
    if (rc == 0 && is_read)
        rc = scion_device_copy_out(&host->place, host->data, data, bytes);
    if (rc != 0) {
        free(host->data);
        host->data = NULL;
        host->place.driver = NULL;
    }
    return rc;
}

int scion_end_host_data(struct scion_host_data *host, size_t written)
{
    int rc = 0;

    if (!host->place.driver)
        return 0;
    if (written > 0)
        rc = scion_device_copy_in(&host->place, host->original, host->data, written);
    free(host->data);
    return rc;
}

/* ---- for libraries besides the core ---- */

int sion_layer_device_find(int sid, const void *data, struct scion_device_place *place)
{
    struct scion_container *container = scion_api_find(sid);

    if (!data || !scion_device_look() || !scion_device_find(data, place))
        return 0;
    if (container)
        scion_container_use_device(container);
    return 1;
}

int sion_layer_device_fetch(const struct scion_device_place *place, const void *data, size_t bytes,
                            scion_device_take *take, void *user)
{
    return scion_device_fetch(place, data, bytes, take, user);
}

int sion_layer_device_store(const struct scion_device_place *place, void *data, size_t bytes,
                            scion_device_give *give, void *user)
{
    return scion_device_store(place, data, bytes, give, user);
}

void sion_layer_device_hold(int is_held)
{
    if (is_held)
        scion_device_hold();
    else
        scion_device_release();
}

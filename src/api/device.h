/* Data that a program passes by a pointer to memory of a device. */
#ifndef SCION_API_DEVICE_H
#define SCION_API_DEVICE_H

#include "device/device.h"
#include "file/container.h"

/* From this size on, a record that is not in the window costs so much more than a look for a
   driver that there is one, also if the program had none when it opened the container. */
enum { SCION_DEVICE_LATE = 16 << 10 };

/* 0: certainly not. */
static inline int scion_api_may_be_on_device(const struct scion_container *container, size_t bytes)
{
    return bytes >= SCION_DEVICE_LATE || scion_container_may_have_devices(container);
}

/*
 * Whether data are in memory of a device. Asks a driver only if there may be one; costs nothing for
 * a record in the window of a container whose program has none.
 */
int scion_api_find_device(const struct scion_container *container, const void *data, size_t bytes,
                          struct scion_device_place *place);

/* As scion_stream_write or _read, of data that are there. */
int scion_api_move_device_record(struct scion_container *container,
                                 const struct scion_device_place *place, void *data, size_t bytes);

/* As scion_stream_write_bytes or _read_bytes. */
int scion_api_move_device_bytes(struct scion_container *container,
                                const struct scion_device_place *place, void *data, size_t bytes,
                                size_t *done);

/*
 * The same data in memory of the host, for calls that cannot take them by pieces: the program's own
 * if they are there.
 */
struct scion_host_data {
    void *data; /* NULL: there is no memory, or no data */
    void *original;
    struct scion_device_place place; /* driver NULL: they are the program's own */
};

/* is_read: the call reads the data. 0 or an error code. End it in any case if that is 0. */
int scion_begin_host_data(struct scion_container *container, void *data, size_t bytes, int is_read,
                          struct scion_host_data *host);

/* The call has written so many bytes of the data, which go to the device. */
int scion_end_host_data(struct scion_host_data *host, size_t written);

#endif

/* The functions of a driver. They return the driver's codes; 0: success. */
#ifndef SCION_DEVICE_DRIVER_H
#define SCION_DEVICE_DRIVER_H

#include "device/device.h"

/* Those that differ in their names only: found in its library. */
struct scion_device_calls {
    int (*allocate)(void **memory, size_t bytes, unsigned flags);
    int (*free)(void *memory);
    int (*make_stream)(void **stream, unsigned flags);
    int (*free_stream)(void *stream);
    int (*wait)(void *stream);
    int (*make_event)(void **event, unsigned flags);
    int (*free_event)(void *event);
    int (*record)(void *event, void *stream);
};

/* Flags of both drivers: memory for all contexts; a stream that waits for the default stream. */
enum {
    SCION_DEVICE_PORTABLE = 1,
    SCION_DEVICE_WAITS_FOR_DEFAULT = 0,
    SCION_DEVICE_EVENT_WITHOUT_TIME = 2
};

/* Where the address of a function goes; is_optional: 0 may stay there. */
struct scion_device_symbol {
    const char *name; /* NULL: no more */
    void *function;
    int is_optional;
};

struct scion_device_driver {
    const char *name;    /* "CUDA" */
    const char *library; /* what the name of its file begins with */
    const struct scion_device_symbol *symbols;
    const struct scion_device_calls *calls;

    /* 1: the data are not plain memory of the host; sets context and device. */
    int (*find)(const void *data, struct scion_device_place *place);

    /* *context: the place's own, or the runtime's, which is held then until it is dropped. */
    int (*hold)(const struct scion_device_place *place, void **context);
    void (*drop)(const struct scion_device_place *place);

    /* Make a context or a device the thread's; and the caller's again. */
    int (*enter)(void *context, int device, int *before);
    void (*leave)(int before);

    int (*copy)(void *to, const void *from, size_t bytes, int is_out, void *stream);
    const char *(*text)(int code); /* NULL: the driver does not know the code */
};

extern const struct scion_device_driver scion_device_cuda, scion_device_hip;

#endif

/*
 * The runtime of HIP, which takes the place of a driver. These are facts of its public interface:
 * the names of its functions, their arguments, and the numbers below.
 */
#include "device/driver.h"

/* hipPointerAttribute_t; newer versions may write more. */
struct attributes {
    int type, device;
    void *on_device, *on_host;
    int is_managed;
    unsigned flags;
    char more[96];
};

static struct scion_device_calls calls;

static struct {
    int (*attributes)(struct attributes *attributes, const void *data);
    int (*version)(int *version);
    int (*get_device)(int *device);
    int (*set_device)(int device);
    int (*copy)(void *to, const void *from, size_t bytes, int kind, void *stream);
    const char *(*error_string)(int code);
    int (*peek_error)(void);
    int (*get_error)(void);
} hip;

static const struct scion_device_symbol symbols[] = {
    {"hipPointerGetAttributes", &hip.attributes, 0},
    {"hipRuntimeGetVersion", &hip.version, 0},
    {"hipGetDevice", &hip.get_device, 0},
    {"hipSetDevice", &hip.set_device, 0},
    {"hipHostMalloc", &calls.allocate, 0},
    {"hipHostFree", &calls.free, 0},
    {"hipStreamCreateWithFlags", &calls.make_stream, 0},
    {"hipStreamDestroy", &calls.free_stream, 0},
    {"hipStreamSynchronize", &calls.wait, 0},
    {"hipEventCreateWithFlags", &calls.make_event, 0},
    {"hipEventDestroy", &calls.free_event, 0},
    {"hipEventRecord", &calls.record, 0},
    {"hipMemcpyAsync", &hip.copy, 0},
    {"hipGetErrorString", &hip.error_string, 1},
    {"hipPeekAtLastError", &hip.peek_error, 1},
    {"hipGetLastError", &hip.get_error, 1},
    {NULL, NULL, 0}};

enum { TO_DEVICE = 1, TO_HOST = 2 };

/* The numbers of types changed with version 6. */
enum {
    NEW_TYPES = 60000000,
    OLD_DEVICE = 1,
    OLD_UNIFIED = 3,
    OLD_MANAGED = 4,
    NEW_DEVICE = 2,
    NEW_MANAGED = 3,
    NEW_UNIFIED = 11
};

static int is_devices(int type)
{
    int version = 0;

    if (type == 0 || hip.version(&version) != 0)
        return 0;
    return version >= NEW_TYPES ? type == NEW_DEVICE || type == NEW_MANAGED || type == NEW_UNIFIED
                                : type == OLD_DEVICE || type == OLD_UNIFIED || type == OLD_MANAGED;
}

/* Of memory that it does not know, an older runtime says that it is invalid. The program must not
   find that as its own last error. */
static int find(const void *data, struct scion_device_place *place)
{
    struct attributes attributes = {.type = 0};
    int before = hip.peek_error ? hip.peek_error() : 1;

    if (hip.attributes(&attributes, data) != 0) {
        if (before == 0 && hip.get_error)
            hip.get_error();
        return 0;
    }
    if (!attributes.is_managed && !is_devices(attributes.type))
        return 0;
    place->context = NULL;
    place->device = attributes.device < 0 ? 0 : attributes.device;
    return 1;
}

static int hold(const struct scion_device_place *place, void **context)
{
    (void)place;
    *context = NULL;
    return 0;
}

static void drop(const struct scion_device_place *place)
{
    (void)place;
}

static int enter(void *context, int device, int *before)
{
    int rc = hip.get_device(before);

    (void)context;
    return rc == 0 && *before != device ? hip.set_device(device) : rc;
}

static void leave(int before)
{
    int device;

    if (hip.get_device(&device) != 0 || device != before)
        hip.set_device(before);
}

static int copy(void *to, const void *from, size_t bytes, int is_out, void *stream)
{
    return hip.copy(to, from, bytes, is_out ? TO_HOST : TO_DEVICE, stream);
}

static const char *text_of(int code)
{
    return hip.error_string ? hip.error_string(code) : NULL;
}

const struct scion_device_driver scion_device_hip = {
    "HIP", "libamdhip64.so", symbols, &calls, find, hold, drop, enter, leave, copy, text_of};

/*
 * The driver of CUDA. These are facts of its public interface, which has been binary compatible
 * since CUDA 4: the names of its functions, their arguments (addresses on a device are numbers of
 * the size of a pointer), and the numbers below.
 */
#include "device/driver.h"

#include <stdint.h>

static struct scion_device_calls calls;

static struct {
    int (*attributes)(unsigned n, const int *attributes, void **values, const void *data);
    int (*push_context)(void *context);
    int (*pop_context)(void **context);
    int (*get_device)(int *device, int number);
    int (*retain_primary)(void **context, int device);
    int (*release_primary)(int device);
    int (*copy_out)(void *to, const void *from, size_t bytes, void *stream);
    int (*copy_in)(void *to, const void *from, size_t bytes, void *stream);
    int (*error_string)(int code, const char **text);
} cuda;

static const struct scion_device_symbol symbols[] = {
    {"cuPointerGetAttributes", &cuda.attributes, 0},
    {"cuCtxPushCurrent_v2", &cuda.push_context, 0},
    {"cuCtxPopCurrent_v2", &cuda.pop_context, 0},
    {"cuDeviceGet", &cuda.get_device, 0},
    {"cuDevicePrimaryCtxRetain", &cuda.retain_primary, 0},
    {"cuDevicePrimaryCtxRelease_v2", &cuda.release_primary, 0},
    {"cuMemHostAlloc", &calls.allocate, 0},
    {"cuMemFreeHost", &calls.free, 0},
    {"cuStreamCreate", &calls.make_stream, 0},
    {"cuStreamDestroy_v2", &calls.free_stream, 0},
    {"cuStreamSynchronize", &calls.wait, 0},
    {"cuEventCreate", &calls.make_event, 0},
    {"cuEventDestroy_v2", &calls.free_event, 0},
    {"cuEventRecord", &calls.record, 0},
    {"cuMemcpyDtoHAsync_v2", &cuda.copy_out, 0},
    {"cuMemcpyHtoDAsync_v2", &cuda.copy_in, 0},
    {"cuGetErrorString", &cuda.error_string, 1},
    {NULL, NULL, 0}};

enum { CONTEXT = 1, MEMORY_TYPE = 2, IS_MANAGED = 8, DEVICE_ORDINAL = 9 }; /* attributes */
enum { TYPE_DEVICE = 2 };

/* Of the host's plain memory, the driver says 0 to everything. */
static int find(const void *data, struct scion_device_place *place)
{
    static const int attributes[] = {CONTEXT, MEMORY_TYPE, IS_MANAGED, DEVICE_ORDINAL};
    unsigned type = 0;
    uint64_t is_managed = 0; /* the driver writes one byte or four */
    void *values[] = {&place->context, &type, &is_managed, &place->device};

    place->context = NULL;
    place->device = 0;
    return cuda.attributes(4, attributes, values, data) == 0 && (type == TYPE_DEVICE || is_managed);
}

/* Memory of a pool belongs to no context. */
static int hold(const struct scion_device_place *place, void **context)
{
    int device, rc;

    *context = place->context;
    if (place->context)
        return 0;
    rc = cuda.get_device(&device, place->device);
    return rc != 0 ? rc : cuda.retain_primary(context, device);
}

static void drop(const struct scion_device_place *place)
{
    int device;

    if (!place->context && cuda.get_device(&device, place->device) == 0)
        cuda.release_primary(device);
}

static int enter(void *context, int device, int *before)
{
    (void)device, (void)before;
    return cuda.push_context(context);
}

static void leave(int before)
{
    void *context;

    (void)before;
    cuda.pop_context(&context);
}

static int copy(void *to, const void *from, size_t bytes, int is_out, void *stream)
{
    return is_out ? cuda.copy_out(to, from, bytes, stream) : cuda.copy_in(to, from, bytes, stream);
}

static const char *text_of(int code)
{
    const char *text = NULL;

    return cuda.error_string && cuda.error_string(code, &text) == 0 ? text : NULL;
}

const struct scion_device_driver scion_device_cuda = {
    "CUDA", "libcuda.so", symbols, &calls, find, hold, drop, enter, leave, copy, text_of};

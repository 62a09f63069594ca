/* Names of HIP's runtime, with their facts; those of version 5 with FAKE_HIP=5 in the environment.
 */
#define USES_CONTEXTS 0
#include "device/fake.h"

struct attributes {
    int type, device;
    void *on_device, *on_host;
    int is_managed;
    unsigned flags;
};

SHOWN int hipPointerGetAttributes(struct attributes *attributes, const void *data);
SHOWN int hipRuntimeGetVersion(int *version);
SHOWN int hipGetDevice(int *device);
SHOWN int hipSetDevice(int device);
SHOWN int hipHostMalloc(void **memory, size_t bytes, unsigned flags);
SHOWN int hipHostFree(void *memory);
SHOWN int hipStreamCreateWithFlags(void **stream, unsigned flags);
SHOWN int hipStreamDestroy(void *stream);
SHOWN int hipStreamSynchronize(void *stream);
SHOWN int hipEventCreateWithFlags(void **event, unsigned flags);
SHOWN int hipEventDestroy(void *event);
SHOWN int hipEventRecord(void *event, void *stream);
SHOWN int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
SHOWN const char *hipGetErrorString(int code);
SHOWN int hipPeekAtLastError(void);
SHOWN int hipGetLastError(void);

static __thread int last_error;

static int is_old(void)
{
    const char *version = getenv("FAKE_HIP");

    return version && *version == '5';
}

int hipRuntimeGetVersion(int *version)
{
    *version = is_old() ? 50731921 : 60032830;
    return 0;
}

int hipPointerGetAttributes(struct attributes *attributes, const void *data)
{
    const struct region *region = region_of(data, 1);
    int is_managed = region && region->kind == FAKE_MANAGED;

    __atomic_fetch_add(&counts.queries, 1, __ATOMIC_RELAXED);
    if (!region && is_old())
        return last_error = INVALID;
    memset(attributes, 0, sizeof *attributes);
    attributes->device = region ? region->device : -2;
    if (region)
        attributes->type = is_old() ? 1 : is_managed ? 3 : 2;
    attributes->is_managed = is_managed;
    return 0;
}

int hipGetDevice(int *device)
{
    *device = device_now;
    return 0;
}

int hipSetDevice(int device)
{
    int rc = device == home ? 0 : begin(); /* back, it goes well */

    if (rc == 0)
        device_now = device;
    return rc;
}

int hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
    return allocate_host(memory, bytes, flags);
}

int hipHostFree(void *memory)
{
    return free_host(memory);
}

int hipStreamCreateWithFlags(void **stream, unsigned flags)
{
    return make_stream(stream, flags);
}

int hipStreamDestroy(void *stream)
{
    return free_stream(stream);
}

int hipStreamSynchronize(void *stream)
{
    return synchronize(stream);
}

int hipEventCreateWithFlags(void **event, unsigned flags)
{
    return flags == 2 ? make_event(event) : INVALID;
}

int hipEventDestroy(void *event)
{
    return free_event(event);
}

int hipEventRecord(void *event, void *stream)
{
    return record(event, stream);
}

int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream)
{
    return copy(to, from, bytes, kind == 2, stream);
}

const char *hipGetErrorString(int code)
{
    return text_of(code);
}

int hipPeekAtLastError(void)
{
    return last_error;
}

int hipGetLastError(void)
{
    int error = last_error;

    last_error = 0;
    return error;
}

/* ---- for programs that use a device ---- */

SHOWN int hipInit(unsigned flags);
SHOWN int hipGetDeviceCount(int *devices);
SHOWN int hipMalloc(void **data, size_t bytes);
SHOWN int hipMallocManaged(void **data, size_t bytes, unsigned flags);
SHOWN int hipFree(void *data);
SHOWN int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
SHOWN int hipMemsetAsync(void *data, int value, size_t bytes, void *stream);

int hipInit(unsigned flags)
{
    return flags == 0 ? 0 : INVALID;
}

int hipGetDeviceCount(int *devices)
{
    *devices = DEVICES;
    return 0;
}

int hipMalloc(void **data, size_t bytes)
{
    return allocate_now(data, bytes, FAKE_DEVICE);
}

int hipMallocManaged(void **data, size_t bytes, unsigned flags)
{
    return flags == 1 ? allocate_now(data, bytes, FAKE_MANAGED) : INVALID;
}

int hipFree(void *data)
{
    fake_free(data);
    return 0;
}

int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    return copy_now(to, from, bytes, kind == 2);
}

int hipMemsetAsync(void *data, int value, size_t bytes, void *stream)
{
    if (!stream)
        fake_kernel(data, value, bytes);
    return stream ? INVALID : 0;
}

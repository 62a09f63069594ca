/* Names of CUDA's driver, with their facts. */
#define USES_CONTEXTS 1
#include "device/fake.h"

typedef uintptr_t address; /* as CUDA has it */

SHOWN int cuPointerGetAttributes(unsigned n, const int *attributes, void **values, address data);
SHOWN int cuCtxPushCurrent_v2(void *context);
SHOWN int cuCtxPopCurrent_v2(void **context);
SHOWN int cuDeviceGet(int *device, int number);
SHOWN int cuDevicePrimaryCtxRetain(void **context, int device);
SHOWN int cuDevicePrimaryCtxRelease_v2(int device);
SHOWN int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
SHOWN int cuMemFreeHost(void *memory);
SHOWN int cuStreamCreate(void **stream, unsigned flags);
SHOWN int cuStreamDestroy_v2(void *stream);
SHOWN int cuStreamSynchronize(void *stream);
SHOWN int cuEventCreate(void **event, unsigned flags);
SHOWN int cuEventDestroy_v2(void *event);
SHOWN int cuEventRecord(void *event, void *stream);
SHOWN int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream);
SHOWN int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream);
SHOWN int cuGetErrorString(int code, const char **text);

int cuPointerGetAttributes(unsigned n, const int *attributes, void **values, address data)
{
    const struct region *region = region_of((void *)(uintptr_t)data, 1);
    unsigned i;

    __atomic_fetch_add(&counts.queries, 1, __ATOMIC_RELAXED);
    for (i = 0; i < n; i++) {
        switch (attributes[i]) {
        case 1:
            *(void **)values[i] = region ? region->context : NULL;
            break;
        case 2: /* 1: host; 2: device */
            *(unsigned *)values[i] = !region ? 0 : region->kind == FAKE_MANAGED ? 1 : 2;
            break;
        case 8:
            *(unsigned char *)values[i] = region && region->kind == FAKE_MANAGED;
            break;
        case 9:
            *(int *)values[i] = region ? region->device : -2;
            break;
        default:
            return INVALID;
        }
    }
    return 0;
}

int cuCtxPushCurrent_v2(void *context)
{
    int rc = begin();

    if (rc == 0 && depth == DEPTH)
        abort();
    if (rc == 0)
        stack[depth++] = context;
    return rc;
}

int cuCtxPopCurrent_v2(void **context)
{
    if (depth == 0)
        return NO_CONTEXT;
    *context = stack[--depth];
    return 0;
}

int cuDeviceGet(int *device, int number)
{
    *device = number;
    return number < DEVICES ? 0 : INVALID;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    int rc = begin();

    if (rc == 0) {
        *context = &primary[device];
        retained[device]++;
    }
    return rc;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    retained[device]--;
    return 0;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    return allocate_host(memory, bytes, flags);
}

int cuMemFreeHost(void *memory)
{
    return free_host(memory);
}

int cuStreamCreate(void **stream, unsigned flags)
{
    return make_stream(stream, flags);
}

int cuStreamDestroy_v2(void *stream)
{
    return free_stream(stream);
}

int cuStreamSynchronize(void *stream)
{
    return synchronize(stream);
}

int cuEventCreate(void **event, unsigned flags)
{
    return flags == 2 ? make_event(event) : INVALID;
}

int cuEventDestroy_v2(void *event)
{
    return free_event(event);
}

int cuEventRecord(void *event, void *stream)
{
    return record(event, stream);
}

int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream)
{
    return copy(to, (void *)(uintptr_t)from, bytes, 1, stream);
}

int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream)
{
    return copy((void *)(uintptr_t)to, from, bytes, 0, stream);
}

int cuGetErrorString(int code, const char **text)
{
    *text = text_of(code);
    return *text ? 0 : INVALID;
}

/* ---- for programs that use a device ---- */

SHOWN int cuInit(unsigned flags);
SHOWN int cuDeviceGetCount(int *devices);
SHOWN int cuCtxSetCurrent(void *context);
SHOWN int cuMemAlloc_v2(void **data, size_t bytes);
SHOWN int cuMemAllocManaged(void **data, size_t bytes, unsigned flags);
SHOWN int cuMemFree_v2(void *data);
SHOWN int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes);
SHOWN int cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes);
SHOWN int cuMemsetD8Async(void *data, unsigned char value, size_t bytes, void *stream);

int cuInit(unsigned flags)
{
    return flags == 0 ? 0 : INVALID;
}

int cuDeviceGetCount(int *devices)
{
    *devices = DEVICES;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    depth = 1;
    stack[0] = context;
    return 0;
}

int cuMemAlloc_v2(void **data, size_t bytes)
{
    return allocate_now(data, bytes, FAKE_DEVICE);
}

int cuMemAllocManaged(void **data, size_t bytes, unsigned flags)
{
    return flags == 1 ? allocate_now(data, bytes, FAKE_MANAGED) : INVALID;
}

int cuMemFree_v2(void *data)
{
    fake_free(data);
    return 0;
}

int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes)
{
    return copy_now(to, from, bytes, 0);
}

int cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes)
{
    return copy_now(to, from, bytes, 1);
}

int cuMemsetD8Async(void *data, unsigned char value, size_t bytes, void *stream)
{
    if (!stream)
        fake_kernel(data, value, bytes);
    return stream ? INVALID : 0;
}

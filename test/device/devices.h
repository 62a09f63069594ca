/* A driver without hardware in a test program, which loads it when it wants to. */
#ifndef TEST_DEVICE_DEVICES_H
#define TEST_DEVICE_DEVICES_H

#include <dlfcn.h>

#include "device/fake_control.h"
#include "support.h"

static struct {
    void *(*allocate)(size_t bytes, int kind, int device);
    void (*free)(void *data);
    void (*put)(void *data, const void *from, size_t bytes);
    void (*get)(void *to, const void *data, size_t bytes);
    void (*kernel)(void *data, int value, size_t bytes);
    void (*fail_at)(long n);
    int (*has_failed)(void);
    struct fake_counts *(*counts)(void);
    void (*note)(char letter);
    void (*use)(int device);
    void (*reset)(void);
    int (*last_error)(void); /* HIP */
} fake;

static inline void device_find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);

    memcpy(function, &address, sizeof address);
}

static inline void device_load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(99);
    }
    device_find(library, "fake_allocate", &fake.allocate);
    device_find(library, "fake_free", &fake.free);
    device_find(library, "fake_put", &fake.put);
    device_find(library, "fake_get", &fake.get);
    device_find(library, "fake_kernel", &fake.kernel);
    device_find(library, "fake_fail_at", &fake.fail_at);
    device_find(library, "fake_has_failed", &fake.has_failed);
    device_find(library, "fake_counts", &fake.counts);
    device_find(library, "fake_note", &fake.note);
    device_find(library, "fake_use", &fake.use);
    device_find(library, "fake_reset", &fake.reset);
    device_find(library, "hipPeekAtLastError", &fake.last_error);
    fake.use(0);
}

/* After a call: nothing is left but what open containers hold, and the caller's context is as it
 * was. */
static inline int device_is_clean(int open)
{
    const struct fake_counts *counts = fake.counts();

    return (open || (counts->live == 0 && counts->retained == 0)) && counts->wrong == 0 &&
           counts->depth == 1 && (!fake.last_error || fake.last_error() == 0);
}

#endif

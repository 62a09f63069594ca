#include "base/crc.h"

#include <dlfcn.h>

#include "base/error.h"

/* In older C libraries, dlopen() is in a library of its own, which legacy link lines do not
   name. */
#pragma weak dlopen
#pragma weak dlsym

static scion_crc_function *used;

void scion_crc_use(scion_crc_function *crc)
{
    __atomic_store_n(&used, crc, __ATOMIC_RELEASE);
}

/* Load it from the system's search path, or else from where it was installed. It stays loaded. */
static void *open_library(void)
{
    void *library = dlopen(SCION_CHECKSUM_LIBRARY, RTLD_NOW | RTLD_LOCAL);

    return library ? library
                   : dlopen(SCION_LIBDIR "/" SCION_CHECKSUM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static scion_crc_function *load(void)
{
    void *library = dlopen && dlsym ? open_library() : NULL;
    union {
        void *object;
        scion_crc_function *function;
    } symbol = {.object = library ? dlsym(library, "sion_crc32") : NULL};

    return symbol.function;
}

int scion_crc_missing(void)
{
    return scion_fail(SION_ERR_ARGUMENT,
                      "checksums need libsion_checksum, which is not installed, or "
                      "sion_checksum_use()");
}

scion_crc_function *scion_crc_find(void)
{
    scion_crc_function *crc = __atomic_load_n(&used, __ATOMIC_ACQUIRE);

    if (!crc) {
        crc = load();
        scion_crc_use(crc);
    }
    return crc;
}

#include "base/library.h"

#include <dlfcn.h>
#include <stdlib.h>

/* In older C libraries, dlopen() is in a library of its own, which legacy link lines do not
   name. */
#pragma weak dlopen
#pragma weak dlsym

static int find_all(void *handle, const char *const *names, void **functions)
{
    for (; *names; names++) {
        *functions = dlsym(handle, *names);
        if (!*functions++)
            return 0;
    }
    return 1;
}

/* Threads that come here at the same time load the same library; one table is kept. */
static const void *load(void **loaded, const char *file, const char *const *names)
{
    void *handle = dlopen && dlsym ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL, *none = NULL,
         **functions;
    size_t n = 0;

    while (names[n])
        n++;
    functions = handle ? calloc(n, sizeof *functions) : NULL;
    if (!functions || !find_all(handle, names, functions)) {
        free(functions);
        return NULL;
    }
    if (__atomic_compare_exchange_n(loaded, &none, functions, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return functions;
    free(functions);
    return none;
}

const void *scion_library_functions(void **loaded, const char *file, const char *const *names)
{
    const void *functions = __atomic_load_n(loaded, __ATOMIC_ACQUIRE);

    return functions ? functions : load(loaded, file, names);
}

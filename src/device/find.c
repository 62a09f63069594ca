/* The drivers that the program has loaded, and whose memory a pointer is of. */
#include "device/device.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "device/driver.h"

/* A static program has no libraries, and in older C libraries dlopen() is in a library of its own,
   which legacy link lines do not name. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dl_iterate_phdr

enum { DRIVERS = 2 };

static const struct scion_device_driver *const known[DRIVERS] = {&scion_device_cuda,
                                                                 &scion_device_hip};

enum state { UNKNOWN, FOUND, UNUSABLE };

static _Atomic(enum state) states[DRIVERS];
static atomic_int is_found; /* any of them */
static atomic_ullong loads; /* libraries that the process had loaded at the last look */
static atomic_flag looking = ATOMIC_FLAG_INIT;

/* ---- finding ---- */

struct search {
    unsigned long long loads;
    char *names[DRIVERS]; /* of the files of drivers that are not known yet */
};

static int is_file_of(const struct scion_device_driver *driver, const char *path)
{
    const char *slash = strrchr(path, '/');

    return strncmp(slash ? slash + 1 : path, driver->library, strlen(driver->library)) == 0;
}

/* Called with each library of the process, until it returns 1. */
static int see(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *search = user;
    int i;

    if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof info->dlpi_adds)
        search->loads = info->dlpi_adds;
    if (search->loads != 0 && search->loads == atomic_load_explicit(&loads, memory_order_relaxed))
        return 1;
    for (i = 0; info->dlpi_name && i < DRIVERS; i++) {
        if (!search->names[i] && atomic_load(&states[i]) == UNKNOWN &&
            is_file_of(known[i], info->dlpi_name))
            search->names[i] = strdup(info->dlpi_name);
    }
    return 0;
}

/* Its functions; the name of one that is missing, or NULL. */
static const char *find_functions(void *library, const struct scion_device_symbol *symbol)
{
    for (; symbol->name; symbol++) {
        void *function = dlsym(library, symbol->name);

        if (!function && !symbol->is_optional)
            return symbol->name;
        memcpy(symbol->function, &function, sizeof function);
    }
    return NULL;
}

static void load(int i, const char *name)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    const char *missing;

    if (!library)
        return;
    missing = find_functions(library, known[i]->symbols);
    if (missing)
        scion_warn("%s has no %s, so pointers to memory of devices are not recognised", name,
                   missing);
    atomic_store(&states[i], missing ? UNUSABLE : FOUND);
    if (!missing)
        atomic_store(&is_found, 1);
}

static void look(void)
{
    struct search search = {0};
    int i;

    while (atomic_flag_test_and_set(&looking))
        ;
    dl_iterate_phdr(see, &search);
    for (i = 0; i < DRIVERS; i++) {
        if (search.names[i])
            load(i, search.names[i]);
        free(search.names[i]);
    }
    atomic_store_explicit(&loads, search.loads, memory_order_relaxed);
    atomic_flag_clear(&looking);
}

static int says(const char *value, const char *word, const char *number)
{
    return value && (strcmp(value, word) == 0 || strcmp(value, number) == 0);
}

int scion_device_look(void)
{
    const char *value = scion_env("DEVICE");

    if (says(value, "no", "0") || !dlopen || !dlsym || !dl_iterate_phdr)
        return 0;
    look();
    return says(value, "yes", "1") || atomic_load(&is_found);
}

int scion_device_find(const void *data, struct scion_device_place *place)
{
    int i;

    if (!atomic_load_explicit(&is_found, memory_order_acquire)) {
        look();
        if (!atomic_load(&is_found))
            return 0;
    }
    for (i = 0; i < DRIVERS; i++) {
        if (atomic_load_explicit(&states[i], memory_order_acquire) == FOUND &&
            known[i]->find(data, place)) {
            place->driver = known[i];
            return 1;
        }
    }
    return 0;
}

#include "run/preload/hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

_Atomic(run_function) run_next_functions[NEXT_COUNT];

#define NAME(name) #name,
static const char *const names[] = {RUN_NAMES(NAME)};

/* Stands for a function that the C library of this machine does not have; nobody calls it. */
static void missing(void)
{
    abort();
}

run_function run_next_find(int number)
{
    int why = errno;
    void *found = dlsym(RTLD_NEXT, names[number]);
    run_function function = found ? (run_function)(uintptr_t)found : missing;

    atomic_store_explicit(&run_next_functions[number], function, memory_order_relaxed);
    errno = why;
    return function;
}

/* ---- where they are ---- */

static int is_library;

/* Parts of the C library that are loaded; it may have threads in a library of their own. */
struct parts {
    uintptr_t known; /* an address in the first of them */
    struct range {
        uintptr_t begin, end;
    } ranges[2];
    int n;
};

static int add_part(struct dl_phdr_info *info, size_t size, void *pointer)
{
    struct parts *parts = pointer;
    struct range range = {UINTPTR_MAX, 0};
    int i, is_threads = info->dlpi_name && strstr(info->dlpi_name, "/libpthread.so");

    (void)size;
    for (i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                  end = begin + info->dlpi_phdr[i].p_memsz;

        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            range.begin = begin < range.begin ? begin : range.begin;
            range.end = end > range.end ? end : range.end;
        }
    }
    if (parts->n < 2 && (is_threads || (parts->known >= range.begin && parts->known < range.end)))
        parts->ranges[parts->n++] = range;
    return 0;
}

static int is_in(const struct parts *parts, run_function function)
{
    uintptr_t at = (uintptr_t)function;
    int i;

    for (i = 0; i < parts->n; i++) {
        if (at >= parts->ranges[i].begin && at < parts->ranges[i].end)
            return 1;
    }
    return function == missing;
}

void run_next_find_all(void)
{
    struct parts parts = {.known = (uintptr_t)dlsym(RTLD_NEXT, "getauxval")};
    int i;

    dl_iterate_phdr(add_part, &parts);
    is_library = 1;
    for (i = 0; i < NEXT_COUNT; i++)
        is_library &= is_in(&parts, run_next_find(i));
}

int run_next_is_library(void)
{
    return is_library;
}

#include "run/preload/hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

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

void run_next_find_all(void)
{
    int i;

    for (i = 0; i < NEXT_COUNT; i++)
        run_next_find(i);
}

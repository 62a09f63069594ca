/*
 * How the library stands in for functions of the C library: it defines their names, and finds the
 * ones that come next in the program (those of another such library, or of the C library).
 */
#ifndef SCION_PRELOAD_HOOK_H
#define SCION_PRELOAD_HOOK_H

#include <stdatomic.h>
#include <stddef.h>

#include "run/preload/names.h"

/* The function of this name for all callers outside the library. Within, it is hook_NAME, so that
   headers of the C library, which may have macros and inline functions of the name, do not see it.
 */
#define HOOK(type, name, ...)                                                                      \
    type hook_##name(__VA_ARGS__) __asm__(#name) __attribute__((visibility("default")));           \
    type hook_##name(__VA_ARGS__)

/* The next function of the name of such a hook. */
#define NEXT(name) ((__typeof__(&hook_##name))run_next(NEXT_##name))

typedef void (*run_function)(void);

extern _Atomic(run_function) run_next_functions[NEXT_COUNT];

run_function run_next_find(int number);

/* Find all of them, at the start. */
void run_next_find_all(void);

/* Whether all are those of the C library, and no other library stands in between. */
int run_next_is_library(void);

static inline run_function run_next(int number)
{
    run_function function = atomic_load_explicit(&run_next_functions[number], memory_order_relaxed);

    return __builtin_expect(function != NULL, 1) ? function : run_next_find(number);
}

#endif

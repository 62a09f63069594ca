/*
 * Makes allocations fail on demand, in one thread and in our own objects. Programs must be linked
 * with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc.
 */
#ifndef TEST_LACK_H
#define TEST_LACK_H

#include <stddef.h>

/* Counts the allocations of this thread down to the one that fails; 0: none fails; negative: all
 * do. */
static _Thread_local long lack_in;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static inline int lack_now(void)
{
    return lack_in < 0 || (lack_in > 0 && --lack_in == 0);
}

void *__wrap_malloc(size_t bytes)
{
    return lack_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return lack_now() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return lack_now() ? NULL : __real_realloc(old, bytes);
}

#endif

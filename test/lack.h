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

/* More than 0: allocations of more bytes than this fail, too. */
static _Thread_local size_t lack_above;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static inline int lack_now(size_t bytes)
{
    return lack_in < 0 || (lack_in > 0 && --lack_in == 0) || (lack_above > 0 && bytes > lack_above);
}

void *__wrap_malloc(size_t bytes)
{
    return lack_now(bytes) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return lack_now(n * bytes) ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return lack_now(bytes) ? NULL : __real_realloc(old, bytes);
}

#endif

#include "base/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static void (*_Atomic end_all)(void);

void scion_give_up_by(void (*end)(void))
{
    if (end)
        atomic_store(&end_all, end);
}

void scion_give_up(const char *reason)
{
    void (*end)(void) = atomic_load(&end_all);

    fprintf(stderr, "SION_ERROR_ABORT on rank -1, rc=-1: %s\n", reason);
    if (end)
        end();
    abort();
}

void scion_must_succeed(int rc)
{
    if (rc != 0)
        scion_give_up("out of memory for a message that the other tasks wait for");
}

void *scion_must_have(void *memory)
{
    scion_must_succeed(!memory);
    return memory;
}

void *scion_must_allocate(size_t n, size_t size)
{
    return n > 0 ? scion_must_have(calloc(n, size)) : calloc(n, size);
}

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

void scion_give_up(const char *reason)
{
    fprintf(stderr, "SION_ERROR_ABORT on rank -1, rc=-1: %s\n", reason);
    abort();
}

void *scion_must_have(void *memory)
{
    if (!memory)
        scion_give_up("out of memory for a message that the other tasks wait for");
    return memory;
}

void *scion_must_allocate(size_t n, size_t size)
{
    return n > 0 ? scion_must_have(calloc(n, size)) : calloc(n, size);
}

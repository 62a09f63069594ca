#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

void *scion_must_allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);

    if (!memory && n > 0) {
        fprintf(stderr, "SION_ERROR_ABORT on rank -1, rc=-1: out of memory for %zu tasks\n", n);
        exit(EXIT_FAILURE);
    }
    return memory;
}

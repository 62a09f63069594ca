#include "base/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

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

/* Less is not worth a system call. */
enum { LARGE_PAGE = 2 << 20, MANY_PAGES = 4 << 20 };

/* Only whole large pages inside the memory, so nothing outside is touched. */
void scion_memory_fills(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    size_t before = (LARGE_PAGE - (uintptr_t)memory % LARGE_PAGE) % LARGE_PAGE;

    if (memory && bytes >= MANY_PAGES)
        madvise((char *)memory + before, (bytes - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
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

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

/* Not touched, so they take addresses, and a part of a limit, but no memory. Tasks that are threads
   may need one at the same time. */
enum { RESERVES = 8, RESERVE_BYTES = 128 << 10 };

static void *_Atomic reserves[RESERVES];

int scion_keep_reserve(void)
{
    int i;

    for (i = 0; i < RESERVES; i++) {
        void *none = NULL, *new = atomic_load(&reserves[i]) ? NULL : malloc(RESERVE_BYTES);

        if (!new && !atomic_load(&reserves[i]))
            return -1;
        if (!atomic_compare_exchange_strong(&reserves[i], &none, new))
            free(new);
    }
    return 0;
}

static void miss(void)
{
    scion_give_up("out of memory for a message that the other tasks wait for");
}

void scion_make_room(void)
{
    void *room = NULL;
    int i;

    for (i = 0; i < RESERVES && !room; i++)
        room = atomic_exchange(&reserves[i], NULL);
    if (!room)
        miss();
    free(room);
}

void *scion_must_have(void *memory)
{
    if (!memory)
        miss();
    return memory;
}

void *scion_must_allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);

    while (!memory && n > 0) {
        scion_make_room();
        memory = calloc(n, size);
    }
    return memory;
}

#include "run/preload/known.h"

#include <stdatomic.h>
#include <string.h>

#include "run/preload/state.h"

enum { SLOTS = 1024 };

static _Atomic uint64_t known[RUN_FACTS][SLOTS];

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 32;
}

uint64_t run_folder_hash(const char *folder, size_t length)
{
    uint64_t h = length * UINT64_C(0xff51afd7ed558ccd), part;

    for (; length >= 8; length -= 8, folder += 8) {
        memcpy(&part, folder, 8);
        h = mix(h, part);
    }
    part = 0;
    memcpy(&part, folder, length);
    return mix(mix(h, part), UINT64_C(0xc4ceb9fe1a85ec53));
}

/* The hash with what ends the knowledge; never 0. */
static uint64_t key_of(enum run_fact fact, uint64_t folder)
{
    struct scion_run_head *head = run_session.head;
    uint32_t end = atomic_load_explicit(fact == RUN_IS_PLAIN ? &head->links : &head->real_folders,
                                        memory_order_acquire);

    return mix(folder, end + UINT64_C(0x100000001)) | 1;
}

int run_is_known(enum run_fact fact, uint64_t folder)
{
    return atomic_load_explicit(&known[fact][folder % SLOTS], memory_order_relaxed) ==
           key_of(fact, folder);
}

void run_know(enum run_fact fact, uint64_t folder)
{
    atomic_store_explicit(&known[fact][folder % SLOTS], key_of(fact, folder), memory_order_relaxed);
}

#include "run/preload/known.h"

#include <stdatomic.h>

#include "run/preload/state.h"

enum { SLOTS = 1024 };

static _Atomic uint64_t known[RUN_FACTS][SLOTS], things[SLOTS];

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 32;
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

/* ---- names ---- */

static _Atomic uint32_t *times_of(uint64_t name)
{
    return &run_session.head->names[name / SLOTS % SCION_RUN_NAMES];
}

/* A folder above the name that gets another one ends it, too. */
static uint64_t key_of_name(uint64_t name, uint32_t times)
{
    struct scion_run_head *head = run_session.head;
    uint64_t moves = (uint64_t)atomic_load_explicit(&head->moving, memory_order_acquire) << 32 |
                     atomic_load_explicit(&head->moves, memory_order_acquire);

    return mix(mix(name, times), moves);
}

/* A child of fork has its own number. */
static uint64_t key_of_thing(uint64_t key, enum run_thing thing)
{
    return mix(key, (uint64_t)run_owner() << 8 | thing) | 1;
}

enum run_thing run_known_thing(uint64_t name)
{
    uint64_t there = atomic_load_explicit(&things[name % SLOTS], memory_order_relaxed);
    uint64_t key = key_of_name(name, atomic_load_explicit(times_of(name), memory_order_acquire));

    if (there == 0)
        return RUN_NOT_KNOWN;
    return there == key_of_thing(key, RUN_OWN_FILE) ? RUN_OWN_FILE
           : there == key_of_thing(key, RUN_FILE)   ? RUN_FILE
                                                    : RUN_NOT_KNOWN;
}

uint32_t run_comes(uint64_t name)
{
    return 1 + atomic_fetch_add_explicit(times_of(name), 1, memory_order_acq_rel);
}

void run_know_thing(uint64_t name, uint32_t times, enum run_thing thing)
{
    atomic_store_explicit(&things[name % SLOTS], key_of_thing(key_of_name(name, times), thing),
                          memory_order_relaxed);
}

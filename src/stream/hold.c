#include "stream/hold.h"

#include <sched.h>
#include <stddef.h>
#include <time.h>

/* Its address names the thread. */
static _Thread_local char thread;

static int take_free(struct scion_hold *hold)
{
    const void *nobody = NULL;

    return __atomic_compare_exchange_n(&hold->owner, &nobody, (const void *)&thread, 0,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static int is_mine(const struct scion_hold *hold)
{
    return __atomic_load_n(&hold->owner, __ATOMIC_RELAXED) == &thread;
}

void scion_hold_take(struct scion_hold *hold)
{
    if (!is_mine(hold)) {
        while (!take_free(hold))
            sched_yield();
    }
    hold->depth++;
}

void scion_hold_release(struct scion_hold *hold)
{
    if (--hold->depth == 0)
        __atomic_store_n(&hold->owner, NULL, __ATOMIC_RELEASE);
}

int scion_hold_try(struct scion_hold *hold)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    int tries = 1000;

    if (is_mine(hold))
        return 0;
    while (!take_free(hold)) {
        if (--tries == 0)
            return 0;
        nanosleep(&moment, NULL);
    }
    hold->depth = 1;
    return 1;
}

#include "api/omp_lock.h"

#include <omp.h>

#include "api/public.h"

static int lock(void *data)
{
    omp_set_lock(data);
    return 0;
}

static int unlock(void *data)
{
    omp_unset_lock(data);
    return 0;
}

void scion_omp_need_lock(void)
{
    static omp_lock_t table_lock;
    static int ready;

    /* Concurrent teams must not register it twice. */
#pragma omp critical(scion_need_lock)
    if (!ready) {
        if (!sion_lock_user_callbacks_defined()) {
            omp_init_lock(&table_lock);
            sion_lock_register_lock_callbacks(lock, unlock, &table_lock);
        }
        ready = 1;
    }
}

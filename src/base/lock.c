#include "base/lock.h"

#include <stddef.h>

#pragma GCC visibility push(default)
#include "sion_common.h"
#pragma GCC visibility pop

static struct {
    int (*lock)(void *);
    int (*unlock)(void *);
    void *data;
} callbacks;

void scion_lock(void)
{
    if (callbacks.lock)
        callbacks.lock(callbacks.data);
    else
        scion_builtin_lock();
}

void scion_unlock(void)
{
    if (callbacks.unlock)
        callbacks.unlock(callbacks.data);
    else
        scion_builtin_unlock();
}

int sion_lock_register_lock_callbacks(int lock(void *), int unlock(void *), void *lock_data)
{
    int registered = 0;

    if (!lock || !unlock)
        return SION_NOT_SUCCESS;
    lock(lock_data);
    if (!callbacks.lock) {
        callbacks.data = lock_data;
        callbacks.unlock = unlock;
        callbacks.lock = lock;
        registered = 1;
    }
    unlock(lock_data);
    return registered ? SION_SUCCESS : SION_NOT_SUCCESS;
}

int sion_lock_user_callbacks_defined(void)
{
    return callbacks.lock != NULL;
}

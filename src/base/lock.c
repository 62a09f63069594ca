#include "base/lock.h"

#include <stdatomic.h>
#include <stddef.h>

#pragma GCC visibility push(default)
#include "sion_common.h"
#pragma GCC visibility pop

/* Written once, before `registered` is set. */
static struct {
    int (*lock)(void *);
    int (*unlock)(void *);
    void *data;
} callbacks;

static atomic_int registered;

static void lock_with(int with_callbacks)
{
    if (with_callbacks)
        callbacks.lock(callbacks.data);
    else
        scion_builtin_lock();
}

static void unlock_with(int with_callbacks)
{
    if (with_callbacks)
        callbacks.unlock(callbacks.data);
    else
        scion_builtin_unlock();
}

/*
 * Callbacks may be registered while threads wait for the built-in lock. They are registered with
 * that lock held, so a thread that holds it and sees none knows that none will be registered before
 * it unlocks.
 */
void scion_lock(void)
{
    int with_callbacks = atomic_load(&registered);

    lock_with(with_callbacks);
    if (!with_callbacks && atomic_load(&registered)) {
        unlock_with(0);
        lock_with(1);
    }
}

void scion_unlock(void)
{
    unlock_with(atomic_load(&registered));
}

int sion_lock_register_lock_callbacks(int lock(void *), int unlock(void *), void *lock_data)
{
    int first;

    if (!lock || !unlock)
        return SION_NOT_SUCCESS;
    scion_builtin_lock();
    lock(lock_data);
    first = !atomic_load(&registered);
    if (first) {
        callbacks.data = lock_data;
        callbacks.unlock = unlock;
        callbacks.lock = lock;
        atomic_store(&registered, 1);
    }
    unlock(lock_data);
    scion_builtin_unlock();
    return first ? SION_SUCCESS : SION_NOT_SUCCESS;
}

int sion_lock_user_callbacks_defined(void)
{
    return atomic_load(&registered);
}

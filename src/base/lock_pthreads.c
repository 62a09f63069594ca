/* The lock of programs with threads. */
#include "base/lock.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void scion_builtin_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void scion_builtin_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

/* The thread that drains. It calls nothing of the application, and no MPI. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "stage/queue_private.h"
#include "vfs/system.h"

/* In older C libraries, it is in a library of its own, which legacy link lines do not name. */
#pragma weak pthread_create
#pragma weak pthread_join

static pthread_mutex_t mutex;
static pthread_cond_t changed;
static int is_running, is_joinable;
static pthread_t thread;

/* The process whose thread this is; the negative number while it is made new. */
static pid_t owner;

/* A child of fork has the lock as its parent held it, and no thread; it drains nothing of its
 * parent, and owns none of its locks. What the parent's thread may have been changing is not freed.
 */
static void be_new(void)
{
    static const pthread_mutex_t new_mutex = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t new_changed = PTHREAD_COND_INITIALIZER;

    mutex = new_mutex;
    changed = new_changed;
    is_running = is_joinable = 0;
    scion_queue_be_empty();
    scion_queue_forget_names();
}

int scion_queue_is_own(void)
{
    return __atomic_load_n(&owner, __ATOMIC_ACQUIRE) == getpid();
}

void scion_queue_lock(void)
{
    pid_t me = getpid(), before = __atomic_load_n(&owner, __ATOMIC_ACQUIRE);

    while (before != me) {
        if (before != -me && __atomic_compare_exchange_n(&owner, &before, -me, 0, __ATOMIC_ACQUIRE,
                                                         __ATOMIC_RELAXED)) {
            be_new();
            __atomic_store_n(&owner, me, __ATOMIC_RELEASE);
        }
        before = __atomic_load_n(&owner, __ATOMIC_ACQUIRE);
    }
    pthread_mutex_lock(&mutex);
}

void scion_queue_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

int scion_queue_await(void)
{
    if (!is_running)
        return 0;
    pthread_cond_wait(&changed, &mutex);
    return 1;
}

void scion_queue_tell(void)
{
    pthread_cond_broadcast(&changed);
}

/* With the lock. */
static void drain_all(void)
{
    struct scion_staged *staged;

    while ((staged = scion_queue_next()) != NULL) {
        int rc;

        staged->drain.has_name = scion_queue_has_name(staged->part.target);
        pthread_mutex_unlock(&mutex);
        rc = scion_stage_drain(&staged->part, &staged->drain);
        pthread_mutex_lock(&mutex);
        scion_queue_settle(staged, rc);
        scion_queue_clean();
        pthread_cond_broadcast(&changed);
    }
    is_running = 0;
    pthread_cond_broadcast(&changed);
}

static void *work(void *unused)
{
    scion_vfs_be_last();
    pthread_mutex_lock(&mutex);
    drain_all();
    pthread_mutex_unlock(&mutex);
    return unused;
}

/* Signals are for the threads of the application. */
static int make_thread(void)
{
    sigset_t all, before;
    int errnum;

    if (!pthread_create)
        return -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errnum = pthread_create(&thread, NULL, work, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    is_joinable = errnum == 0;
    return errnum == 0 ? 0 : -1;
}

/* With the lock, which is given back meanwhile: the thread has done its work, and ends. */
static void join(void)
{
    if (!is_joinable)
        return;
    is_joinable = 0;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
}

void scion_queue_end(void)
{
    scion_queue_lock();
    if (!is_running)
        join();
    scion_queue_unlock();
}

void scion_queue_start(void)
{
    if (is_running)
        return;
    is_running = 1;
    join();
    if (make_thread() != 0)
        drain_all();
}

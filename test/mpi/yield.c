/*
 * Preloaded into the tests' MPI programs: a rank that waits yields its core to one that works.
 *
 * While they wait, MPICH's ranks poll UCX for messages without pause. If ranks share a core, each
 * barrier would take as many time slices of the kernel as there are ranks on the core; with this,
 * it takes microseconds. An MPI library without UCX never calls the function.
 */
#include <dlfcn.h>
#include <sched.h>

__attribute__((visibility("default"))) unsigned int ucp_worker_progress(void *worker);

unsigned int ucp_worker_progress(void *worker)
{
    static unsigned int (*progress)(void *worker);
    unsigned int events;

    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    events = progress(worker);
    if (events == 0)
        sched_yield();
    return events;
}

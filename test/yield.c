/*
 * Preloaded into the tests' MPI programs: a rank that waits yields its core to one that works.
 *
 * While they wait, MPICH's ranks poll UCX for messages without pause. If ranks share a core, each
 * barrier would take as many time slices of the kernel as there are ranks on the core; with this,
 * it takes microseconds. An MPI library without UCX never calls the function.
 *
 * With the leak sanitizer, libraries stay loaded: what only a variable of a library refers to, such as
 * those that UCX loads while it looks for devices, would seem lost once the library is unloaded.
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

#ifdef KEEP_LIBRARIES
__attribute__((visibility("default"))) int dlclose(void *library);

int dlclose(void *library)
{
    (void)library;
    return 0;
}
#endif

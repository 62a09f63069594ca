/*
 * Preloaded into the tests' MPI programs: a rank that waits yields its core to one that works.
 *
 * While they wait, MPICH's ranks poll UCX for messages without pause. If ranks share a core, each
 * barrier would take as many time slices of the kernel as there are ranks on the core; with this,
 * it takes microseconds. An MPI library without UCX never calls the function.
 *
 * At the end, a rank closes its connections to others, and then waits for the launcher, in a call of read.
 * A rank on another node may still wait until this one answers over TCP: here it does so while it waits for
 * the launcher. MPICH alone does not, and its ranks on several nodes sometimes never end.
 *
 * With the leak sanitizer, libraries stay loaded: what only a variable of a library refers to, such as
 * those that UCX loads while it looks for devices, would seem lost once the library is unloaded.
 */
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE unsigned int ucp_worker_progress(void *worker);
VISIBLE void ucp_worker_destroy(void *worker);
VISIBLE int MPI_Finalize(void);

static void *last_worker;
static __thread int is_ending; /* UCX has threads of its own, which read, too */

unsigned int ucp_worker_progress(void *worker)
{
    static unsigned int (*progress)(void *worker);
    unsigned int events;

    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    last_worker = worker;
    events = progress(worker);
    if (events == 0)
        sched_yield();
    return events;
}

void ucp_worker_destroy(void *worker)
{
    void (*destroy)(void *worker);

    *(void **)&destroy = dlsym(RTLD_NEXT, "ucp_worker_destroy");
    last_worker = NULL;
    destroy(worker);
}

int MPI_Finalize(void)
{
    int (*finalize)(void);

    is_ending = 1;
    *(void **)&finalize = dlsym(RTLD_NEXT, "MPI_Finalize");
    return finalize();
}

VISIBLE ssize_t read(int fd, void *bytes, size_t size)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    while (is_ending && last_worker && poll(&ready, 1, 0) == 0)
        ucp_worker_progress(last_worker);
    return syscall(SYS_read, fd, bytes, size);
}

#ifdef KEEP_LIBRARIES
VISIBLE int dlclose(void *library);

int dlclose(void *library)
{
    (void)library;
    return 0;
}
#endif

#include "comm/omp.h"

#include <omp.h>

#include "comm/threads.h"

struct scion_comm *scion_comm_omp(void)
{
    struct scion_threads *threads;

/* One thread's variable becomes everybody's: nothing is shared with other teams. */
#pragma omp single copyprivate(threads)
    threads = scion_threads_new(omp_get_num_threads());

    return threads ? scion_threads_join(threads, omp_get_thread_num()) : NULL;
}

#include "comm/omp.h"

#include <omp.h>

#include "comm/threads.h"

struct scion_comm *scion_comm_omp(void)
{
    struct scion_threads *threads;

/* Copies the pointer of one thread to its team, without a variable that teams share. */
#pragma omp single copyprivate(threads)
    threads = scion_threads_new(omp_get_num_threads());

    return threads ? scion_threads_join(threads, omp_get_thread_num()) : NULL;
}

/* The tasks that echo_comm() makes up have other chunk sizes, and write more, than rank 0 does. */
#ifndef TEST_ECHO_UNEQUAL_H
#define TEST_ECHO_UNEQUAL_H

#include <stddef.h>
#include <stdint.h>

#include "parallel/request.h"
#include "src/comm/echo_comm.h"

/* Of 8 bytes at rank 0. */
static inline void echo_vary_sizes(const struct scion_comm *comm, void *sent, size_t bytes,
                                   int rank)
{
    struct scion_request *request = sent;

    (void)comm;
    if (bytes == sizeof *request)
        request->chunksize = 8 - rank % 2;
    else if (bytes == sizeof(uint32_t))
        *(uint32_t *)sent = (uint32_t)(8 - rank % 2);
}

/* The ranges of a close are those of three numbers: the second one is the length of the first
   chunk, the third one differs where any length does. */
static inline void echo_lower_sizes(sion_int64 *numbers, int n)
{
    if (n == 6)
        numbers[4] = ~(sion_int64)8, numbers[2] = 0;
    else
        numbers[offsetof(struct scion_request, chunksize) / sizeof *numbers] = 7;
}

static inline void echo_be_unequal(int is_unequal)
{
    echo_vary = is_unequal ? echo_vary_sizes : NULL;
    echo_lower = is_unequal ? echo_lower_sizes : NULL;
}

#endif

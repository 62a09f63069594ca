/* Opens of damaged containers: they succeed on all ranks, with one warning. */
#ifndef TEST_MPI_DAMAGED_H
#define TEST_MPI_DAMAGED_H

#include "open_mpi.h"

static inline int sum(int value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

static inline void open_to_read(const char *mode, int *sid)
{
    support_catch();
    usual(mode);
    *sid = do_open();
    CHECK(*sid >= 0);
    CHECK_INT(support_errors, 0);
    CHECK_INT(sum(support_warnings), 1);
}

#endif

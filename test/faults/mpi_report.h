/* How the ranks of MPI tell each other what has happened. */
#ifndef TEST_FAULTS_MPI_REPORT_H
#define TEST_FAULTS_MPI_REPORT_H

#include "product.h"

static void product_collect(void)
{
    MPI_Gather(&product.mine, sizeof product.mine, MPI_CHAR, product.all, sizeof product.mine,
               MPI_CHAR, 0, MPI_COMM_WORLD);
}

static long product_tell(long number)
{
    MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return number;
}

#endif

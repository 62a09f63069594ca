/* Counts the collectives of opens and closes of many tasks, through the profiling interface. */
#ifndef TEST_ALIKE_MPI_H
#define TEST_ALIKE_MPI_H

#include "comm/comm.h"
#include "mpi_check.h"

static int gathers, others;

#define COUNT(name, counter, parameters, arguments)                                                \
    int MPI_##name parameters;                                                                     \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        counter++;                                                                                 \
        return PMPI_##name arguments;                                                              \
    }

COUNT(Bcast, others, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e))
COUNT(Gather, gathers,
      (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h),
      (a, b, c, d, e, f, g, h))
COUNT(Scatter, gathers,
      (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h),
      (a, b, c, d, e, f, g, h))
COUNT(Scatterv, gathers,
      (const void *a, const int *b, const int *c, MPI_Datatype d, void *e, int f, MPI_Datatype g,
       int h, MPI_Comm i),
      (a, b, c, d, e, f, g, h, i))
COUNT(Allreduce, others, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),
      (a, b, c, d, e, f))
COUNT(Exscan, others, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),
      (a, b, c, d, e, f))

COUNT(Comm_split_type, others, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm *e), (a, b, c, d, e))
COUNT(Comm_split, others, (MPI_Comm a, int b, int c, MPI_Comm *d), (a, b, c, d))

#endif

/**
 * @file sion_datatypes_mpi.h
 * MPI datatypes that match sion_int32 and sion_int64. Include mpi.h first.
 */
#ifndef SION_DATATYPES_MPI_H
#define SION_DATATYPES_MPI_H

#define SION_MPI_INT32 MPI_INT
#define SION_MPI_INT64 MPI_LONG_LONG

#endif

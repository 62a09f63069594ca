/**
 * @file sion.h
 * Umbrella header: the common, the generic and the serial interface always, the OpenMP interface if
 * SION_OMP is defined, the MPI interface if mpi.h was included before or SION_MPI is defined, the
 * hybrid one (MPI and OpenMP) if mpi.h was included before or SION_OMPI is defined.
 */
#ifndef SION_SION_H
#define SION_SION_H

#include "sion_const.h"
#include "sion_common.h"
#include "sion_generic.h"
#include "sion_serial.h"

#ifdef SION_OMP
#include "sion_omp.h"
#endif

#if defined(MPI_VERSION) || defined(SION_MPI)
#include "sion_mpi.h"
#endif

#if defined(MPI_VERSION) || defined(SION_OMPI)
#include "sion_ompi.h"
#endif

#include "sion_libversion_rep.h"

#endif

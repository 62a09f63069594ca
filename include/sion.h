/**
 * @file sion.h
 * All interfaces that a program may use.
 *
 *     sion_common.h   always: transfer, position, information, records with keys
 *     sion_serial.h   always: containers of one process
 *     sion_stream.h   always: any number of bytes, over any number of chunks
 *     sion_generic.h  always: communication of the application's own; collective transfers
 *     sion_omp.h      if SION_OMP is defined: one stream per OpenMP thread
 *     sion_mpi.h      if mpi.h was included before, or SION_MPI is defined: one stream per MPI rank
 *     sion_ompi.h     if mpi.h was included before, or SION_OMPI is defined: one stream per thread
 * of each MPI rank
 *
 * To be included by name: sion_array.h (arrays), sion_drain.h (staged containers), sion_error.h
 * (texts of errors), sion_debug.h (trace), sion_scr.h and sion_scr_mpi.h (files of SCR;
 * sion_kvtree.h has their trees of keys), sion_ftiff.h and sion_ftiff_mpi.h (checkpoints of FTI),
 * and for C++ sion_cxx.h. The words of a mode string are described in sion(7).
 */
#ifndef SION_SION_H
#define SION_SION_H

#include "sion_const.h"
#include "sion_common.h"
#include "sion_generic.h"
#include "sion_serial.h"
#include "sion_stream.h"

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

/**
 * @file sion_cxx.h
 * Umbrella header for C++: sion.h and the classes of the interfaces that the same macros enable as
 * there (see sion.h); the serial ones and the standard streams always.
 */
#ifndef SION_CXX_H
#define SION_CXX_H

#include "sion.h"

#include "sion_cxx_common.hpp"
#include "sion_cxx_mpi.hpp"
#include "sion_cxx_omp.hpp"
#include "sion_cxx_ompi.hpp"
#include "sion_cxx_serial.hpp"
#include "sion_cxx_stream.hpp"

#endif

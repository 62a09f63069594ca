/* Methods of parallel HDF5, for bench/run.sh only. */
#ifndef BENCH_METHODS_HDF5_H
#define BENCH_METHODS_HDF5_H

#include "methods.h"

extern const struct bench_method bench_hdf5, bench_hdf5_all;

#endif

/* Methods of parallel HDF5, for bench/run.sh only. */
#ifndef BENCH_METHODS_HDF5_H
#define BENCH_METHODS_HDF5_H

#include "methods.h"

int bench_hdf5_open(const struct bench *bench, struct bench_target *target, int writing);
int bench_hdf5_open_all(const struct bench *bench, struct bench_target *target, int writing);
bench_move bench_hdf5_put, bench_hdf5_get;
int bench_hdf5_close(struct bench_target *target);

#endif

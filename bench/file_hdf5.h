/* A file of parallel HDF5 that all tasks open. */
#ifndef BENCH_FILE_HDF5_H
#define BENCH_FILE_HDF5_H

#include <hdf5.h>

#include "bench.h"

/* Collective. A handle; negative: failed. */
static inline hid_t bench_hdf5_file(const struct bench *bench, const char *name, int writing)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file;

    H5Pset_fapl_mpio(access, bench->all, MPI_INFO_NULL);
    file = writing ? H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                   : H5Fopen(name, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

#endif

/* Helpers for the MPI tests of the SCR layer: a communicator, data of each rank, folders. */
#ifndef TEST_SCR_MPI_SCR_H
#define TEST_SCR_MPI_SCR_H

#include "mpi_check.h"

#include "scr_check.h"
#include "sion_scr_mpi.h"

static sion_scr_comm *world;

static unsigned char data[300000];

static inline void scr_begin(int *argc, char ***argv)
{
    mpi_begin(argc, argv);
    world = sion_scr_comm_mpi(MPI_COMM_WORLD);
}

static inline int scr_end(void)
{
    sion_scr_comm_free(world);
    return mpi_end();
}

static inline void fill(long first, size_t n)
{
    check_fill(data, mpi_rank, first, n);
}

static inline void clean_up(const char *folder)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        remove_folder(folder);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Open a container of all ranks for writing. */
static inline int open_data(const char *name)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    sion_int64 chunksize = 1000;
    sion_int32 fsblksize = 512;
    int nfiles = 1, globalrank;

    return sion_paropen_mpi(name, "bw", &nfiles, MPI_COMM_WORLD, &comm, &chunksize, &fsblksize,
                            &globalrank, NULL, NULL);
}

/* The value below a path of keys, which NULL ends; "" if there is none. */
static inline const char *value_at(const sion_kvtree *tree, const char *const *keys)
{
    const char *value;

    while (*keys)
        tree = sion_kvtree_get(tree, *keys++);
    value = sion_kvtree_value(tree, NULL);
    return value ? value : "";
}

#endif

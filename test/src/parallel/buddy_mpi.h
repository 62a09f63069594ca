/* Groups of ranks that write and read buddy checkpoints. */
#ifndef TEST_MPI_BUDDY_H
#define TEST_MPI_BUDDY_H

#include "mpi_check.h"

enum { MOST_GROUPS = 8, RECORDS = 3 };

static MPI_Comm local = MPI_COMM_NULL;
static int group, lrank, lsize, ngroups;

/* Form groups by color; one color for each rank. */
static inline void form_groups(const char *colors)
{
    int i;

    if (local != MPI_COMM_NULL)
        MPI_Comm_free(&local);
    group = colors[mpi_rank] - '0';
    for (ngroups = 0, i = 0; i < mpi_size; i++)
        ngroups = colors[i] - '0' >= ngroups ? colors[i] - '0' + 1 : ngroups;
    MPI_Comm_split(MPI_COMM_WORLD, group, mpi_rank, &local);
    MPI_Comm_rank(local, &lrank);
    MPI_Comm_size(local, &lsize);
}

static inline int open_with(const char *name, const char *mode, sion_int64 chunksize)
{
    sion_int32 fsblksize = 512;
    int nfiles = -1, globalrank = -1, sid;
    FILE *fp = NULL;

    sid = sion_paropen_mpi(name, mode, &nfiles, MPI_COMM_WORLD, &local, &chunksize, &fsblksize,
                           &globalrank, &fp, NULL);
    if (sid >= 0) {
        CHECK_INT(nfiles, ngroups);
        CHECK_INT(globalrank, mpi_rank);
    }
    return sid;
}

static inline void write_records(int sid, const size_t *sizes, int n)
{
    static unsigned char data[5000];
    long total = 0;
    int i;

    for (i = 0; i < n; i++) {
        check_fill(data, mpi_rank, total, sizes[i]);
        CHECK_INT(sion_coll_fwrite(data, 1, sizes[i], sid), sizes[i]);
        total += (long)sizes[i];
    }
}

/*
 * Read all data of this rank, in the same number of collective calls on all ranks; -1: wrong data.
 * pieces: sizes of the calls, as many as the longest stream has records.
 */
static inline long read_all(int sid, size_t piece, int calls)
{
    static unsigned char data[5000];
    long total = 0;
    int i;

    for (i = 0; i < calls; i++) {
        size_t left = sion_feof(sid) ? 0 : (size_t)sion_bytes_avail_in_block(sid);
        size_t bytes = left < piece ? left : piece;

        if (sion_coll_fread(data, 1, bytes, sid) != bytes)
            return -1;
        if (check_compare(data, mpi_rank, total, bytes) != -1)
            return -1;
        total += (long)bytes;
    }
    return sion_feof(sid) ? total : -1;
}

static inline void lose(const char *name, int number)
{
    char path[200];

    snprintf(path, sizeof path, number ? "%.150s.%06d" : "%.150s", name, number);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        CHECK_INT(unlink(path), 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline const char *four_groups(void)
{
    return mpi_size == 8 ? "00122233" : mpi_size == 4 ? "0123" : "001233";
}

static size_t sizes_of_rank[RECORDS];

static inline void choose_sizes(void)
{
    sizes_of_rank[0] = (size_t)mpi_rank;
    sizes_of_rank[1] = 500;
    sizes_of_rank[2] = 1000;
}

#endif

/* Helpers for tests of collective reads and writes: a container, and records of any rank. */
#ifndef TEST_COLLECTIVE_H
#define TEST_COLLECTIVE_H

#include "mpi_check.h"

#define NAME "c.sion"

enum { MOST = 3 << 20 };

static unsigned char data[MOST];

static struct {
    int nfiles, fsblksize;
    long long chunksize;
    FILE *fp;
} call;

static inline int do_open(const char *mode, long long chunksize)
{
    MPI_Comm world = MPI_COMM_WORLD;
    sion_int64 size = chunksize;
    sion_int32 fsblksize = call.fsblksize;
    int globalrank, sid;

    sid = sion_paropen_mpi(NAME, mode, &call.nfiles, MPI_COMM_WORLD, &world, &size, &fsblksize,
                           &globalrank, &call.fp, NULL);
    call.chunksize = size;
    CHECK(sid >= 0);
    return sid;
}

static inline void usual(int fsblksize)
{
    call.nfiles = 1;
    call.fsblksize = fsblksize;
    unsetenv("SION_COLLSIZE");
    unsetenv("SION_COLLNUM");
}

/* Write bytes of this rank's stream from `first` on. */
static inline size_t put(int sid, long first, size_t bytes)
{
    check_fill(data, mpi_rank, first, bytes);
    return sion_coll_fwrite(data, 1, bytes, sid);
}

/* Read bytes of `rank`'s stream from `first` on, and check them. Returns the number that was read.
 * */
static inline size_t get(int sid, int rank, long first, size_t bytes)
{
    size_t done;

    memset(data, 0xee, bytes);
    done = sion_coll_fread_mpi(data, 1, bytes, sid);
    CHECK(done == 0 || check_compare(data, rank, first, done) == -1);
    return done;
}

#endif

/* Opens of MPI programs with arguments that a test can change, and checks of what all ranks return.
 * */
#ifndef TEST_MPI_OPEN_H
#define TEST_MPI_OPEN_H

#include "mpi_check.h"

#define NAME "c.sion"

/* The arguments of an open, which usual() resets. */
static struct {
    const char *name, *mode;
    int nfiles, *nfiles_at, globalrank, *globalrank_at;
    MPI_Comm local, *local_at;
    sion_int64 chunksize, *chunksize_at;
    sion_int32 fsblksize, *fsblksize_at;
} call;

static inline void usual(const char *mode)
{
    call.name = NAME;
    call.mode = mode;
    call.nfiles = 1;
    call.nfiles_at = &call.nfiles;
    call.globalrank = -9;
    call.globalrank_at = &call.globalrank;
    call.local = MPI_COMM_WORLD;
    call.local_at = &call.local;
    call.chunksize = 100 + mpi_rank;
    call.chunksize_at = &call.chunksize;
    call.fsblksize = 10;
    call.fsblksize_at = &call.fsblksize;
}

static inline int do_open(void)
{
    return sion_paropen_mpi(call.name, call.mode, call.nfiles_at, MPI_COMM_WORLD, call.local_at,
                            call.chunksize_at, call.fsblksize_at, call.globalrank_at, NULL, NULL);
}

/* All ranks fail with the same reason, which is printed once. */
static inline void check_failure(int sid, const char *part)
{
    int printed = support_errors;

    CHECK_INT(sid, -1);
    CHECK_CONTAINS(sion_error_text(), part);
    MPI_Allreduce(MPI_IN_PLACE, &printed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(printed, 1);
    CHECK_INT(support_errors, mpi_rank == 0);
    CHECK_INT(call.globalrank, -9);
    support_catch();
}

static inline void write_something(int nfiles)
{
    int sid;

    usual("bw");
    call.nfiles = nfiles;
    sid = do_open();
    CHECK(sid >= 0);
    CHECK_INT(sion_fwrite("abcdefgh", 1, 8, sid), 8);
    CHECK_INT(sion_parclose_mpi(sid), 1);
}

#endif

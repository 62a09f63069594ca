/*
 * check.h for MPI programs: all ranks call a test, it fails if a CHECK fails on any rank, and rank
 * 0 reports it.
 */
#ifndef TEST_MPI_CHECK_H
#define TEST_MPI_CHECK_H

#include <mpi.h>

#include "sion.h"
#include "support.h"

static int mpi_rank, mpi_size;

/* Check that a value is equal on all ranks. */
#define CHECK_SAME(value) check_same(__FILE__, __LINE__, #value, (long long)(value))

static inline void check_same(const char *file, int line, const char *text, long long value)
{
    long long least, most;

    MPI_Allreduce(&value, &least, 1, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &most, 1, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (least != most && mpi_rank == 0) {
        check_failed_here++;
        printf("# %s:%d: %s differs: %lld to %lld\n", file, line, text, least, most);
    }
}

#define RUN_MPI(test) mpi_run_test(#test, test)

static inline void mpi_report(const char *name)
{
    int failed = check_failed_here;

    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    check_failed_here = failed;
    if (mpi_rank == 0)
        check_report(name);
    else
        check_failed_tests += failed > 0;
}

static inline void mpi_run_test(const char *name, void (*test)(void))
{
    check_failed_here = 0;
    check_skip_reason = NULL;
    support_catch();
    MPI_Barrier(MPI_COMM_WORLD);
    test();
    mpi_report(name);
}

/* MPI_Init for programs in which only the main thread calls MPI, and a working directory for all.
 * */
static inline void mpi_begin(int *argc, char ***argv)
{
    int provided;

    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi_size);
    if (mpi_rank == 0)
        support_enter_folder();
    MPI_Bcast(support_folder, sizeof support_folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (chdir(support_folder) != 0)
        MPI_Abort(MPI_COMM_WORLD, 99);
}

static inline int mpi_end(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (mpi_rank == 0)
        support_leave_folder();
    MPI_Finalize();
    return mpi_rank == 0 ? check_done() : 0;
}

#endif

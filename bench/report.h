/* Times of the tasks, and the lines that report them. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <mpi.h>

enum bench_time {
    BENCH_CREATE,
    BENCH_CREATE_CLOSE,
    BENCH_OPEN,
    BENCH_TRANSFER,
    BENCH_CLOSE,
    BENCH_BARRIER_CREATE,
    BENCH_BARRIER_CREATE_CLOSE,
    BENCH_BARRIER_OPEN, /* waiting for the tasks of the same file, or all */
    BENCH_BARRIER_TRANSFER,
    BENCH_BARRIER_CLOSE,
    BENCH_GLOBAL_OPEN, /* waiting for the tasks of the other files */
    BENCH_GLOBAL_TRANSFER,
    BENCH_GLOBAL_CLOSE,
    BENCH_LOG,
    BENCH_TOTAL,
    BENCH_TIMES
};

/* The times of one task while writing or reading. */
struct bench_record {
    double time[BENCH_TIMES]; /* seconds */
    double bytes;
    double calls;
    double file; /* number of its file */
};

#define BENCH_LINE                                                                                 \
    "------------------------------------------------------------------------------------------\n"

/* Rank 0 prints the lines of each task (verbose), of each file (several), and of all. Collective.
 * */
void bench_report(MPI_Comm comm, const char *phase, int nfiles, int verbose,
                  struct bench_record *record);

#endif

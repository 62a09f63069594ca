#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_DOUBLES = sizeof(struct bench_record) / sizeof(double) };

static int writes(const char *phase)
{
    return phase[0] == 'W';
}

static void head(int rank, const char *kind, const char *who, const char *phase)
{
    fprintf(stderr, "timings[%06d] %-16s %s %s  ", rank, kind, who, phase);
}

static void line_stat(int rank, const char *who, const char *phase, int nfiles,
                      const struct bench_record *r)
{
    double t = r->time[BENCH_TOTAL] > 0 ? r->time[BENCH_TOTAL] : 1e-9;

    head(rank, "T_STAT", who, phase);
    fprintf(stderr,
            "b=%10.2f MiB t=%10.6fs #chunks=%.0f bw=%10.4f MB/s (%10.4f MiB/s) ion=%.0f nf=%d\n",
            r->bytes / 1048576, t, r->calls, r->bytes / 1e6 / t, r->bytes / 1048576 / t, r->file,
            nfiles);
}

static void line_phase(int rank, const char *who, const char *phase, const struct bench_record *r)
{
    const double *t = r->time;

    head(rank, "T_PHASE", who, phase);
    if (writes(phase))
        fprintf(stderr, "create=%.5fs, create_cls=%.5fs, ", t[BENCH_CREATE], t[BENCH_CREATE_CLOSE]);
    fprintf(stderr, "open=%.5fs, %s=%.5fs, close=%.5fs, tlog=%.4fs\n", t[BENCH_OPEN],
            writes(phase) ? "write" : "read", t[BENCH_TRANSFER], t[BENCH_CLOSE], t[BENCH_LOG]);
}

static void line_file_barrier(int rank, const char *who, const char *phase,
                              const struct bench_record *r)
{
    head(rank, "T_FILE_BARRIER", who, phase);
    fprintf(stderr, "open=%.4fs, %s=%.4fs, close=%.4fs\n", r->time[BENCH_BARRIER_OPEN],
            writes(phase) ? "write" : "read", r->time[BENCH_BARRIER_TRANSFER],
            r->time[BENCH_BARRIER_CLOSE]);
}

static void line_global_barrier(int rank, const char *who, const char *phase,
                                const struct bench_record *r)
{
    head(rank, "T_GLOBAL_BARRIER", who, phase);
    if (writes(phase))
        fprintf(stderr, "create=%.4fs, create_cls=%.4fs, ", r->time[BENCH_BARRIER_CREATE],
                r->time[BENCH_BARRIER_CREATE_CLOSE]);
    fprintf(stderr, "open=%.4fs, %s=%.4fs, close=%.4fs\n", r->time[BENCH_GLOBAL_OPEN],
            writes(phase) ? "write" : "read", r->time[BENCH_GLOBAL_TRANSFER],
            r->time[BENCH_GLOBAL_CLOSE]);
}

static void four_lines(int rank, const char *who, const char *phase, int nfiles,
                       const struct bench_record *r)
{
    line_stat(rank, who, phase, nfiles, r);
    line_phase(rank, who, phase, r);
    line_file_barrier(rank, who, phase, r);
    line_global_barrier(rank, who, phase, r);
}

/* Four lines for each task; lines of one kind come together. */
static void task_lines(int ntasks, const char *phase, int nfiles, const struct bench_record *all)
{
    int t;

    for (t = 0; t < ntasks; t++)
        line_stat(t, "TASK", phase, nfiles, &all[t]);
    for (t = 0; t < ntasks; t++)
        line_phase(t, "TASK", phase, &all[t]);
    for (t = 0; t < ntasks; t++)
        line_file_barrier(t, "TASK", phase, &all[t]);
    for (t = 0; t < ntasks; t++)
        line_global_barrier(t, "TASK", phase, &all[t]);
}

/* Sums of data, and the longest times. */
static void add(struct bench_record *sum, const struct bench_record *r)
{
    int i;

    for (i = 0; i < BENCH_TIMES; i++) {
        if (r->time[i] > sum->time[i])
            sum->time[i] = r->time[i];
    }
    sum->bytes += r->bytes;
    sum->calls += r->calls;
}

/* file: a number, or -1 for all files. Returns the rank of the file's first task. */
static int sum_up(int ntasks, const struct bench_record *all, int file, struct bench_record *sum)
{
    int t, first = -1;

    memset(sum, 0, sizeof *sum);
    for (t = 0; t < ntasks; t++) {
        if (file >= 0 && (int)all[t].file != file)
            continue;
        if (first < 0)
            first = t;
        add(sum, &all[t]);
    }
    sum->file = file > 0 ? file : 0;
    return first;
}

static void file_lines(int ntasks, const char *phase, int nfiles, int file,
                       const struct bench_record *all)
{
    struct bench_record sum;
    int first = sum_up(ntasks, all, file, &sum);

    if (first >= 0)
        four_lines(first, "FILE", phase, nfiles, &sum);
}

static void print_all(int ntasks, const char *phase, int nfiles, int verbose,
                      const struct bench_record *all)
{
    struct bench_record sum;
    int file;

    for (file = 1; file < nfiles; file++)
        file_lines(ntasks, phase, nfiles, file, all);
    if (verbose)
        task_lines(ntasks, phase, nfiles, all);
    if (nfiles > 1)
        file_lines(ntasks, phase, nfiles, 0, all);
    sum_up(ntasks, all, -1, &sum);
    fprintf(stderr, BENCH_LINE);
    four_lines(0, "TOTAL", phase, nfiles, &sum);
    fprintf(stderr, BENCH_LINE);
}

void bench_report(MPI_Comm comm, const char *phase, int nfiles, int verbose,
                  struct bench_record *record)
{
    struct bench_record *all = NULL;
    int rank, ntasks;
    double start = MPI_Wtime();

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ntasks);
    MPI_Barrier(comm);
    record->time[BENCH_LOG] = MPI_Wtime() - start;
    if (rank == 0) {
        all = calloc((size_t)ntasks, sizeof *all);
        if (!all) {
            fprintf(stderr, "out of memory for the times of %d tasks\n", ntasks);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Gather(record, RECORD_DOUBLES, MPI_DOUBLE, all, RECORD_DOUBLES, MPI_DOUBLE, 0, comm);
    if (rank == 0)
        print_all(ntasks, phase, nfiles, verbose, all);
    free(all);
}

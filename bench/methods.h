/* Ways to store the data of all tasks, for the comparison. */
#ifndef BENCH_METHODS_H
#define BENCH_METHODS_H

#include <stdio.h>

#include "bench.h"

/* What a method has open; each method uses the members that it needs. */
struct bench_target {
    char name[1100];
    const char *words; /* of the method */
    int sid, fd;
    FILE *stream;
    MPI_File file;
    long long start;  /* of the task's bytes in a file that all tasks share */
    long long ids[4]; /* handles of libraries that number them */
};

/* Functions return 0, or -1: failed. open and close are collective over all tasks. */
struct bench_method {
    const char *name;
    int own_files;      /* each task has a file of its own, NAME.000000 and so on */
    int nfiles;         /* of a container; 0: one for each task */
    int may_have_fewer; /* files than these */
    const char *words;  /* added to a container's mode; NULL: none */
    int (*open)(const struct bench *bench, struct bench_target *target, int writing);
    bench_move *put, *get;
    int (*close)(struct bench_target *target);
};

/* The methods of MPI, then those of HDF5 if BENCH_HDF5 is defined; the last one has no name. */
extern const struct bench_method bench_methods[];

/*
 * Write and read with each method in turn, `repeats` times, and print the medians on
 * stdout. Collective.
 */
void bench_compare(struct bench *bench, const struct bench_method *methods);

/* The same with many tasks in each process: a file for each, and one container. Collective. */
void bench_compare_many(struct bench *bench);

/* ---- times, and how they are printed ---- */

enum bench_phase {
    BENCH_PHASE_OPEN,
    BENCH_PHASE_MOVE,
    BENCH_PHASE_CLOSE,
    BENCH_PHASE_SYNC,
    BENCH_PHASES
};

/* The slowest task's seconds in each repeat, for each phase and their sum. [1]: writing, [0]:
   reading. */
struct bench_series {
    const char *name;
    double *seconds[2][BENCH_PHASES + 1];
};

void bench_make_series(const struct bench *bench, struct bench_series *series, const char *name);
void bench_free_series(struct bench_series *series);

/* On rank 0, the longest time of any task since *start, which is set to the present time.
   Collective. */
double bench_lap_of_all(const struct bench *bench, double *start);

void bench_note(struct bench_series *series, int writing, int repeat,
                const double seconds[BENCH_PHASES]);

/*
 * On rank 0, print the medians on stdout, one line for each direction of each series. Ratios are
 * relative to the first series. bytes: of one run.
 */
void bench_print_series(const struct bench *bench, const char *set, long long bytes,
                        struct bench_series *series, int count);

#endif

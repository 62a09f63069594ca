/* Ways of storing the blocks of a field, which are compared with each other. */
#ifndef BENCH_FIELDS_H
#define BENCH_FIELDS_H

#include <stddef.h>

#include "bench.h"

enum { FIELDS_DIMS = 3 };

/* A field that changes from step to step. Each task has one block of it. */
struct fields {
    struct bench bench;
    int ndims, steps;
    long long grid[FIELDS_DIMS]; /* blocks in each dimension */
    long long shape[FIELDS_DIMS], offset[FIELDS_DIMS], count[FIELDS_DIMS];
    size_t elements;     /* of the task's block */
    double *data, *read; /* [steps * elements] */
};

/* What a method has open; each method uses the members that it needs. */
struct fields_target {
    const char *name;
    int sid, ids[2];
    long long handles[4];
    void *arrays;
};

/* Functions return 0, or -1: failed. Opens and closes are collective over all tasks. put and get
   move the task's block of one step. */
struct fields_method {
    const char *name;
    int (*open)(const struct fields *fields, struct fields_target *target, int writing);
    int (*put)(const struct fields *fields, struct fields_target *target, int step, double *data);
    int (*get)(const struct fields *fields, struct fields_target *target, int step, double *data);
    int (*close)(struct fields_target *target);
};

/* The last of each list has no name. The lists of libraries that the program is built without are
   empty. */
extern const struct fields_method fields_sion[], fields_hdf5[], fields_pnetcdf[];

#endif

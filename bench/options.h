/* The command line of partest and ompi_partest. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdio.h>

struct bench_options {
    const char *filename;
    int numfiles;
    long long chunksize; /* < 0: as much as the task writes */
    long long fsblksize; /* < 0: the file system's, also the comparison's default */
    int type;            /* number of the test, 0 to 3 */
    long long bufsize;   /* bytes in one call */
    long long totalsize; /* of all tasks; < 0: not given */
    long long localsize; /* of one task */
    double factor;       /* 0 to 1: tasks write up to this fraction more */
    int read, write;     /* how often */
    int verbose, nochecksum, debug, Debug;
    int posix, collwrite, collread, collmsa;
    int taskoffset;       /* read the data of another task, so many ranks away */
    long long byteoffset; /* bytes to write first, in one call */
    int serialized;       /* tasks at a time; -1: all, -2: transactions */
    int unlink_files;
    int bgionode, bgtaskperionode, bgtasksort;
    int hint_large_block, hint_io_bufsize, hint_sparse_access;
    int repeats;         /* number of repeats of the comparison; 0: print the report */
    int simulate;        /* tasks in each process of the comparison with many tasks; 0: none */
    const char *methods; /* names of those that are compared, with semicolons; NULL: all */
    int sync;            /* the comparison's files are forced to the disk */
    const char *output;  /* table, csv or json */
};

enum { BENCH_RUN, BENCH_HELP, BENCH_WRONG };

/*
 * BENCH_HELP: the command line asks for the usage. BENCH_WRONG: it is wrong; a line on `to` says
 * why, unless it is NULL.
 */
int bench_parse(int argc, char **argv, FILE *to, struct bench_options *options);

void bench_usage(FILE *to, const char *program);

/* Parse a number of bytes: 1048576, 1M, 1MiB, or 1MB (which is 1000000). Returns 0, or -1 if the
   text is no size. */
int bench_size(const char *text, long long *bytes);

#endif

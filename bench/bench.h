/* One run of partest: its tasks, and the functions that each test needs. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <mpi.h>
#include <stdarg.h>

#include "options.h"
#include "report.h"

struct bench {
    struct bench_options options;
    MPI_Comm all;   /* all tasks */
    MPI_Comm local; /* the tasks of the same file */
    int rank, size;
    int file, nfiles; /* number of the task's file; number of files */
    char *buffer;     /* bufsize bytes, to write or to read */
};

/* Print a line that names the task, and end all tasks. */
void bench_fail(const struct bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* The same if all tasks have failed alike: rank 0 prints the line before any task ends. */
void bench_fail_together(const struct bench *bench, const char *what) __attribute__((noreturn));

/* Collective. If rc is not 0 on any task, print a line that names the first of them, and end all
 * tasks. */
void bench_need_all(const struct bench *bench, int rc, const char *what, const char *method,
                    const char *filename);

/* Bytes that a task writes after the first byteoffset bytes; the same number in each call. */
long long bench_task_bytes(const struct bench *bench, int task);

/* The largest number of bytes in a call: a task has up to factor more than localsize. */
long long bench_buffer_size(const struct bench_options *options);

/* Make the communicator of the tasks that share a file, and set file and nfiles. */
void bench_make_local(struct bench *bench);

/* Seconds since *start, which is set to the present time. */
double bench_lap(double *start);

/* Wait for the tasks of the file, then for all tasks: two times to measure. */
void bench_wait(const struct bench *bench, double *start, double *file, double *global);

/*
 * Take turns: at most options.serialized tasks of a file are between the two calls at a time.
 * Collective over the file's tasks.
 */
void bench_enter(const struct bench *bench);
void bench_leave(const struct bench *bench);

/*
 * Move byteoffset bytes and then `bytes` bytes in calls of up to bufsize, and stop at the first
 * failure. move gets the data, their size, and their position in the task's data; it returns 0, or
 * another number after a failure. There are at least `calls` calls; the last ones may have no
 * bytes. Returns the number of calls; negative: failure.
 */
typedef int bench_move(void *target, char *data, long long bytes, long long at);
long long bench_transfer(const struct bench *bench, long long bytes, long long calls,
                         bench_move *move, void *target);

/* The number of calls that bench_transfer needs. */
long long bench_calls(const struct bench *bench, long long bytes);

/* The tests. They are collective, and print their own lines before the times. */
void bench_sion_write(struct bench *bench);
void bench_sion_read(struct bench *bench);
void bench_mpiio_write(struct bench *bench);
void bench_mpiio_read(struct bench *bench);
void bench_files_write(struct bench *bench);
void bench_files_read(struct bench *bench);

/* Remove a file, and print the two lines about it. */
void bench_unlink(const char *name);

#endif

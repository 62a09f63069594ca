/* One run of partest: its tasks, and what each test needs. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <mpi.h>
#include <stdarg.h>

#include "options.h"
#include "report.h"

struct bench {
    struct bench_options options;
    MPI_Comm all;   /* all tasks */
    MPI_Comm local; /* those of the same file */
    int rank, size;
    int file, nfiles; /* number of the task's file; files */
    char *buffer;     /* bufsize bytes to write, or read */
};

/* Print a line that names the task, and end all tasks. */
void bench_fail(const struct bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* The same if all tasks have failed alike: the first one prints the line before any task ends. */
void bench_fail_together(const struct bench *bench, const char *what) __attribute__((noreturn));

/* Bytes that a task writes after the first byteoffset. Each call returns the same number. */
long long bench_task_bytes(const struct bench *bench, int task);

/* The most that a call moves: a task has up to factor more than localsize. */
long long bench_buffer_size(const struct bench_options *options);

/* The communicator of the tasks that share a file; sets file and nfiles, too. */
void bench_make_local(struct bench *bench);

/* Seconds since *start, which becomes now. */
double bench_lap(double *start);

/* Wait for the tasks of the file, then for all: two laps. */
void bench_wait(const struct bench *bench, double *start, double *file, double *global);

/*
 * Take turns: no more than options.serialized tasks of a file are between the two at a time.
 * Collective over the file's tasks.
 */
void bench_enter(const struct bench *bench);
void bench_leave(const struct bench *bench);

/*
 * Move byteoffset bytes and then `bytes` bytes in calls of up to bufsize, and stop at the first
 * failure. move gets data, the size, and where it lies in the task's data; 0: done, else failed.
 * calls: at least so many, the last ones with no bytes. Returns how many; negative: failed.
 */
typedef int bench_move(void *target, char *data, long long bytes, long long at);
long long bench_transfer(const struct bench *bench, long long bytes, long long calls,
                         bench_move *move, void *target);

/* Calls that bench_transfer needs. */
long long bench_calls(const struct bench *bench, long long bytes);

/* The tests. Each is collective, and prints its own lines before the times. */
void bench_sion_write(struct bench *bench);
void bench_sion_read(struct bench *bench);
void bench_mpiio_write(struct bench *bench);
void bench_mpiio_read(struct bench *bench);
void bench_files_write(struct bench *bench);
void bench_files_read(struct bench *bench);

/* Remove a file, with the two lines about it. */
void bench_unlink(const char *name);

#endif

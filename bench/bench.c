#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bench_fail(const struct bench *bench, const char *format, ...)
{
    char text[1200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: task %d: %s\n", program_invocation_short_name, bench->rank, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void bench_fail_together(const struct bench *bench, const char *what)
{
    if (bench->rank == 0)
        fprintf(stderr, "%s: cannot %s %s\n", program_invocation_short_name, what,
                bench->options.filename);
    MPI_Barrier(bench->all);
    MPI_Finalize();
    exit(EXIT_FAILURE);
}

void bench_need_all(const struct bench *bench, int rc, const char *what, const char *method,
                    const char *filename)
{
    int mine = rc != 0 ? bench->rank : bench->size, first = mine;

    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, bench->all);
    if (first == bench->size)
        return;
    if (bench->rank == first)
        fprintf(stderr, "%s: task %d: %s: cannot %s %s\n", program_invocation_short_name, first,
                method, what, filename);
    MPI_Barrier(bench->all);
    MPI_Finalize();
    exit(EXIT_FAILURE);
}

/* 0 <= result < 1; different for each task, but the same in every run. */
static double fraction(int task)
{
    unsigned long long z = 0x9e3779b97f4a7c15u * ((unsigned long long)task + 1);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

long long bench_task_bytes(const struct bench *bench, int task)
{
    const struct bench_options *o = &bench->options;

    return o->localsize + (long long)((double)o->localsize * o->factor * fraction(task));
}

long long bench_buffer_size(const struct bench_options *o)
{
    double most = (double)o->localsize * (1 + o->factor);

    if (most < (double)o->byteoffset)
        most = (double)o->byteoffset;
    return most < (double)o->bufsize ? (long long)most + 1 : o->bufsize;
}

/* Divides the tasks as the library does: runs of equal length, and the last file takes the rest. */
void bench_make_local(struct bench *bench)
{
    int files = bench->options.numfiles < 1 ? 2 : bench->options.numfiles, run;

    if (files > bench->size)
        files = bench->size;
    run = bench->size / files;
    bench->nfiles = files;
    bench->file = bench->rank / run < files ? bench->rank / run : files - 1;
    MPI_Comm_split(bench->all, bench->file, bench->rank, &bench->local);
}

double bench_lap(double *start)
{
    double before = *start;

    *start = MPI_Wtime();
    return *start - before;
}

void bench_wait(const struct bench *bench, double *start, double *file, double *global)
{
    MPI_Barrier(bench->local);
    *file = bench_lap(start);
    MPI_Barrier(bench->all);
    *global = bench_lap(start);
}

/* A task enters when the one `serialized` ranks before it has left. */
void bench_enter(const struct bench *bench)
{
    int at_once = bench->options.serialized, rank;

    MPI_Comm_rank(bench->local, &rank);
    if (at_once > 0 && rank >= at_once)
        MPI_Recv(NULL, 0, MPI_BYTE, rank - at_once, 0, bench->local, MPI_STATUS_IGNORE);
}

void bench_leave(const struct bench *bench)
{
    int at_once = bench->options.serialized, rank, size;

    MPI_Comm_rank(bench->local, &rank);
    MPI_Comm_size(bench->local, &size);
    if (at_once > 0 && rank + at_once < size)
        MPI_Send(NULL, 0, MPI_BYTE, rank + at_once, 0, bench->local);
}

long long bench_calls(const struct bench *bench, long long bytes)
{
    long long bufsize = bench->options.bufsize;

    return (bytes + bufsize - 1) / bufsize + (bench->options.byteoffset > 0);
}

long long bench_transfer(const struct bench *bench, long long bytes, long long calls,
                         bench_move *move, void *target)
{
    long long end = bench->options.byteoffset + bytes, at = 0, done = 0, size;

    for (; at < end || done < calls; done++, at += size) {
        size = done == 0 && bench->options.byteoffset > 0 ? bench->options.byteoffset : end - at;
        if (size > bench->options.bufsize)
            size = bench->options.bufsize;
        if (move(target, bench->buffer, size, at) != 0)
            return -1;
    }
    return done;
}

void bench_unlink(const char *name)
{
    double start = MPI_Wtime();

    fprintf(stderr, "partest result: unlink file %s ...\n", name);
    unlink(name);
    fprintf(stderr, "partest result:  ultime=%10.6fs unlink %s\n", bench_lap(&start), name);
}

/* Type 3: a file for each task. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct target {
    FILE *stream; /* NULL: posix */
    int fd;
};

/* One call may move fewer bytes than it should. Returns 0 if no byte is left. */
static int write_all(int fd, const char *data, size_t left)
{
    while (left > 0) {
        ssize_t n = write(fd, data, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        data += n;
        left -= (size_t)n;
    }
    return 0;
}

static int read_all(int fd, char *data, size_t left)
{
    while (left > 0) {
        ssize_t n = read(fd, data, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        data += n;
        left -= (size_t)n;
    }
    return 0;
}

static int put(void *target, char *data, long long bytes, long long at)
{
    struct target *t = target;
    size_t n = (size_t)bytes;

    (void)at;
    return t->stream ? fwrite(data, 1, n, t->stream) != n : write_all(t->fd, data, n);
}

static int get(void *target, char *data, long long bytes, long long at)
{
    struct target *t = target;
    size_t n = (size_t)bytes;

    (void)at;
    return t->stream ? fread(data, 1, n, t->stream) != n : read_all(t->fd, data, n);
}

static void open_file(struct bench *bench, struct target *t, const char *name, int writing)
{
    t->stream = NULL;
    t->fd = -1;
    if (bench->options.posix)
        t->fd = writing ? open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666) : open(name, O_RDONLY);
    else
        t->stream = fopen(name, writing ? "wb" : "rb");
    if (!t->stream && t->fd < 0)
        bench_fail(bench, "cannot open %s: %s", name, strerror(errno));
}

static void close_file(struct bench *bench, struct target *t, const char *name)
{
    if ((t->stream ? fclose(t->stream) : close(t->fd)) != 0)
        bench_fail(bench, "cannot close %s: %s", name, strerror(errno));
}

static void run(struct bench *bench, int task, int writing)
{
    struct bench_record r = {.file = bench->file};
    struct target t;
    char name[1100];
    double *time = r.time, start, begin;
    long long calls, bytes = bench_task_bytes(bench, task);

    snprintf(name, sizeof name, "%s.%06d", bench->options.filename, task);
    MPI_Barrier(bench->all);
    begin = start = MPI_Wtime();
    open_file(bench, &t, name, writing);
    time[writing ? BENCH_CREATE : BENCH_OPEN] = bench_lap(&start);
    MPI_Barrier(bench->all);
    time[writing ? BENCH_BARRIER_CREATE : BENCH_BARRIER_OPEN] = bench_lap(&start);
    bench_enter(bench);
    calls = bench_transfer(bench, bytes, 0, writing ? put : get, &t);
    bench_leave(bench);
    if (calls < 0)
        bench_fail(bench, "cannot %s %s: %s", writing ? "write" : "read", name, strerror(errno));
    time[BENCH_TRANSFER] = bench_lap(&start);
    bench_wait(bench, &start, &time[BENCH_BARRIER_TRANSFER], &time[BENCH_GLOBAL_TRANSFER]);
    close_file(bench, &t, name);
    time[BENCH_CLOSE] = bench_lap(&start);
    bench_wait(bench, &start, &time[BENCH_BARRIER_CLOSE], &time[BENCH_GLOBAL_CLOSE]);
    time[BENCH_TOTAL] = bench_lap(&begin);
    r.bytes = (double)(bytes + bench->options.byteoffset);
    r.calls = (double)calls;
    bench_report(bench->all, writing ? "WRITE" : "READ", bench->nfiles, bench->options.verbose, &r);
}

void bench_files_write(struct bench *bench)
{
    run(bench, bench->rank, 1);
}

void bench_files_read(struct bench *bench)
{
    int task = (bench->rank + bench->options.taskoffset) % bench->size;

    run(bench, task < 0 ? task + bench->size : task, 0);
}

/* Types 0 and 1: all tasks write a container; they read it together, or each task on its own. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include <sion.h>

struct target {
    int sid;
    int collective;
};

static int put(void *target, char *data, long long bytes, long long at)
{
    struct target *t = target;
    size_t n = (size_t)bytes;

    (void)at;
    return (t->collective ? sion_coll_fwrite_mpi(data, 1, n, t->sid)
                          : sion_fwrite(data, 1, n, t->sid)) != n;
}

static int get(void *target, char *data, long long bytes, long long at)
{
    struct target *t = target;
    size_t n = (size_t)bytes;

    (void)at;
    return (t->collective ? sion_coll_fread_mpi(data, 1, n, t->sid)
                          : sion_fread(data, 1, n, t->sid)) != n;
}

static void file_mode(const struct bench *bench, const char *access, int collective, char *mode)
{
    strcpy(mode, access);
    strcat(mode, bench->options.posix ? ",posix" : ",ansi");
    if (collective)
        strcat(mode, ",collective");
    if (collective && bench->options.collmsa)
        strcat(mode, ",collmsa");
}

static void print_file(const struct bench *bench, const struct target *t, int fsblksize)
{
    if (bench->rank != 0)
        return;
    fprintf(stderr, "partest filespec:    (  )    using_hints           = %d\n",
            sion_using_hints(t->sid));
    fprintf(stderr, "partest filespec:    (  )    fsblksize             = %d\n", fsblksize);
}

/* The number of collective calls: as many as the task with the most data needs. */
static long long common_calls(const struct bench *bench, MPI_Comm comm, long long bytes,
                              int collective)
{
    long long calls = bench_calls(bench, bytes), most = 0;

    if (collective)
        MPI_Allreduce(&calls, &most, 1, MPI_LONG_LONG, MPI_MAX, comm);
    return most;
}

/* The tasks of a file run all at once, in turns, or in transactions; collective calls need all. */
static void transfer(struct bench *bench, struct bench_record *r, struct target *t, long long bytes,
                     bench_move *move)
{
    long long most = common_calls(bench, bench->all, bytes, t->collective), calls;

    if (bench->options.serialized == -2 && !t->collective)
        sion_startof_transaction_mpi(t->sid);
    if (!t->collective)
        bench_enter(bench);
    calls = bench_transfer(bench, bytes, most, move, t);
    if (!t->collective)
        bench_leave(bench);
    if (bench->options.serialized == -2 && !t->collective)
        sion_endof_transaction_mpi(t->sid);
    if (calls < 0)
        bench_fail(bench, "a record of %lld bytes could not be moved (chunk size %lld bytes)",
                   bench->options.bufsize, bench->options.chunksize);
    r->bytes = (double)(bytes + bench->options.byteoffset);
    r->calls = (double)calls;
}

static int open_for_writing(struct bench *bench, struct target *t, int *fsblksize)
{
    const struct bench_options *o = &bench->options;
    char mode[64], *name = NULL;
    int files = o->numfiles < 1 ? -1 : bench->nfiles, rank = bench->rank;
    sion_int64 chunksize = o->chunksize;

    if (chunksize < 0)
        chunksize = bench_task_bytes(bench, bench->rank) + o->byteoffset;
    file_mode(bench, "bw", o->collwrite, mode);
    t->collective = o->collwrite;
    t->sid = sion_paropen_mpi(o->filename, mode, &files, bench->all, &bench->local, &chunksize,
                              fsblksize, &rank, NULL, &name);
    free(name);
    return t->sid;
}

void bench_sion_write(struct bench *bench)
{
    struct bench_record r = {.file = bench->file};
    struct target t;
    int fsblksize = (int)bench->options.fsblksize;
    double *time = r.time, start, begin;

    MPI_Barrier(bench->all);
    begin = start = MPI_Wtime();
    if (open_for_writing(bench, &t, &fsblksize) < 0)
        bench_fail_together(bench, "create");
    time[BENCH_OPEN] = bench_lap(&start);
    bench_wait(bench, &start, &time[BENCH_BARRIER_OPEN], &time[BENCH_GLOBAL_OPEN]);
    print_file(bench, &t, fsblksize);
    bench_lap(&start);
    transfer(bench, &r, &t, bench_task_bytes(bench, bench->rank), put);
    time[BENCH_TRANSFER] = bench_lap(&start);
    bench_wait(bench, &start, &time[BENCH_BARRIER_TRANSFER], &time[BENCH_GLOBAL_TRANSFER]);
    if (sion_parclose_mpi(t.sid) != SION_SUCCESS)
        bench_fail_together(bench, "close");
    time[BENCH_CLOSE] = bench_lap(&start);
    bench_wait(bench, &start, &time[BENCH_BARRIER_CLOSE], &time[BENCH_GLOBAL_CLOSE]);
    time[BENCH_TOTAL] = bench_lap(&begin);
    bench_report(bench->all, "WRITE", bench->nfiles, bench->options.verbose, &r);
}

/* Open the container as task `task`; the other tasks are reordered accordingly. */
static void open_for_reading(struct bench *bench, MPI_Comm shifted, int task, struct target *t,
                             int *fsblksize)
{
    const struct bench_options *o = &bench->options;
    char mode[64];
    int files = 0;
    sion_int64 chunksize;

    t->collective = o->collread && o->type == 0;
    file_mode(bench, "br", t->collective, mode);
    if (o->type == 0)
        t->sid = sion_paropen_mpi(o->filename, mode, &files, shifted, &shifted, &chunksize,
                                  fsblksize, &task, NULL, NULL);
    else
        t->sid = sion_open_rank((char *)o->filename, mode, &chunksize, fsblksize, &task, NULL);
    if (t->sid < 0 && o->type == 0)
        bench_fail_together(bench, "open");
    if (t->sid < 0)
        bench_fail(bench, "cannot open %s", o->filename);
}

void bench_sion_read(struct bench *bench)
{
    struct bench_record r = {.file = bench->file};
    struct target t;
    int fsblksize = 0, task = (bench->rank + bench->options.taskoffset) % bench->size;
    double *time = r.time, start, begin;
    MPI_Comm shifted;

    if (task < 0)
        task += bench->size;
    MPI_Comm_split(bench->all, 0, task, &shifted);
    MPI_Barrier(bench->all);
    begin = start = MPI_Wtime();
    open_for_reading(bench, shifted, task, &t, &fsblksize);
    time[BENCH_OPEN] = bench_lap(&start);
    bench_wait(bench, &start, &time[BENCH_BARRIER_OPEN], &time[BENCH_GLOBAL_OPEN]);
    print_file(bench, &t, fsblksize);
    bench_lap(&start);
    if (bench->options.type == 1 && bench->options.serialized == -2)
        bench->options.serialized = -1; /* a task that opens the file alone has no transactions */
    transfer(bench, &r, &t, bench_task_bytes(bench, task), get);
    time[BENCH_TRANSFER] = bench_lap(&start);
    bench_wait(bench, &start, &time[BENCH_BARRIER_TRANSFER], &time[BENCH_GLOBAL_TRANSFER]);
    if ((bench->options.type == 0 ? sion_parclose_mpi(t.sid) : sion_close(t.sid)) != SION_SUCCESS)
        bench_fail(bench, "cannot close %s", bench->options.filename);
    time[BENCH_CLOSE] = bench_lap(&start);
    bench_wait(bench, &start, &time[BENCH_BARRIER_CLOSE], &time[BENCH_GLOBAL_CLOSE]);
    time[BENCH_TOTAL] = bench_lap(&begin);
    bench_report(bench->all, "READ", bench->nfiles, bench->options.verbose, &r);
    MPI_Comm_free(&shifted);
}

/* Type 2: MPI-IO. The tasks of each file have a region each. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

struct target {
    MPI_File file;
    MPI_Offset start; /* of the task's region */
    int collective;
};

static int put(void *target, char *data, long long bytes, long long at)
{
    struct target *t = target;
    MPI_Offset offset = t->start + at;
    MPI_Status status;
    int rc, count = -1, n = (int)bytes;

    rc = t->collective ? MPI_File_write_at_all(t->file, offset, data, n, MPI_BYTE, &status)
                       : MPI_File_write_at(t->file, offset, data, n, MPI_BYTE, &status);
    if (rc == MPI_SUCCESS)
        MPI_Get_count(&status, MPI_BYTE, &count);
    return count != n;
}

static int get(void *target, char *data, long long bytes, long long at)
{
    struct target *t = target;
    MPI_Offset offset = t->start + at;
    MPI_Status status;
    int rc, count = -1, n = (int)bytes;

    rc = t->collective ? MPI_File_read_at_all(t->file, offset, data, n, MPI_BYTE, &status)
                       : MPI_File_read_at(t->file, offset, data, n, MPI_BYTE, &status);
    if (rc == MPI_SUCCESS)
        MPI_Get_count(&status, MPI_BYTE, &count);
    return count != n;
}

static void hint(MPI_Info info, const char *key, int value, int is_switch)
{
    char text[24];

    if (value < 0)
        return;
    snprintf(text, sizeof text, "%d", value);
    MPI_Info_set(info, key, !is_switch ? text : value ? "true" : "false");
}

static MPI_Info hints(const struct bench_options *o)
{
    MPI_Info info;

    MPI_Info_create(&info);
    hint(info, "IBM_largeblock_io", o->hint_large_block, 1);
    hint(info, "IBM_io_buffer_size", o->hint_io_bufsize < 0 ? -1 : o->hint_io_bufsize * 1024, 0);
    hint(info, "IBM_sparse_access", o->hint_sparse_access, 1);
    return info;
}

/* Set the task whose region is used, and where it begins: after those of the lower ranks in the
   file. */
static long long region(const struct bench *bench, int shift, MPI_Offset *start)
{
    int rank, size, task, first;

    MPI_Comm_rank(bench->local, &rank);
    MPI_Comm_size(bench->local, &size);
    first = bench->rank - rank;
    rank = ((rank + shift) % size + size) % size;
    *start = 0;
    for (task = 0; task < rank; task++)
        *start += bench_task_bytes(bench, first + task) + bench->options.byteoffset;
    return bench_task_bytes(bench, first + rank);
}

static void open_file(struct bench *bench, struct target *t, const char *name, int writing)
{
    MPI_Info info = hints(&bench->options);
    int access = writing ? MPI_MODE_WRONLY | MPI_MODE_CREATE : MPI_MODE_RDONLY;

    if (MPI_File_open(bench->local, name, access, info, &t->file) != MPI_SUCCESS)
        bench_fail(bench, "cannot open %s", name);
    MPI_Info_free(&info);
}

static void print(struct bench *bench, const struct bench_record *mine, const char *name,
                  int writing)
{
    struct bench_record most = *mine;
    double bytes, mb;
    int rank;

    MPI_Comm_rank(bench->local, &rank);
    MPI_Reduce(mine->time, most.time, BENCH_TIMES, MPI_DOUBLE, MPI_MAX, 0, bench->all);
    MPI_Reduce(&mine->bytes, &bytes, 1, MPI_DOUBLE, MPI_SUM, 0, bench->local);
    if (rank == 0)
        fprintf(stderr, "partest result: %s %10.4f MB %s %s\n", writing ? "wrote" : "read ",
                bytes / 1048576, writing ? "to" : "from", name);
    MPI_Barrier(bench->all);
    MPI_Reduce(&mine->bytes, &bytes, 1, MPI_DOUBLE, MPI_SUM, 0, bench->all);
    if (bench->rank != 0)
        return;
    mb = bytes / 1048576;
    fprintf(stderr, BENCH_LINE);
    fprintf(stderr,
            "TOTAL result: open=%10.6fs close=%10.6fs %s %10.4f MB %s+barrier=%10.6fs %s=%10.4f "
            "MB/s %s %d files\n",
            most.time[BENCH_OPEN], most.time[BENCH_CLOSE], writing ? "wrote" : "read", mb,
            writing ? "write" : "read", most.time[BENCH_TRANSFER], writing ? "bw" : "br",
            mb / most.time[BENCH_TRANSFER], writing ? "to" : "from", bench->nfiles);
    fprintf(stderr, BENCH_LINE);
    if (writing)
        fprintf(stderr,
                "****************************************************************************"
                "*****************\n");
}

static void run(struct bench *bench, int writing)
{
    struct bench_record r = {.file = bench->file};
    struct target t;
    char name[1100];
    double start;
    long long most = 0, calls,
              bytes = region(bench, writing ? 0 : bench->options.taskoffset, &t.start);

    snprintf(name, sizeof name, "%s.%06d", bench->options.filename, bench->file);
    t.collective = writing ? bench->options.collwrite : bench->options.collread;
    calls = bench_calls(bench, bytes);
    if (t.collective)
        MPI_Allreduce(&calls, &most, 1, MPI_LONG_LONG, MPI_MAX, bench->local);
    MPI_Barrier(bench->all);
    start = MPI_Wtime();
    open_file(bench, &t, name, writing);
    r.time[BENCH_OPEN] = bench_lap(&start);
    if (!t.collective)
        bench_enter(bench);
    calls = bench_transfer(bench, bytes, most, writing ? put : get, &t);
    if (!t.collective)
        bench_leave(bench);
    if (calls < 0)
        bench_fail(bench, "cannot %s %s", writing ? "write" : "read", name);
    MPI_Barrier(bench->all);
    r.time[BENCH_TRANSFER] = bench_lap(&start);
    if (MPI_File_close(&t.file) != MPI_SUCCESS)
        bench_fail(bench, "cannot close %s", name);
    r.time[BENCH_CLOSE] = bench_lap(&start);
    r.bytes = (double)(bytes + bench->options.byteoffset);
    print(bench, &r, name, writing);
}

void bench_mpiio_write(struct bench *bench)
{
    run(bench, 1);
}

void bench_mpiio_read(struct bench *bench)
{
    run(bench, 0);
}

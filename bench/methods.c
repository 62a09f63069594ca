#include "methods.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sion.h>

#ifdef BENCH_HDF5
#include "methods_hdf5.h"
#endif

/* ---- a container ---- */

static int open_container(const struct bench *bench, struct bench_target *t, int writing,
                          int nfiles)
{
    const struct bench_options *o = &bench->options;
    MPI_Comm none = MPI_COMM_NULL;
    sion_int64 chunksize = bench_task_bytes(bench, bench->rank);
    sion_int32 fsblksize = (sion_int32)o->fsblksize;
    int rank = bench->rank;
    char mode[80];

    snprintf(mode, sizeof mode, "%s%s%s", writing ? "bw" : "br", o->posix ? ",posix" : "",
             t->words ? t->words : "");
    if (nfiles == 0)
        nfiles = bench->size;
    t->sid = sion_paropen_mpi(t->name, mode, &nfiles, bench->all, &none, &chunksize, &fsblksize,
                              &rank, NULL, NULL);
    return t->sid < 0 ? -1 : 0;
}

static int open_one(const struct bench *bench, struct bench_target *t, int writing)
{
    return open_container(bench, t, writing, 1);
}

static int open_several(const struct bench *bench, struct bench_target *t, int writing)
{
    return open_container(bench, t, writing, 0);
}

static int put_record(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;

    (void)at;
    return sion_fwrite(data, 1, (size_t)bytes, t->sid) != (size_t)bytes;
}

static int get_record(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;

    (void)at;
    return sion_fread(data, 1, (size_t)bytes, t->sid) != (size_t)bytes;
}

static int put_collectively(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;

    (void)at;
    return sion_coll_fwrite(data, 1, (size_t)bytes, t->sid) != (size_t)bytes;
}

static int get_collectively(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;

    (void)at;
    return sion_coll_fread(data, 1, (size_t)bytes, t->sid) != (size_t)bytes;
}

static int close_container(struct bench_target *t)
{
    return sion_parclose_mpi(t->sid) == SION_SUCCESS ? 0 : -1;
}

/* ---- descriptors: a file for each task, or one file for all ---- */

static int open_own(const struct bench *bench, struct bench_target *t, int writing)
{
    (void)bench;
    t->start = 0;
    t->fd = writing ? open(t->name, O_WRONLY | O_CREAT | O_TRUNC, 0666) : open(t->name, O_RDONLY);
    return t->fd < 0 ? -1 : 0;
}

/* The same with the streams of the C library. */
static int open_stream(const struct bench *bench, struct bench_target *t, int writing)
{
    (void)bench;
    t->stream = fopen(t->name, writing ? "wb" : "rb");
    return t->stream ? 0 : -1;
}

static int put_stream(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;

    (void)at;
    return fwrite(data, 1, (size_t)bytes, t->stream) != (size_t)bytes;
}

static int get_stream(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;

    (void)at;
    return fread(data, 1, (size_t)bytes, t->stream) != (size_t)bytes;
}

static int close_stream(struct bench_target *t)
{
    return fclose(t->stream);
}

/* Where the task's bytes begin: after those of all lower ranks. */
static long long start_of(const struct bench *bench)
{
    long long start = 0;
    int task;

    for (task = 0; task < bench->rank; task++)
        start += bench_task_bytes(bench, task);
    return start;
}

static int open_shared(const struct bench *bench, struct bench_target *t, int writing)
{
    t->fd = -1;
    if (writing && bench->rank == 0)
        t->fd = open(t->name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    MPI_Barrier(bench->all);
    if (t->fd < 0)
        t->fd = open(t->name, writing ? O_WRONLY : O_RDONLY);
    t->start = start_of(bench);
    return t->fd < 0 ? -1 : 0;
}

static int put_bytes(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;

    while (bytes > 0) {
        ssize_t n = pwrite(t->fd, data, (size_t)bytes, t->start + at);

        if (n <= 0 && errno != EINTR)
            return -1;
        n = n < 0 ? 0 : n;
        data += n;
        at += n;
        bytes -= n;
    }
    return 0;
}

static int get_bytes(void *target, char *data, long long bytes, long long at)
{
    struct bench_target *t = target;

    while (bytes > 0) {
        ssize_t n = pread(t->fd, data, (size_t)bytes, t->start + at);

        if (n == 0 || (n < 0 && errno != EINTR))
            return -1;
        n = n < 0 ? 0 : n;
        data += n;
        at += n;
        bytes -= n;
    }
    return 0;
}

static int close_descriptor(struct bench_target *t)
{
    return close(t->fd);
}

/* ---- MPI-IO ---- */

static int open_mpiio(const struct bench *bench, struct bench_target *t, int writing)
{
    int access = writing ? MPI_MODE_WRONLY | MPI_MODE_CREATE : MPI_MODE_RDONLY;

    t->start = start_of(bench);
    return MPI_File_open(bench->all, t->name, access, MPI_INFO_NULL, &t->file) == MPI_SUCCESS ? 0
                                                                                              : -1;
}

/* Move bytes with a function of MPI; returns whether it moved all of them. */
#define MOVE(function, mpi)                                                                        \
    static int function(void *target, char *data, long long bytes, long long at)                   \
    {                                                                                              \
        struct bench_target *t = target;                                                           \
        MPI_Status status;                                                                         \
        int count = -1;                                                                            \
                                                                                                   \
        if (mpi(t->file, t->start + at, data, (int)bytes, MPI_BYTE, &status) == MPI_SUCCESS)       \
            MPI_Get_count(&status, MPI_BYTE, &count);                                              \
        return count != (int)bytes;                                                                \
    }

MOVE(put_mpiio, MPI_File_write_at)
MOVE(get_mpiio, MPI_File_read_at)
MOVE(put_mpiio_all, MPI_File_write_at_all)
MOVE(get_mpiio_all, MPI_File_read_at_all)

static int close_mpiio(struct bench_target *t)
{
    return MPI_File_close(&t->file) == MPI_SUCCESS ? 0 : -1;
}

/* ---- the table of methods ---- */

const struct bench_method bench_methods[] = {
    {.name = "container, 1 file",
     .nfiles = 1,
     .open = open_one,
     .put = put_record,
     .get = get_record,
     .close = close_container},
    {.name = "container, n files",
     .open = open_several,
     .put = put_record,
     .get = get_record,
     .close = close_container},
    {.name = "container, posix",
     .nfiles = 1,
     .words = ",posix",
     .open = open_one,
     .put = put_record,
     .get = get_record,
     .close = close_container},
    {.name = "container, recover",
     .nfiles = 1,
     .words = ",recover",
     .open = open_one,
     .put = put_record,
     .get = get_record,
     .close = close_container},
#ifdef HAVE_CHECKSUM
    {.name = "container, checksum",
     .nfiles = 1,
     .words = ",checksum",
     .open = open_one,
     .put = put_record,
     .get = get_record,
     .close = close_container},
#endif
    {.name = "container, 1 collector",
     .nfiles = 1,
     .words = ",collective,collsize=1000000",
     .open = open_one,
     .put = put_collectively,
     .get = get_collectively,
     .close = close_container},
    {.name = "file per task",
     .own_files = 1,
     .open = open_own,
     .put = put_bytes,
     .get = get_bytes,
     .close = close_descriptor},
    {.name = "file per task, stdio",
     .own_files = 1,
     .open = open_stream,
     .put = put_stream,
     .get = get_stream,
     .close = close_stream},
    {.name = "pwrite to one file",
     .nfiles = 1,
     .open = open_shared,
     .put = put_bytes,
     .get = get_bytes,
     .close = close_descriptor},
    {.name = "MPI-IO",
     .nfiles = 1,
     .open = open_mpiio,
     .put = put_mpiio,
     .get = get_mpiio,
     .close = close_mpiio},
    {.name = "MPI-IO, collective",
     .nfiles = 1,
     .open = open_mpiio,
     .put = put_mpiio_all,
     .get = get_mpiio_all,
     .close = close_mpiio},
#ifdef BENCH_HDF5
    {.name = "HDF5",
     .nfiles = 1,
     .open = bench_hdf5_open,
     .put = bench_hdf5_put,
     .get = bench_hdf5_get,
     .close = bench_hdf5_close},
    {.name = "HDF5, collective",
     .nfiles = 1,
     .open = bench_hdf5_open_all,
     .put = bench_hdf5_put,
     .get = bench_hdf5_get,
     .close = bench_hdf5_close},
#endif
    {.name = NULL},
};

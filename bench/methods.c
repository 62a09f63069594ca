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

/* A function that moves bytes with one call, which returns how many it has moved. */
#define TRANSFER(function, call, handle)                                                           \
    static int function(void *target, char *data, long long bytes, long long at)                   \
    {                                                                                              \
        struct bench_target *t = target;                                                           \
                                                                                                   \
        (void)at;                                                                                  \
        return call(data, 1, (size_t)bytes, t->handle) != (size_t)bytes;                           \
    }

TRANSFER(put_record, sion_fwrite, sid)
TRANSFER(get_record, sion_fread, sid)
TRANSFER(put_collectively, sion_coll_fwrite, sid)
TRANSFER(get_collectively, sion_coll_fread, sid)
TRANSFER(put_stream, fwrite, stream)
TRANSFER(get_stream, fread, stream)

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

/* Move bytes at an offset with a function of POSIX, in as many calls as it needs. */
#define MOVE_AT(function, call)                                                                    \
    static int function(void *target, char *data, long long bytes, long long at)                   \
    {                                                                                              \
        struct bench_target *t = target;                                                           \
                                                                                                   \
        while (bytes > 0) {                                                                        \
            ssize_t n = call(t->fd, data, (size_t)bytes, t->start + at);                           \
                                                                                                   \
            if (n == 0 || (n < 0 && errno != EINTR))                                               \
                return -1;                                                                         \
            n = n < 0 ? 0 : n;                                                                     \
            data += n;                                                                             \
            at += n;                                                                               \
            bytes -= n;                                                                            \
        }                                                                                          \
        return 0;                                                                                  \
    }

MOVE_AT(put_bytes, pwrite)
MOVE_AT(get_bytes, pread)

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

/* Of a kind: the functions put_KIND and get_KIND. */
#define METHOD(title, how_to_open, kind, how_to_close, ...)                                        \
    {                                                                                              \
        .name = title, .open = how_to_open, .put = put_##kind, .get = get_##kind,                  \
        .close = how_to_close, __VA_ARGS__                                                         \
    }
#define CONTAINER(title, mode)                                                                     \
    METHOD("container, " title, open_one, record, close_container, .nfiles = 1, .words = mode)

const struct bench_method bench_methods[] = {
    CONTAINER("1 file", NULL),
    METHOD("container, n files", open_several, record, close_container, .nfiles = 0),
    METHOD("container, files=auto", open_one, record, close_container, .nfiles = 0,
           .may_have_fewer = 1, .words = ",files=auto"),
    CONTAINER("posix", ",posix"),
    CONTAINER("recover", ",recover"),
#ifdef HAVE_CHECKSUM
    CONTAINER("checksum", ",checksum"),
#endif
    METHOD("container, 1 collector", open_one, collectively, close_container, .nfiles = 1,
           .words = ",collective,collsize=1000000"),
    METHOD("file per task", open_own, bytes, close_descriptor, .own_files = 1),
    METHOD("file per task, stdio", open_stream, stream, close_stream, .own_files = 1),
    METHOD("pwrite to one file", open_shared, bytes, close_descriptor, .nfiles = 1),
    METHOD("MPI-IO", open_mpiio, mpiio, close_mpiio, .nfiles = 1),
    METHOD("MPI-IO, collective", open_mpiio, mpiio_all, close_mpiio, .nfiles = 1),
#ifdef BENCH_HDF5
    {"HDF5", .nfiles = 1, .open = bench_hdf5_open, .put = bench_hdf5_put, .get = bench_hdf5_get,
     .close = bench_hdf5_close},
    {"HDF5, collective", .nfiles = 1, .open = bench_hdf5_open_all, .put = bench_hdf5_put,
     .get = bench_hdf5_get, .close = bench_hdf5_close},
#endif
    {.name = NULL},
};

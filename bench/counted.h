/* Counts the calls on files that the library makes, and their bytes. */
#ifndef BENCH_COUNTED_H
#define BENCH_COUNTED_H

#include "vfs/system.h"

enum counted {
    COUNTED_CREATED,
    COUNTED_OPENED,
    COUNTED_WRITTEN,
    COUNTED_READ,
    COUNTED_EXAMINED, /* calls on a file or a name that move no data */
    COUNTED_FILES
};

static const char *const counted_names[COUNTED_FILES] = {"create", "open file", "write", "read",
                                                         "examine"};

static struct {
    long long calls, bytes;
} counted[COUNTED_FILES];

static inline void counted_note(enum counted kind, long long bytes)
{
    counted[kind].calls++;
    counted[kind].bytes += bytes;
}

static int counted_open(const char *path, int flags, mode_t mode)
{
    counted_note(flags & O_CREAT ? COUNTED_CREATED : COUNTED_OPENED, 0);
    return scion_vfs_posix.open(path, flags, mode);
}

#define CALL(part, moved, type, call, parameters, arguments)                                       \
    static type counted_##call parameters                                                          \
    {                                                                                              \
        counted_note(COUNTED_##part, moved);                                                       \
        return scion_vfs_posix.call arguments;                                                     \
    }

CALL(WRITTEN, (long long)n, ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at),
     (fd, from, n, at))
CALL(WRITTEN, (long long)(runs[0].iov_len + runs[1].iov_len), ssize_t, pwritev,
     (int fd, const struct iovec *runs, int n, off_t at), (fd, runs, n, at))
CALL(READ, (long long)n, ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
CALL(EXAMINED, 0, int, fstat, (int fd, struct stat *status), (fd, status))
CALL(EXAMINED, 0, int, stat, (const char *path, struct stat *status), (path, status))
CALL(EXAMINED, 0, int, lstat, (const char *path, struct stat *status), (path, status))
CALL(EXAMINED, 0, int, access, (const char *path, int how), (path, how))
CALL(EXAMINED, 0, int, statfs, (const char *path, struct statfs *status), (path, status))
CALL(EXAMINED, 0, int, ftruncate, (int fd, off_t size), (fd, size))
CALL(EXAMINED, 0, int, unlink, (const char *path), (path))
CALL(EXAMINED, 0, int, lock, (int fd, int command, struct flock *bytes), (fd, command, bytes))

/* From now on. */
static inline void counted_begin(void)
{
    static struct scion_vfs table;

    table = scion_vfs_posix;
    table.open = counted_open;
    table.pwrite = counted_pwrite;
    table.pwritev = counted_pwritev;
    table.pread = counted_pread;
    table.fstat = counted_fstat;
    table.stat = counted_stat;
    table.lstat = counted_lstat;
    table.access = counted_access;
    table.statfs = counted_statfs;
    table.ftruncate = counted_ftruncate;
    table.unlink = counted_unlink;
    table.lock = counted_lock;
    scion_vfs_use(&table);
}

#endif

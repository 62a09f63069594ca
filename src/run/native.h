/*
 * System calls without the C library's functions of these names: in a program under sionrun, those
 * are the ones that redirect. They set errno, may be called in a signal handler, and are for what
 * the session itself needs.
 */
#ifndef SCION_RUN_NATIVE_H
#define SCION_RUN_NATIVE_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_newfstatat
#define SCION_NATIVE_STAT SYS_newfstatat
#else
#define SCION_NATIVE_STAT SYS_fstatat64
#endif

static inline int native_open(const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_LARGEFILE, mode);
}

static inline int native_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

/* flags: 0 or AT_SYMLINK_NOFOLLOW */
static inline int native_stat_at(int folder, const char *path, struct stat *status, int flags)
{
    return (int)syscall(SCION_NATIVE_STAT, folder, path, status, flags);
}

static inline int native_stat(const char *path, struct stat *status, int flags)
{
    return native_stat_at(AT_FDCWD, path, status, flags);
}

static inline int native_fstat(int fd, struct stat *status)
{
#if defined SYS_newfstatat && defined SYS_fstat
    return (int)syscall(SYS_fstat, fd, status);
#else
    return (int)syscall(SCION_NATIVE_STAT, fd, "", status, AT_EMPTY_PATH);
#endif
}

static inline int native_mkdir(const char *path, mode_t mode)
{
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static inline int native_rename(const char *from, const char *to)
{
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* flags: 0 or AT_REMOVEDIR */
static inline int native_unlink(const char *path, int flags)
{
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, flags);
}

#endif

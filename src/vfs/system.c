#include "vfs/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/env.h"

static int posix_open(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}

static int posix_openat(int folder, const char *name, int flags, mode_t mode)
{
    return openat(folder, name, flags, mode);
}

static int posix_dup(int fd, int to)
{
    return to < 0 ? fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : dup3(fd, to, O_CLOEXEC);
}

static ssize_t posix_copy(int from, off_t *offset, int to, off_t *to_offset, size_t bytes)
{
    return copy_file_range(from, offset, to, to_offset, bytes, 0);
}

/* Bytes of a file become a hole. */
static int posix_punch(int fd, off_t offset, off_t bytes)
{
#if defined FALLOC_FL_PUNCH_HOLE && defined FALLOC_FL_KEEP_SIZE
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes);
#else
    (void)fd, (void)offset, (void)bytes;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

/* By its number, because not all C libraries have a function for it. */
static int posix_rename_new(const char *from, const char *to)
{
#ifdef SYS_renameat2
    enum { NO_REPLACE = 1 };

    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE);
#else
    (void)from;
    (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

static int posix_lock(int fd, int command, struct flock *bytes)
{
    return fcntl(fd, command, bytes);
}

const struct scion_vfs scion_vfs_posix = {
    .open = posix_open,
    .pread = pread,
    .preadv = preadv,
    .pwrite = pwrite,
    .pwritev = pwritev,
    .lseek = lseek,
    .fsync = fsync,
    .ftruncate = ftruncate,
    .punch = posix_punch,
    .fstat = fstat,
    .close = close,
    .dup = posix_dup,
    .unlink = unlink,
    .rename = rename,
    .rename_new = posix_rename_new,
    .copy = posix_copy,
    .stat = stat,
    .lstat = lstat,
    .access = access,
    .chmod = chmod,
    .fchmod = fchmod,
    .fchown = fchown,
    .futimens = futimens,
    .link = link,
    .mkdir = mkdir,
    .rmdir = rmdir,
    .realpath = realpath,
    .readdir = readdir,
    .openat = posix_openat,
    .fstatat = fstatat,
    .readlinkat = readlinkat,
    .mkdirat = mkdirat,
    .mkfifoat = mkfifoat,
    .symlinkat = symlinkat,
    .linkat = linkat,
    .renameat = renameat,
    .unlinkat = unlinkat,
    .utimensat = utimensat,
    .statfs = statfs,
    .getxattr = getxattr,
    .listxattr = listxattr,
    .fgetxattr = fgetxattr,
    .fsetxattr = fsetxattr,
    .fremovexattr = fremovexattr,
    .lock = posix_lock,
};

static const struct scion_vfs *current_vfs = &scion_vfs_posix;

void scion_vfs_use(const struct scion_vfs *vfs)
{
    current_vfs = vfs ? vfs : &scion_vfs_posix;
}

const struct scion_vfs *scion_vfs_current(void)
{
    return current_vfs;
}

enum { MOST_INTERRUPTIONS = 10000 };

int scion_vfs_again(int *times)
{
    return errno == EINTR && ++*times < MOST_INTERRUPTIONS;
}

int scion_vfs_sync(const struct scion_vfs *vfs, int fd)
{
    int rc, times = 0;

    do
        rc = vfs->fsync(fd);
    while (rc != 0 && scion_vfs_again(&times));
    return rc != 0 && errno != EINVAL && errno != EROFS ? -1 : 0;
}

int scion_set_descriptors(void)
{
    struct rlimit limit;
    long long most = SCION_DESCRIPTORS;

    scion_env_number("DESCRIPTORS", &most);
    if (most > SCION_DESCRIPTORS)
        most = SCION_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < (rlim_t)SCION_DESCRIPTORS &&
        most > (long long)limit.rlim_cur / 4)
        most = (long long)limit.rlim_cur / 4;
    return most < 2 ? 2 : (int)most;
}

/* Numbers of ioprio_set(2), for which the C library has no header. */
enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_CLASS_IDLE = 3, IOPRIO_CLASS_SHIFT = 13 };

void scion_vfs_be_last(void)
{
#ifdef SYS_ioprio_set
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
#endif
}

#include "vfs/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

static struct fault {
    unsigned mask;
    long n, times, seen, hits;
    int errnum;
    size_t limit;
    long counts[SCION_FAULT_KINDS];
    long bytes_read;
    int no_locks; /* errno of locks; 0: they work */
    long kill_in; /* changing calls until the end; 0: never */
} fault;

static _Thread_local int is_spared;

/* Threads may call at the same time. */
static long count(long *counter)
{
    return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static size_t whole_below; /* bytes of a write that a kill does not tear */

/* Whether the process has to die in this call. */
static int is_last(void)
{
    return __atomic_load_n(&fault.kill_in, __ATOMIC_RELAXED) > 0 &&
           __atomic_sub_fetch(&fault.kill_in, 1, __ATOMIC_RELAXED) == 0;
}

static void die_if_last(void)
{
    if (is_last())
        raise(SIGKILL);
}

/* Count a call; 1 with errno set if it has to fail. */
static int fails(enum scion_fault_call call)
{
    long seen;

    count(&fault.counts[call]);
    if (is_spared || !(fault.mask & 1u << call))
        return 0;
    seen = count(&fault.seen);
    if (fault.n == 0 || seen < fault.n || seen - fault.n >= fault.times)
        return 0;
    count(&fault.hits);
    errno = fault.errnum;
    return 1;
}

static size_t limited(size_t bytes)
{
    return fault.limit > 0 && bytes > fault.limit ? fault.limit : bytes;
}

/* How much of a transfer may be done; -1, with errno set: it has to fail. */
static ssize_t allowed(enum scion_fault_call call, size_t bytes)
{
    if (!fails(call))
        return (ssize_t)limited(bytes);
    return fault.errnum == SCION_FAULT_SHORTER ? (ssize_t)(bytes - bytes / 2) : -1;
}

static int fault_open(const char *path, int flags, mode_t mode)
{
    if (flags & O_CREAT)
        die_if_last();
    return fails(SCION_FAULT_OPEN) ? -1 : scion_vfs_posix.open(path, flags, mode);
}

static int fault_openat(int folder, const char *name, int flags, mode_t mode)
{
    if (flags & O_CREAT)
        die_if_last();
    return fails(SCION_FAULT_OPEN) ? -1 : scion_vfs_posix.openat(folder, name, flags, mode);
}

static ssize_t count_read(ssize_t got)
{
    if (got > 0)
        __atomic_add_fetch(&fault.bytes_read, got, __ATOMIC_RELAXED);
    return got;
}

static ssize_t fault_pread(int fd, void *to, size_t bytes, off_t offset)
{
    ssize_t most = allowed(SCION_FAULT_PREAD, bytes);

    return most < 0 ? -1 : count_read(scion_vfs_posix.pread(fd, to, (size_t)most, offset));
}

enum { RUNS = 40 /* that a call moves at most; the system may move fewer, too */ };

static size_t bytes_of(const struct iovec *runs, int count)
{
    size_t bytes = 0;
    int i;

    for (i = 0; i < count; i++)
        bytes += runs[i].iov_len;
    return bytes;
}

/* The runs, or parts of them, of the bytes that a call may still move; returns their number. */
static int limit_runs(const struct iovec *runs, int count, size_t most, struct iovec some[RUNS])
{
    int n = count < RUNS ? count : RUNS, i;

    for (i = 0; i < n; i++) {
        some[i] = runs[i];
        if (some[i].iov_len > most)
            some[i].iov_len = most;
        most -= some[i].iov_len;
    }
    return n;
}

static ssize_t fault_preadv(int fd, const struct iovec *runs, int count, off_t offset)
{
    ssize_t most = allowed(SCION_FAULT_PREAD, bytes_of(runs, count));
    struct iovec some[RUNS];

    if (most < 0)
        return -1;
    count = limit_runs(runs, count, (size_t)most, some);
    return count_read(scion_vfs_posix.preadv(fd, some, count, offset));
}

static ssize_t fault_pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    ssize_t most;

    if (is_last()) {
        (void)!scion_vfs_posix.pwrite(fd, from, bytes < whole_below ? 0 : bytes / 2, offset);
        raise(SIGKILL);
    }
    most = allowed(SCION_FAULT_PWRITE, bytes);
    return most < 0 ? -1 : scion_vfs_posix.pwrite(fd, from, (size_t)most, offset);
}

static ssize_t write_some(int fd, const struct iovec *runs, int count, size_t most, off_t offset)
{
    struct iovec some[RUNS];

    count = limit_runs(runs, count, most, some);
    return scion_vfs_posix.pwritev(fd, some, count, offset);
}

static ssize_t fault_pwritev(int fd, const struct iovec *runs, int count, off_t offset)
{
    size_t bytes = bytes_of(runs, count);
    ssize_t most;

    if (is_last()) {
        (void)!write_some(fd, runs, count, bytes / 2, offset);
        raise(SIGKILL);
    }
    most = allowed(SCION_FAULT_PWRITE, bytes);
    return most < 0 ? -1 : write_some(fd, runs, count, (size_t)most, offset);
}

/* A call that only may have to fail. */
#define MAY_FAIL(type, call, kind, failure, parameters, arguments)                                 \
    static type fault_##call parameters                                                            \
    {                                                                                              \
        return fails(SCION_FAULT_##kind) ? failure : scion_vfs_posix.call arguments;               \
    }
MAY_FAIL(off_t, lseek, LSEEK, -1, (int fd, off_t offset, int whence), (fd, offset, whence))
MAY_FAIL(int, fstat, FSTAT, -1, (int fd, struct stat *status), (fd, status))
MAY_FAIL(int, dup, DUP, -1, (int fd, int to), (fd, to))
MAY_FAIL(int, stat, STAT, -1, (const char *path, struct stat *status), (path, status))
MAY_FAIL(int, lstat, LSTAT, -1, (const char *path, struct stat *status), (path, status))
MAY_FAIL(int, access, ACCESS, -1, (const char *path, int how), (path, how))
MAY_FAIL(char *, realpath, REALPATH, NULL, (const char *path, char *to), (path, to))
MAY_FAIL(int, fstatat, LSTAT, -1, (int folder, const char *name, struct stat *status, int flags),
         (folder, name, status, flags))
MAY_FAIL(ssize_t, readlinkat, LSTAT, -1, (int folder, const char *name, char *to, size_t bytes),
         (folder, name, to, bytes))
MAY_FAIL(struct dirent *, readdir, READDIR, NULL, (DIR * folder), (folder))

/* The same of one that changes something, in which the process may have to die, too. */
#define CHANGES(call, kind, parameters, arguments)                                                 \
    static int fault_##call parameters                                                             \
    {                                                                                              \
        die_if_last();                                                                             \
        return fails(SCION_FAULT_##kind) ? -1 : scion_vfs_posix.call arguments;                    \
    }
CHANGES(fsync, FSYNC, (int fd), (fd))
CHANGES(ftruncate, FTRUNCATE, (int fd, off_t size), (fd, size))
CHANGES(punch, FTRUNCATE, (int fd, off_t offset, off_t bytes), (fd, offset, bytes))
CHANGES(unlink, UNLINK, (const char *path), (path))
CHANGES(rename, RENAME, (const char *from, const char *to), (from, to))
CHANGES(rename_new, RENAME, (const char *from, const char *to), (from, to))
CHANGES(chmod, CHMOD, (const char *path, mode_t mode), (path, mode))
CHANGES(fchmod, CHMOD, (int fd, mode_t mode), (fd, mode))
CHANGES(fchown, CHOWN, (int fd, uid_t owner, gid_t group), (fd, owner, group))
CHANGES(futimens, CHMOD, (int fd, const struct timespec times[2]), (fd, times))
CHANGES(link, LINK, (const char *from, const char *to), (from, to))
CHANGES(mkdir, MKDIR, (const char *path, mode_t mode), (path, mode))
CHANGES(rmdir, RMDIR, (const char *path), (path))
CHANGES(mkdirat, MKDIR, (int folder, const char *name, mode_t mode), (folder, name, mode))
CHANGES(mkfifoat, MKDIR, (int folder, const char *name, mode_t mode), (folder, name, mode))
CHANGES(symlinkat, LINK, (const char *target, int folder, const char *name), (target, folder, name))
CHANGES(linkat, LINK, (int from_folder, const char *from, int folder, const char *name, int flags),
        (from_folder, from, folder, name, flags))
CHANGES(renameat, RENAME, (int from_folder, const char *from, int folder, const char *name),
        (from_folder, from, folder, name))
CHANGES(unlinkat, UNLINK, (int folder, const char *name, int flags), (folder, name, flags))
CHANGES(utimensat, CHMOD, (int folder, const char *name, const struct timespec times[2], int flags),
        (folder, name, times, flags))
CHANGES(fsetxattr, XATTR, (int fd, const char *name, const void *value, size_t bytes, int flags),
        (fd, name, value, bytes, flags))
CHANGES(fremovexattr, XATTR, (int fd, const char *name), (fd, name))

/* None of these fails a call: what they would say is only not known then. */
#define NEVER_FAILS(type, call, parameters, arguments)                                             \
    static type fault_##call parameters                                                            \
    {                                                                                              \
        return scion_vfs_posix.call arguments;                                                     \
    }
NEVER_FAILS(int, statfs, (const char *path, struct statfs *status), (path, status))
NEVER_FAILS(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t bytes),
            (path, name, value, bytes))
NEVER_FAILS(ssize_t, listxattr, (const char *path, char *names, size_t bytes), (path, names, bytes))
NEVER_FAILS(ssize_t, fgetxattr, (int fd, const char *name, void *value, size_t bytes),
            (fd, name, value, bytes))

/* The descriptor is closed even if the call says otherwise, as on Linux. */
static int fault_close(int fd)
{
    int rc = scion_vfs_posix.close(fd);

    return fails(SCION_FAULT_CLOSE) ? -1 : rc;
}

static ssize_t fault_copy(int from, off_t *offset, int to, off_t *to_offset, size_t bytes)
{
    if (is_last()) {
        scion_vfs_posix.copy(from, offset, to, to_offset, bytes / 2);
        raise(SIGKILL);
    }
    return fails(SCION_FAULT_COPY)
               ? -1
               : scion_vfs_posix.copy(from, offset, to, to_offset, limited(bytes));
}

static int fault_lock(int fd, int command, struct flock *bytes)
{
    errno = fault.no_locks;
    return fault.no_locks ? -1 : scion_vfs_posix.lock(fd, command, bytes);
}

const struct scion_vfs scion_vfs_fault = {
    .open = fault_open,
    .pread = fault_pread,
    .preadv = fault_preadv,
    .pwrite = fault_pwrite,
    .pwritev = fault_pwritev,
    .lseek = fault_lseek,
    .fsync = fault_fsync,
    .ftruncate = fault_ftruncate,
    .punch = fault_punch,
    .fstat = fault_fstat,
    .close = fault_close,
    .dup = fault_dup,
    .unlink = fault_unlink,
    .rename = fault_rename,
    .rename_new = fault_rename_new,
    .copy = fault_copy,
    .stat = fault_stat,
    .lstat = fault_lstat,
    .access = fault_access,
    .chmod = fault_chmod,
    .fchmod = fault_fchmod,
    .fchown = fault_fchown,
    .futimens = fault_futimens,
    .link = fault_link,
    .mkdir = fault_mkdir,
    .rmdir = fault_rmdir,
    .realpath = fault_realpath,
    .readdir = fault_readdir,
    .openat = fault_openat,
    .fstatat = fault_fstatat,
    .readlinkat = fault_readlinkat,
    .mkdirat = fault_mkdirat,
    .mkfifoat = fault_mkfifoat,
    .symlinkat = fault_symlinkat,
    .linkat = fault_linkat,
    .renameat = fault_renameat,
    .unlinkat = fault_unlinkat,
    .utimensat = fault_utimensat,
    .statfs = fault_statfs,
    .getxattr = fault_getxattr,
    .listxattr = fault_listxattr,
    .fgetxattr = fault_fgetxattr,
    .fsetxattr = fault_fsetxattr,
    .fremovexattr = fault_fremovexattr,
    .lock = fault_lock,
};

void scion_fault_arm(unsigned mask, long n, long times, int errnum)
{
    size_t limit = fault.limit;

    fault = (struct fault){.mask = mask, .n = n, .times = times, .errnum = errnum, .limit = limit};
    scion_vfs_use(&scion_vfs_fault);
}

void scion_fault_spare(int spared)
{
    is_spared = spared;
}

void scion_fault_kill_in(long n)
{
    fault = (struct fault){.kill_in = n};
    scion_vfs_use(&scion_vfs_fault);
}

void scion_fault_keep_whole(size_t bytes)
{
    whole_below = bytes;
}

void scion_fault_refuse_locks(int errnum)
{
    fault.no_locks = errnum;
    scion_vfs_use(&scion_vfs_fault);
}

void scion_fault_limit_transfers(size_t bytes)
{
    fault.limit = bytes;
}

long scion_fault_count(enum scion_fault_call call)
{
    return fault.counts[call];
}

long scion_fault_count_all(void)
{
    long sum = 0;
    int call;

    for (call = 0; call < SCION_FAULT_CALLS; call++)
        sum += fault.counts[call];
    return sum;
}

long scion_fault_bytes_read(void)
{
    return fault.bytes_read;
}

long scion_fault_hits(void)
{
    return fault.hits;
}

void scion_fault_disarm(void)
{
    fault.limit = 0;
    fault.no_locks = 0;
    scion_vfs_use(NULL);
}

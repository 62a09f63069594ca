#include "vfs/fault.h"

#include <errno.h>

static struct fault {
    unsigned mask;
    long n, times, seen, hits;
    int errnum;
    size_t limit;
    long counts[SCION_FAULT_CALLS];
} fault;

/* Count a call; 1 with errno set if it has to fail. */
static int fails(enum scion_fault_call call)
{
    fault.counts[call]++;
    if (!(fault.mask & 1u << call))
        return 0;
    fault.seen++;
    if (fault.n == 0 || fault.seen < fault.n || fault.seen - fault.n >= fault.times)
        return 0;
    fault.hits++;
    errno = fault.errnum;
    return 1;
}

static size_t limited(size_t bytes)
{
    return fault.limit > 0 && bytes > fault.limit ? fault.limit : bytes;
}

static int fault_open(const char *path, int flags, mode_t mode)
{
    return fails(SCION_FAULT_OPEN) ? -1 : scion_vfs_posix.open(path, flags, mode);
}

static ssize_t fault_pread(int fd, void *to, size_t bytes, off_t offset)
{
    return fails(SCION_FAULT_PREAD) ? -1 : scion_vfs_posix.pread(fd, to, limited(bytes), offset);
}

static ssize_t fault_pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    return fails(SCION_FAULT_PWRITE) ? -1
                                     : scion_vfs_posix.pwrite(fd, from, limited(bytes), offset);
}

static off_t fault_lseek(int fd, off_t offset, int whence)
{
    return fails(SCION_FAULT_LSEEK) ? -1 : scion_vfs_posix.lseek(fd, offset, whence);
}

static int fault_fsync(int fd)
{
    return fails(SCION_FAULT_FSYNC) ? -1 : scion_vfs_posix.fsync(fd);
}

static int fault_ftruncate(int fd, off_t size)
{
    return fails(SCION_FAULT_FTRUNCATE) ? -1 : scion_vfs_posix.ftruncate(fd, size);
}

static int fault_fstat(int fd, struct stat *status)
{
    return fails(SCION_FAULT_FSTAT) ? -1 : scion_vfs_posix.fstat(fd, status);
}

/* The descriptor is closed even if the call says otherwise, as on Linux. */
static int fault_close(int fd)
{
    int rc = scion_vfs_posix.close(fd);

    return fails(SCION_FAULT_CLOSE) ? -1 : rc;
}

static int fault_unlink(const char *path)
{
    return fails(SCION_FAULT_UNLINK) ? -1 : scion_vfs_posix.unlink(path);
}

const struct scion_vfs scion_vfs_fault = {
    .open = fault_open,
    .pread = fault_pread,
    .pwrite = fault_pwrite,
    .lseek = fault_lseek,
    .fsync = fault_fsync,
    .ftruncate = fault_ftruncate,
    .fstat = fault_fstat,
    .close = fault_close,
    .unlink = fault_unlink,
};

void scion_fault_arm(unsigned mask, long n, long times, int errnum)
{
    size_t limit = fault.limit;

    fault = (struct fault){.mask = mask, .n = n, .times = times, .errnum = errnum, .limit = limit};
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

long scion_fault_hits(void)
{
    return fault.hits;
}

void scion_fault_disarm(void)
{
    fault.limit = 0;
    scion_vfs_use(NULL);
}

/* Whole transfers: calls that the system ends early are made again. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "vfs/file.h"

static int fail_write(struct scion_file *file, int errnum, size_t bytes, sion_int64 offset)
{
    scion_file_refuse(file, errnum);
    return scion_fail_errno(errnum, "cannot write %zu bytes at offset %lld of %s", bytes, offset,
                            file->path);
}

static int refuse_no_file(void)
{
    return scion_fail(SION_ERR_MODE, "this task has no file of its own, its data can only be "
                                     "moved by collective calls");
}

static _Thread_local long transfers;

long scion_vfs_transfers(void)
{
    return transfers;
}

/* The table for a call that moves data. */
static const struct scion_vfs *count_transfer(const struct scion_file *file)
{
    transfers++;
    return file->vfs;
}

void scion_file_show(struct scion_file *file, const struct scion_file_view *view)
{
    file->view = view;
}

void scion_file_watch(struct scion_file *file, struct scion_file_guard *guard)
{
    file->guard = guard;
}

int scion_file_is_watched(const struct scion_file *file)
{
    return file && file->guard;
}

static int fail_cut_off(const struct scion_file *file, size_t got, size_t bytes, sion_int64 offset)
{
    return scion_fail(SION_ERR_DAMAGED, "%s is cut off: %zu of %zu bytes at offset %lld",
                      file->path, got, bytes, offset);
}

static int read_plain(struct scion_file *file, void *to, size_t bytes, sion_int64 offset,
                      size_t *got)
{
    int times = 0;

    *got = 0;
    while (*got < bytes) {
        ssize_t n = count_transfer(file)->pread(file->fd, (char *)to + *got, bytes - *got,
                                                (off_t)(offset + (sion_int64)*got));

        if (n < 0 && scion_vfs_again(&times))
            continue;
        if (n < 0)
            return scion_fail_errno(errno, "cannot read %zu bytes at offset %lld of %s", bytes,
                                    offset, file->path);
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return 0;
}

/* Leave out the bytes that have been moved; the first run that is not over. */
static struct iovec *skip(struct iovec *runs, int *n, size_t moved)
{
    for (; *n > 0 && moved >= runs->iov_len; (*n)--, runs++)
        moved -= runs->iov_len;
    if (*n > 0) {
        runs->iov_base = (char *)runs->iov_base + moved;
        runs->iov_len -= moved;
    }
    return runs;
}

int scion_file_reads_runs(const struct scion_file *file)
{
    return file && !file->view && !file->guard;
}

int scion_file_read_runs(struct scion_file *file, struct iovec *runs, int n, size_t least,
                         sion_int64 offset, size_t *got)
{
    int times = 0;
    ssize_t moved = 1;

    for (*got = 0; *got < least && moved != 0;) {
        off_t at = (off_t)(offset + (sion_int64)*got);

        moved = n > 1 ? count_transfer(file)->preadv(file->fd, runs, n, at)
                      : count_transfer(file)->pread(file->fd, runs->iov_base, runs->iov_len, at);
        if (moved < 0 && !scion_vfs_again(&times))
            return scion_fail_errno(errno, "cannot read %zu bytes at offset %lld of %s", least,
                                    offset, file->path);
        if (moved > 0) {
            *got += (size_t)moved;
            runs = skip(runs, &n, (size_t)moved);
        }
    }
    return *got >= least ? 0 : fail_cut_off(file, *got, least, offset);
}

static int read_watched(struct scion_file *file, void *to, size_t bytes, sion_int64 offset,
                        size_t *got)
{
    return file->guard ? file->guard->read(file->guard, read_plain, file, to, bytes, offset, got)
                       : read_plain(file, to, bytes, offset, got);
}

int scion_file_read_some(struct scion_file *file, void *to, size_t bytes, sion_int64 offset,
                         size_t *got)
{
    *got = 0;
    if (!file)
        return refuse_no_file();
    return file->view ? scion_file_view_read(file->view, read_watched, file, to, bytes, offset, got)
                      : read_watched(file, to, bytes, offset, got);
}

int scion_file_read_least(struct scion_file *file, void *to, size_t bytes, size_t least,
                          sion_int64 offset, size_t *got)
{
    size_t more;
    int rc = scion_file_read_some(file, to, bytes, offset, got);

    while (rc == 0 && *got < least && (file->guard || file->view)) {
        rc = scion_file_read_some(file, (char *)to + *got, bytes - *got, offset + (sion_int64)*got,
                                  &more);
        if (more == 0)
            break;
        *got += more;
    }
    return rc == 0 && *got < least ? fail_cut_off(file, *got, least, offset) : rc;
}

int scion_file_read(struct scion_file *file, void *to, size_t bytes, sion_int64 offset)
{
    size_t got;

    return scion_file_read_least(file, to, bytes, bytes, offset, &got);
}

int scion_file_piece(const struct scion_file *file, sion_int64 offset, sion_int64 *begin,
                     sion_int64 *end)
{
    return scion_file_is_watched(file) && !file->view &&
           file->guard->piece(file->guard, offset, begin, end);
}

/* Of offsets in the file itself. */
static int check_there(struct scion_file *file, sion_int64 offset, sion_int64 bytes)
{
    return file->guard ? file->guard->check(file->guard, read_plain, file, offset, bytes) : 0;
}

int scion_file_check(struct scion_file *file, sion_int64 offset, sion_int64 bytes)
{
    sion_int64 there, run = bytes;
    int rc = 0;

    for (; scion_file_is_watched(file) && rc == 0 && bytes > 0; offset += run, bytes -= run) {
        there = offset;
        run = file->view ? file->view->find(file->view, offset, &there) : bytes;
        if (run <= 0)
            break;
        run = run < bytes ? run : bytes;
        rc = check_there(file, there, run);
    }
    return rc;
}

/* If the system does not tell holes from data, everything is data. */
static void find_run(struct scion_file *file, sion_int64 offset)
{
    sion_int64 data = file->vfs->lseek(file->fd, (off_t)offset, SEEK_DATA), size;

    if (data < 0 && errno == ENXIO && scion_file_size(file, &size) == 0 && size > offset)
        data = size;
    file->run.from = offset;
    file->run.is_hole = data > offset;
    file->run.end = data > offset ? data : file->vfs->lseek(file->fd, (off_t)offset, SEEK_HOLE);
    if (file->run.end <= offset)
        file->run.end = LLONG_MAX;
}

sion_int64 scion_file_run(struct scion_file *file, sion_int64 offset, sion_int64 most, int *is_hole)
{
    sion_int64 left, there, run;

    if (file->view) {
        run = file->view->find(file->view, offset, &there);
        *is_hole = 0;
        if (run <= 0)
            return most;
        most = run < most ? run : most;
        offset = there;
    }
    if (offset < file->run.from || offset >= file->run.end)
        find_run(file, offset);
    left = file->run.end - offset;
    left = left < most ? left : most;
    /* Zeros that are wrong are not passed over. */
    *is_hole = file->run.is_hole && check_there(file, offset, left) == 0;
    return left;
}

/* By one call to the system. */
static ssize_t write_runs(struct scion_file *file, const struct iovec *runs, int n,
                          sion_int64 offset)
{
    return n > 1 ? count_transfer(file)->pwritev(file->fd, runs, n, (off_t)offset)
                 : count_transfer(file)->pwrite(file->fd, runs->iov_base, runs->iov_len,
                                                (off_t)offset);
}

int scion_file_write_two(struct scion_file *file, const struct iovec runs[2], sion_int64 offset,
                         size_t *done)
{
    size_t bytes = runs[0].iov_len + runs[1].iov_len, put = 0;
    struct iovec all[] = {runs[0], runs[1]}, *rest;
    int rc = file ? 0 : refuse_no_file(), times = 0, n = runs[1].iov_len > 0 ? 2 : 1;

    rest = skip(all, &n, 0);
    while (rc == 0 && put < bytes) {
        ssize_t moved = write_runs(file, rest, n, offset + (sion_int64)put);

        if (moved < 0 && scion_vfs_again(&times))
            continue;
        if (moved <= 0)
            rc =
                fail_write(file, moved < 0 ? errno : ENOSPC, bytes - put, offset + (sion_int64)put);
        else
            rest = skip(rest, &n, (size_t)moved);
        put += moved > 0 ? (size_t)moved : 0;
    }
    if (done)
        *done = put;
    return rc;
}

int scion_file_write(struct scion_file *file, const void *from, size_t bytes, sion_int64 offset,
                     size_t *done)
{
    const struct iovec runs[2] = {{.iov_len = 0}, {(void *)from, bytes}};

    return scion_file_write_two(file, runs, offset, done);
}

enum { COPY_PIECE = 1 << 16 };

/* The same through memory. */
static int copy_by_hand(struct scion_file *from, off_t offset, struct scion_file *to,
                        off_t to_offset, sion_int64 bytes)
{
    unsigned char piece[COPY_PIECE];

    while (bytes > 0) {
        size_t now = bytes < COPY_PIECE ? (size_t)bytes : COPY_PIECE;
        int rc = scion_file_read(from, piece, now, offset);

        if (rc == 0)
            rc = scion_file_write(to, piece, now, to_offset, NULL);
        if (rc != 0)
            return rc;
        offset += (off_t)now;
        to_offset += (off_t)now;
        bytes -= (sion_int64)now;
    }
    return 0;
}

/* Reasons why the system cannot copy between these two files, but we can. */
static int is_unable(int errnum)
{
    return errnum == ENOSYS || errnum == EXDEV || errnum == EINVAL || errnum == EOPNOTSUPP ||
           errnum == EPERM || errnum == ETXTBSY;
}

int scion_file_copy(struct scion_file *from, sion_int64 offset, struct scion_file *to,
                    sion_int64 to_offset, sion_int64 bytes)
{
    off_t at = (off_t)offset, to_at = (off_t)to_offset;
    int times = 0;

    if (from->guard)
        return copy_by_hand(from, at, to, to_at, bytes);
    while (bytes > 0) {
        ssize_t n = to->vfs->copy(from->fd, &at, to->fd, &to_at, (size_t)bytes);

        if (n < 0 && scion_vfs_again(&times))
            continue;
        if (n == 0 || (n < 0 && is_unable(errno)))
            return copy_by_hand(from, at, to, to_at, bytes);
        if (n < 0) {
            scion_file_refuse(to, errno);
            return scion_fail_errno(to->harm.written,
                                    "cannot copy %lld bytes at offset %lld from %s to %s", bytes,
                                    (sion_int64)at, from->path, to->path);
        }
        bytes -= n;
    }
    return 0;
}

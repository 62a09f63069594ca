#include "run/preload/copy.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "run/native.h"
#include "run/preload/place.h"
#include "run/preload/state.h"

int run_new_name(const char *path, char *to, size_t room)
{
    static _Atomic unsigned count;
    unsigned n = atomic_fetch_add(&count, 1);
    long pid = syscall(SYS_getpid);
    int length;

    if (path)
        length = snprintf(to, room, "%.*s.sionrun-%ld.%u", (int)(strrchr(path, '/') + 1 - path),
                          path, pid, n);
    else
        length = snprintf(to, room, "%.*s/new/%ld.%u", (int)run_session.folder_length,
                          run_session.tree, pid, n);
    if (length < (int)room)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

void run_copy_attributes(const char *to, const struct stat *status)
{
    struct timespec times[2] = {status->st_atim, status->st_mtim};

    /* First the owner, because a change of it can take bits of the mode away. */
    if (syscall(SYS_fchownat, AT_FDCWD, to, status->st_uid, status->st_gid, AT_SYMLINK_NOFOLLOW) !=
        0)
        syscall(SYS_fchownat, AT_FDCWD, to, (uid_t)-1, status->st_gid, AT_SYMLINK_NOFOLLOW);
    if (!S_ISLNK(status->st_mode))
        syscall(SYS_fchmodat, AT_FDCWD, to, status->st_mode & 07777);
    syscall(SYS_utimensat, AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW);
}

static int write_all(int to, const char *bytes, ssize_t n)
{
    while (n > 0) {
        ssize_t done = write(to, bytes, (size_t)n);

        if (done < 0)
            return -1;
        bytes += done;
        n -= done;
    }
    return 0;
}

/* From one offset to another. */
static int copy_range(int from, int to, off_t at, off_t end, char *buffer, size_t room)
{
    ssize_t n = 1;

    if (lseek(to, at, SEEK_SET) < 0)
        return -1;
    for (; at < end && n > 0; at += n) {
        n = pread(from, buffer, end - at < (off_t)room ? (size_t)(end - at) : room, at);
        if (n < 0 || write_all(to, buffer, n) != 0)
            return -1;
    }
    return 0;
}

/* Holes stay holes, where the system can tell them. */
static int copy_bytes(int from, int to, char *buffer, size_t room)
{
    struct stat status;
    off_t at = 0, data, end;

    if (native_fstat(from, &status) != 0)
        return -1;
    while (at < status.st_size) {
        data = lseek(from, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            break;
        data = data < 0 ? at : data;
        end = lseek(from, data, SEEK_HOLE);
        end = end < 0 ? status.st_size : end;
        if (copy_range(from, to, data, end, buffer, room) != 0)
            return -1;
        at = end;
    }
    return ftruncate(to, status.st_size);
}

int run_copy_bytes(int from, int to)
{
    struct run_place *room = run_take(); /* for its buffers: those of a stack could be too large */
    int rc = copy_bytes(from, to, room->real, sizeof *room - offsetof(struct run_place, real));

    run_give(room);
    return rc;
}

static int copy_file(const char *from, const char *to, int with_bytes)
{
    int in = with_bytes ? native_open(from, O_RDONLY | O_NOFOLLOW, 0) : -1, rc = 0, why;
    int out = !with_bytes || in >= 0 ? native_open(to, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;

    if (out < 0)
        rc = -1;
    else if (with_bytes)
        rc = run_copy_bytes(in, out);
    why = errno;
    if (in >= 0)
        native_close(in);
    if (out >= 0)
        native_close(out);
    if (out >= 0 && rc != 0)
        native_unlink(to, 0);
    errno = why;
    return rc;
}

static int copy_link(const char *from, const char *to)
{
    struct run_place *room = run_take();
    long length = syscall(SYS_readlinkat, AT_FDCWD, from, room->target, (unsigned long)PATH_MAX);
    int rc = -1;

    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
    } else if (length >= 0) {
        room->target[length] = '\0';
        rc = (int)syscall(SYS_symlinkat, room->target, AT_FDCWD, to);
    }
    run_give(room);
    return rc;
}

int run_copy(const char *from, const struct stat *status, const char *to, int with_bytes)
{
    int rc;

    if (S_ISREG(status->st_mode))
        rc = copy_file(from, to, with_bytes);
    else if (S_ISLNK(status->st_mode))
        rc = copy_link(from, to);
    else if (S_ISDIR(status->st_mode))
        rc = native_mkdir(to, 0700);
    else
        rc = (int)syscall(SYS_mknodat, AT_FDCWD, to, status->st_mode & (S_IFMT | 07777),
                          status->st_rdev);
    if (rc == 0)
        run_copy_attributes(to, status);
    return rc;
}

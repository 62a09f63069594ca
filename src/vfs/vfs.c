#include "vfs/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/trace.h"
#include "vfs/below.h"
#include "vfs/file.h"
#include "vfs/inject.h"

static int open_flags(enum scion_open_how how)
{
    switch (how) {
    case SCION_OPEN_CREATE:
        return O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC;
    case SCION_OPEN_NEW:
        return O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    case SCION_OPEN_CREATE_OWN:
        return O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    case SCION_OPEN_OWN:
        return O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    case SCION_OPEN_WRITE:
        return O_RDWR | O_NONBLOCK | O_CLOEXEC;
    default:
        return O_RDONLY | O_NONBLOCK | O_CLOEXEC;
    }
}

/*
 * Not one of the standard descriptors: what a program with a closed stderr prints must not go into
 * a container.
 */
static int leave_standard_descriptors(int fd)
{
    int higher;

    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return higher;
}

static int check_regular(struct scion_file *file)
{
    if (file->vfs->fstat(file->fd, &file->opened) != 0)
        return scion_fail_errno(errno, "cannot open %s", file->path);
    if (S_ISDIR(file->opened.st_mode))
        return scion_fail_errno(EISDIR, "cannot open %s", file->path);
    if (!S_ISREG(file->opened.st_mode))
        return scion_fail(SION_ERR_SYSTEM, "cannot open %s: not a regular file", file->path);
    /* O_NONBLOCK was only for files that are not regular. Applications get the descriptor, too. */
    if (fcntl(file->fd, F_SETFL, 0) != 0)
        return scion_fail_errno(errno, "cannot open %s", file->path);
    return 0;
}

static int is_for_reading(enum scion_open_how how)
{
    return how == SCION_OPEN_READ || how == SCION_OPEN_INSIDE;
}

static int fail_to_open(const char *path, enum scion_open_how how, int errnum)
{
    if (errnum == ELOOP && open_flags(how) & O_NOFOLLOW)
        return scion_fail(SION_ERR_SYSTEM,
                          "cannot open %s for writing: it is a link, which could lead elsewhere",
                          path);
    return scion_fail_errno(errnum, "cannot open %s for %s", path,
                            is_for_reading(how) ? "reading" : "writing");
}

/* By its path, or by its name in a folder, where no link is followed. */
static int call_open(const struct scion_file *file, int folder, const char *name,
                     enum scion_open_how how, mode_t permissions)
{
    return folder == AT_FDCWD
               ? file->vfs->open(file->path, open_flags(how), permissions)
               : file->vfs->openat(folder, name, open_flags(how) | O_NOFOLLOW, permissions);
}

static void remove_new(const struct scion_file *file, int folder, const char *name)
{
    if (folder == AT_FDCWD)
        file->vfs->unlink(file->path);
    else
        file->vfs->unlinkat(folder, name, 0);
}

static int open_file(int folder, const char *name, enum scion_open_how how, mode_t permissions,
                     const char *path, struct scion_file **file)
{
    struct scion_file *new = calloc(1, sizeof *new + strlen(path) + 1);
    int rc, times = 0;

    if (!new)
        return scion_fail_memory("file");
    scion_inject();
    new->vfs = scion_vfs_current();
    new->is_writing = !is_for_reading(how);
    strcpy(new->path, path);
    do
        new->fd = leave_standard_descriptors(call_open(new, folder, name, how, permissions));
    while (new->fd < 0 && scion_vfs_again(&times));
    if (new->fd < 0) {
        rc = fail_to_open(path, how, errno);
        free(new);
        return rc;
    }
    rc = how == SCION_OPEN_INSIDE ? 0 : check_regular(new);
    if (rc != 0) {
        if (how == SCION_OPEN_NEW)
            remove_new(new, folder, name);
        new->vfs->close(new->fd);
        free(new);
        return rc;
    }
    *file = new;
    return 0;
}

int scion_file_open(const char *path, enum scion_open_how how, mode_t permissions,
                    struct scion_file **file)
{
    int rc = open_file(AT_FDCWD, NULL, how, permissions, path, file);

    if (rc == 0)
        scion_trace(SCION_TRACE_DESCRIPTOR, "%s is descriptor %d, %s", path, (*file)->fd,
                    how == SCION_OPEN_READ ? "reading" : "writing");
    return rc;
}

int scion_below_file(int folder, const char *name, enum scion_open_how how, mode_t permissions,
                     const char *path, struct scion_file **file)
{
    return open_file(folder, name, how, permissions, path, file);
}

int scion_file_open_own(const char *path, const struct stat *made, struct scion_file **file)
{
    struct scion_file *new;
    int rc = scion_file_open(path, SCION_OPEN_OWN, 0, &new);

    if (rc != 0)
        return rc;
    if (scion_is_same_file(&new->opened, made)) {
        *file = new;
        return 0;
    }
    scion_file_close(new);
    return scion_fail(SION_ERR_SYSTEM, "%s is another file than the one that was made", path);
}

/* Only files in memory can have seals. */
int scion_file_is_in_memory(const struct scion_file *file)
{
#ifdef F_GET_SEALS
    return file && fcntl(file->fd, F_GET_SEALS) >= 0;
#else
    (void)file;
    return 0;
#endif
}

int scion_file_again(const struct scion_file *file, struct scion_file **again)
{
    size_t size = sizeof *file + strlen(file->path) + 1;
    struct scion_file *new = malloc(size);

    if (!new)
        return scion_fail_memory("file");
    memcpy(new, file, size);
    new->guard = NULL;
    new->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (new->fd < 0) {
        free(new);
        return scion_fail_errno(errno, "cannot open %s", file->path);
    }
    scion_trace(SCION_TRACE_DESCRIPTOR, "%s is also descriptor %d", file->path, new->fd);
    *again = new;
    return 0;
}

/* ---- what cannot be made good ---- */

static void note(int *errnum, int later)
{
    *errnum = *errnum != 0 ? *errnum : later;
}

int scion_file_check_flushed(const struct scion_file *file)
{
    return file ? scion_harm_check_flushed(&file->harm, file->path) : 0;
}

int scion_file_check_written(const struct scion_file *file)
{
    return file ? scion_harm_check_written(&file->harm, file->path) : 0;
}

void scion_file_refuse(struct scion_file *file, int errnum)
{
    if (file)
        note(&file->harm.written, errnum);
}

/* ---- the end ---- */

/* What a network file system could not write is told by close(). */
static int close_descriptor(struct scion_file *file, int fd)
{
    if (file->vfs->close(fd) == 0 || errno == EINTR)
        return 0;
    if (file->is_writing)
        note(&file->harm.flushed, errno);
    return scion_fail_errno(errno, "error while closing %s", file->path);
}

int scion_file_suspend(struct scion_file *file, struct scion_harm *harm)
{
    int rc;

    if (!file)
        return 0;
    scion_trace(SCION_TRACE_DESCRIPTOR, "descriptor %d, %s", file->fd, file->path);
    rc = close_descriptor(file, file->fd);
    *harm = file->harm;
    free(file);
    return rc;
}

void scion_file_resume(struct scion_file *file, const struct scion_harm *harm)
{
    file->harm = *harm;
}

int scion_file_close(struct scion_file *file)
{
    struct scion_harm harm;
    int rc = scion_file_check_flushed(file), closed = scion_file_suspend(file, &harm);

    return scion_first_failure(rc, closed);
}

const char *scion_file_path(const struct scion_file *file)
{
    return file ? file->path : "no file";
}

int scion_file_descriptor(const struct scion_file *file)
{
    return file ? file->fd : -1;
}

int scion_file_lend(struct scion_file *file, int *fd)
{
    int lent, times = 0;

    do
        lent = file->vfs->dup(file->fd, *fd);
    while (lent < 0 && (errno == EBUSY || scion_vfs_again(&times)));
    if (lent < 0)
        return scion_fail_errno(errno, "cannot get a descriptor for the FILE* of %s", file->path);
    scion_trace(SCION_TRACE_DESCRIPTOR, "%s is descriptor %d, for the application", file->path,
                lent);
    *fd = lent;
    return 0;
}

void scion_file_take_back(struct scion_file *file, int fd)
{
    scion_trace(SCION_TRACE_DESCRIPTOR, "descriptor %d, for the application", fd);
    (void)close_descriptor(file, fd); /* the next flush or the close will tell */
}

int scion_file_tell(struct scion_file *file, sion_int64 *offset)
{
    *offset = file->vfs->lseek(file->fd, 0, SEEK_CUR);
    return *offset < 0 ? scion_fail_errno(errno, "no position in %s", file->path) : 0;
}

int scion_file_seek(struct scion_file *file, sion_int64 offset)
{
    if (file->vfs->lseek(file->fd, (off_t)offset, SEEK_SET) < 0)
        return scion_fail_errno(errno, "cannot go to offset %lld of %s", offset, file->path);
    return 0;
}

int scion_file_lock(struct scion_file *file, int command, struct flock *bytes)
{
    int rc, times = 0;

    do
        rc = file->vfs->lock(file->fd, command, bytes);
    while (rc != 0 && scion_vfs_again(&times));
    return rc == 0 ? 0 : errno;
}

/* The system gives no lease on a file that is being written. */
int scion_file_has_writer(const struct scion_file *file)
{
    if (fcntl(file->fd, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN;
    fcntl(file->fd, F_SETLEASE, F_UNLCK);
    return 0;
}

int scion_file_sync(struct scion_file *file)
{
    int rc = scion_file_check_flushed(file);

    if (rc != 0 || !file || scion_vfs_sync(file->vfs, file->fd) == 0)
        return rc;
    note(&file->harm.flushed, errno);
    return scion_fail_errno(errno, "cannot flush %s to disk", file->path);
}

int scion_file_set_permissions(struct scion_file *file, mode_t permissions)
{
    if (file->vfs->fchmod(file->fd, permissions) != 0)
        return scion_fail_errno(errno, "cannot set the permissions of %s", file->path);
    return 0;
}

int scion_file_set_owner(struct scion_file *file, uid_t owner, gid_t group)
{
    return file->vfs->fchown(file->fd, owner, group) == 0 ? 0 : errno;
}

int scion_file_set_times(struct scion_file *file, const struct stat *as)
{
    const struct timespec times[2] = {as->st_atim, as->st_mtim};

    return file->vfs->futimens(file->fd, times) == 0 ? 0 : errno;
}

const struct stat *scion_file_opened(const struct scion_file *file)
{
    return &file->opened;
}

int scion_file_status(struct scion_file *file, struct stat *status)
{
    if (file->vfs->fstat(file->fd, status) != 0)
        return scion_fail_errno(errno, "cannot stat %s", file->path);
    return 0;
}

/* Another descriptor of a file that is open for writing; -1 if its name no longer leads to it. */
static int open_again(struct scion_file *file, const struct stat *status, int *fd)
{
    int flags = fcntl(file->fd, F_GETFL), rc = 0, times = 0;
    struct stat other;

    *fd = -1;
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return 0;
    do
        *fd = file->vfs->open(file->path, O_WRONLY | O_CLOEXEC, 0);
    while (*fd < 0 && scion_vfs_again(&times));
    if (*fd < 0)
        return errno == ENOENT ? 0 : scion_fail_errno(errno, "cannot open %s again", file->path);
    if (file->vfs->fstat(*fd, &other) != 0)
        rc = scion_fail_errno(errno, "cannot stat %s", file->path);
    else if (other.st_dev == status->st_dev && other.st_ino == status->st_ino)
        return 0;
    file->vfs->close(*fd);
    *fd = -1;
    return rc;
}

static int cut(struct scion_file *file, int fd, sion_int64 size)
{
    int rc, times = 0;

    do
        rc = file->vfs->ftruncate(fd, (off_t)size);
    while (rc != 0 && scion_vfs_again(&times));
    if (rc != 0)
        return scion_fail_errno(errno, "cannot cut %s to %lld bytes", file->path, size);
    return 0;
}

int scion_file_punch(struct scion_file *file, sion_int64 offset, sion_int64 bytes)
{
    int times = 0, rc;

    do
        rc = file->vfs->punch(file->fd, (off_t)offset, (off_t)bytes);
    while (rc != 0 && scion_vfs_again(&times));
    return rc == 0 ? 0 : errno;
}

/*
 * File systems such as ext4 take a file that was cut to 0 bytes for one that is being replaced, and
 * write everything to the disk when it is closed. So a file without bytes is left alone, and others
 * are cut through a descriptor that is closed before anything is written.
 */
int scion_file_truncate(struct scion_file *file, sion_int64 size)
{
    struct stat status;
    int rc = scion_file_status(file, &status), fd = -1;

    if (rc != 0 || status.st_size == size)
        return rc;
    rc = open_again(file, &status, &fd);
    if (rc == 0)
        rc = cut(file, fd >= 0 ? fd : file->fd, size);
    if (fd >= 0) {
        int closed = close_descriptor(file, fd);

        rc = scion_first_failure(rc, closed);
    }
    return rc;
}

int scion_file_size(struct scion_file *file, sion_int64 *size)
{
    struct stat status;
    int rc = scion_file_status(file, &status);

    if (rc == 0)
        *size = status.st_size;
    return rc;
}

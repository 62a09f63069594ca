/* The system calls that the library uses, as a table that tests replace (fault.h). */
#ifndef SCION_VFS_SYSTEM_H
#define SCION_VFS_SYSTEM_H

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>

/* System calls, with the meaning and the errno of the real ones. */
struct scion_vfs {
    int (*open)(const char *path, int flags, mode_t mode);
    ssize_t (*pread)(int fd, void *to, size_t bytes, off_t offset);
    ssize_t (*preadv)(int fd, const struct iovec *runs, int count, off_t offset);
    ssize_t (*pwrite)(int fd, const void *from, size_t bytes, off_t offset);
    ssize_t (*pwritev)(int fd, const struct iovec *runs, int count, off_t offset);
    off_t (*lseek)(int fd, off_t offset, int whence);
    int (*fsync)(int fd);
    int (*ftruncate)(int fd, off_t size);
    int (*punch)(int fd, off_t offset, off_t bytes);
    int (*fstat)(int fd, struct stat *status);
    int (*close)(int fd);
    int (*dup)(int fd, int to); /* to: a descriptor that is replaced; negative: a new one */
    int (*unlink)(const char *path);
    int (*rename)(const char *from, const char *to);
    int (*rename_new)(const char *from, const char *to); /* EEXIST if that name is taken */
    ssize_t (*copy)(int from, off_t *offset, int to, off_t *to_offset, size_t bytes);
    int (*stat)(const char *path, struct stat *status);
    int (*lstat)(const char *path, struct stat *status);
    int (*access)(const char *path, int how);
    int (*chmod)(const char *path, mode_t mode);
    int (*fchmod)(int fd, mode_t mode);
    int (*fchown)(int fd, uid_t owner, gid_t group);
    int (*futimens)(int fd, const struct timespec times[2]);
    int (*link)(const char *from, const char *to);
    int (*mkdir)(const char *path, mode_t mode);
    int (*rmdir)(const char *path);
    char *(*realpath)(const char *path, char *to);
    struct dirent *(*readdir)(DIR *folder);
    int (*openat)(int folder, const char *name, int flags, mode_t mode);
    int (*fstatat)(int folder, const char *name, struct stat *status, int flags);
    ssize_t (*readlinkat)(int folder, const char *name, char *to, size_t bytes);
    int (*mkdirat)(int folder, const char *name, mode_t mode);
    int (*mkfifoat)(int folder, const char *name, mode_t mode);
    int (*symlinkat)(const char *target, int folder, const char *name);
    int (*linkat)(int from_folder, const char *from, int folder, const char *name, int flags);
    int (*renameat)(int from_folder, const char *from, int folder, const char *name);
    int (*unlinkat)(int folder, const char *name, int flags);
    int (*utimensat)(int folder, const char *name, const struct timespec times[2], int flags);
    int (*statfs)(const char *path, struct statfs *status);
    ssize_t (*getxattr)(const char *path, const char *name, void *value, size_t bytes);
    ssize_t (*listxattr)(const char *path, char *names, size_t bytes);
    ssize_t (*fgetxattr)(int fd, const char *name, void *value, size_t bytes);
    int (*fsetxattr)(int fd, const char *name, const void *value, size_t bytes, int flags);
    int (*fremovexattr)(int fd, const char *name);
    int (*lock)(int fd, int command, struct flock *bytes);
};

extern const struct scion_vfs scion_vfs_posix;

/* Use another table for files opened from now on; NULL: the system's. For tests. */
void scion_vfs_use(const struct scion_vfs *vfs);
const struct scion_vfs *scion_vfs_current(void);

/*
 * How many files of a set keep a descriptor; others are opened again when they are needed. At least
 * two, at most SCION_DESCRIPTORS: SION_DESCRIPTORS of the environment, and no more than a quarter
 * of what the process may have, because several sets may be open.
 */
enum { SCION_DESCRIPTORS = 64 };
int scion_set_descriptors(void);

/*
 * Whether a call that failed was interrupted by a signal and has to be made again. *times is 0
 * before the first call. A call that is always interrupted fails at last.
 */
int scion_vfs_again(int *times);

/* From now on, other programs and threads use the disk before the calling thread does. */
void scion_vfs_be_last(void);

/* 1 if both were said of one file. */
static inline int scion_is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* 0, also if there is nothing to sync; or -1 with errno set. */
int scion_vfs_sync(const struct scion_vfs *vfs, int fd);

#endif

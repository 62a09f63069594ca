/*
 * A slow file system: slow_fs FOLDER MOUNTPOINT BYTES_PER_SECOND shows a folder, and lets all
 * writes together take so many bytes in a second. It ends when it is unmounted (fusermount3 -u).
 */
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fuse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static const char *root;
static double rate, next; /* second from which on the next byte may be written */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void take_time(size_t bytes)
{
    double now = seconds(), until;
    struct timespec pause;

    pthread_mutex_lock(&lock);
    next = (next > now ? next : now) + (double)bytes / rate;
    until = next - now;
    pthread_mutex_unlock(&lock);
    pause.tv_sec = (time_t)until;
    pause.tv_nsec = (long)(1e9 * (until - (double)pause.tv_sec));
    nanosleep(&pause, NULL);
}

static char *real(const char *path, char *to)
{
    snprintf(to, 4096, "%s%s", root, path);
    return to;
}

static int result(int rc)
{
    return rc < 0 ? -errno : 0;
}

static int on_getattr(const char *path, struct stat *status, struct fuse_file_info *info)
{
    char to[4096];

    (void)info;
    return result(lstat(real(path, to), status));
}

static int on_open(const char *path, struct fuse_file_info *info)
{
    char to[4096];
    int fd = open(real(path, to), info->flags & ~O_APPEND);

    info->fh = (uint64_t)fd;
    return result(fd);
}

static int on_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
    char to[4096];
    int fd = open(real(path, to), info->flags, mode);

    info->fh = (uint64_t)fd;
    return result(fd);
}

static int on_read(const char *path, char *to, size_t bytes, off_t at, struct fuse_file_info *info)
{
    ssize_t got = pread((int)info->fh, to, bytes, at);

    (void)path;
    return got < 0 ? -errno : (int)got;
}

static int on_write(const char *path, const char *from, size_t bytes, off_t at,
                    struct fuse_file_info *info)
{
    ssize_t put;

    (void)path;
    take_time(bytes);
    put = pwrite((int)info->fh, from, bytes, at);
    return put < 0 ? -errno : (int)put;
}

static int on_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
    char to[4096];

    (void)info;
    return result(truncate(real(path, to), size));
}

static int on_release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    return result(close((int)info->fh));
}

static int on_unlink(const char *path)
{
    char to[4096];

    return result(unlink(real(path, to)));
}

static int on_rename(const char *from, const char *to, unsigned flags)
{
    char old[4096], new[4096];

    return result(renameat2(AT_FDCWD, real(from, old), AT_FDCWD, real(to, new), flags));
}

static int on_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
    char to[4096];

    (void)info;
    return result(chmod(real(path, to), mode));
}

static int on_statfs(const char *path, struct statvfs *status)
{
    char to[4096];

    return result(statvfs(real(path, to), status));
}

static int on_readdir(const char *path, void *to, fuse_fill_dir_t fill, off_t at,
                      struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
    char folder[4096];
    DIR *dir = opendir(real(path, folder));
    struct dirent *entry;

    (void)at, (void)info, (void)flags;
    if (!dir)
        return -errno;
    while ((entry = readdir(dir)))
        fill(to, entry->d_name, NULL, 0, 0);
    closedir(dir);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct fuse_operations operations = {
        .getattr = on_getattr,
        .open = on_open,
        .create = on_create,
        .read = on_read,
        .write = on_write,
        .truncate = on_truncate,
        .release = on_release,
        .unlink = on_unlink,
        .rename = on_rename,
        .chmod = on_chmod,
        .statfs = on_statfs,
        .readdir = on_readdir,
    };
    char *arguments[] = {argv[0], argv[2], NULL};

    if (argc != 4 || atof(argv[3]) <= 0) {
        fprintf(stderr, "Usage: slow_fs FOLDER MOUNTPOINT BYTES_PER_SECOND\n");
        return 1;
    }
    root = argv[1];
    rate = atof(argv[3]);
    return fuse_main(2, arguments, &operations, NULL);
}

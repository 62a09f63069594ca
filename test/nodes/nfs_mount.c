/*
 * Mounts an NFS export without the kernel's NFS client: FUSE passes each call to libnfs. As with
 * the kernel's client and the option nolock, locks are the node's own, attributes are cached for a
 * second, and pages until the next open.
 *
 *   nfs_mount URL FOLDER     URL: nfs://SERVER/EXPORT?version=4...
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <nfsc/libnfs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct nfs_context *nfs;

/* ---- names ---- */

static void fill(struct stat *to, const struct nfs_stat_64 *from)
{
    *to = (struct stat){.st_dev = from->nfs_dev,
                        .st_ino = from->nfs_ino,
                        .st_mode = (mode_t)from->nfs_mode,
                        .st_nlink = from->nfs_nlink,
                        .st_uid = (uid_t)from->nfs_uid,
                        .st_gid = (gid_t)from->nfs_gid,
                        .st_size = (off_t)from->nfs_size,
                        .st_blksize = 4096,
                        .st_blocks = (blkcnt_t)from->nfs_blocks,
                        .st_atim = {(time_t)from->nfs_atime, (long)from->nfs_atime_nsec},
                        .st_mtim = {(time_t)from->nfs_mtime, (long)from->nfs_mtime_nsec},
                        .st_ctim = {(time_t)from->nfs_ctime, (long)from->nfs_ctime_nsec}};
}

static int get_status(const char *path, struct stat *status, struct fuse_file_info *opened)
{
    struct nfs_stat_64 found;
    int rc = nfs_lstat64(nfs, path, &found);

    (void)opened;
    if (rc == 0)
        fill(status, &found);
    return rc;
}

static int read_link(const char *path, char *to, size_t room)
{
    return nfs_readlink(nfs, path, to, (int)room);
}

static int make_folder(const char *path, mode_t mode)
{
    return nfs_mkdir2(nfs, path, (int)mode);
}

static int remove_file(const char *path)
{
    return nfs_unlink(nfs, path);
}

static int remove_folder(const char *path)
{
    return nfs_rmdir(nfs, path);
}

static int make_symlink(const char *target, const char *path)
{
    return nfs_symlink(nfs, target, path);
}

static int make_link(const char *from, const char *to)
{
    return nfs_link(nfs, from, to);
}

static int move(const char *from, const char *to, unsigned flags)
{
    return flags ? -EINVAL : nfs_rename(nfs, from, to);
}

static int set_mode(const char *path, mode_t mode, struct fuse_file_info *opened)
{
    (void)opened;
    return nfs_chmod(nfs, path, (int)(mode & 07777));
}

static int set_owner(const char *path, uid_t user, gid_t group, struct fuse_file_info *opened)
{
    (void)opened;
    return nfs_lchown(nfs, path, (int)user, (int)group);
}

static int set_times(const char *path, const struct timespec times[2],
                     struct fuse_file_info *opened)
{
    struct timeval both[2];
    struct timespec now;
    int i;

    (void)opened;
    clock_gettime(CLOCK_REALTIME, &now);
    for (i = 0; i < 2; i++) {
        const struct timespec *time = times[i].tv_nsec == UTIME_NOW ? &now : &times[i];

        if (times[i].tv_nsec == UTIME_OMIT)
            return 0; /* touch -a and -m are not in the tests */
        both[i] = (struct timeval){time->tv_sec, time->tv_nsec / 1000};
    }
    return nfs_utimes(nfs, path, both);
}

static int list(const char *path, void *names, fuse_fill_dir_t add, off_t offset,
                struct fuse_file_info *opened, enum fuse_readdir_flags flags)
{
    struct nfsdirent *entry;
    struct nfsdir *folder;
    int rc = nfs_opendir(nfs, path, &folder);

    (void)offset, (void)opened, (void)flags;
    if (rc != 0)
        return rc;
    while ((entry = nfs_readdir(nfs, folder)))
        add(names, entry->name, NULL, 0, 0);
    nfs_closedir(nfs, folder);
    return 0;
}

/* ---- files ---- */

static struct nfsfh *handle(const struct fuse_file_info *opened)
{
    return (struct nfsfh *)(uintptr_t)opened->fh;
}

static int open_as(const char *path, int flags, mode_t mode, struct fuse_file_info *opened)
{
    struct nfsfh *file;
    int rc = nfs_open2(nfs, path, flags, (int)mode, &file);

    opened->fh = rc == 0 ? (uintptr_t)file : 0;
    return rc;
}

static int open_file(const char *path, struct fuse_file_info *opened)
{
    return open_as(path, opened->flags & O_ACCMODE, 0, opened);
}

static int create(const char *path, mode_t mode, struct fuse_file_info *opened)
{
    return open_as(path, (opened->flags & (O_ACCMODE | O_EXCL)) | O_CREAT, mode & 07777, opened);
}

static int close_file(const char *path, struct fuse_file_info *opened)
{
    (void)path;
    return nfs_close(nfs, handle(opened));
}

static int cut(const char *path, off_t size, struct fuse_file_info *opened)
{
    return opened ? nfs_ftruncate(nfs, handle(opened), (uint64_t)size)
                  : nfs_truncate(nfs, path, (uint64_t)size);
}

/* The server may give or take a part. */
static int move_bytes(struct nfsfh *file, char *to, const char *from, size_t bytes, off_t offset)
{
    size_t done = 0;
    int n = 1;

    while (done < bytes && n > 0) {
        n = to ? nfs_pread(nfs, file, (uint64_t)offset + done, bytes - done, to + done)
               : nfs_pwrite(nfs, file, (uint64_t)offset + done, bytes - done, from + done);
        done += n > 0 ? (size_t)n : 0;
    }
    return n < 0 ? n : (int)done;
}

static int read_bytes(const char *path, char *to, size_t bytes, off_t offset,
                      struct fuse_file_info *opened)
{
    (void)path;
    return move_bytes(handle(opened), to, NULL, bytes, offset);
}

static int write_bytes(const char *path, const char *from, size_t bytes, off_t offset,
                       struct fuse_file_info *opened)
{
    (void)path;
    return move_bytes(handle(opened), NULL, from, bytes, offset);
}

static int sync_file(const char *path, int data_only, struct fuse_file_info *opened)
{
    (void)path, (void)data_only;
    return nfs_fsync(nfs, handle(opened));
}

static void *begin(struct fuse_conn_info *connection, struct fuse_config *config)
{
    connection->want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC; /* the kernel calls cut() */
    config->attr_timeout = 1;
    config->entry_timeout = config->negative_timeout = 0;
    config->use_ino = 1;
    return NULL;
}

static const struct fuse_operations operations = {
    .init = begin,
    .getattr = get_status,
    .readlink = read_link,
    .mkdir = make_folder,
    .unlink = remove_file,
    .rmdir = remove_folder,
    .symlink = make_symlink,
    .link = make_link,
    .rename = move,
    .chmod = set_mode,
    .chown = set_owner,
    .utimens = set_times,
    .readdir = list,
    .open = open_file,
    .create = create,
    .release = close_file,
    .truncate = cut,
    .read = read_bytes,
    .write = write_bytes,
    .fsync = sync_file,
};

int main(int argc, char **argv)
{
    char *arguments[] = {argv[0], "-s", "-f", "-o", "allow_other,default_permissions", NULL, NULL};
    struct nfs_url *url;

    if (argc != 3)
        return 2;
    nfs = nfs_init_context();
    url = nfs ? nfs_parse_url_dir(nfs, argv[1]) : NULL;
    if (!url || nfs_mount(nfs, url->server, url->path) != 0) {
        fprintf(stderr, "nfs_mount: %s\n", nfs ? nfs_get_error(nfs) : "out of memory");
        return 1;
    }
    nfs_destroy_url(url);
    nfs_umask(nfs, 0);
    arguments[5] = argv[2];
    return fuse_main(6, arguments, &operations, NULL);
}

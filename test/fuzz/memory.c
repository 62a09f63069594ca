#include "memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "vfs/system.h"

enum { OPEN_MOST = 64, BLOCK = 512, PATH = 256 };

static struct file {
    char path[PATH]; /* "": free */
    uint8_t *bytes;
    size_t size;
} files[MEMORY_FILES];

/* A descriptor is one of the system's, which stands for an open file and is used for no transfer.
 */
static struct {
    int fd;
    struct file *file; /* NULL: not open */
    off_t offset;
} opened[OPEN_MOST];

static struct file *find(const char *path)
{
    struct file *file;

    for (file = files; file < files + MEMORY_FILES; file++) {
        if (file->path[0] != '\0' && strcmp(file->path, path) == 0)
            return file;
    }
    return NULL;
}

static int is_folder(const char *path)
{
    size_t length = strlen(path);
    const struct file *file;

    while (length > 0 && path[length - 1] == '/')
        length--;
    for (file = files; file < files + MEMORY_FILES; file++) {
        if (strncmp(file->path, path, length) == 0 && file->path[length] == '/')
            return 1;
    }
    return 0;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

static struct file *add(const char *path)
{
    struct file *file = files;

    while (file < files + MEMORY_FILES && file->path[0] != '\0')
        file++;
    if (file == files + MEMORY_FILES || strlen(path) >= PATH) {
        errno = ENOSPC;
        return NULL;
    }
    strcpy(file->path, path);
    file->bytes = NULL;
    file->size = 0;
    return file;
}

static void clear(struct file *file)
{
    free(file->bytes);
    *file = (struct file){.path = ""};
}

/* Exactly as many bytes as the file has, for sanitizers. */
static int resize(struct file *file, size_t size)
{
    uint8_t *bytes;

    if (size > MEMORY_MOST)
        return fail(EFBIG);
    bytes = realloc(file->bytes, size + !size);
    FUZZ_CHECK(bytes != NULL);
    if (size > file->size)
        memset(bytes + file->size, 0, size - file->size);
    file->bytes = bytes;
    file->size = size;
    return 0;
}

static int slot_of(int fd)
{
    int i = 0;

    while (i < OPEN_MOST && (opened[i].fd != fd || !opened[i].file))
        i++;
    FUZZ_CHECK(i < OPEN_MOST);
    return i;
}

static struct file *file_of(int fd)
{
    return opened[slot_of(fd)].file;
}

static int hand_out(struct file *file)
{
    int i = 0;

    while (i < OPEN_MOST && opened[i].file)
        i++;
    if (i == OPEN_MOST)
        return fail(EMFILE);
    if (opened[i].fd == 0)
        opened[i].fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(opened[i].fd > 0);
    opened[i].file = file;
    opened[i].offset = 0;
    return opened[i].fd;
}

/* ---- system calls ---- */

static int memory_open(const char *path, int flags, mode_t mode)
{
    static struct file folder = {.path = "."}; /* one for all: only a sync needs it */
    struct file *file = find(path);

    (void)mode;
    if (!file && flags & O_DIRECTORY)
        return hand_out(&folder);
    if (file && (flags & O_EXCL))
        return fail(EEXIST);
    if (!file && is_folder(path))
        return fail(EISDIR);
    if (!file && !(flags & O_CREAT))
        return fail(ENOENT);
    if (!file && !(file = add(path)))
        return -1;
    return hand_out(file);
}

static int memory_close(int fd)
{
    opened[slot_of(fd)].file = NULL;
    return 0;
}

static ssize_t memory_pread(int fd, void *to, size_t bytes, off_t offset)
{
    const struct file *file = file_of(fd);
    size_t left;

    if (offset < 0)
        return fail(EINVAL);
    if ((size_t)offset >= file->size)
        return 0;
    left = file->size - (size_t)offset;
    if (bytes > left)
        bytes = left;
    memcpy(to, file->bytes + offset, bytes);
    return (ssize_t)bytes;
}

static ssize_t memory_preadv(int fd, const struct iovec *runs, int count, off_t offset)
{
    ssize_t done = 0, now = 0;
    int i;

    for (i = 0; i < count && now >= 0; i++) {
        now = memory_pread(fd, runs[i].iov_base, runs[i].iov_len, offset + done);
        done += now > 0 ? now : 0;
        if (now < (ssize_t)runs[i].iov_len)
            break;
    }
    return done > 0 ? done : now;
}

static ssize_t memory_pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    struct file *file = file_of(fd);

    if (offset < 0)
        return fail(EINVAL);
    if (bytes > MEMORY_MOST || offset > MEMORY_MOST - (off_t)bytes)
        return fail(EFBIG);
    if ((size_t)offset + bytes > file->size && resize(file, (size_t)offset + bytes) != 0)
        return -1;
    if (bytes > 0)
        memcpy(file->bytes + offset, from, bytes);
    return (ssize_t)bytes;
}

static ssize_t memory_pwritev(int fd, const struct iovec *runs, int count, off_t offset)
{
    ssize_t done = 0, now = 0;
    int i;

    for (i = 0; i < count && now >= 0; i++) {
        now = memory_pwrite(fd, runs[i].iov_base, runs[i].iov_len, offset + done);
        done += now > 0 ? now : 0;
    }
    return done > 0 ? done : now;
}

static int is_hole(const struct file *file, size_t block)
{
    size_t at = block * BLOCK, end = at + BLOCK < file->size ? at + BLOCK : file->size;

    while (at < end && file->bytes[at] == 0)
        at++;
    return at == end;
}

/* The next offset in a hole, or in data. */
static off_t search(const struct file *file, off_t offset, int hole)
{
    size_t at = (size_t)offset;

    if (offset < 0 || at >= file->size)
        return fail(ENXIO);
    while (at < file->size && is_hole(file, at / BLOCK) != hole)
        at = (at / BLOCK + 1) * BLOCK;
    if (at >= file->size)
        return hole ? (off_t)file->size : fail(ENXIO);
    return (off_t)at;
}

static off_t memory_lseek(int fd, off_t offset, int whence)
{
    int slot = slot_of(fd);

    if (whence == SEEK_HOLE || whence == SEEK_DATA)
        offset = search(opened[slot].file, offset, whence == SEEK_HOLE);
    else if (whence == SEEK_CUR)
        offset += opened[slot].offset;
    else if (whence == SEEK_END)
        offset += (off_t)opened[slot].file->size;
    if (offset >= 0)
        opened[slot].offset = offset;
    return offset >= 0 ? offset : fail(whence == SEEK_DATA ? ENXIO : EINVAL);
}

static int memory_fsync(int fd)
{
    return file_of(fd) ? 0 : -1;
}

static int memory_ftruncate(int fd, off_t size)
{
    return size < 0             ? fail(EINVAL)
           : size > MEMORY_MOST ? fail(EFBIG)
                                : resize(file_of(fd), (size_t)size);
}

static int describe(const struct file *file, struct stat *status)
{
    memset(status, 0, sizeof *status);
    status->st_mode = file ? S_IFREG | 0644 : S_IFDIR | 0755;
    status->st_ino = file ? (ino_t)(file - files) + 2 : 1;
    status->st_nlink = 1;
    status->st_blksize = BLOCK;
    status->st_size = file ? (off_t)file->size : 0;
    status->st_blocks = (status->st_size + BLOCK - 1) / BLOCK;
    return 0;
}

static int memory_fstat(int fd, struct stat *status)
{
    return describe(file_of(fd), status);
}

static int memory_stat(const char *path, struct stat *status)
{
    const struct file *file = find(path);

    return file || is_folder(path) ? describe(file, status) : fail(ENOENT);
}

static int memory_dup(int fd, int to)
{
    return to < 0 ? hand_out(file_of(fd)) : fail(EINVAL);
}

static int is_open(const struct file *file)
{
    int i = 0;

    while (i < OPEN_MOST && opened[i].file != file)
        i++;
    return i < OPEN_MOST;
}

static int memory_unlink(const char *path)
{
    struct file *file = find(path);

    if (!file || is_open(file))
        return fail(file ? EBUSY : ENOENT);
    clear(file);
    return 0;
}

static int memory_rename(const char *from, const char *to)
{
    struct file *file = find(from), *old = find(to);

    if (!file || strlen(to) >= PATH || (old && old != file && is_open(old)))
        return fail(file ? EBUSY : ENOENT);
    if (old && old != file)
        clear(old);
    strcpy(file->path, to);
    return 0;
}

static ssize_t memory_copy(int from, off_t *offset, int to, off_t *to_offset, size_t bytes)
{
    (void)from, (void)offset, (void)to, (void)to_offset, (void)bytes;
    return fail(EOPNOTSUPP);
}

static int memory_access(const char *path, int how)
{
    (void)how;
    return find(path) || is_folder(path) ? 0 : fail(ENOENT);
}

static int memory_chmod(const char *path, mode_t mode)
{
    (void)mode;
    return memory_access(path, F_OK);
}

static int refuse_link(const char *from, const char *to)
{
    (void)from, (void)to;
    return fail(EPERM);
}

static int refuse_mkdir(const char *path, mode_t mode)
{
    (void)path, (void)mode;
    return fail(EPERM);
}

static int refuse_rmdir(const char *path)
{
    (void)path;
    return fail(EPERM);
}

static char *memory_realpath(const char *path, char *to)
{
    if (memory_access(path, F_OK) != 0 || strlen(path) >= PATH)
        return NULL;
    return to ? strcpy(to, path) : strdup(path);
}

static struct dirent *memory_readdir(DIR *folder)
{
    (void)folder;
    return NULL;
}

static int memory_statfs(const char *path, struct statfs *status)
{
    (void)path;
    memset(status, 0, sizeof *status);
    status->f_bsize = BLOCK;
    return 0;
}

static ssize_t memory_getxattr(const char *path, const char *name, void *value, size_t bytes)
{
    (void)path, (void)name, (void)value, (void)bytes;
    return fail(EOPNOTSUPP);
}

static ssize_t memory_listxattr(const char *path, char *names, size_t bytes)
{
    (void)path, (void)names, (void)bytes;
    return fail(EOPNOTSUPP);
}

static ssize_t memory_fgetxattr(int fd, const char *name, void *value, size_t bytes)
{
    (void)fd, (void)name, (void)value, (void)bytes;
    return fail(EOPNOTSUPP);
}

static int memory_fsetxattr(int fd, const char *name, const void *value, size_t bytes, int flags)
{
    (void)fd, (void)name, (void)value, (void)bytes, (void)flags;
    return fail(EOPNOTSUPP);
}

static int memory_fremovexattr(int fd, const char *name)
{
    (void)fd, (void)name;
    return fail(EOPNOTSUPP);
}

static int memory_rename_new(const char *from, const char *to)
{
    return memory_access(to, F_OK) == 0 ? fail(EEXIST) : memory_rename(from, to);
}

static int memory_fchown(int fd, uid_t owner, gid_t group)
{
    (void)owner, (void)group;
    return file_of(fd) ? 0 : -1;
}

static int memory_futimens(int fd, const struct timespec times[2])
{
    (void)times;
    return file_of(fd) ? 0 : -1;
}

static int memory_fchmod(int fd, mode_t mode)
{
    (void)mode;
    return file_of(fd) ? 0 : -1;
}

static int memory_lock(int fd, int command, struct flock *bytes)
{
    if (command == F_GETLK)
        bytes->l_type = F_UNLCK;
    return file_of(fd) ? 0 : -1;
}

static int memory_punch(int fd, off_t offset, off_t bytes)
{
    struct file *file = file_of(fd);

    if (!file)
        return -1;
    FUZZ_CHECK(offset >= 0 && bytes > 0);
    if ((size_t)offset < file->size && (size_t)bytes > file->size - (size_t)offset)
        bytes = (off_t)(file->size - (size_t)offset);
    if ((size_t)offset < file->size)
        memset(file->bytes + offset, 0, (size_t)bytes);
    return 0;
}

static const struct scion_vfs in_memory = {
    .open = memory_open,
    .pread = memory_pread,
    .preadv = memory_preadv,
    .pwrite = memory_pwrite,
    .pwritev = memory_pwritev,
    .lseek = memory_lseek,
    .fsync = memory_fsync,
    .ftruncate = memory_ftruncate,
    .fstat = memory_fstat,
    .close = memory_close,
    .dup = memory_dup,
    .unlink = memory_unlink,
    .rename = memory_rename,
    .rename_new = memory_rename_new,
    .copy = memory_copy,
    .stat = memory_stat,
    .lstat = memory_stat,
    .access = memory_access,
    .chmod = memory_chmod,
    .fchmod = memory_fchmod,
    .fchown = memory_fchown,
    .futimens = memory_futimens,
    .link = refuse_link,
    .mkdir = refuse_mkdir,
    .rmdir = refuse_rmdir,
    .realpath = memory_realpath,
    .readdir = memory_readdir,
    .statfs = memory_statfs,
    .getxattr = memory_getxattr,
    .listxattr = memory_listxattr,
    .fgetxattr = memory_fgetxattr,
    .fsetxattr = memory_fsetxattr,
    .fremovexattr = memory_fremovexattr,
    .lock = memory_lock,
    .punch = memory_punch,
};

/* ---- for targets ---- */

void memory_begin(void)
{
    memory_end();
    scion_vfs_use(&in_memory);
}

void memory_add(const char *path, const void *bytes, size_t size)
{
    struct file *file = add(path);

    FUZZ_CHECK(file != NULL);
    file->bytes = malloc(size + !size);
    FUZZ_CHECK(file->bytes != NULL);
    if (size > 0)
        memcpy(file->bytes, bytes, size);
    file->size = size;
}

const uint8_t *memory_get(const char *path, size_t *size)
{
    const struct file *file = find(path);

    *size = file ? file->size : 0;
    return file ? file->bytes : NULL;
}

void memory_end(void)
{
    int i;

    for (i = 0; i < OPEN_MOST; i++)
        FUZZ_CHECK(!opened[i].file);
    for (i = 0; i < MEMORY_FILES; i++)
        clear(&files[i]);
    scion_vfs_use(NULL);
}

/*
 * A disk that loses power. Everything that a run changes goes through a table of system calls and
 * is recorded: writes, sizes, names, and what is synced. Then each prefix of the record is
 * replayed: what was synced is on the disk, of the rest any part, in any order and torn at sectors,
 * may be.
 *
 * The model is stricter than most file systems: only fsync() of a folder makes its names durable,
 * and a size may be there without the bytes. But a file that is cut has new storage, so what is
 * written after the cut is there only with it.
 */
#ifndef TEST_POWER_DISK_H
#define TEST_POWER_DISK_H

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "vfs/system.h"

enum { SECTOR = 512, MOST_EVENTS = 4000, MOST_NODES = 300, MOST_NAMES = 300, MOST_TOLD = 64 };
enum { FRAMES = 8, OWN_FRAMES = 2, SITE_FRAMES = 3 }; /* of the recorder; of the caller */

enum kind { WRITE, CUT, MODE, NAME, UNNAME, SYNC, SYNC_FOLDER, TELL };

struct event {
    enum kind kind;
    int node;     /* the file */
    char *name;   /* NAME, UNNAME, SYNC_FOLDER: relative to the folder of the run */
    char *gone;   /* NAME by a rename: the name that it had */
    off_t offset; /* WRITE; CUT: size */
    size_t bytes;
    unsigned char *data;
    const void *machine; /* whose cache has it */
    int upto;            /* SYNC: events before this one are covered */
    uint64_t site;       /* SYNC: who asked for it */
    void *frames[FRAMES];
    int what, value; /* TELL; MODE: value, the permissions */
};

/* A file or a folder. */
struct node {
    ino_t inode;
    int is_folder;
    mode_t mode;          /* permissions before the run, or of a new file */
    unsigned char *bytes; /* before the run */
    size_t size;
};

struct name {
    char *name;
    int node;
};

static struct {
    struct event events[MOST_EVENTS];
    int nevents, is_recording;
    struct node nodes[MOST_NODES];
    int nnodes;
    struct name names[MOST_NAMES]; /* before the run */
    int nnames;
    char *folders[1024]; /* of descriptors */
    pthread_mutex_t lock;
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What names the machine that a task is on; NULL: each thread is on one of its own. */
static _Thread_local const void *disk_machine;

/* ---- the record ---- */

static int disk_node(ino_t inode)
{
    int i;

    for (i = disk.nnodes - 1; i >= 0; i--) {
        if (disk.nodes[i].inode == inode)
            return i;
    }
    if (disk.nnodes == MOST_NODES)
        abort();
    disk.nodes[disk.nnodes] = (struct node){.inode = inode};
    return disk.nnodes++;
}

static int disk_node_of(int fd)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        abort();
    return disk_node(status.st_ino);
}

static int disk_node_named(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 ? disk_node(status.st_ino) : -1;
}

/* The name of a path that leads through a descriptor of a folder. */
static const char *disk_resolve(const char *path)
{
    static char name[4096];
    const char *rest;
    char link[64];
    ssize_t length;

    if (strncmp(path, "/proc/self/fd/", 14) != 0)
        return path;
    rest = path + 14 + strspn(path + 14, "0123456789");
    snprintf(link, sizeof link, "%.*s", (int)(rest - path), path);
    length = readlink(link, name, sizeof name - 1);
    if (length < 0 || (size_t)length + strlen(rest) >= sizeof name)
        abort();
    strcpy(name + length, strcmp(rest, "/.") == 0 || strcmp(rest, "/") == 0 ? "" : rest);
    return name;
}

/* The folder of the run is the working directory, or begins the path. */
static const char *disk_relative(const char *path)
{
    static char here[4096];
    size_t length;

    path = disk_resolve(path);
    if (path[0] != '/')
        return strncmp(path, "./", 2) == 0 ? path + 2 : path;
    if (!getcwd(here, sizeof here))
        abort();
    length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1
           : strcmp(path, here) == 0                               ? "."
                                                                   : path;
}

static struct event *disk_record(struct event event)
{
    if (disk.nevents == MOST_EVENTS)
        abort();
    event.machine = disk_machine ? disk_machine : &disk_machine;
    disk.events[disk.nevents] = event;
    return &disk.events[disk.nevents++];
}

static void disk_lock(void)
{
    pthread_mutex_lock(&disk.lock);
}

static void disk_unlock(void)
{
    int error = errno;

    pthread_mutex_unlock(&disk.lock);
    errno = error;
}

/* From now on the run may rely on this: number `what` is `value`. */
static void disk_tell(int what, int value)
{
    disk_lock();
    disk_record((struct event){.kind = TELL, .what = what, .value = value});
    disk_unlock();
}

static void disk_wrote(int fd, const void *from, ssize_t bytes, off_t offset)
{
    unsigned char *data;

    if (bytes <= 0)
        return;
    data = malloc((size_t)bytes);
    memcpy(data, from, (size_t)bytes);
    disk_record((struct event){.kind = WRITE,
                               .node = disk_node_of(fd),
                               .offset = offset,
                               .bytes = (size_t)bytes,
                               .data = data});
}

/* What stdio has written to a new file does not go through the table. */
static void disk_look(int node, int fd)
{
    static unsigned char all[1 << 16];
    ssize_t bytes;
    int i;

    for (i = 0; i < disk.nevents; i++) {
        if (disk.events[i].kind == WRITE && disk.events[i].node == node)
            return;
    }
    bytes = disk.nodes[node].bytes ? 0 : scion_vfs_posix.pread(fd, all, sizeof all, 0);
    disk_wrote(fd, all, bytes, 0);
}

static void disk_look_at(int node, const char *path)
{
    int fd = disk.nodes[node].is_folder ? -1 : open(path, O_RDONLY | O_NOFOLLOW);

    if (fd >= 0) {
        disk_look(node, fd);
        close(fd);
    }
}

/* ---- the system calls ---- */

static int disk_open(const char *path, int flags, mode_t mode)
{
    struct stat status;
    int is_new, fd;

    disk_lock();
    is_new = (flags & O_CREAT) && lstat(path, &status) != 0;
    fd = scion_vfs_posix.open(path, flags, mode);
    if (fd >= 0 && is_new) {
        fstat(fd, &status);
        if (disk.nnodes == MOST_NODES)
            abort();
        disk.nodes[disk.nnodes++] =
            (struct node){.inode = status.st_ino, .mode = status.st_mode & 0777};
        disk_record((struct event){
            .kind = NAME, .node = disk.nnodes - 1, .name = strdup(disk_relative(path))});
    }
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) && fd < 1024) {
        free(disk.folders[fd]);
        disk.folders[fd] = strdup(disk_relative(path));
    }
    disk_unlock();
    return fd;
}

static ssize_t disk_pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    ssize_t done;

    disk_lock();
    done = scion_vfs_posix.pwrite(fd, from, bytes, offset);
    disk_wrote(fd, from, done, offset);
    disk_unlock();
    return done;
}

static ssize_t disk_pwritev(int fd, const struct iovec *runs, int count, off_t offset)
{
    ssize_t first, second;

    (void)count; /* 2, see scion_file_write_two */
    first = disk_pwrite(fd, runs[0].iov_base, runs[0].iov_len, offset);
    if (first < (ssize_t)runs[0].iov_len)
        return first;
    second = disk_pwrite(fd, runs[1].iov_base, runs[1].iov_len, offset + first);
    return second < 0 ? first : first + second;
}

static ssize_t disk_copy(int from, off_t *offset, int to, off_t *to_offset, size_t bytes)
{
    (void)from, (void)offset, (void)to, (void)to_offset, (void)bytes;
    errno = ENOSYS; /* then it is read and written */
    return -1;
}

static int disk_ftruncate(int fd, off_t size)
{
    int rc;

    disk_lock();
    rc = scion_vfs_posix.ftruncate(fd, size);
    if (rc == 0)
        disk_record((struct event){.kind = CUT, .node = disk_node_of(fd), .offset = size});
    disk_unlock();
    return rc;
}

/* Zeros, which may be there or not; also where the file system of the test cannot punch. */
static int disk_punch(int fd, off_t offset, off_t bytes)
{
    struct stat status;
    size_t size = 0;
    void *zeros;
    ssize_t done;

    disk_lock();
    if (fstat(fd, &status) == 0 && offset < status.st_size)
        size = (size_t)(bytes < status.st_size - offset ? bytes : status.st_size - offset);
    zeros = calloc(size + 1, 1);
    done = scion_vfs_posix.pwrite(fd, zeros, size, offset);
    disk_wrote(fd, zeros, done, offset);
    free(zeros);
    disk_unlock();
    return done == (ssize_t)size ? 0 : -1;
}

static int disk_fchmod(int fd, mode_t mode)
{
    int rc;

    disk_lock();
    rc = scion_vfs_posix.fchmod(fd, mode);
    if (rc == 0)
        disk_record(
            (struct event){.kind = MODE, .node = disk_node_of(fd), .value = (int)(mode & 0777)});
    disk_unlock();
    return rc;
}

/* Nothing has to wait for a real disk. */
static int disk_fsync(int fd)
{
    struct event event = {.kind = SYNC, .site = 14695981039346656037u};
    struct stat status;
    int i, n;

    disk_lock();
    if (fstat(fd, &status) != 0)
        abort();
    if (S_ISREG(status.st_mode))
        disk_look(disk_node(status.st_ino), fd);
    event.upto = disk.nevents;
    if (S_ISDIR(status.st_mode)) {
        event.kind = SYNC_FOLDER;
        event.name = strdup(fd < 1024 && disk.folders[fd] ? disk.folders[fd] : ".");
    } else {
        event.node = disk_node(status.st_ino);
    }
    n = backtrace(event.frames, FRAMES);
    for (i = OWN_FRAMES; i < n && i < OWN_FRAMES + SITE_FRAMES; i++)
        event.site = (event.site ^ (uint64_t)(uintptr_t)event.frames[i]) * 1099511628211u;
    disk_record(event);
    disk_unlock();
    return 0;
}

static int disk_unlink(const char *path)
{
    int node, rc;

    disk_lock();
    node = disk_node_named(path);
    rc = scion_vfs_posix.unlink(path);
    if (rc == 0)
        disk_record(
            (struct event){.kind = UNNAME, .node = node, .name = strdup(disk_relative(path))});
    disk_unlock();
    return rc;
}

static int disk_rename_by(int (*call)(const char *from, const char *to), const char *from,
                          const char *to)
{
    int node, rc;

    disk_lock();
    node = disk_node_named(from);
    if (node >= 0)
        disk_look_at(node, from);
    rc = call(from, to);
    if (rc == 0)
        disk_record((struct event){.kind = NAME,
                                   .node = node,
                                   .name = strdup(disk_relative(to)),
                                   .gone = strdup(disk_relative(from))});
    disk_unlock();
    return rc;
}

static int disk_rename(const char *from, const char *to)
{
    return disk_rename_by(scion_vfs_posix.rename, from, to);
}

static int disk_rename_new(const char *from, const char *to)
{
    return disk_rename_by(scion_vfs_posix.rename_new, from, to);
}

static int disk_link(const char *from, const char *to)
{
    int rc;

    disk_lock();
    rc = scion_vfs_posix.link(from, to);
    if (rc == 0)
        disk_record((struct event){
            .kind = NAME, .node = disk_node_named(from), .name = strdup(disk_relative(to))});
    disk_unlock();
    return rc;
}

static int disk_mkdir(const char *path, mode_t mode)
{
    struct stat status;
    int rc;

    disk_lock();
    rc = scion_vfs_posix.mkdir(path, mode);
    if (rc == 0) {
        if (lstat(path, &status) != 0 || disk.nnodes == MOST_NODES)
            abort();
        disk.nodes[disk.nnodes++] = (struct node){.inode = status.st_ino, .is_folder = 1};
        disk_record((struct event){
            .kind = NAME, .node = disk.nnodes - 1, .name = strdup(disk_relative(path))});
    }
    disk_unlock();
    return rc;
}

static int disk_rmdir(const char *path)
{
    int rc;

    disk_lock();
    rc = scion_vfs_posix.rmdir(path);
    if (rc == 0)
        disk_record(
            (struct event){.kind = UNNAME, .node = -1, .name = strdup(disk_relative(path))});
    disk_unlock();
    return rc;
}

/* ---- before the run ---- */

static void disk_keep_file(const char *path, struct node *node)
{
    FILE *file = fopen(path, "r");

    node->bytes = malloc(node->size + 1);
    if (!file || fread(node->bytes, 1, node->size, file) != node->size)
        abort();
    fclose(file);
}

/* What is in a folder now is on the disk. */
static void disk_keep(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    struct stat status;
    char path[600];

    while (entries && (entry = readdir(entries))) {
        struct node *node;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (lstat(path, &status) != 0 || disk.nnames == MOST_NAMES)
            abort();
        node = &disk.nodes[disk_node(status.st_ino)];
        node->is_folder = S_ISDIR(status.st_mode);
        node->mode = status.st_mode & 0777;
        node->size = node->is_folder ? 0 : (size_t)status.st_size;
        disk.names[disk.nnames++] =
            (struct name){strdup(disk_relative(path)), (int)(node - disk.nodes)};
        if (node->is_folder)
            disk_keep(path);
        else if (!node->bytes)
            disk_keep_file(path, node);
    }
    if (entries)
        closedir(entries);
}

static void disk_forget(void)
{
    int i;

    for (i = 0; i < disk.nevents; i++) {
        free(disk.events[i].name);
        free(disk.events[i].gone);
        free(disk.events[i].data);
    }
    for (i = 0; i < disk.nnodes; i++)
        free(disk.nodes[i].bytes);
    for (i = 0; i < disk.nnames; i++)
        free(disk.names[i].name);
    disk.nevents = disk.nnodes = disk.nnames = 0;
}

/* Record what is done from now on in the working directory, until disk_end(). */
static void disk_begin(void)
{
    static struct scion_vfs table;

    disk_forget();
    disk_keep(".");
    table = scion_vfs_posix;
    table.open = disk_open;
    table.pwrite = disk_pwrite;
    table.pwritev = disk_pwritev;
    table.copy = disk_copy;
    table.ftruncate = disk_ftruncate;
    table.punch = disk_punch;
    table.fchmod = disk_fchmod;
    table.fsync = disk_fsync;
    table.unlink = disk_unlink;
    table.rename = disk_rename;
    table.rename_new = disk_rename_new;
    table.link = disk_link;
    table.mkdir = disk_mkdir;
    table.rmdir = disk_rmdir;
    scion_vfs_use(&table);
}

static void disk_end(void)
{
    scion_vfs_use(NULL);
}

#endif

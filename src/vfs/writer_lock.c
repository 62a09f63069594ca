#include "vfs/writer_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "vfs/path.h"

struct scion_writer_lock {
    struct scion_file *file;
    pid_t owner; /* a child shares the file description, and must not unlock it */
    int created;
};

/*
 * The locked bytes lie far beyond the end of any file. The system tells which bytes are locked but,
 * for this kind of lock, not by whom. So the holder also locks one byte in each of several areas;
 * the offset of the byte in its area is a part of who the holder is.
 */
enum {
    AREA_OF_WRITER, /* its first byte: the lock itself */
    AREA_OF_PROCESS,
    AREA_OF_HOST,
    HOST_AREAS = 10,
    AREA_BITS = 48,
    AREA_BYTES = AREA_BITS / 8, /* of a host's name, for each area */
    HOST_BYTES = HOST_AREAS * AREA_BYTES,
    ATTEMPTS = 10
};

static const off_t first_area = (off_t)1 << 61;

static struct flock range(int area, off_t number, off_t length)
{
    return (struct flock){.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = first_area + ((off_t)area << AREA_BITS) + number,
                          .l_len = length};
}

static int set(struct scion_file *file, int area, off_t number)
{
    struct flock bytes = range(area, number, 1);

    return scion_file_lock(file, F_OFD_SETLK, &bytes);
}

/* The number that the holder has locked in an area; 0: none. */
static off_t get(struct scion_file *file, int area)
{
    struct flock bytes = range(area, 0, (off_t)1 << AREA_BITS);
    off_t begin = bytes.l_start;

    if (scion_file_lock(file, F_OFD_GETLK, &bytes) != 0 || bytes.l_type == F_UNLCK ||
        bytes.l_start < begin)
        return 0;
    return bytes.l_start - begin;
}

/* Tell who the holder is. This is only for messages, so it may fail. */
static void introduce(struct scion_file *file)
{
    unsigned char host[HOST_BYTES + 1] = {0};
    int area, i;

    set(file, AREA_OF_PROCESS, (off_t)getpid());
    if (gethostname((char *)host, HOST_BYTES) != 0)
        return;
    for (area = 0; area < HOST_AREAS && host[area * AREA_BYTES]; area++) {
        off_t number = 0;

        for (i = 0; i < AREA_BYTES; i++)
            number = number << 8 | host[area * AREA_BYTES + i];
        set(file, AREA_OF_HOST + area, number);
    }
}

static void find_host(struct scion_file *file, char *host)
{
    off_t number;
    int area, i;

    for (area = 0; area < HOST_AREAS && (number = get(file, AREA_OF_HOST + area)) > 0; area++) {
        for (i = AREA_BYTES - 1; i >= 0; i--, number >>= 8)
            host[area * AREA_BYTES + i] = (char)(number & 0xff);
    }
    host[area * AREA_BYTES] = '\0';
}

static int refuse(struct scion_file *file)
{
    char host[HOST_BYTES + 1];
    long long process = get(file, AREA_OF_PROCESS);

    find_host(file, host);
    if (process == 0)
        return scion_fail(SION_ERR_SYSTEM, "%s is being written by another process",
                          scion_file_path(file));
    return scion_fail(SION_ERR_SYSTEM, "%s is being written by process %lld on %s",
                      scion_file_path(file), process, *host ? host : "another host");
}

static int is_held(int errnum)
{
    return errnum == EAGAIN || errnum == EACCES;
}

static void warn_once(struct scion_file *file, int errnum)
{
    static int warned;

    if (!__atomic_exchange_n(&warned, 1, __ATOMIC_RELAXED))
        scion_warn("%s cannot be locked, so another job could write it at the same time: %s",
                   scion_file_path(file), strerror(errnum));
}

static int lock(struct scion_file *file)
{
    int errnum = set(file, AREA_OF_WRITER, 0);

    if (is_held(errnum))
        return refuse(file);
    if (errnum != 0)
        warn_once(file, errnum);
    else
        introduce(file);
    return 0;
}

/* Whether the name still leads to the file: it may have been removed or replaced before the lock.
 */
static int find_again(struct scion_file *file, int *is_there)
{
    struct stat status, now;
    int rc = scion_file_status(file, &status), errnum;

    *is_there = 0;
    if (rc != 0)
        return rc;
    errnum = scion_path_status(scion_file_path(file), &now);
    if (errnum != 0 && errnum != ENOENT)
        return scion_fail_errno(errnum, "cannot look at %s", scion_file_path(file));
    *is_there = errnum == 0 && status.st_dev == now.st_dev && status.st_ino == now.st_ino;
    return 0;
}

/* What is locked. */
struct wanted {
    const char *path;
    mode_t permissions; /* of a new file; 0: none is made */
    int is_only_lock;   /* the file has no other use: it is empty, and no link */
};

/* A file that holds a lock alone may be removed, so it must not be somebody's data. */
static int check_empty(struct scion_file *file)
{
    struct stat status;
    int rc = scion_file_status(file, &status);

    return rc != 0 || status.st_size == 0
               ? rc
               : scion_fail(SION_ERR_ARGUMENT, "%s has data: it is no file of a lock",
                            scion_file_path(file));
}

static int open_existing(const struct wanted *wanted, struct scion_file **file)
{
    enum scion_open_how how = wanted->is_only_lock       ? SCION_OPEN_OWN
                              : wanted->permissions == 0 ? SCION_OPEN_WRITE
                                                         : SCION_OPEN_CREATE;

    return scion_file_open(wanted->path, how, wanted->permissions, file);
}

/* A name that is taken, but leads to no file, is that of a link, or a file that has just been made.
 */
static int open_it(const struct wanted *wanted, int exists, struct scion_writer_lock *new)
{
    int rc;

    if (exists)
        return open_existing(wanted, &new->file);
    rc = scion_file_open(wanted->path, SCION_OPEN_NEW, wanted->permissions, &new->file);
    new->created = rc == 0;
    return rc != 0 && scion_path_is_taken(wanted->path) ? open_existing(wanted, &new->file) : rc;
}

/* *is_done: the file is locked, or there is none to lock; else it has been replaced meanwhile. */
static int take(const struct wanted *wanted, struct scion_writer_lock *new, int *is_done)
{
    int exists, rc = scion_file_look_for(wanted->path, &exists);

    *is_done = 1;
    if (rc != 0 || (!exists && wanted->permissions == 0))
        return rc;
    new->created = 0;
    rc = open_it(wanted, exists, new);
    if (rc == 0 && wanted->is_only_lock)
        rc = check_empty(new->file);
    if (rc == 0)
        rc = lock(new->file);
    if (rc != 0)
        return rc;
    rc = find_again(new->file, is_done);
    if (rc != 0 && new->created)
        scion_file_remove(wanted->path);
    return rc;
}

static int take_wanted(const struct wanted *wanted, struct scion_writer_lock **lock)
{
    struct scion_writer_lock *new = calloc(1, sizeof *new);
    int rc = new ? 0 : scion_fail_memory("lock"), attempt, is_done = 0;

    *lock = NULL;
    for (attempt = 0; attempt < ATTEMPTS && rc == 0 && !is_done; attempt++) {
        rc = take(wanted, new, &is_done);
        if (rc != 0 || !is_done) {
            scion_file_close(new->file);
            new->file = NULL;
        }
    }
    if (rc == 0 && !is_done)
        rc = scion_fail(SION_ERR_SYSTEM, "%s is replaced again and again", wanted->path);
    if (rc == 0 && new->file) {
        new->owner = getpid();
        *lock = new;
        return 0;
    }
    free(new);
    return rc;
}

int scion_writer_lock_take(const char *path, mode_t permissions, struct scion_writer_lock **lock)
{
    const struct wanted wanted = {path, permissions, 0};

    return take_wanted(&wanted, lock);
}

int scion_writer_lock_take_folder(const char *folder, const char *name,
                                  struct scion_writer_lock **lock)
{
    char path[SCION_PATH];
    const struct wanted wanted = {path, (scion_path_permissions(folder) & 0666) | S_IRUSR | S_IWUSR,
                                  1};
    int rc = scion_path(path, folder, name);

    if (rc == 0)
        rc = take_wanted(&wanted, lock);
    /* The umask may be narrower than the folder; whoever else may write there, may take the lock.
     */
    if (rc == 0 && (*lock)->created)
        (void)scion_path_set_permissions(path, wanted.permissions);
    return rc;
}

int scion_writer_lock_release_folder(struct scion_writer_lock *lock, int failed)
{
    if (lock && (lock->created || !failed))
        scion_file_remove(scion_file_path(lock->file));
    return scion_writer_lock_release(lock, 0);
}

int scion_writer_lock_release(struct scion_writer_lock *lock, int failed)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    int rc, is_there;

    if (!lock)
        return 0;
    if (failed && lock->created && find_again(lock->file, &is_there) == 0 && is_there)
        scion_file_remove(scion_file_path(lock->file));
    if (lock->owner == getpid())
        scion_file_lock(lock->file, F_OFD_SETLK, &all);
    rc = scion_file_close(lock->file);
    free(lock);
    return rc;
}

int scion_writer_lock_check(const char *path)
{
    struct flock bytes = range(AREA_OF_WRITER, 0, 1);
    struct scion_file *file;
    int rc = 0;

    if (scion_file_open(path, SCION_OPEN_READ, 0, &file) != 0)
        return 0;
    if (scion_file_lock(file, F_OFD_GETLK, &bytes) == 0 && bytes.l_type != F_UNLCK)
        rc = refuse(file);
    scion_file_close(file);
    return rc;
}

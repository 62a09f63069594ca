#include "vfs/writer_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "vfs/path.h"

/* Who has the lock of a file. */
enum holder { NOBODY /* there are no locks */, WE, OTHERS };

struct scion_writer_lock {
    struct scion_file *file;
    pid_t owner; /* a child shares the file description, and must not unlock it */
    int created;
    int is_only_lock; /* the file has no other use: it is removed at the end */
    enum holder holder;
};

/*
 * The locked bytes are far beyond the end of any file. The system tells which bytes are locked but,
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
    HOST_BYTES = SCION_WRITER_HOST - 1,
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

static void find_writer(struct scion_file *file, struct scion_writer *writer)
{
    writer->process = get(file, AREA_OF_PROCESS);
    find_host(file, writer->host);
}

const char *scion_writer_text(const struct scion_writer *writer, char text[SCION_WRITER_TEXT])
{
    if (writer->process == 0)
        snprintf(text, SCION_WRITER_TEXT, "another process");
    else
        snprintf(text, SCION_WRITER_TEXT, "process %lld on %s", writer->process,
                 *writer->host ? writer->host : "another host");
    return text;
}

/* name: what users know the file by. */
static int refuse(const char *name, const struct scion_writer *writer)
{
    char text[SCION_WRITER_TEXT];

    return scion_fail(SION_ERR_BUSY, "%s is being written by %s", name,
                      scion_writer_text(writer, text));
}

/* Whether somebody has locked the file of this path; -1: that cannot be told. */
static int find_at(const char *path, struct scion_writer *writer)
{
    struct flock bytes = range(AREA_OF_WRITER, 0, 1);
    struct scion_file *file;
    int found = -1;

    if (scion_path_check_readable(path) != 0 ||
        scion_file_open(path, SCION_OPEN_READ, 0, &file) != 0)
        return -1;
    if (scion_file_lock(file, F_OFD_GETLK, &bytes) == 0)
        found = bytes.l_type != F_UNLCK;
    if (found == 1)
        find_writer(file, writer);
    scion_file_close(file);
    return found;
}

/* Where the lock of a name is while there is no file of that name: ".NAME.lock" in its folder. */
static char *name_of_lock(const char *name)
{
    int folder = (int)(scion_basename(name) - name);
    size_t size = (size_t)folder + NAME_MAX + 1;
    char *path = malloc(size), core[NAME_MAX + 1];

    if (!path)
        return NULL;
    scion_path_core(name + folder, core);
    snprintf(path, size, "%.*s.%s.lock", folder, name, core);
    return path;
}

int scion_writer_find(const char *name, struct scion_writer *writer)
{
    char *path = NULL;
    int found = find_at(name, writer);

    if (found != 1 && !scion_file_exists(name) && (path = name_of_lock(name)))
        found = find_at(path, writer);
    free(path);
    return found == 1;
}

int scion_writer_is_missing(const char *name)
{
    struct scion_writer writer;

    return find_at(name, &writer) == 0;
}

int scion_writer_lock_check(const char *path)
{
    struct scion_writer writer;

    return scion_writer_find(path, &writer) ? refuse(path, &writer) : 0;
}

/* ---- taking it ---- */

static int is_held(int errnum)
{
    return errnum == EAGAIN || errnum == EACCES;
}

static void warn_once(const char *name, int errnum)
{
    static int warned;

    if (!__atomic_exchange_n(&warned, 1, __ATOMIC_RELAXED))
        scion_warn("%s cannot be locked, so another job could write it at the same time: %s", name,
                   strerror(errnum));
}

static int lock(struct scion_file *file, const char *name, enum holder *holder)
{
    int errnum = set(file, AREA_OF_WRITER, 0);
    struct scion_writer writer;

    *holder = errnum == 0 ? WE : is_held(errnum) ? OTHERS : NOBODY;
    if (*holder == WE)
        introduce(file);
    else if (*holder == NOBODY)
        warn_once(name, errnum);
    if (*holder != OTHERS)
        return 0;
    find_writer(file, &writer);
    return refuse(name, &writer);
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
        return scion_fail_errno(errnum, "cannot examine %s", scion_file_path(file));
    *is_there = errnum == 0 && status.st_dev == now.st_dev && status.st_ino == now.st_ino;
    return 0;
}

/* What is locked. */
struct lock_target {
    const char *path;
    const char *name;   /* in messages */
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
               : scion_fail(SION_ERR_ARGUMENT, "%s has data, so it is not a lock file",
                            scion_file_path(file));
}

static int open_existing(const struct lock_target *lock_target, enum scion_open_how how,
                         struct scion_file **file, int *is_gone)
{
    int rc = scion_file_open(lock_target->path, lock_target->is_only_lock ? SCION_OPEN_OWN : how,
                             lock_target->permissions, file);

    *is_gone = rc != 0 && !scion_path_is_taken(lock_target->path);
    return *is_gone ? 0 : rc;
}

/*
 * A name that is taken, but leads to no file, is that of a link, or a file that has just been made.
 * *is_gone: the file has just been removed.
 */
static int open_it(const struct lock_target *lock_target, int exists, struct scion_writer_lock *new,
                   int *is_gone)
{
    int rc;

    *is_gone = 0;
    if (exists)
        return open_existing(lock_target, SCION_OPEN_WRITE, &new->file, is_gone);
    rc = scion_file_open(lock_target->path, SCION_OPEN_NEW, lock_target->permissions, &new->file);
    new->created = rc == 0;
    return rc != 0 && scion_path_is_taken(lock_target->path)
               ? open_existing(lock_target, SCION_OPEN_CREATE, &new->file, is_gone)
               : rc;
}

/* What a file that is only a lock needs: nothing in it, and if it is new, the permissions of the
   folder; the umask may be narrower. */
static int prepare_only_lock(const struct lock_target *lock_target,
                             const struct scion_writer_lock *new)
{
    const struct stat *status = scion_file_opened(new->file);

    if (!new->created)
        return check_empty(new->file);
    if ((status->st_mode & 0777) != lock_target->permissions)
        (void)scion_path_set_permissions(lock_target->path, lock_target->permissions);
    return 0;
}

/* *is_done: the file is locked, or cannot be; else it has been replaced meanwhile. */
static int lock_it(const struct lock_target *lock_target, int exists, struct scion_writer_lock *new,
                   int *is_done)
{
    int is_gone, rc = open_it(lock_target, exists, new, &is_gone);

    *is_done = 0;
    new->is_only_lock = lock_target->is_only_lock;
    if (rc != 0 || is_gone)
        return rc;
    if (lock_target->is_only_lock)
        rc = prepare_only_lock(lock_target, new);
    if (rc == 0)
        rc = lock(new->file, lock_target->name, &new->holder);
    if (rc == 0)
        rc = find_again(new->file, is_done);
    if (rc != 0 && new->created &&new->holder != OTHERS)
        scion_file_remove(lock_target->path);
    return rc;
}

/* One attempt. *lock is NULL if the attempt failed, or if the file has been replaced. */
static int try(const struct lock_target *lock_target, int exists, struct scion_writer_lock **lock)
{
    struct scion_writer_lock *new = calloc(1, sizeof *new);
    int is_done = 0,
        rc = new ? lock_it(lock_target, exists, new, &is_done) : scion_fail_memory("lock");

    *lock = NULL;
    if (rc == 0 && is_done) {
        new->owner = getpid();
        *lock = new;
        return 0;
    }
    if (new)
        scion_file_close(new->file);
    free(new);
    return rc;
}

static int replaced_again_and_again(const char *name)
{
    return scion_fail(SION_ERR_SYSTEM, "%s is replaced repeatedly", name);
}

static int take_lock_file(const struct lock_target *lock_target, struct scion_writer_lock **lock)
{
    int exists = 0, attempt, rc = 0;

    *lock = NULL;
    for (attempt = 0; attempt < ATTEMPTS && rc == 0 && !*lock; attempt++) {
        exists = scion_path_is_taken(lock_target->path);
        rc = try(lock_target, exists, lock);
    }
    return rc == 0 && !*lock ? replaced_again_and_again(lock_target->name) : rc;
}

/* ---- a name that no file has yet ---- */

static int find_permissions(const char *name, mode_t *permissions)
{
    char *folder = strchr(name, '/') ? strdup(name) : strdup(".");
    struct stat status;
    int errnum;

    if (!folder)
        return scion_fail_memory("file name");
    scion_path_up(folder);
    errnum = scion_path_status(folder, &status);
    free(folder);
    if (errnum != 0)
        return scion_fail_errno(errnum, "cannot examine the folder of %s", name);
    *permissions = S_IRUSR | S_IWUSR | (status.st_mode & 0666);
    return 0;
}

/* Other failures than those of a broken disk the caller meets himself. */
static int check_access(int errnum, const char *name)
{
    return errnum == EIO ? scion_fail_errno(errnum, "cannot examine the folder of %s", name) : 0;
}

/* A lock file that may only be read is that of somebody else: if he does not write, it is left of a
   writer that was killed. */
static int clear_foreign(const struct lock_target *lock_target)
{
    struct scion_writer writer;
    int errnum = scion_path_check_writable(lock_target->path);

    if (errnum != EACCES)
        return check_access(errnum, lock_target->name);
    if (find_at(lock_target->path, &writer))
        return refuse(lock_target->name, &writer);
    scion_file_remove(lock_target->path);
    return 0;
}

/*
 * *lock is NULL if the folder cannot be written: nobody can make the file there then, unless the
 * name is that of a link, and other reasons the caller meets himself. The same if a lock file
 * cannot be removed, or if there are no locks.
 */
static int hold_name(const char *name, struct scion_writer_lock **lock)
{
    char *path = name_of_lock(name);
    struct lock_target lock_target = {path, name, 0, 1};
    int rc = path ? 0 : scion_fail_memory("file name");
    int errnum = rc == 0 ? scion_path_check_folder(name) : 0;

    *lock = NULL;
    if (rc == 0)
        rc = check_access(errnum, name);
    if (rc == 0 && errnum == 0) {
        rc = find_permissions(name, &lock_target.permissions);
        if (rc == 0)
            rc = clear_foreign(&lock_target);
        errnum = rc == 0 ? scion_path_check_writable(path) : 0;
        if (rc == 0)
            rc = check_access(errnum, name);
        if (rc == 0 && errnum != EACCES)
            rc = take_lock_file(&lock_target, lock);
    }
    if (*lock && (*lock)->holder == NOBODY) {
        scion_writer_lock_release(*lock, 0);
        *lock = NULL;
    }
    free(path);
    return rc;
}

/* ---- the lock of a file ---- */

/* Make the file, and lock it, while its name is held. */
static int make_and_lock(const struct lock_target *lock_target, struct scion_writer_lock *name,
                         struct scion_writer_lock **lock)
{
    int rc = try(lock_target, 0, lock), released = scion_writer_lock_release(name, 0);

    if (rc == 0 && released != 0) {
        scion_writer_lock_release(*lock, 1);
        *lock = NULL;
    }
    return scion_first_failure(rc, released);
}

/* There was no file, so its name is held first. *lock stays NULL if there is one now. */
static int take_missing(const struct lock_target *lock_target, struct scion_writer_lock **lock,
                        int *is_done)
{
    struct scion_writer_lock *name;
    int rc = hold_name(lock_target->path, &name), exists = 0;

    if (rc == 0)
        rc = scion_file_look_for(lock_target->path, &exists);
    *is_done = rc == 0 && !exists && lock_target->permissions == 0;
    if (*is_done)
        *lock = name;
    else if (rc == 0 && !exists)
        return make_and_lock(lock_target, name, lock);
    else
        rc = scion_first_failure(rc, scion_writer_lock_release(name, 0));
    return rc;
}

int scion_writer_lock_take(const char *path, mode_t permissions, struct scion_writer_lock **lock)
{
    const struct lock_target lock_target = {path, path, permissions, 0};
    int attempt, rc = 0, is_done = 0;

    *lock = NULL;
    for (attempt = 0; attempt < ATTEMPTS && rc == 0 && !is_done; attempt++) {
        int exists;

        rc = scion_file_look_for(path, &exists);
        if (rc == 0)
            rc = exists ? try(&lock_target, 1, lock) : take_missing(&lock_target, lock, &is_done);
        is_done |= *lock != NULL;
    }
    return rc == 0 && !is_done ? replaced_again_and_again(path) : rc;
}

int scion_writer_lock_take_folder(const char *folder, const char *name,
                                  struct scion_writer_lock **lock)
{
    char path[SCION_PATH];
    const struct lock_target lock_target = {
        path, path, (scion_path_permissions(folder) & 0666) | S_IRUSR | S_IWUSR, 1};
    int rc = scion_path(path, folder, name);

    *lock = NULL;
    return rc == 0 ? take_lock_file(&lock_target, lock) : rc;
}

int scion_writer_lock_release(struct scion_writer_lock *lock, int failed)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    int rc, is_there, is_removed, is_mine;

    if (!lock)
        return 0;
    is_mine = lock->owner == getpid();
    is_removed = is_mine && (lock->is_only_lock || (failed && lock->created));
    if (is_removed && find_again(lock->file, &is_there) == 0 && is_there)
        scion_file_remove(scion_file_path(lock->file));
    if (is_mine)
        scion_file_lock(lock->file, F_OFD_SETLK, &all);
    rc = scion_file_close(lock->file);
    free(lock);
    return rc;
}

int scion_writer_lock_release_folder(struct scion_writer_lock *lock, int failed)
{
    if (lock && failed && !lock->created)
        lock->is_only_lock = 0;
    return scion_writer_lock_release(lock, 0);
}

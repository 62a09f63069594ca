#include "run/preload/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run/native.h"
#include "run/preload/copy.h"

/* ---- locks ---- */

/* One byte of the file `filled`, locked for this process and all others. Signals wait: a handler
   that needs the byte would wait for ever. */
struct lock {
    int fd;
    off_t at;
    sigset_t signals;
};

static int set_lock(const struct lock *lock, short type)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = lock->at, .l_len = 1};
    int rc;

    do
        rc = (int)syscall(SYS_fcntl, lock->fd, F_OFD_SETLKW, &range);
    while (rc != 0 && errno == EINTR);
    return rc;
}

static int acquire(struct lock *lock, uint32_t number, char *room)
{
    sigset_t all;
    int why;

    snprintf(room, PATH_MAX, "%.*s/filled", (int)run_session.folder_length, run_session.tree);
    lock->at = (off_t)number;
    lock->fd = native_open(room, O_RDWR, 0);
    if (lock->fd < 0)
        return -1;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &lock->signals);
    if (set_lock(lock, F_WRLCK) == 0)
        return 0;
    why = errno;
    sigprocmask(SIG_SETMASK, &lock->signals, NULL);
    native_close(lock->fd);
    errno = why;
    return -1;
}

/* Unlocked before it is closed, because the child of a fork may have a copy of the descriptor. */
static void release(struct lock *lock)
{
    int why = errno;

    set_lock(lock, F_UNLCK);
    native_close(lock->fd);
    sigprocmask(SIG_SETMASK, &lock->signals, NULL);
    errno = why;
}

/* ---- entries ---- */

static _Atomic unsigned char *state_of(uint32_t number)
{
    return (_Atomic unsigned char *)&run_input.filled[number];
}

/* An entry; a hard link has what it is a link to. */
static void get(uint32_t number, struct scion_input_entry *entry)
{
    struct scion_input_entry target;
    uint32_t other;

    scion_input_get(&run_input, number, entry);
    if (entry->type != 'h')
        return;
    other = scion_input_find(&run_input, entry->target);
    if (other < run_input.n) {
        scion_input_get(&run_input, other, &target);
        entry->size = target.size;
        entry->extents = target.extents;
        entry->nextents = target.nextents;
    }
}

static void complain(const char *path, const char *source)
{
    char line[2 * PATH_MAX + 128];
    int length = snprintf(line, sizeof line, "libsion_run: %s cannot be read from %s: %s\n", path,
                          source, strerror(errno));

    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

static void set_attributes(const char *path, const struct scion_input_entry *entry)
{
    struct timespec time = {entry->seconds, entry->nanoseconds}, times[2] = {time, time};

    if (entry->type != 'l')
        syscall(SYS_fchmodat, AT_FDCWD, path, entry->mode & 07777);
    syscall(SYS_utimensat, AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

/* ---- showing ---- */

static int make_file(const char *path, const struct scion_input_entry *entry)
{
    int fd = native_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600), rc;

    if (fd < 0)
        return -1;
    rc = ftruncate(fd, (off_t)entry->size);
    native_close(fd);
    return rc;
}

/* path: in the tree. What is there already is the program's. */
static int make_entry(const char *path, uint32_t number)
{
    struct scion_input_entry entry;
    int rc;

    get(number, &entry);
    if (entry.type == 'd') {
        rc = native_mkdir(path, 0700);
    } else if (entry.type == 'l') {
        atomic_fetch_add(&run_session.head->links, 1);
        rc = (int)syscall(SYS_symlinkat, entry.target, AT_FDCWD, path);
    } else if (entry.type == 'p') {
        rc = (int)syscall(SYS_mknodat, AT_FDCWD, path, S_IFIFO | 0600, 0);
    } else {
        rc = make_file(path, &entry);
    }
    if (rc == 0)
        set_attributes(path, &entry);
    if (rc == 0 && entry.type != 'd' && entry.nextents == 0)
        atomic_store(state_of(number), SCION_INPUT_FILLED);
    return rc == 0 || errno == EEXIST ? 0 : -1;
}

/* The entries of a folder, which is in the tree. */
static int make_entries(uint32_t folder, char *path, size_t length)
{
    struct scion_input_entry entry;
    uint32_t i;
    int rc = 0;

    for (i = scion_input_first(&run_input, folder); i != UINT32_MAX && rc == 0;
         i = scion_input_next(&run_input, folder, i)) {
        const char *name;

        scion_input_get(&run_input, i, &entry);
        name = strrchr(entry.path, '/');
        name = name ? name + 1 : entry.path;
        if (snprintf(path + length, PATH_MAX - length, "/%s", name) >= (int)(PATH_MAX - length)) {
            errno = ENAMETOOLONG;
            rc = -1;
        } else {
            rc = make_entry(path, i);
        }
    }
    path[length] = '\0';
    return rc;
}

/* The program may have changed the mode and times of the folder before: they stay as they are. It
   may be one that its owner cannot write to. */
static int populate(uint32_t folder, char *path)
{
    struct stat status;
    struct timespec times[2];
    int rc;

    if (folder == run_input.n)
        return make_entries(folder, path, strlen(path));
    if (native_stat(path, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if ((status.st_mode & 0300) != 0300)
        syscall(SYS_fchmodat, AT_FDCWD, path, (status.st_mode & 07777) | 0700);
    rc = make_entries(folder, path, strlen(path));
    times[0] = status.st_atim;
    times[1] = status.st_mtim;
    if ((status.st_mode & 0300) != 0300)
        syscall(SYS_fchmodat, AT_FDCWD, path, status.st_mode & 07777);
    syscall(SYS_utimensat, AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
    return rc;
}

static void show(uint32_t folder, struct run_place *room)
{
    struct lock lock;

    if (acquire(&lock, folder, room->target) != 0)
        return;
    if (atomic_load(state_of(folder)) == SCION_INPUT_EMPTY && populate(folder, room->tree) == 0)
        atomic_store(state_of(folder), SCION_INPUT_MADE);
    release(&lock);
}

static void show_folder(const char *inside, size_t length, struct run_place *room)
{
    struct scion_input_entry entry;
    uint32_t number;

    snprintf(room->spare, PATH_MAX, "%.*s", (int)length, inside);
    number = scion_input_find(&run_input, room->spare);
    if (number == UINT32_MAX || atomic_load(state_of(number)) != SCION_INPUT_EMPTY)
        return;
    if (number != run_input.n) {
        scion_input_get(&run_input, number, &entry);
        if (entry.type != 'd')
            return;
    }
    if (snprintf(room->tree, PATH_MAX, "%s%s%s", run_session.tree, length > 0 ? "/" : "",
                 room->spare) < PATH_MAX)
        show(number, room);
}

void run_input_show_slowly(const char *inside, size_t length)
{
    struct run_place *room = run_take();
    int why = errno;
    size_t at;

    show_folder(inside, 0, room);
    for (at = 1; at <= length; at++) { /* those above first */
        if (at == length || inside[at] == '/')
            show_folder(inside, at, room);
    }
    run_give(room);
    errno = why;
}

/* ---- filling ---- */

static int copy_extent(int from, int to, const struct scion_input_extent *extent, char *buffer,
                       size_t room)
{
    uint64_t done = 0;

    while (done < extent->bytes) {
        uint64_t rest = extent->bytes - done;
        ssize_t n =
            pread(from, buffer, rest < room ? (size_t)rest : room, (off_t)(extent->offset + done));

        if (n == 0)
            errno = EIO; /* it has become shorter */
        if (n <= 0 || pwrite(to, buffer, (size_t)n, (off_t)(extent->at + done)) != n)
            return -1;
        done += (uint64_t)n;
    }
    return 0;
}

static int copy_extents(const struct scion_input_entry *entry, int to, struct run_place *room)
{
    uint32_t i;
    int rc = 0;

    for (i = 0; i < entry->nextents && rc == 0; i++) {
        const char *source = scion_input_source(&run_input, entry->extents[i].source);
        int from = native_open(source, O_RDONLY, 0);

        rc = from >= 0 ? copy_extent(from, to, &entry->extents[i], room->real,
                                     sizeof *room - offsetof(struct run_place, real))
                       : -1;
        if (rc != 0)
            complain(entry->path, source);
        if (from >= 0)
            native_close(from);
    }
    return rc;
}

static int fill(const char *path, uint32_t number)
{
    struct scion_input_entry entry;
    struct run_place *room = run_take();
    struct stat status;
    int to, rc = -1, why;

    get(number, &entry);
    if (native_stat(path, &status, AT_SYMLINK_NOFOLLOW) == 0 && !(status.st_mode & 0200))
        syscall(SYS_fchmodat, AT_FDCWD, path, (status.st_mode & 07777) | 0200);
    to = native_open(path, O_WRONLY | O_NOFOLLOW, 0);
    if (to >= 0) {
        rc = copy_extents(&entry, to, room);
        why = errno;
        native_close(to);
        set_attributes(path, &entry);
        errno = why;
    }
    run_give(room);
    return rc;
}

/* Number of the place's entry, if it is a file that has not got its bytes; else UINT32_MAX. */
static uint32_t number_of(struct run_place *place)
{
    struct scion_input_entry entry;
    struct run_cut cut;
    uint32_t number;

    run_cut(place, place->inside_length, &cut);
    number = scion_input_find(&run_input, run_inside(place));
    run_uncut(&cut);
    if (number >= run_input.n || atomic_load(state_of(number)) >= SCION_INPUT_FILLED)
        return UINT32_MAX;
    scion_input_get(&run_input, number, &entry);
    return entry.type == 'f' || entry.type == 'h' ? number : UINT32_MAX;
}

int run_input_fill_slowly(struct run_place *place)
{
    uint32_t number = number_of(place);
    struct stat status;
    struct run_cut cut;
    struct lock lock;
    int rc = 0, why = errno;

    if (number == UINT32_MAX)
        return 0;
    if (acquire(&lock, number, place->spare) != 0)
        return -1;
    run_cut(place, place->inside_length, &cut);
    if (atomic_load(state_of(number)) < SCION_INPUT_FILLED &&
        native_stat(place->tree, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        rc = fill(place->tree, number);
        if (rc == 0)
            atomic_store(state_of(number), SCION_INPUT_FILLED);
    }
    run_uncut(&cut);
    release(&lock);
    if (rc == 0)
        errno = why;
    return rc;
}

void run_input_forget_slowly(struct run_place *place)
{
    struct run_cut cut;
    uint32_t number;

    run_cut(place, place->inside_length, &cut);
    number = scion_input_find(&run_input, run_inside(place));
    run_uncut(&cut);
    if (number < run_input.n)
        atomic_store(state_of(number), SCION_INPUT_GONE);
}

int run_input_fill_all_slowly(struct run_place *place)
{
    struct scion_input_entry entry;
    struct run_place *each;
    uint32_t number = scion_input_find(&run_input, run_inside(place)), i;
    int rc = 0;

    if (place->begin == 0 || number >= run_input.n)
        return 0;
    scion_input_get(&run_input, number, &entry);
    each = run_take();
    for (i = number + 1; entry.type == 'd' && i < entry.end && rc == 0; i++) {
        struct scion_input_entry inner;

        scion_input_get(&run_input, i, &inner);
        run_input_show(inner.path, strlen(inner.path) - strlen(strrchr(inner.path, '/')));
        snprintf(each->spare, PATH_MAX, "%s/%s", run_session.root_real, inner.path);
        run_place(each, AT_FDCWD, each->spare);
        if (each->where == RUN_OURS)
            rc = run_input_fill(each);
    }
    run_give(each);
    return rc;
}

/* open, creat, fopen and their like. */
#include "run/preload/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run/native.h"
#include "run/preload/anchor.h"
#include "run/preload/call.h"
#include "run/preload/closing.h"
#include "run/preload/fill.h"
#include "run/preload/hook.h"
#include "run/preload/known.h"
#include "run/preload/opened.h"
#include "run/preload/union.h"

HOOK(int, open, const char *path, int flags, ...);
HOOK(int, openat, int folder, const char *path, int flags, ...);
HOOK(int, eaccess, const char *path, int mode);

static int writes(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
}

static int is_unnamed(int flags)
{
    return (flags & O_TMPFILE) == O_TMPFILE;
}

/* ---- what is ours ---- */

enum { AGAIN = -2 }; /* the place has changed, or the file is in the tree now */

static int refuse(int why)
{
    errno = why;
    return -1;
}

/* The native call with the name in the tree. */
static int open_name(const struct run_place *place, int flags, mode_t mode)
{
    struct run_at at = run_at(place);
    int fd;

    do
        fd = at.fd == AT_FDCWD ? NEXT(open)(at.path, flags, mode)
                               : NEXT(openat)(at.fd, at.path, flags, mode);
    while (fd < 0 && run_is_astray(&at, place));
    return fd;
}

/* A file that is not there is made. */
static int create(struct run_place *place, int flags, mode_t mode)
{
    uint64_t name = run_name_hash(place);
    uint32_t times = run_comes(name);
    int fd = open_name(place, flags | O_NOFOLLOW, mode);

    if (fd < 0 && errno == ENOENT && run_mirror_parent(place) == 0)
        fd = open_name(place, flags | O_NOFOLLOW, mode);
    if (fd >= 0)
        run_made_file(name, times);
    return fd;
}

static _Atomic int last_was_new;

int run_expects_new(struct run_place *place)
{
    return atomic_load_explicit(&last_was_new, memory_order_relaxed) && run_is_tree_only(place);
}

static int create_first(struct run_place *place, int flags, mode_t mode)
{
    uint64_t name;
    uint32_t times;
    int fd;

    if (!run_expects_new(place))
        return AGAIN;
    name = run_name_hash(place);
    times = run_comes(name);
    fd = open_name(place, flags | O_EXCL | O_NOFOLLOW, mode);
    if (fd < 0)
        return AGAIN;
    run_made_file(name, times);
    return fd;
}

void run_expect_new(int was_new)
{
    if (atomic_load_explicit(&last_was_new, memory_order_relaxed) != was_new)
        atomic_store_explicit(&last_was_new, was_new, memory_order_relaxed);
}

/* A real file is opened to be written: it must be in the tree. */
static int raise(struct run_place *place, int flags)
{
    int access = (flags & O_ACCMODE) == O_WRONLY ? W_OK
                 : (flags & O_ACCMODE) == O_RDWR ? R_OK | W_OK
                                                 : R_OK | W_OK;

    if (NEXT(eaccess)(place->real, access) != 0 || run_copy_up(place, !(flags & O_TRUNC)) != 0)
        return -1;
    return AGAIN;
}

/* The name is not in the tree; `why` says so. */
static int open_real(struct run_place *place, int flags, mode_t mode, int why)
{
    struct stat status;

    if (run_real(place, &status) != 0) {
        if (errno != ENOENT)
            return -1;
        if ((flags & O_CREAT) && why == ENOENT) {
            run_expect_new(1);
            return create(place, flags, mode);
        }
        return refuse(why);
    }
    if (S_ISLNK(status.st_mode) && !(flags & O_NOFOLLOW))
        return run_follow(place) == 0 ? AGAIN : -1;
    if (S_ISREG(status.st_mode) && writes(flags) && !(flags & O_PATH))
        return raise(place, flags);
    return NEXT(open)(place->real, flags, mode);
}

static int is_link(const char *path)
{
    struct stat status;
    int why = errno, rc = native_stat(path, &status, AT_SYMLINK_NOFOLLOW);

    errno = why;
    return rc == 0 && S_ISLNK(status.st_mode);
}

static int prepare_input(struct run_place *place, int flags)
{
    if (flags & O_PATH)
        return 0;
    if (!(flags & O_TRUNC))
        return run_input_fill(place);
    run_input_forget(place);
    return 0;
}

/* With O_CREAT, no folder is opened, not even to be read. */
static int unless_folder(int fd)
{
    struct stat status;

    if (native_fstat(fd, &status) != 0 || !S_ISDIR(status.st_mode))
        return fd;
    native_close(fd);
    return refuse(EISDIR);
}

/* The name may be in the tree. A link there is followed by us, because the system would not find
   what is only real, and would find what is not. */
static int open_tree(struct run_place *place, int flags, mode_t mode)
{
    int fd;

    if ((flags & O_PATH) && !(flags & O_NOFOLLOW) && is_link(place->tree))
        return run_follow(place) == 0 ? AGAIN : -1;
    if (prepare_input(place, flags) != 0)
        return -1;
    if (flags & O_CREAT) {
        fd = create_first(place, flags, mode);
        if (fd >= 0)
            return fd;
    }
    fd = open_name(place, (flags & ~O_CREAT) | (flags & O_PATH ? 0 : O_NOFOLLOW), 0);
    if (fd >= 0 && (flags & O_CREAT) && !writes(flags))
        return unless_folder(fd);
    if (fd >= 0) {
        if (flags & O_CREAT)
            run_expect_new(0);
        if (writes(flags))
            run_changed();
        return fd;
    }
    if (!(flags & O_NOFOLLOW) && (errno == ELOOP || errno == ENOTDIR) && is_link(place->tree))
        return run_follow(place) == 0 ? AGAIN : -1;
    return errno == ENOENT || errno == ENOTDIR ? open_real(place, flags, mode, errno) : -1;
}

static int open_new(struct run_place *place, int flags, mode_t mode)
{
    if (run_is_in_the_way(place))
        return refuse(EEXIST);
    return errno == ENOENT || errno == ENOTDIR ? create(place, flags, mode) : -1;
}

/* A file without a name, in a folder that must be in the tree. */
static int open_unnamed(struct run_place *place, int flags, mode_t mode)
{
    if (run_follow(place) != 0)
        return -1;
    if (place->where != RUN_OURS)
        return NEXT(open)(place->real, flags, mode);
    return run_mirror(place) == 0 ? open_name(place, flags, mode) : -1;
}

/* Nothing is made with such a name; the system tells why. */
static int open_slash(struct run_place *place, int flags)
{
    int fd = open_name(place, flags, 0);

    return fd < 0 && errno == ENOENT ? NEXT(open)(place->real, flags, 0) : fd;
}

static int open_native(struct run_place *place, int flags, mode_t mode)
{
    int fd = NEXT(open)(place->real, flags, mode);

    if (fd < 0 && errno == ENOENT && (flags & O_CREAT) && run_real_parent(place))
        fd = NEXT(open)(place->real, flags, mode);
    return fd;
}

static int open_ours(struct run_place *place, int flags, mode_t mode)
{
    int fd = AGAIN, steps;

    for (steps = 0; fd == AGAIN && steps <= RUN_LINKS_MOST; steps++) {
        if (place->end != SCION_END_NAME && !(flags & O_CREAT) && run_follow(place) != 0)
            return -1;
        if (place->where != RUN_OURS)
            return open_native(place, flags, mode);
        if ((flags & O_CREAT) && place->end != SCION_END_NAME)
            return open_slash(place, flags);
        if (is_unnamed(flags))
            return open_unnamed(place, flags, mode);
        if ((flags & O_CREAT) && (flags & O_EXCL))
            fd = open_new(place, flags, mode);
        else
            fd = open_tree(place, flags, mode);
    }
    return fd == AGAIN ? refuse(ELOOP) : fd;
}

int run_open(struct run_place *place, int flags, mode_t mode)
{
    int why = errno, fd;

    fd = open_ours(place, flags, mode);
    if (fd >= 0) {
        if (writes(flags) && place->where == RUN_OURS)
            run_written(fd);
        errno = why;
    }
    return fd;
}

/* ---- descriptors ---- */

int run_open_follows(const char *path, int flags)
{
    size_t length = (flags & O_CREAT) && path ? strlen(path) : 0;

    if (flags & O_EXCL || (length > 0 && path[length - 1] == '/'))
        return 0;
    return flags & O_NOFOLLOW ? -1 : 1;
}

/* A file that is there already, by the name that the program gave. -1: it has to be looked for. */
static int open_near(int folder, const char *path, int flags)
{
    int fd = -1, why = errno;

    if (!(flags & (O_CREAT | O_PATH)) && !is_unnamed(flags))
        fd = NEXT(openat)(folder, path, flags | O_NOFOLLOW);
    if (fd >= 0 && writes(flags)) {
        run_changed();
        run_written(fd);
    }
    errno = why;
    return fd;
}

/* Whether the path is not left as it is; then *fd is the result. */
static int open_once(int folder, const char *path, int flags, mode_t mode, int *fd)
{
    struct run_place *place;
    int is_native;

    *fd = -1;
    place = run_take();
    if (run_locate_quickly(place, folder, path, run_open_follows(path, flags)) != 0) {
        run_give(place);
        return 1;
    }
    if (place->is_recalled && place->where == RUN_OURS) {
        *fd = open_near(folder, path, flags);
        if (*fd < 0 && run_locate(place, folder, path, run_open_follows(path, flags)) != 0) {
            run_give(place);
            return 1;
        }
    }
    is_native = place->where == RUN_NATIVE;
    if (!is_native && *fd < 0)
        *fd = run_open(place, flags, mode);
    run_give(place);
    if (!is_native)
        run_opened(*fd);
    return !is_native;
}

static int is_opened(int folder, const char *path, int flags, mode_t mode, int *fd)
{
    struct run_watch watch = run_watch();
    int is_ours;

    if (!run_is_on())
        return 0;
    do
        is_ours = open_once(folder, path, flags, mode, fd);
    while (is_ours && *fd < 0 && run_has_moved(&watch, path));
    return is_ours;
}

/* The native call has not made a file: its folder may be in the tree only. */
static int open_again(int folder, const char *path, int flags, mode_t mode, int before)
{
    struct run_place *place;
    int fd = -1;

    if (!(flags & O_CREAT) || errno != ENOENT || !run_is_on())
        return -1;
    place = run_take();
    if (run_locate(place, folder, path, run_open_follows(path, flags)) == 0 &&
        run_real_parent(place))
        fd = NEXT(open)(place->real, flags, mode);
    run_give(place);
    if (fd >= 0)
        errno = before;
    return fd;
}

/* After the native call. */
static int opened(int fd, int folder, const char *path, int flags, mode_t mode, int before)
{
    if (fd < 0)
        fd = open_again(folder, path, flags, mode, before);
    run_opened(fd);
    return fd;
}

static mode_t mode_of(int flags, va_list *arguments)
{
    return flags & O_CREAT || is_unnamed(flags) ? (mode_t)va_arg(*arguments, int) : 0;
}

#define OPEN(name)                                                                                 \
    HOOK(int, name, const char *path, int flags, ...)                                              \
    {                                                                                              \
        va_list arguments;                                                                         \
        mode_t mode;                                                                               \
        int fd, before = errno;                                                                    \
                                                                                                   \
        va_start(arguments, flags);                                                                \
        mode = mode_of(flags, &arguments);                                                         \
        va_end(arguments);                                                                         \
        if (is_opened(AT_FDCWD, path, flags, mode, &fd))                                           \
            return fd;                                                                             \
        fd = NEXT(name)(path, flags, mode);                                                        \
        return opened(fd, AT_FDCWD, path, flags, mode, before);                                    \
    }

#define OPENAT(name)                                                                               \
    HOOK(int, name, int folder, const char *path, int flags, ...)                                  \
    {                                                                                              \
        va_list arguments;                                                                         \
        mode_t mode;                                                                               \
        int fd, before = errno;                                                                    \
                                                                                                   \
        va_start(arguments, flags);                                                                \
        mode = mode_of(flags, &arguments);                                                         \
        va_end(arguments);                                                                         \
        if (is_opened(folder, path, flags, mode, &fd))                                             \
            return fd;                                                                             \
        fd = NEXT(name)(folder, path, flags, mode);                                                \
        return opened(fd, folder, path, flags, mode, before);                                      \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* The C library's names of the same for programs that are compiled with checks: without a mode. */
#define OPEN_2(name)                                                                               \
    HOOK(int, name, const char *path, int flags)                                                   \
    {                                                                                              \
        int fd;                                                                                    \
                                                                                                   \
        if (is_opened(AT_FDCWD, path, flags, 0, &fd))                                              \
            return fd;                                                                             \
        fd = NEXT(name)(path, flags);                                                              \
        run_opened(fd);                                                                            \
        return fd;                                                                                 \
    }

#define OPENAT_2(name)                                                                             \
    HOOK(int, name, int folder, const char *path, int flags)                                       \
    {                                                                                              \
        int fd;                                                                                    \
                                                                                                   \
        if (is_opened(folder, path, flags, 0, &fd))                                                \
            return fd;                                                                             \
        fd = NEXT(name)(folder, path, flags);                                                      \
        run_opened(fd);                                                                            \
        return fd;                                                                                 \
    }

OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define CREAT(name)                                                                                \
    HOOK(int, name, const char *path, mode_t mode)                                                 \
    {                                                                                              \
        int fd, before = errno;                                                                    \
                                                                                                   \
        if (is_opened(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode, &fd))                    \
            return fd;                                                                             \
        fd = NEXT(name)(path, mode);                                                               \
        return opened(fd, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode, before);             \
    }

CREAT(creat)
CREAT(creat64)

/* fopen, freopen and temporary files. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "run/native.h"
#include "run/preload/call.h"
#include "run/preload/closing.h"
#include "run/preload/fill.h"
#include "run/preload/hook.h"
#include "run/preload/known.h"
#include "run/preload/open.h"
#include "run/preload/opened.h"
#include "run/preload/union.h"

/* Functions that are not ours, but must be those of the C library, not of its headers. */
HOOK(FILE *, fopen, const char *path, const char *mode);
HOOK(FILE *, fopen64, const char *path, const char *mode);
HOOK(FILE *, freopen, const char *path, const char *mode, FILE *stream);

/* ---- streams ---- */

/* The flags of a mode of fopen(); -1: it is none. */
static int flags_of(const char *mode)
{
    int flags = *mode == 'r'   ? O_RDONLY
                : *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                : *mode == 'a' ? O_WRONLY | O_CREAT | O_APPEND
                               : -1;

    for (mode++; flags != -1 && *mode && *mode != ','; mode++) {
        if (*mode == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        flags |= *mode == 'x' ? O_EXCL : *mode == 'e' ? O_CLOEXEC : 0;
    }
    return flags;
}

/* A mode without `x`, for a file that was just made. */
static const char *without_x(const char *mode, char *to, size_t room)
{
    size_t n = 0;

    for (; *mode && n + 1 < room; mode++) {
        if (*mode != 'x')
            to[n++] = *mode;
    }
    to[n] = '\0';
    return to;
}

typedef FILE *opener(const char *path, const char *mode);

/* A new file. */
static FILE *make_stream(struct run_place *place, const char *mode, opener *opens)
{
    char exclusive[8] = {mode[0], 'x'};
    uint64_t name = run_name_hash(place);
    uint32_t times;
    FILE *stream;

    if (strlen(mode) > 6 || strchr(mode, 'x') || !run_expects_new(place))
        return NULL;
    times = run_comes(name);
    stream = opens(place->tree, strcat(exclusive, mode + 1));
    if (stream)
        run_made_file(name, times);
    else
        run_expect_new(0);
    return stream;
}

/* By the C library's function, where nothing but the tree can have the file: a stream for a
   descriptor takes a system call more, for its flags. NULL: it has to be looked for. */
static FILE *open_directly(struct run_place *place, const char *mode, int flags, opener *opens)
{
    int why = errno, writes = (flags & O_ACCMODE) != O_RDONLY;
    FILE *stream;

    if (place->end != SCION_END_NAME || run_has_links() || run_input.head)
        return NULL;
    stream = flags & O_CREAT ? make_stream(place, mode, opens) : opens(place->tree, mode);
    if (stream && writes) {
        run_changed();
        run_written(fileno(stream));
    }
    errno = why;
    return stream;
}

static FILE *open_stream(struct run_place *place, const char *mode, opener *opens)
{
    int flags = flags_of(mode), fd, why;
    FILE *stream;

    if (flags == -1) {
        errno = EINVAL;
        return NULL;
    }
    stream = open_directly(place, mode, flags, opens);
    if (stream)
        return stream;
    fd = run_open(place, flags, 0666);
    if (fd < 0)
        return NULL;
    if ((flags & O_APPEND) && (flags & O_ACCMODE) == O_WRONLY)
        lseek(fd, 0, SEEK_END);
    stream = fdopen(fd, mode);
    why = errno;
    if (!stream)
        native_close(fd);
    errno = why;
    return stream;
}

#define FOPEN(name)                                                                                \
    static FILE *name##_once(const char *path, const char *mode)                                   \
    {                                                                                              \
        struct run_place *place;                                                                   \
        FILE *stream;                                                                              \
                                                                                                   \
        place = run_placed(AT_FDCWD, path, run_open_follows(path, flags_of(mode)));                \
        if (!place)                                                                                \
            return NULL;                                                                           \
        if (place->where == RUN_OURS)                                                              \
            stream = open_stream(place, mode, NEXT(name));                                         \
        else                                                                                       \
            stream = NEXT(name)(place->where == RUN_MOVED ? place->real : path, mode);             \
        if (!stream && errno == ENOENT && *mode != 'r' && run_real_parent(place))                  \
            stream = NEXT(name)(place->real, mode);                                                \
        run_give(place);                                                                           \
        return stream;                                                                             \
    }                                                                                              \
                                                                                                   \
    HOOK(FILE *, name, const char *path, const char *mode)                                         \
    {                                                                                              \
        struct run_watch watch = run_watch();                                                      \
        FILE *stream;                                                                              \
                                                                                                   \
        if (!run_is_on())                                                                          \
            return NEXT(name)(path, mode);                                                         \
        do                                                                                         \
            stream = name##_once(path, mode);                                                      \
        while (!stream && run_has_moved(&watch, path));                                            \
        return stream;                                                                             \
    }

FOPEN(fopen)
FOPEN(fopen64)

/* The place of a name, and if it is ours its file, opened as by fopen(): *fd, else -1. NULL, or no
   file: errno. */
static struct run_place *open_place(const char *path, int flags, int *fd)
{
    struct run_watch watch = run_watch();
    struct run_place *place;

    for (;;) {
        place = run_placed(AT_FDCWD, path, run_open_follows(path, flags));
        *fd = place && place->where == RUN_OURS ? run_open(place, flags, 0666) : -1;
        if (*fd >= 0 || (place && place->where != RUN_OURS) || !run_has_moved(&watch, path))
            return place;
        if (place)
            run_give(place);
    }
}

/* The stream opens the file once more, by a name that stays whoever renames what. Without one it is
   closed. */
static FILE *reopen(struct run_place *place, const char *mode, FILE *stream, int fd)
{
    char plain[32], name[RUN_LINK_ROOM];
    int why = errno, is_there = fd >= 0 && run_opened_link(fd, name, sizeof name, place->spare) > 0;
    FILE *result;

    why = fd >= 0 && !is_there ? errno : why;
    result = NEXT(freopen)(is_there ? name : "", without_x(mode, plain, sizeof plain), stream);
    if (result || !is_there)
        errno = why;
    if (fd >= 0)
        native_close(fd);
    return result;
}

/* The descriptor that the stream has now. */
static int number_of(FILE *stream)
{
    int why = errno, fd = fileno(stream);

    errno = why;
    return fd;
}

#define FREOPEN(name)                                                                              \
    HOOK(FILE *, name, const char *path, const char *mode, FILE *stream)                           \
    {                                                                                              \
        struct run_place *place;                                                                   \
        FILE *result;                                                                              \
        int fd;                                                                                    \
                                                                                                   \
        if (stream)                                                                                \
            run_closes(number_of(stream));                                                         \
        if (!path || !run_is_on() || flags_of(mode) == -1)                                         \
            return NEXT(name)(path, mode, stream);                                                 \
        place = open_place(path, flags_of(mode), &fd);                                             \
        if (!place)                                                                                \
            return NEXT(name)("", mode, stream);                                                   \
        if (place->where == RUN_OURS)                                                              \
            result = reopen(place, mode, stream, fd);                                              \
        else                                                                                       \
            result = NEXT(name)(place->where == RUN_MOVED ? place->real : path, mode, stream);     \
        run_give(place);                                                                           \
        return result;                                                                             \
    }

FREOPEN(freopen)
FREOPEN(freopen64)

/* ---- temporary files ---- */

HOOK(int, open, const char *path, int flags, ...);
HOOK(int, mkdir, const char *path, mode_t mode);
HOOK(int, mkostemps, char *name, int suffix, int flags);
HOOK(char *, mkdtemp, char *name);

/* Put random letters in the place of the six X. */
static void draw(char *to)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint64_t random;
    int i;

    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = (uint64_t)(uintptr_t)&random * 2654435761u + (uint64_t)syscall(SYS_gettid);
    for (i = 0; i < 6; i++, random /= 62)
        to[i] = letters[random % 62];
}

/* The letters of a template, if it is one and its name is beneath the root; else NULL. */
static char *letters_of(char *name, int suffix)
{
    struct run_place *place;
    size_t length = strlen(name);
    char *letters = name + length - (size_t)suffix - 6;
    int is_inside;

    if (suffix < 0 || length < (size_t)suffix + 6 || memcmp(letters, "XXXXXX", 6) != 0 ||
        !run_is_on())
        return NULL;
    place = run_take();
    run_place(place, AT_FDCWD, name);
    is_inside = place->begin > 0;
    run_give(place);
    return is_inside ? letters : NULL;
}

enum { TRIES = 1000 };

static int make_file(char *name, int flags, char *letters)
{
    int i, fd = -1, why = errno;

    for (i = 0; i < TRIES; i++) {
        draw(letters);
        errno = why;
        fd = hook_open(name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd;
}

#define MKSTEMP(name, suffix, flags, parameters, arguments)                                        \
    HOOK(int, name, BARE parameters)                                                               \
    {                                                                                              \
        char *letters = letters_of(path, suffix);                                                  \
                                                                                                   \
        return letters ? make_file(path, flags, letters) : NEXT(name) arguments;                   \
    }
#define BARE(...) __VA_ARGS__

MKSTEMP(mkstemp, 0, 0, (char *path), (path))
MKSTEMP(mkstemp64, 0, 0, (char *path), (path))
MKSTEMP(mkostemp, 0, f, (char *path, int f), (path, f))
MKSTEMP(mkostemp64, 0, f, (char *path, int f), (path, f))
MKSTEMP(mkstemps, s, 0, (char *path, int s), (path, s))
MKSTEMP(mkstemps64, s, 0, (char *path, int s), (path, s))
MKSTEMP(mkostemps, s, f, (char *path, int s, int f), (path, s, f))
MKSTEMP(mkostemps64, s, f, (char *path, int s, int f), (path, s, f))

HOOK(char *, mkdtemp, char *name)
{
    char *letters = letters_of(name, 0);
    int i, rc = -1, why = errno;

    if (!letters)
        return NEXT(mkdtemp)(name);
    for (i = 0; i < TRIES && rc != 0; i++) {
        draw(letters);
        errno = why;
        rc = hook_mkdir(name, 0700);
        if (rc != 0 && errno != EEXIST)
            break;
    }
    return rc == 0 ? name : NULL;
}

/* close and its like. Without `when` patterns they only look at a counter. */
#include "run/preload/closing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run/native.h"
#include "run/preload/anchor.h"
#include "run/preload/hook.h"
#include "run/preload/opened.h"
#include "run/preload/place.h"

HOOK(int, close, int fd);
HOOK(int, fclose, FILE *stream);
HOOK(void, _exit, int status);

/* ---- marked descriptors ---- */

enum { MOST = 1 << 16, WORD = 64 };

static _Atomic uint64_t marks[MOST / WORD];
static _Atomic int marked; /* how many */

static void mark(int fd)
{
    uint64_t bit = UINT64_C(1) << fd % WORD;

    if (fd >= 0 && fd < MOST && !(atomic_fetch_or(&marks[fd / WORD], bit) & bit))
        atomic_fetch_add(&marked, 1);
}

static void unmark(int fd)
{
    uint64_t bit = UINT64_C(1) << fd % WORD;

    if (atomic_fetch_and(&marks[fd / WORD], ~bit) & bit)
        atomic_fetch_sub(&marked, 1);
}

static int is_marked(int fd)
{
    return atomic_load_explicit(&marked, memory_order_relaxed) > 0 && fd >= 0 && fd < MOST &&
           (atomic_load(&marks[fd / WORD]) >> fd % WORD & 1) && run_is_own_process();
}

void run_written_slowly(int fd)
{
    struct run_place *place = run_take();

    if (run_place_of(place, fd) && place->where == RUN_OURS &&
        scion_session_tells(&run_session, run_inside(place)))
        mark(fd);
    run_give(place);
}

/* ---- telling ---- */

/* Tell sionrun a path, relative to the root. */
static void tell(const char *inside)
{
    struct run_place *room = run_take();
    size_t length = strlen(inside) + 1;
    int fd, why = errno;

    snprintf(room->spare, sizeof room->spare, "%.*s/notify", (int)run_session.folder_length,
             run_session.tree);
    fd = length <= PIPE_BUF ? native_open(room->spare, O_WRONLY | O_NONBLOCK, 0) : -1;
    if (fd >= 0) {
        while (write(fd, inside, length) < 0 && errno == EINTR)
            ;
        native_close(fd);
    }
    run_give(room);
    errno = why;
}

/* Whether another marked descriptor has the same file open. */
static int is_elsewhere(int fd)
{
    struct stat own, other;
    int i, bit;

    if (native_fstat(fd, &own) != 0)
        return 0;
    for (i = 0; i < MOST / WORD; i++) {
        for (bit = 0; bit < WORD && atomic_load(&marks[i]) >> bit; bit++) {
            if (i * WORD + bit != fd && is_marked(i * WORD + bit) &&
                native_fstat(i * WORD + bit, &other) == 0 && other.st_ino == own.st_ino &&
                other.st_dev == own.st_dev)
                return 1;
        }
    }
    return 0;
}

/* A marked descriptor is about to be closed: its place, if that is to be told. */
static struct run_place *begin(int fd)
{
    struct run_place *place;
    int why = errno;

    if (!is_marked(fd))
        return NULL;
    place = run_take();
    if (is_elsewhere(fd) || !run_place_of(place, fd) || place->where != RUN_OURS ||
        !scion_session_tells(&run_session, run_inside(place))) {
        run_give(place);
        place = NULL;
    }
    unmark(fd);
    errno = why;
    return place;
}

static void end(struct run_place *place)
{
    if (!place)
        return;
    tell(run_inside(place));
    run_give(place);
}

void run_told_by_name_slowly(struct run_place *place)
{
    if (place->where == RUN_OURS && scion_session_tells(&run_session, run_inside(place)))
        tell(run_inside(place));
}

static int refuse(int why)
{
    errno = why;
    return -1;
}

HOOK(int, close, int fd)
{
    struct run_place *place;
    int rc;

    if (run_is_anchor(fd))
        return refuse(EBADF);
    run_closes(fd);
    place = begin(fd);
    rc = NEXT(close)(fd);
    end(place);
    return rc;
}

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static int close_some(unsigned first, unsigned last, int flags)
{
    return first <= last ? (int)syscall(SYS_close_range, first, last, flags) : 0;
}

/* Those that something is known of. */
static void close_known(unsigned first, unsigned last)
{
    unsigned fd;

    for (fd = first; fd <= last && fd < RUN_OPENED_MOST; fd++)
        run_closes((int)fd);
    for (fd = first; fd <= last && fd < MOST && atomic_load(&marked) > 0; fd++) {
        if (is_marked((int)fd))
            hook_close((int)fd);
    }
}

enum { UNSHARE = 2, ONLY_AT_EXEC = 4 }; /* CLOSE_RANGE_UNSHARE, CLOSE_RANGE_CLOEXEC */

/* All of a range but the anchor. */
HOOK(int, close_range, unsigned first, unsigned last, int flags)
{
    int own = atomic_load(&run_anchor);

    if (!(flags & ONLY_AT_EXEC))
        close_known(first, last);
    if (flags & UNSHARE)
        run_opened_distrust();
    if (own < 0 || first > last || first > (unsigned)own || last < (unsigned)own)
        return (int)syscall(SYS_close_range, first, last, flags);
    if (close_some(first, (unsigned)own - 1, flags) != 0)
        return -1;
    return close_some((unsigned)own + 1, last, flags);
}

HOOK(int, unshare, int flags)
{
    int rc = NEXT(unshare)(flags);

    if (rc == 0 && (flags & CLONE_FILES))
        run_opened_distrust();
    return rc;
}

HOOK(void, closefrom, int first)
{
    int why = errno;

    if (hook_close_range(first > 0 ? (unsigned)first : 0, UINT_MAX, 0) != 0) {
        run_anchor_leave();
        NEXT(closefrom)(first);
    }
    errno = why;
}

HOOK(int, fclose, FILE *stream)
{
    struct run_place *place;
    int rc, why = errno, fd = fileno(stream);

    errno = why;
    run_closes(fd);
    place = begin(fd);
    rc = NEXT(fclose)(stream);
    end(place);
    return rc;
}

/* ---- copies of descriptors ---- */

static int copied(int from, int to)
{
    run_opened(to);
    if (to >= 0 && is_marked(from))
        mark(to);
    return to;
}

HOOK(int, dup, int fd)
{
    return run_is_anchor(fd) ? refuse(EBADF) : copied(fd, NEXT(dup)(fd));
}

/* What the number has been until now is closed. */
static int replace(int fd, int to, struct run_place **place)
{
    *place = NULL;
    if (run_is_anchor(fd))
        return refuse(EBADF);
    if (run_is_anchor(to))
        run_anchor_leave();
    if (fd != to) {
        run_closes(to);
        *place = begin(to);
    }
    return 0;
}

HOOK(int, dup2, int fd, int to)
{
    struct run_place *place;
    int rc = replace(fd, to, &place);

    if (rc == 0)
        rc = copied(fd, NEXT(dup2)(fd, to));
    end(place);
    return rc;
}

HOOK(int, dup3, int fd, int to, int flags)
{
    struct run_place *place;
    int rc = replace(fd, to, &place);

    if (rc == 0)
        rc = copied(fd, NEXT(dup3)(fd, to, flags));
    end(place);
    return rc;
}

#define FCNTL(name)                                                                                \
    HOOK(int, name, int fd, int command, ...)                                                      \
    {                                                                                              \
        va_list arguments;                                                                         \
        void *argument;                                                                            \
        int rc;                                                                                    \
                                                                                                   \
        va_start(arguments, command);                                                              \
        argument = va_arg(arguments, void *);                                                      \
        va_end(arguments);                                                                         \
        if (run_is_anchor(fd))                                                                     \
            return refuse(EBADF);                                                                  \
        rc = NEXT(name)(fd, command, argument);                                                    \
        return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, rc) : rc;             \
    }

FCNTL(fcntl)
FCNTL(fcntl64)

/* ---- the ends of a process ---- */

/* The child of a fork has copies: it is the parent that closes the files. */
void run_closing_forked(void)
{
    int i;

    for (i = 0; i < MOST / WORD && atomic_load(&marked) > 0; i++)
        atomic_store(&marks[i], 0);
    atomic_store(&marked, 0);
}

static void tell_all(void)
{
    int i, bit;

    for (i = 0; i < MOST / WORD && atomic_load(&marked) > 0; i++) {
        for (bit = 0; bit < WORD; bit++)
            end(begin(i * WORD + bit));
    }
}

__attribute__((destructor)) static void leave(void)
{
    if (atomic_load(&marked) == 0)
        return;
    fflush(NULL);
    tell_all();
}

#define EXIT(name)                                                                                 \
    HOOK(void, name, int status)                                                                   \
    {                                                                                              \
        if (atomic_load(&marked) > 0 && run_is_own_process())                                      \
            tell_all();                                                                            \
        NEXT(name)(status);                                                                        \
        __builtin_unreachable();                                                                   \
    }

EXIT(_exit)
EXIT(_Exit)

/* A shell has opened a file for the program that it has become. */
void run_closing_start(void)
{
    int fd, flags;

    if (run_session.head->count[SCION_RUN_WHEN] == 0)
        return;
    for (fd = 0; fd <= 2; fd++) {
        flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
        if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
            run_written_slowly(fd);
    }
}

/* The working folder, and paths that the system tells: none of them shows the session's folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/native.h"
#include "run/preload/call.h"
#include "run/preload/fill.h"
#include "run/preload/hook.h"
#include "run/preload/union.h"

HOOK(int, chdir, const char *path);
HOOK(char *, getcwd, char *to, size_t room);
HOOK(char *, realpath, const char *path, char *to);

/* ---- going ---- */

/* The real folder is preferred: what is not redirected runs natively there. */
static int enter(struct run_place *place)
{
    int why = errno, rc;

    if (run_follow(place) != 0)
        return -1;
    rc = NEXT(chdir)(place->real);
    if (rc == 0 || place->where != RUN_OURS || errno != ENOENT)
        return rc;
    rc = NEXT(chdir)(place->tree);
    if (rc == 0)
        errno = why;
    return rc;
}

static int chdir_once(const char *path)
{
    struct run_place *place;
    int rc, why;

    place = run_placed(AT_FDCWD, path, 1);
    if (!place)
        return -1;
    rc = place->where == RUN_NATIVE ? NEXT(chdir)(path) : enter(place);
    why = errno;
    run_give(place);
    if (rc == 0)
        run_cwd_update();
    errno = why;
    return rc;
}

HOOK(int, chdir, const char *path)
{
    struct run_watch watch = run_watch();
    int rc;

    if (!run_is_on())
        return NEXT(chdir)(path);
    do
        rc = chdir_once(path);
    while (rc != 0 && run_has_moved(&watch, path));
    return rc;
}

HOOK(int, fchdir, int fd)
{
    int rc = NEXT(fchdir)(fd);

    if (rc == 0 && run_is_on())
        run_cwd_update();
    return rc;
}

/* The child of this is in the root, where the C library has brought it. */
HOOK(int, daemon, int stays, int is_open)
{
    int rc = NEXT(daemon)(stays, is_open), why = errno;

    if (rc == 0 && run_is_on())
        run_cwd_update();
    errno = why;
    return rc;
}

/* ---- telling where that is ---- */

/* Whether the C library would tell a folder of the tree; then its path for the program. */
static int is_hidden(struct run_place *room)
{
    struct run_cwd cwd;
    unsigned version;
    int is_in_tree;

    if (!run_is_on())
        return 0;
    do {
        cwd = run_cwd_read(&version, room->spare);
        is_in_tree = cwd.path && cwd.is_in_tree;
        if (is_in_tree)
            snprintf(room->real, sizeof room->real, "%s", cwd.path);
    } while (!run_cwd_is_same(version));
    return is_in_tree;
}

static char *give_path(const char *path, char *to, size_t room)
{
    size_t length = strlen(path) + 1;

    if (to && room == 0) {
        errno = EINVAL;
        return NULL;
    }
    if (room != 0 && length > room) {
        errno = ERANGE;
        return NULL;
    }
    if (!to)
        to = malloc(room != 0 ? room : length);
    return to ? memcpy(to, path, length) : NULL;
}

HOOK(char *, getcwd, char *to, size_t room)
{
    struct run_place *own = run_take();
    int is_ours = is_hidden(own);
    char *result = is_ours ? give_path(own->real, to, room) : NULL;
    int why = errno;

    run_give(own);
    errno = why;
    return is_ours ? result : NEXT(getcwd)(to, room);
}

HOOK(char *, __getcwd_chk, char *to, size_t room, size_t bytes)
{
    return room > bytes ? NEXT(__getcwd_chk)(to, room, bytes) : hook_getcwd(to, room);
}

HOOK(char *, getwd, char *to)
{
    struct run_place *own = run_take();
    int is_ours = is_hidden(own);

    if (is_ours)
        strcpy(to, own->real);
    run_give(own);
    return is_ours ? to : NEXT(getwd)(to);
}

HOOK(char *, get_current_dir_name, void)
{
    struct run_place *own = run_take();
    char *result = is_hidden(own) ? strdup(own->real) : NULL;

    run_give(own);
    return result ? result : NEXT(get_current_dir_name)();
}

/* ---- links ---- */

/* What was read of a link, for the program. */
static ssize_t shown(char *to, ssize_t length, size_t room)
{
    struct run_place *own;
    size_t n;

    if (length <= 0 || !run_is_on() || (size_t)length < run_session.tree_length ||
        memcmp(to, run_session.tree, run_session.tree_length) != 0)
        return length;
    own = run_take();
    n = (size_t)length < PATH_MAX ? (size_t)length : PATH_MAX;
    memcpy(own->real, to, n);
    n = run_shown(own->real, n);
    n = n < room ? n : room;
    memcpy(to, own->real, n);
    run_give(own);
    return (ssize_t)n;
}

#define READLINK(name, folder, parameters, arguments)                                              \
    HOOK(ssize_t, name, BARE parameters)                                                           \
    {                                                                                              \
        struct run_call call;                                                                      \
        ssize_t rc = -1;                                                                           \
                                                                                                   \
        if (run_begin(&call, folder, p, RUN_NOFOLLOW) == 0)                                        \
            do                                                                                     \
                rc = NEXT(name) arguments;                                                         \
            while (run_again(&call, rc == -1));                                                    \
        if (!call.place)                                                                           \
            rc = shown(to, rc, room);                                                              \
        run_end(&call);                                                                            \
        return rc;                                                                                 \
    }
#define BARE(...) __VA_ARGS__

READLINK(readlink, AT_FDCWD, (const char *p, char *to, size_t room), (call.path, to, room))
READLINK(readlinkat, d, (int d, const char *p, char *to, size_t room),
         (call.fd, call.path, to, room))
READLINK(__readlink_chk, AT_FDCWD, (const char *p, char *to, size_t room, size_t all),
         (call.path, to, room, all))
READLINK(__readlinkat_chk, d, (int d, const char *p, char *to, size_t room, size_t all),
         (call.fd, call.path, to, room, all))

/* The path of a place that is ours, without links. NULL: it is not there. */
static char *resolve(struct run_place *place, char *to)
{
    struct stat status;
    int layer, why = errno;
    const char *inside;

    if (run_follow(place) != 0)
        return NULL;
    if (place->where != RUN_OURS)
        return NEXT(realpath)(place->real, to);
    layer = run_find(place, &status);
    if (layer < 0)
        return NULL;
    if (layer == RUN_REAL)
        return NEXT(realpath)(place->real, to);
    if (place->end != SCION_END_NAME && !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    inside = run_inside(place);
    if (snprintf(place->spare, PATH_MAX, "%s/%.*s",
                 run_session.real_length > 1 ? run_session.root_real : "",
                 (int)place->inside_length, inside) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    errno = why;
    return to ? strcpy(to, place->spare) : strdup(place->spare);
}

static char *resolve_once(const char *path, char *to)
{
    struct run_place *place;
    char *result;
    int why;

    place = run_placed(AT_FDCWD, path, 1);
    if (!place)
        return NULL;
    if (place->where == RUN_NATIVE)
        result = NEXT(realpath)(path, to);
    else
        result = resolve(place, to);
    why = errno;
    run_give(place);
    errno = why;
    return result;
}

HOOK(char *, realpath, const char *path, char *to)
{
    struct run_watch watch = run_watch();
    char *result;

    if (!path || !run_is_on())
        return NEXT(realpath)(path, to);
    do
        result = resolve_once(path, to);
    while (!result && run_has_moved(&watch, path));
    return result;
}

HOOK(char *, __realpath_chk, const char *path, char *to, size_t room)
{
    return room < PATH_MAX ? NEXT(__realpath_chk)(path, to, room) : hook_realpath(path, to);
}

HOOK(char *, canonicalize_file_name, const char *path)
{
    return hook_realpath(path, NULL);
}

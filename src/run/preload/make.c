/* Calls that make a name: mkdir, mknod, mkfifo, symlink and link. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "run/native.h"
#include "run/preload/anchor.h"
#include "run/preload/call.h"
#include "run/preload/fill.h"
#include "run/preload/hook.h"
#include "run/preload/known.h"
#include "run/preload/union.h"

HOOK(int, mkdirat, int folder, const char *path, mode_t mode);
HOOK(int, mknodat, int folder, const char *path, mode_t mode, dev_t device);
HOOK(int, symlinkat, const char *target, int folder, const char *path);
HOOK(int, linkat, int from_folder, const char *from, int folder, const char *path, int flags);

/* ---- one new thing ---- */

struct what {
    enum { FOLDER, NODE, LINK } kind;
    mode_t mode;
    dev_t device;
    const char *target;
};

static int make_native(const struct what *what, int folder, const char *path)
{
    if (what->kind == FOLDER)
        return NEXT(mkdirat)(folder, path, what->mode);
    if (what->kind == LINK)
        return NEXT(symlinkat)(what->target, folder, path);
    return NEXT(mknodat)(folder, path, what->mode, what->device);
}

static int make_in_tree(const struct what *what, const struct run_place *place)
{
    struct run_at at = run_at(place);
    int rc;

    do
        rc = make_native(what, at.fd, at.path);
    while (rc != 0 && run_is_astray(&at, place));
    return rc;
}

/* A real thing of the name is in the way as one of the tree would be. */
static int make_ours(const struct what *what, struct run_place *place)
{
    int rc, why = errno, is_absent;

    if (run_is_in_the_way(place)) {
        errno = EEXIST;
        return -1;
    }
    is_absent = errno == ENOENT;
    if (!is_absent && errno != ENOTDIR)
        return -1;
    errno = why;
    if (what->kind == LINK)
        atomic_fetch_add(&run_session.head->links, 1); /* before others can see it */
    rc = make_in_tree(what, place);
    if (rc != 0 && errno == ENOENT && run_mirror_parent(place) == 0) {
        errno = why;
        rc = make_in_tree(what, place);
    }
    if (rc == 0) {
        run_made(run_name_hash(place), SCION_OWNER_CREATED);
        if (is_absent && what->kind == FOLDER)
            run_know(RUN_REAL_IS_ABSENT, scion_path_hash(run_inside(place), place->inside_length));
    }
    return rc;
}

static int make_once(const struct what *what, int folder, const char *path)
{
    struct run_place *place;
    int rc = -1;

    place = run_placed(folder, path, 0);
    if (!place)
        return -1;
    if (place->where == RUN_OURS)
        rc = make_ours(what, place);
    else if (place->where == RUN_MOVED)
        rc = make_native(what, AT_FDCWD, place->real);
    else
        rc = make_native(what, folder, path);
    if (rc == 0 && what->kind == LINK && place->where != RUN_OURS && place->begin > 0)
        run_made_real_link();
    if (rc != 0 && errno == ENOENT && run_real_parent(place))
        rc = make_native(what, AT_FDCWD, place->real);
    run_give(place);
    return rc;
}

static int make(const struct what *what, int folder, const char *path)
{
    struct run_watch watch = run_watch();
    int rc;

    if (!run_is_on())
        return make_native(what, folder, path);
    do
        rc = make_once(what, folder, path);
    while (rc != 0 && run_has_moved(&watch, path));
    return rc;
}

HOOK(int, mkdir, const char *path, mode_t mode)
{
    return make(&(struct what){.kind = FOLDER, .mode = mode}, AT_FDCWD, path);
}

HOOK(int, mkdirat, int folder, const char *path, mode_t mode)
{
    return make(&(struct what){.kind = FOLDER, .mode = mode}, folder, path);
}

HOOK(int, mknod, const char *path, mode_t mode, dev_t device)
{
    return make(&(struct what){.kind = NODE, .mode = mode, .device = device}, AT_FDCWD, path);
}

HOOK(int, mknodat, int folder, const char *path, mode_t mode, dev_t device)
{
    return make(&(struct what){.kind = NODE, .mode = mode, .device = device}, folder, path);
}

HOOK(int, __xmknod, int version, const char *path, mode_t mode, dev_t *device)
{
    (void)version;
    return make(&(struct what){.kind = NODE, .mode = mode, .device = *device}, AT_FDCWD, path);
}

HOOK(int, __xmknodat, int version, int folder, const char *path, mode_t mode, dev_t *device)
{
    (void)version;
    return make(&(struct what){.kind = NODE, .mode = mode, .device = *device}, folder, path);
}

HOOK(int, mkfifo, const char *path, mode_t mode)
{
    return make(&(struct what){.kind = NODE, .mode = (mode & 07777) | S_IFIFO}, AT_FDCWD, path);
}

HOOK(int, mkfifoat, int folder, const char *path, mode_t mode)
{
    return make(&(struct what){.kind = NODE, .mode = (mode & 07777) | S_IFIFO}, folder, path);
}

HOOK(int, symlink, const char *target, const char *path)
{
    return make(&(struct what){.kind = LINK, .target = target}, AT_FDCWD, path);
}

HOOK(int, symlinkat, const char *target, int folder, const char *path)
{
    return make(&(struct what){.kind = LINK, .target = target}, folder, path);
}

/* ---- another name ---- */

/* The native path of the file that gets another name. A real one that is redirected is copied first
   if the new name is in the tree. */
static const char *source_of(struct run_place *from, int is_to_tree)
{
    struct stat status;
    int layer;

    if (from->where != RUN_OURS)
        return from->real;
    layer = run_find(from, &status);
    if (layer == RUN_REAL && is_to_tree && run_copy_up(from, 1) == 0)
        layer = RUN_TREE;
    else if (layer == RUN_REAL && is_to_tree)
        return NULL;
    if (layer < 0 || (layer == RUN_TREE && run_input_fill(from) != 0))
        return NULL;
    return run_path(from, layer == RUN_TREE ? RUN_TREE : RUN_REAL);
}

static int link_ours(const char *source, struct run_place *to)
{
    struct stat status;
    int rc, why = errno;

    if (run_is_in_the_way(to)) {
        errno = EEXIST;
        return -1;
    }
    errno = why;
    rc = NEXT(linkat)(AT_FDCWD, source, AT_FDCWD, to->tree, 0);
    if (rc != 0 && errno == ENOENT && native_stat(source, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        run_mirror_parent(to) == 0) {
        errno = why;
        rc = NEXT(linkat)(AT_FDCWD, source, AT_FDCWD, to->tree, 0);
    }
    return rc;
}

/* The file's owner stays, if it has one. */
static void linked(struct run_place *from, struct run_place *to)
{
    if (from->where != RUN_OURS) {
        run_made(run_name_hash(to), SCION_OWNER_CREATED);
        return;
    }
    run_comes(run_name_hash(to));
    run_moved(from, to, SCION_OWNER_LINKED);
    run_changed();
}

static int link_places(struct run_place *from, struct run_place *to, int flags)
{
    const char *source;
    int rc;

    source = source_of(from, to->where == RUN_OURS);
    if (!source)
        return -1;
    if (to->where != RUN_OURS)
        return NEXT(linkat)(AT_FDCWD, source, AT_FDCWD, to->real, flags & AT_SYMLINK_FOLLOW);
    rc = link_ours(source, to);
    if (rc == 0)
        linked(from, to);
    return rc;
}

/* A descriptor that stands for the file itself, named or by /proc: what it is does not depend on
 * us. */
static int is_of_descriptor(const char *from, int flags)
{
    return (flags & AT_EMPTY_PATH && !*from) || __builtin_strncmp(from, "/proc/", 6) == 0;
}

static int link_descriptor(int from_folder, const char *from, struct run_place *to, int flags)
{
    int rc;

    if (run_is_in_the_way(to)) {
        errno = EEXIST;
        return -1;
    }
    rc = NEXT(linkat)(from_folder, from, AT_FDCWD, to->tree, flags);
    if (rc != 0 && errno == ENOENT && run_mirror_parent(to) == 0)
        rc = NEXT(linkat)(from_folder, from, AT_FDCWD, to->tree, flags);
    if (rc == 0)
        run_made(run_name_hash(to), SCION_OWNER_CREATED);
    return rc;
}

/* The system looks for the old name before the new one. */
static int has_source(struct run_place *from, int flags)
{
    struct stat status;
    int why = errno;

    if (((flags & AT_SYMLINK_FOLLOW) || from->end != SCION_END_NAME) && run_follow(from) != 0)
        return 0;
    if (from->where == RUN_OURS
            ? run_find(from, &status) < 0
            : from->begin > 0 && native_stat(from->real, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    errno = why;
    return 1;
}

static int link_once(int from_folder, const char *from, int folder, const char *path, int flags)
{
    struct run_place *source, *to;
    int rc = -1, before = errno, why;

    source = run_placed(from_folder, from, flags & AT_SYMLINK_FOLLOW);
    to = source && has_source(source, flags) ? run_placed(folder, path, 0) : NULL;
    if (source && to) {
        if (to->where == RUN_OURS && is_of_descriptor(from, flags))
            rc = link_descriptor(from_folder, from, to, flags);
        else if (source->where == RUN_NATIVE && to->where == RUN_NATIVE)
            rc = NEXT(linkat)(from_folder, from, folder, path, flags);
        else
            rc = link_places(source, to, flags);
    }
    why = rc == 0 ? before : errno;
    if (source)
        run_give(source);
    if (to)
        run_give(to);
    errno = why;
    return rc;
}

static int make_link(int from_folder, const char *from, int folder, const char *path, int flags)
{
    struct run_watch watch = run_watch();
    int rc;

    if (!run_is_on())
        return NEXT(linkat)(from_folder, from, folder, path, flags);
    do
        rc = link_once(from_folder, from, folder, path, flags);
    while (rc != 0 && (run_has_moved(&watch, from) || run_has_moved(&watch, path)));
    return rc;
}

HOOK(int, link, const char *from, const char *path)
{
    return make_link(AT_FDCWD, from, AT_FDCWD, path, 0);
}

HOOK(int, linkat, int from_folder, const char *from, int folder, const char *path, int flags)
{
    return make_link(from_folder, from, folder, path, flags);
}

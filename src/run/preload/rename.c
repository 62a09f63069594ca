/*
 * rename: both layers move. What changes the layer, because only one of the names is redirected, is
 * copied; so are folders of which parts do.
 */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/native.h"
#include "run/preload/anchor.h"
#include "run/preload/call.h"
#include "run/preload/closing.h"
#include "run/preload/copy.h"
#include "run/preload/fill.h"
#include "run/preload/folder.h"
#include "run/preload/hook.h"
#include "run/preload/known.h"
#include "run/preload/remove.h"
#include "run/preload/swap.h"
#include "run/preload/union.h"

HOOK(int, renameat2, int from_folder, const char *from, int folder, const char *to, unsigned flags);
HOOK(int, renameat, int from_folder, const char *from, int folder, const char *to);

enum { NO_REPLACE = 1, EXCHANGE = 2 }; /* RENAME_NOREPLACE, RENAME_EXCHANGE */

static int refuse(int why)
{
    errno = why;
    return -1;
}

/* ---- what has a name ---- */

/* The layer that has a name, wherever it is; -1: none. */
static int find(struct run_place *place, struct stat *status)
{
    if (place->where == RUN_OURS)
        return run_find(place, status);
    return native_stat(place->real, status, AT_SYMLINK_NOFOLLOW) == 0 ? RUN_REAL : -1;
}

static int has_tree(struct run_place *place)
{
    struct stat status;
    int why = errno, rc = -1;

    if (place->where == RUN_OURS || (place->begin > 0 && run_place_tree(place)))
        rc = native_stat(place->tree, &status, AT_SYMLINK_NOFOLLOW);
    errno = why;
    return rc == 0;
}

static int has_real(struct run_place *place)
{
    struct stat status;
    int why = errno, rc = place->where == RUN_OURS
                              ? run_real(place, &status)
                              : native_stat(place->real, &status, AT_SYMLINK_NOFOLLOW);

    errno = why;
    return rc == 0;
}

static int is_empty(struct run_place *place)
{
    if (place->begin > 0)
        run_input_show(run_inside(place), place->inside_length);
    return (!has_tree(place) || run_is_empty(place->tree)) &&
           (!has_real(place) || run_is_empty(place->real));
}

static int is_beneath(const struct run_place *folder, const struct run_place *place)
{
    return place->real_length > folder->real_length &&
           strncmp(place->real, folder->real, folder->real_length) == 0 &&
           place->real[folder->real_length] == '/';
}

/* ---- moving ---- */

/* Into the tree, whose folders of the name may only be real. */
static int move_to_tree(const char *from, struct run_place *to)
{
    int rc = native_rename(from, to->tree);

    if (rc != 0 && errno == ENOENT && run_mirror_parent(to) == 0)
        rc = native_rename(from, to->tree);
    return rc;
}

/* A file, link or the like to another layer: a copy gets the name at once. */
static int copy_across(const char *from, const struct stat *status, struct run_place *to)
{
    const char *target = to->where == RUN_OURS ? to->tree : to->real;
    struct run_place *room = run_take();
    int rc = run_new_name(to->where == RUN_OURS ? NULL : to->real, room->spare, PATH_MAX);

    if (rc == 0)
        rc = run_copy(from, status, room->spare, 1);
    if (rc == 0) {
        rc = to->where == RUN_OURS ? move_to_tree(room->spare, to)
                                   : native_rename(room->spare, target);
        if (rc != 0) {
            int why = errno;

            native_unlink(room->spare, 0);
            errno = why;
        } else if (to->where == RUN_OURS) {
            run_made(run_name_hash(to), SCION_OWNER_CREATED);
        }
    }
    run_give(room);
    return rc;
}

static void touch(struct run_place *place)
{
    if (place->where == RUN_OURS)
        run_touch_folder(place);
}

/* What the new name had in the other layer goes; what the old one still has, too. */
static int tidy(struct run_place *from, struct run_place *to, int is_in_tree, int was_in_tree)
{
    if (was_in_tree && has_tree(from) && native_unlink(from->tree, 0) != 0)
        return -1;
    if (has_real(from) && native_unlink(from->real, 0) != 0)
        return -1;
    touch(from);
    touch(to);
    if (!is_in_tree && to->where == RUN_OURS && has_tree(to))
        return native_unlink(to->tree, 0);
    return 0;
}

static int move_file(struct run_place *from, struct run_place *to, int layer,
                     const struct stat *status)
{
    int is_in_tree = to->where == RUN_OURS, rc;

    if (layer == RUN_TREE && run_input_fill(from) != 0)
        return -1;
    run_input_forget(to);
    if (S_ISLNK(status->st_mode))
        run_made_real_link(); /* whichever it becomes */
    if (layer == RUN_TREE && is_in_tree) {
        rc = move_to_tree(from->tree, to);
        if (rc == 0)
            run_moved(from, to, SCION_OWNER_FILE);
    } else if (layer == RUN_REAL && (from->where == RUN_OURS || !is_in_tree)) {
        rc = native_rename(from->real, to->real);
        atomic_fetch_add(&run_session.head->real_folders, 1);
        is_in_tree = rc != 0 && errno == ENOENT && is_in_tree;
        if (is_in_tree)
            rc = copy_across(from->real, status, to);
    } else {
        rc = copy_across(run_path(from, layer == RUN_TREE ? RUN_TREE : RUN_REAL), status, to);
    }
    return rc == 0 ? tidy(from, to, is_in_tree, layer == RUN_TREE && !is_in_tree) : -1;
}

/* ---- folders ---- */

static int move(struct run_place *from, struct run_place *to);

static int move_entry(const struct run_place *from, const struct run_place *to, const char *name)
{
    struct run_place *old = run_take(), *new = run_take();
    int rc = run_place_in(old, from, name) == 0 && run_place_in(new, to, name) == 0 ? 0 : -1;

    if (rc == 0)
        rc = move(old, new);
    run_give(old);
    run_give(new);
    return rc;
}

static int make_like(struct run_place *to, const struct stat *status)
{
    struct stat there;
    const char *path = to->where == RUN_OURS ? to->tree : to->real;

    if (native_stat(path, &there, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    if (to->where == RUN_OURS && run_mirror_parent(to) != 0)
        return -1;
    if (native_mkdir(path, 0700) != 0)
        return -1;
    if (to->where == RUN_OURS)
        run_made(run_name_hash(to), SCION_OWNER_CREATED);
    else
        atomic_fetch_add(&run_session.head->real_folders, 1);
    (void)status;
    return 0;
}

/* Each name by itself. */
static int move_names(struct run_place *from, struct run_place *to, const struct stat *status)
{
    const char *path = to->where == RUN_OURS ? to->tree : to->real;
    struct run_names names;
    size_t i;
    int rc = make_like(to, status);

    if (rc != 0 || run_names_of(from, &names) != 0)
        return -1;
    for (i = 0; i < names.n && rc == 0; i++)
        rc = move_entry(from, to, names.names[i]->d_name);
    run_names_free(&names);
    if (rc != 0)
        return -1;
    run_copy_attributes(path, status);
    if (has_real(from) && native_unlink(from->real, AT_REMOVEDIR) != 0)
        return -1;
    touch(from);
    return has_tree(from) ? native_unlink(from->tree, AT_REMOVEDIR) : 0;
}

/* Whether all names beneath both folders are redirected. */
static int is_all_ours(const struct run_place *from, const struct run_place *to)
{
    return from->where == RUN_OURS && to->where == RUN_OURS &&
           run_session.head->count[SCION_RUN_EXCEPT] == 0;
}

/* The layers one by one, if the system can do that. */
static int move_layers(struct run_place *from, struct run_place *to)
{
    int in_tree = has_tree(from), in_real = has_real(from);

    if (in_real) {
        if (native_rename(from->real, to->real) != 0)
            return -1;
        atomic_fetch_add(&run_session.head->real_folders, 1);
        touch(from);
        touch(to);
    }
    if (in_tree) {
        if (move_to_tree(from->tree, to) != 0)
            return -1;
        run_moved(from, to, SCION_OWNER_FOLDER);
        return 0;
    }
    if (has_tree(to)) /* an empty folder */
        return native_unlink(to->tree, AT_REMOVEDIR);
    return 0;
}

static int move_folder(struct run_place *from, struct run_place *to, const struct stat *status)
{
    if (is_beneath(from, to))
        return refuse(EINVAL);
    if (run_input_fill_all(from) != 0)
        return -1;
    atomic_fetch_add(&run_session.head->links, 1);
    if (is_all_ours(from, to)) {
        if (move_layers(from, to) == 0)
            return 0;
        if (!has_real(from) || errno != ENOENT)
            return -1;
    } else if (!has_tree(from) && from->where != RUN_OURS && to->where != RUN_OURS) {
        return native_rename(from->real, to->real);
    }
    return move_names(from, to, status);
}

static int move(struct run_place *from, struct run_place *to)
{
    struct stat status;
    int layer = find(from, &status);

    if (layer < 0)
        return -1;
    run_real_parent(to);
    if (to->where == RUN_OURS)
        run_comes(run_name_hash(to));
    return S_ISDIR(status.st_mode) ? move_folder(from, to, &status)
                                   : move_file(from, to, layer, &status);
}

/* ---- the call ---- */

/* The status of the folder of a name in one layer. */
static int folder_status(char *path, size_t length, struct stat *status)
{
    char last = path[length];
    int rc;

    path[length] = '\0';
    rc = native_stat(*path ? path : "/", status, 0);
    path[length] = last;
    return rc;
}

/* Whether the folder of a name is there; errno if not. */
static int has_folder(struct run_place *place)
{
    struct stat status;
    size_t length = place->real_length;
    int why = ENOENT;

    while (length > 0 && place->real[length - 1] != '/')
        length--;
    length -= length > 0;
    if (place->where == RUN_OURS || (place->begin > 0 && run_place_tree(place))) {
        size_t inside = run_folder_length(place);

        if (folder_status(place->tree, run_session.tree_length + (inside > 0) + inside, &status) ==
            0)
            return S_ISDIR(status.st_mode) || refuse(ENOTDIR) == 0;
        why = errno;
    }
    if (folder_status(place->real, length, &status) == 0)
        return S_ISDIR(status.st_mode) || refuse(ENOTDIR) == 0;
    if (errno == ENOENT)
        errno = why;
    return 0;
}

/* For both names are there. As check(). */
static int check_swap(struct run_place *from, const struct stat *old, struct run_place *to,
                      const struct stat *new)
{
    if ((!S_ISDIR(new->st_mode) && to->end == SCION_END_SLASH) ||
        (!S_ISDIR(old->st_mode) && from->end == SCION_END_SLASH))
        return refuse(ENOTDIR);
    if (is_beneath(from, to) || is_beneath(to, from))
        return refuse(EINVAL);
    return old->st_ino == new->st_ino && old->st_dev == new->st_dev;
}

/* What the system would refuse, in its order. Returns 1 if there is nothing to do. */
static int check(struct run_place *from, struct run_place *to, unsigned flags)
{
    struct stat old, new;
    int has_new;

    if (flags & ~(unsigned)(NO_REPLACE | EXCHANGE) || flags == (NO_REPLACE | EXCHANGE))
        return refuse(EINVAL);
    if (!has_folder(from) || !has_folder(to))
        return -1;
    if (from->end == SCION_END_DOT || to->end == SCION_END_DOT)
        return refuse(EBUSY);
    if (find(from, &old) < 0)
        return -1;
    has_new = find(to, &new) >= 0;
    if (!has_new && errno != ENOENT)
        return -1;
    if (has_new && (flags & NO_REPLACE))
        return refuse(EEXIST);
    if (flags & EXCHANGE)
        return has_new ? check_swap(from, &old, to, &new) : -1;
    if (!S_ISDIR(old.st_mode) && (from->end == SCION_END_SLASH || to->end == SCION_END_SLASH))
        return refuse(ENOTDIR);
    if (S_ISDIR(old.st_mode) && is_beneath(from, to))
        return refuse(EINVAL);
    if (!has_new)
        return 0;
    if (old.st_ino == new.st_ino && old.st_dev == new.st_dev)
        return 1;
    if (is_beneath(to, from))
        return refuse(ENOTEMPTY);
    if (S_ISDIR(old.st_mode) != S_ISDIR(new.st_mode))
        return refuse(S_ISDIR(old.st_mode) ? ENOTDIR : EISDIR);
    return S_ISDIR(new.st_mode) && !is_empty(to) ? refuse(ENOTEMPTY) : 0;
}

struct request {
    int from_folder, folder;
    const char *from, *to;
    unsigned flags;
    int has_flags; /* the program has called renameat2() */
    enum run_thing thing;
    int moves; /* folders may have other paths afterwards */
};

/* Whether what has the name is a folder, or not known. */
static int is_folder(const struct run_place *place)
{
    struct run_at at = {AT_FDCWD, place->real};
    struct stat status;
    int why = errno, rc;

    if (place->where == RUN_OURS)
        at = run_at(place);
    rc = native_stat_at(at.fd, at.path, &status, AT_SYMLINK_NOFOLLOW);
    if (rc != 0 && place->where == RUN_OURS)
        rc = native_stat(place->real, &status, AT_SYMLINK_NOFOLLOW);
    errno = why;
    return rc == 0 ? S_ISDIR(status.st_mode) : !place->real_length;
}

static void look(struct request *request, struct run_place *from)
{
    request->thing = from->where == RUN_OURS ? run_known_thing(run_name_hash(from)) : RUN_NOT_KNOWN;
    request->moves =
        (request->flags & EXCHANGE) || (request->thing == RUN_NOT_KNOWN && is_folder(from));
}

static void after(struct run_place *to)
{
    run_changed();
    run_told_by_name(to);
}

/* The system has done all: who has made what has the new name now. */
static void note(const struct request *request, struct run_place *from, struct run_place *to,
                 uint32_t times)
{
    uint64_t name = run_name_hash(to);

    if (request->thing == RUN_OWN_FILE && !request->moves) {
        run_made_file(name, times);
        return;
    }
    if (!request->moves)
        run_know_thing(name, times, RUN_FILE);
    run_moved(from, to,
              request->flags & EXCHANGE ? SCION_OWNER_SWAPPED
              : request->moves          ? SCION_OWNER_FOLDER
                                        : SCION_OWNER_FILE);
}

/* Names that only the tree can have, and no link and no file of the input among them: the system
   does all. Returns 1 if it has, or has told why not. */
static int rename_in_tree(const struct request *request, struct run_place *from,
                          struct run_place *to, int *rc)
{
    struct run_at old, new;
    uint32_t times;

    if (!is_all_ours(from, to) || !run_is_tree_only(from) || !run_is_tree_only(to) ||
        run_has_links() || run_input.head)
        return 0;
    old = run_at(from);
    new = run_at(to);
    times = run_comes(run_name_hash(to));
    if (request->flags & EXCHANGE)
        run_comes(run_name_hash(from));
    do
        *rc = NEXT(renameat2)(old.fd, old.path, new.fd, new.path, request->flags);
    while (*rc != 0 && (run_is_astray(&old, from) || run_is_astray(&new, to)));
    if (*rc == 0)
        note(request, from, to, times);
    return *rc == 0 || errno != ENOENT;
}

/* Take the "/" away that would lead through a link. */
static void name_itself(struct run_place *place)
{
    place->real[place->real_length] = '\0';
    if (place->where == RUN_OURS)
        place->tree[run_session.tree_length + 1 + place->inside_length] = '\0';
}

static int rename_places(const struct request *request, struct run_place *from,
                         struct run_place *to)
{
    int why = errno, rc;

    if (rename_in_tree(request, from, to, &rc)) {
        if (rc == 0)
            after(to);
        return rc;
    }
    errno = why;
    name_itself(from);
    name_itself(to);
    rc = check(from, to, request->flags);
    if (rc > 0)
        errno = why;
    if (rc != 0)
        return rc > 0 ? 0 : -1;
    if ((request->flags & EXCHANGE ? run_swap : move)(from, to) != 0)
        return -1;
    after(to);
    if (request->flags & EXCHANGE)
        run_told_by_name(from);
    errno = why;
    return 0;
}

static int rename_natively(const struct request *request)
{
    return request->has_flags
               ? NEXT(renameat2)(request->from_folder, request->from, request->folder, request->to,
                                 request->flags)
               : NEXT(renameat)(request->from_folder, request->from, request->folder, request->to);
}

/* Whether both names, and all that is beneath them, have nothing to do with us. */
static int is_native(struct run_place *from, struct run_place *to)
{
    return from->where == RUN_NATIVE && to->where == RUN_NATIVE && !has_tree(from) && !has_tree(to);
}

/* The places are known. */
static int rename_known(const struct request *request, struct run_place *old, struct run_place *new)
{
    int rc = -1, are_native = is_native(old, new);

    if (are_native)
        rc = rename_natively(request);
    if (!are_native || (rc != 0 && errno == ENOENT))
        rc = rename_places(request, old, new);
    return rc;
}

static int rename_once(struct request *request, struct run_watch *watch)
{
    struct run_place *old = run_placed(request->from_folder, request->from, 0),
                     *new = old ? run_placed(request->folder, request->to, 0) : NULL;
    int rc = -1, why = errno;

    if (old && !new) /* a reason that has to do with the old name comes first */
        errno = has_folder(old) ? why : errno;
    if (new) {
        look(request, old);
        if (request->moves)
            run_move_begins(watch);
        rc = rename_known(request, old, new);
        if (request->moves)
            run_move_ends(watch);
    }
    why = errno;
    if (old)
        run_give(old);
    if (new)
        run_give(new);
    errno = why;
    return rc;
}

static int do_rename(struct request request)
{
    struct run_watch watch = run_watch();
    int rc;

    if (!run_is_on())
        return rename_natively(&request);
    do
        rc = rename_once(&request, &watch);
    while (rc != 0 && (run_has_moved(&watch, request.from) || run_has_moved(&watch, request.to)));
    return rc;
}

HOOK(int, rename, const char *from, const char *to)
{
    return do_rename(
        (struct request){.from_folder = AT_FDCWD, .folder = AT_FDCWD, .from = from, .to = to});
}

HOOK(int, renameat, int from_folder, const char *from, int folder, const char *to)
{
    return do_rename(
        (struct request){.from_folder = from_folder, .folder = folder, .from = from, .to = to});
}

HOOK(int, renameat2, int from_folder, const char *from, int folder, const char *to, unsigned flags)
{
    return do_rename((struct request){.from_folder = from_folder,
                                      .folder = folder,
                                      .from = from,
                                      .to = to,
                                      .flags = flags,
                                      .has_flags = 1});
}

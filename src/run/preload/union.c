#include "run/preload/union.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

#include "run/native.h"
#include "run/preload/copy.h"
#include "run/preload/fill.h"
#include "run/preload/known.h"
#include "run/preload/state.h"

/* ---- links ---- */

int run_has_links(void)
{
    return atomic_load_explicit(&run_session.head->links, memory_order_acquire) != 0;
}

/* The target of the link at a path to place->target; -1: none, or too long. */
static int read_link(struct run_place *place, const char *path)
{
    long length = syscall(SYS_readlinkat, AT_FDCWD, path, place->target, (unsigned long)PATH_MAX);

    if (length < 0 || length >= PATH_MAX) {
        errno = length < 0 ? errno : ENAMETOOLONG;
        return -1;
    }
    place->target[length] = '\0';
    return 0;
}

enum step { STEP_PLAIN, STEP_LINK, STEP_MISSING, STEP_FAILED };

/* The name that ends at `at` is a link, whose target was read. A real one leads to its target only
   if that is redirected, too; otherwise it is like a folder of its name. */
static enum step enter_link(struct run_place *place, size_t at, int is_real)
{
    struct run_place *other;
    enum step found = STEP_LINK;

    if (!is_real)
        return run_place_link(place, at) == 0 ? STEP_LINK : STEP_FAILED;
    other = run_take();
    memcpy(other->real, place->real, sizeof other->real);
    strcpy(other->target, place->target);
    other->begin = place->begin;
    if (run_place_link(other, at) != 0)
        found = STEP_FAILED;
    else if (other->where != RUN_OURS)
        found = STEP_PLAIN;
    else if (run_place_link(place, at) != 0)
        found = STEP_FAILED;
    run_give(other);
    return found;
}

/* One folder on the way: the name that ends at `at`. */
static enum step step(struct run_place *place, size_t at)
{
    struct run_cut cut;
    struct stat status;
    int is_real = 0, rc;

    run_cut(place, at, &cut);
    rc = native_stat(place->tree, &status, AT_SYMLINK_NOFOLLOW);
    if (rc != 0) {
        is_real = 1;
        rc = native_stat(place->real, &status, AT_SYMLINK_NOFOLLOW);
    }
    if (rc == 0 && S_ISLNK(status.st_mode))
        rc = read_link(place, is_real ? place->real : place->tree);
    run_uncut(&cut);
    if (rc != 0)
        return STEP_MISSING;
    return S_ISLNK(status.st_mode) ? enter_link(place, at, is_real) : STEP_PLAIN;
}

/* The end of the name behind the one that ends at `at`. */
static size_t next_end(const struct run_place *place, size_t at, size_t end)
{
    at += at > 0;
    while (at < end && run_inside(place)[at] != '/')
        at++;
    return at;
}

/* All folders on the way from `at` on, until one is a link or is missing. */
static enum step walk_once(struct run_place *place, size_t end)
{
    size_t at = 0, before = 0;
    enum step found = STEP_PLAIN;

    if (place->where != RUN_OURS && !run_place_tree(place))
        return STEP_PLAIN;
    while (at < end && found == STEP_PLAIN) {
        run_input_show(run_inside(place), before);
        at = next_end(place, at, end);
        found = step(place, at);
        before = at;
    }
    if (found == STEP_PLAIN)
        run_input_show(run_inside(place), before);
    return found;
}

int run_walk(struct run_place *place)
{
    int steps, why = errno;

    for (steps = 0; place->begin > 0; steps++) {
        uint64_t folder = run_parent_hash(place);
        enum step found;

        if (run_is_known(RUN_IS_PLAIN, folder))
            break;
        found = walk_once(place, run_folder_length(place));
        if (found == STEP_PLAIN)
            run_know(RUN_IS_PLAIN, folder);
        if (found == STEP_FAILED)
            return -1;
        if (steps >= RUN_LINKS_MOST) {
            errno = ELOOP;
            return -1;
        }
        if (found != STEP_LINK)
            break;
    }
    errno = why;
    return 0;
}

/* Reads the link that has the name of a place, in the layer that has it. Returns which one, or -1:
 * none. */
static int find_link(struct run_place *place)
{
    struct stat status;
    struct run_cut cut;
    int layer = RUN_REAL, found;

    run_cut(place, place->inside_length, &cut); /* without a "/", which would follow it */
    if (place->where == RUN_OURS)
        layer = run_find(place, &status);
    else if (native_stat(place->real, &status, AT_SYMLINK_NOFOLLOW) != 0)
        layer = -1;
    found = layer >= 0 && S_ISLNK(status.st_mode) &&
            read_link(place, run_path(place, layer == RUN_TREE ? RUN_TREE : RUN_REAL)) == 0;
    run_uncut(&cut);
    return found ? layer : -1;
}

int run_follow(struct run_place *place)
{
    int steps, layer, why = errno;

    for (steps = 0; steps <= RUN_LINKS_MOST; steps++) {
        enum step found = STEP_LINK;

        layer = place->begin > 0 ? find_link(place) : -1;
        if (layer >= 0 && place->where != RUN_OURS)
            found = enter_link(place, place->inside_length, 1);
        else if (layer >= 0 && run_place_link(place, place->inside_length) != 0)
            found = STEP_FAILED;
        if (layer < 0 || found == STEP_PLAIN) {
            errno = why;
            return 0;
        }
        if (found == STEP_FAILED || run_walk(place) != 0)
            return -1;
    }
    errno = ELOOP;
    return -1;
}

int run_locate(struct run_place *place, int folder, const char *path, int follows)
{
    run_place(place, folder, path);
    if (place->begin == 0)
        return 0;
    if (run_walk(place) != 0)
        return -1;
    if ((follows > 0 || (follows < 0 && place->end != SCION_END_NAME)) &&
        place->where != RUN_OURS && place->begin > 0 &&
        atomic_load_explicit(&run_session.head->real_links, memory_order_relaxed) != 0)
        return run_follow(place);
    return 0;
}

/* Whether real links may lead from a place that is not ours to one that is. */
static int may_lead(struct run_place *place, int follows)
{
    return place->begin > 0 && (!run_is_known(RUN_IS_PLAIN, run_parent_hash(place)) ||
                                (follows && atomic_load_explicit(&run_session.head->real_links,
                                                                 memory_order_relaxed) != 0));
}

int run_locate_quickly(struct run_place *place, int folder, const char *path, int follows)
{
    if (folder == AT_FDCWD || !path || *path == '/')
        return run_locate(place, folder, path, follows);
    run_place_quickly(place, folder, path);
    if (place->is_recalled && !may_lead(place, follows) &&
        (place->where == RUN_NATIVE ||
         (place->where == RUN_OURS && place->is_near && !run_has_links() && !run_input.head)))
        return 0;
    return run_locate(place, folder, path, follows);
}

/* ---- finding ---- */

int run_holds_tree_only(struct run_place *place)
{
    return run_is_known(RUN_REAL_IS_ABSENT,
                        scion_path_hash(run_inside(place), place->inside_length));
}

int run_is_tree_only(struct run_place *place)
{
    return run_is_known(RUN_REAL_IS_ABSENT, run_parent_hash(place));
}

/* A real name is not there: is its folder? */
static void learn(struct run_place *place)
{
    struct run_cut cut;
    struct stat status;
    size_t length = run_folder_length(place);
    uint64_t folder = run_parent_hash(place);

    if (run_is_known(RUN_REAL_IS_THERE, folder))
        return;
    run_cut(place, length, &cut);
    if (native_stat(place->real, &status, 0) == 0)
        run_know(RUN_REAL_IS_THERE, folder);
    else if (errno == ENOENT)
        run_know(RUN_REAL_IS_ABSENT, folder);
    run_uncut(&cut);
}

int run_real(struct run_place *place, struct stat *status)
{
    if (!run_is_tree_only(place)) {
        if (native_stat(place->real, status, AT_SYMLINK_NOFOLLOW) == 0)
            return 0;
        if (errno != ENOENT)
            return -1;
        learn(place);
    }
    errno = ENOENT;
    return -1;
}

int run_is_in_the_way(struct run_place *place)
{
    struct stat status;
    struct run_cut cut;
    int rc;

    if (run_is_tree_only(place)) {
        errno = ENOENT;
        return 0;
    }
    run_cut(place, place->inside_length, &cut);
    rc = run_real(place, &status);
    run_uncut(&cut);
    return rc == 0;
}

int run_find(struct run_place *place, struct stat *status)
{
    int why;

    if (native_stat(place->tree, status, AT_SYMLINK_NOFOLLOW) == 0)
        return RUN_TREE;
    why = errno;
    if (why != ENOENT && why != ENOTDIR)
        return -1;
    if (run_real(place, status) == 0)
        return RUN_REAL;
    if (errno == ENOENT)
        errno = why;
    return -1;
}

/* ---- into the tree ---- */

void run_keep_times(struct run_times *times, struct run_place *child)
{
    struct run_cut cut;
    struct stat status;
    int why = errno;

    run_cut(child, run_folder_length(child), &cut);
    times->is_there = native_stat(child->tree, &status, 0) == 0;
    run_uncut(&cut);
    if (times->is_there) {
        times->times[0] = status.st_atim;
        times->times[1] = status.st_mtim;
    }
    errno = why;
}

void run_restore_times(const struct run_times *times, struct run_place *child)
{
    struct run_cut cut;
    int why = errno;

    run_cut(child, run_folder_length(child), &cut);
    if (times->is_there)
        syscall(SYS_utimensat, AT_FDCWD, child->tree, times->times, 0);
    run_uncut(&cut);
    errno = why;
}

void run_touch_folder(struct run_place *child)
{
    static const struct timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
    struct run_cut cut;
    size_t length = run_folder_length(child);
    int why = errno;

    run_cut(child, length, &cut);
    if (length > 0)
        syscall(SYS_utimensat, AT_FDCWD, child->tree, times, 0);
    run_uncut(&cut);
    errno = why;
}

/* Make the folder that ends at `at` in the tree like the real one. Its own folder is in the tree.
 */
static int mirror_one(struct run_place *place, size_t at)
{
    struct run_cut cut;
    struct stat status;
    int rc;

    run_cut(place, at, &cut);
    rc = native_stat(place->real, &status, 0);
    if (rc == 0 && !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        rc = -1;
    }
    if (rc == 0)
        rc = native_mkdir(place->tree, 0700);
    if (rc == 0) {
        run_copy_attributes(place->tree, &status);
        run_made(scion_name_hash(run_inside(place), at), SCION_OWNER_MIRRORED);
    } else if (errno == EEXIST) {
        rc = 0;
    }
    run_uncut(&cut);
    return rc;
}

/* Change the mode and times of the folder that ends at `at` in the tree. */
static void set(struct run_place *place, size_t at, const mode_t *mode, const struct stat *status)
{
    struct timespec times[2] = {status->st_atim, status->st_mtim};
    struct run_cut cut;
    int why = errno;

    run_cut(place, at, &cut);
    if (mode)
        syscall(SYS_fchmodat, AT_FDCWD, place->tree, *mode & 07777);
    syscall(SYS_utimensat, AT_FDCWD, place->tree, times, 0);
    run_uncut(&cut);
    errno = why;
}

/* As mirror_one(), also where the mode of the folder above does not allow its owner to write. That
   one's times stay, because for the program nothing has changed in it. */
static int mirror_in(struct run_place *place, size_t above, size_t at)
{
    struct run_cut cut;
    struct stat status;
    mode_t more;
    int rc;

    run_cut(place, above, &cut);
    rc = native_stat(place->tree, &status, 0);
    run_uncut(&cut);
    if (rc != 0)
        return -1;
    rc = mirror_one(place, at);
    if (rc != 0 && errno == EACCES && (status.st_mode & 0300) != 0300) {
        more = status.st_mode | 0300;
        set(place, above, &more, &status);
        rc = mirror_one(place, at);
        set(place, above, &status.st_mode, &status);
    }
    set(place, above, NULL, &status);
    return rc;
}

static int is_in_tree(struct run_place *place, size_t at)
{
    struct run_cut cut;
    struct stat status;
    int rc;

    run_cut(place, at, &cut);
    rc = native_stat(place->tree, &status, AT_SYMLINK_NOFOLLOW);
    run_uncut(&cut);
    return rc == 0;
}

/* All folders up to the one that ends at `end`. */
static int mirror(struct run_place *place, size_t end)
{
    size_t at = end, above;

    while (at > 0 && !is_in_tree(place, at)) { /* the last one that is there */
        if (errno != ENOENT)
            return -1;
        while (at > 0 && run_inside(place)[at - 1] != '/')
            at--;
        at -= at > 0;
    }
    while (at < end) {
        above = at;
        at = next_end(place, at, end);
        if (mirror_in(place, above, at) != 0)
            return -1;
    }
    return 0;
}

int run_mirror_parent(struct run_place *place)
{
    return mirror(place, run_folder_length(place));
}

int run_mirror(struct run_place *place)
{
    return mirror(place, place->inside_length);
}

/* Make the real folder that ends at `at` like the one of the tree. */
static int make_real(struct run_place *place, size_t at)
{
    struct run_cut cut;
    struct stat status;
    int rc;

    run_cut(place, at, &cut);
    rc = native_stat(place->tree, &status, AT_SYMLINK_NOFOLLOW);
    if (rc == 0 && S_ISDIR(status.st_mode))
        rc = native_mkdir(place->real, (status.st_mode & 07777) | 0700);
    else
        rc = -1;
    if (rc == 0)
        atomic_fetch_add(&run_session.head->real_folders, 1);
    else if (errno == EEXIST)
        rc = 0;
    run_uncut(&cut);
    return rc;
}

int run_real_parent(struct run_place *place)
{
    size_t end, at = 0;
    int why = errno, rc = 0;

    if (place->begin == 0 || place->where == RUN_OURS || !run_place_tree(place))
        return 0;
    end = run_folder_length(place);
    while (at < end && rc == 0) {
        at = next_end(place, at, end);
        rc = make_real(place, at);
    }
    errno = why;
    return end > 0 && rc == 0;
}

/* Give a finished copy its name, unless that is taken by now: 1, another one has made it. */
static int give_name(const char *from, const char *to)
{
    int rc = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */);
    int why;

    if (rc != 0 && errno == EINVAL) { /* the file system cannot do that */
        rc = (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
        native_unlink(from, 0);
    }
    if (rc == 0)
        return 0;
    why = errno;
    native_unlink(from, 0);
    errno = why;
    return why == EEXIST ? 1 : -1;
}

/* Of a file, link or the like: its folder is in the tree. */
static int copy_up(struct run_place *place, const struct stat *status, int with_bytes)
{
    struct run_times times;
    int rc;

    if (run_new_name(NULL, place->spare, PATH_MAX) != 0 ||
        run_copy(place->real, status, place->spare, with_bytes) != 0)
        return -1;
    run_keep_times(&times, place);
    rc = give_name(place->spare, place->tree);
    if (rc < 0)
        return -1;
    if (rc == 0)
        run_made(run_name_hash(place), SCION_OWNER_COPIED);
    run_restore_times(&times, place);
    return 0;
}

int run_copy_up(struct run_place *place, int with_bytes)
{
    struct run_cut cut;
    struct stat status;
    int why = errno, rc;

    if (native_stat(place->tree, &status, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    if (run_real(place, &status) != 0)
        return -1;
    if (S_ISDIR(status.st_mode)) {
        rc = run_mirror(place);
    } else {
        rc = run_mirror_parent(place);
        run_cut(place, place->inside_length, &cut);
        if (rc == 0)
            rc = copy_up(place, &status, with_bytes);
        run_uncut(&cut);
    }
    if (rc == 0)
        errno = why;
    return rc;
}

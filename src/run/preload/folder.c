/*
 * opendir and what follows. A folder of one layer is read natively. If both layers have it, the
 * names are read at once, and kept beside the DIR, which is that of one of them.
 */
#include "run/preload/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/native.h"
#include "run/preload/call.h"
#include "run/preload/fill.h"
#include "run/preload/hook.h"
#include "run/preload/opened.h"
#include "run/preload/union.h"

HOOK(DIR *, opendir, const char *path);
HOOK(struct dirent *, readdir, DIR *dir);
HOOK(int, closedir, DIR *dir);

/* ---- names ---- */

static int is_dots(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int add(struct run_names *names, const struct dirent *entry)
{
    size_t bytes = offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1;
    struct dirent *copy = malloc(bytes + sizeof(struct dirent) % 8 + 8);

    if (copy && names->n == names->room) {
        size_t room = names->room ? 2 * names->room : 32;
        struct dirent **grown = realloc(names->names, room * sizeof *grown);

        if (!grown) {
            free(copy);
            copy = NULL;
        } else {
            names->names = grown;
            names->room = room;
        }
    }
    if (!copy)
        return -1;
    memcpy(copy, entry, bytes);
    names->names[names->n++] = copy;
    return 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp((*(struct dirent *const *)left)->d_name,
                  (*(struct dirent *const *)right)->d_name);
}

/* Add the names of a native folder that are not among the first `known`, which are sorted. */
static int read_folder(const char *path, struct run_names *names, size_t known)
{
    DIR *dir = NEXT(opendir)(path);
    struct dirent *entry;
    int rc = 0, why = errno;

    if (!dir)
        return why == ENOENT || why == ENOTDIR ? 0 : -1;
    errno = 0;
    while (rc == 0 && (entry = NEXT(readdir)(dir)) != NULL) {
        if (!is_dots(entry->d_name) &&
            (known == 0 || !bsearch(&entry, names->names, known, sizeof *names->names, by_name)))
            rc = add(names, entry);
    }
    why = errno;
    NEXT(closedir)(dir);
    errno = why;
    return rc == 0 && why == 0 ? 0 : -1;
}

int run_names_of(struct run_place *place, struct run_names *names)
{
    int why = errno, rc;

    *names = (struct run_names){0};
    run_input_show(run_inside(place), place->inside_length);
    rc = read_folder(place->tree, names, 0);
    if (rc == 0 && names->n > 0)
        qsort(names->names, names->n, sizeof *names->names, by_name);
    if (rc == 0)
        rc = read_folder(place->real, names, names->n);
    if (rc != 0)
        run_names_free(names);
    else
        errno = why;
    return rc;
}

void run_names_free(struct run_names *names)
{
    int why = errno;

    while (names->n > 0)
        free(names->names[--names->n]);
    free(names->names);
    *names = (struct run_names){0};
    errno = why;
}

/* ---- folders of both layers ---- */

struct both {
    struct both *next;
    DIR *dir;
    struct run_names names;
    size_t at; /* 0 and 1 stand for "." and ".." */
    struct dirent dots;
};

static struct both *all;
static _Atomic int count; /* of them: mostly 0 */
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void acquire(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
}

static void release(void)
{
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

void run_folders_forked(void)
{
    release(); /* a thread of the parent may have had it */
}

static struct both *find(DIR *dir)
{
    struct both *both;

    if (atomic_load_explicit(&count, memory_order_acquire) == 0)
        return NULL;
    acquire();
    for (both = all; both && both->dir != dir; both = both->next)
        ;
    release();
    return both;
}

static void insert(struct both *both)
{
    acquire();
    both->next = all;
    all = both;
    atomic_fetch_add(&count, 1);
    release();
}

static void forget(DIR *dir)
{
    struct both **at, *both = NULL;

    if (atomic_load_explicit(&count, memory_order_acquire) == 0)
        return;
    acquire();
    for (at = &all; *at && (*at)->dir != dir; at = &(*at)->next)
        ;
    if (*at) {
        both = *at;
        *at = both->next;
        atomic_fetch_sub(&count, 1);
    }
    release();
    if (both) {
        run_names_free(&both->names);
        free(both);
    }
}

/* Read the folder's names in place of what `dir` would tell. 0, or -1 with errno. */
static int join(struct run_place *place, DIR *dir)
{
    struct both *both = calloc(1, sizeof *both);

    if (!both || run_names_of(place, &both->names) != 0) {
        free(both);
        return -1;
    }
    both->dir = dir;
    insert(both);
    return 0;
}

static int is_folder(const char *path)
{
    struct stat status;
    int why = errno, rc = native_stat(path, &status, 0);

    errno = why;
    return rc == 0 && S_ISDIR(status.st_mode);
}

/* Whether both layers have the folder of a place that is inside the root. */
static int is_both(struct run_place *place)
{
    if (place->where == RUN_OURS && run_holds_tree_only(place))
        return 0;
    if (place->where != RUN_OURS && !run_place_tree(place))
        return 0;
    return is_folder(place->real) && is_folder(place->tree);
}

static DIR *joined(struct run_place *place, DIR *dir)
{
    int why;

    if (!dir || place->begin == 0 || !is_both(place) || join(place, dir) == 0)
        return dir;
    why = errno;
    NEXT(closedir)(dir);
    errno = why;
    return NULL;
}

/* The native folder: that of the tree, if it has one. */
static DIR *open_layer(struct run_place *place)
{
    struct stat status;
    int layer, why = errno;

    if (place->where == RUN_OURS && run_holds_tree_only(place) && !run_has_links())
        return NEXT(opendir)(place->tree);
    if (run_follow(place) != 0)
        return NULL;
    if (place->where != RUN_OURS)
        return NEXT(opendir)(place->real);
    run_input_show(run_inside(place), place->inside_length);
    layer = run_find(place, &status);
    if (layer < 0)
        return NULL;
    errno = why;
    return NEXT(opendir)(run_path(place, layer == RUN_TREE ? RUN_TREE : RUN_REAL));
}

static DIR *open_once(const char *path)
{
    struct run_place *place;
    DIR *dir;
    int why;

    place = run_placed(AT_FDCWD, path, 1);
    if (!place)
        return NULL;
    dir = place->where == RUN_NATIVE ? NEXT(opendir)(path) : open_layer(place);
    dir = joined(place, dir);
    why = errno;
    run_give(place);
    if (dir)
        run_opened(dirfd(dir));
    errno = why;
    return dir;
}

HOOK(DIR *, opendir, const char *path)
{
    struct run_watch watch = run_watch();
    DIR *dir;

    if (!run_is_on())
        return NEXT(opendir)(path);
    do
        dir = open_once(path);
    while (!dir && run_has_moved(&watch, path));
    return dir;
}

HOOK(DIR *, fdopendir, int fd)
{
    DIR *dir = NEXT(fdopendir)(fd);
    struct run_place *place;
    int why = errno;

    if (!dir || !run_is_on())
        return dir;
    place = run_take();
    if (run_place_of(place, fd) && place->begin > 0 && is_both(place) && join(place, dir) != 0)
        why = errno; /* the names of one layer only */
    run_give(place);
    errno = why;
    return dir;
}

/* ---- reading ---- */

static struct dirent *next_of(struct both *both)
{
    size_t at = both->at;

    if (at >= both->names.n + 2)
        return NULL;
    both->at++;
    if (at >= 2)
        return both->names.names[at - 2];
    both->dots = (struct dirent){
        .d_ino = 1, .d_off = (off_t)at + 1, .d_reclen = sizeof both->dots, .d_type = DT_DIR};
    strcpy(both->dots.d_name, at == 0 ? "." : "..");
    return &both->dots;
}

#define READDIR(name)                                                                              \
    HOOK(struct dirent *, name, DIR *dir)                                                          \
    {                                                                                              \
        struct both *both = find(dir);                                                             \
                                                                                                   \
        return both ? next_of(both) : NEXT(name)(dir);                                             \
    }

READDIR(readdir)
READDIR(readdir64)

static int next_to(struct both *both, struct dirent *entry, struct dirent **result)
{
    struct dirent *found = next_of(both);

    *result = found ? entry : NULL;
    if (found)
        memcpy(entry, found, offsetof(struct dirent, d_name) + strlen(found->d_name) + 1);
    return 0;
}

#define READDIR_R(name)                                                                            \
    HOOK(int, name, DIR *dir, struct dirent *entry, struct dirent **result)                        \
    {                                                                                              \
        struct both *both = find(dir);                                                             \
                                                                                                   \
        return both ? next_to(both, entry, result) : NEXT(name)(dir, entry, result);               \
    }

READDIR_R(readdir_r)
READDIR_R(readdir64_r)

HOOK(int, closedir, DIR *dir)
{
    forget(dir);
    if (dir)
        run_closes(dirfd(dir));
    return NEXT(closedir)(dir);
}

/* Read again: there may be other names now. */
static void read_again(struct both *both)
{
    struct run_place *place = run_take();
    struct run_names names;

    if (run_place_of(place, dirfd(both->dir)) && is_both(place) &&
        run_names_of(place, &names) == 0) {
        run_names_free(&both->names);
        both->names = names;
    }
    both->at = 0;
    run_give(place);
}

HOOK(void, rewinddir, DIR *dir)
{
    struct both *both = find(dir);

    if (both)
        read_again(both);
    else
        NEXT(rewinddir)(dir);
}

HOOK(long, telldir, DIR *dir)
{
    struct both *both = find(dir);

    return both ? (long)both->at : NEXT(telldir)(dir);
}

HOOK(void, seekdir, DIR *dir, long at)
{
    struct both *both = find(dir);

    if (both)
        both->at = (size_t)at;
    else
        NEXT(seekdir)(dir, at);
}

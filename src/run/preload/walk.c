/*
 * scandir, ftw, nftw, glob and ftok: those of the C library look at files by functions of its own,
 * which cannot be redirected.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/stat.h>

#include "run/native.h"
#include "run/preload/call.h"
#include "run/preload/hook.h"

HOOK(DIR *, opendir, const char *path);
HOOK(DIR *, fdopendir, int fd);
HOOK(struct dirent *, readdir, DIR *dir);
HOOK(int, closedir, DIR *dir);
HOOK(int, openat, int folder, const char *path, int flags, ...);
HOOK(int, stat, const char *path, struct stat *status);
HOOK(int, lstat, const char *path, struct stat *status);
HOOK(int, chdir, const char *path);
HOOK(int, fchdir, int fd);

/* ---- scandir ---- */

typedef int (*filter)(const struct dirent *);
typedef int (*comparison)(const struct dirent **, const struct dirent **);

struct list {
    struct dirent **entries;
    size_t n, room;
};

static int append(struct list *list, const struct dirent *entry)
{
    size_t bytes = offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1;
    struct dirent *copy;

    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        struct dirent **grown = realloc(list->entries, room * sizeof *grown);

        if (!grown)
            return -1;
        list->entries = grown;
        list->room = room;
    }
    copy = malloc(bytes < sizeof *copy ? sizeof *copy : bytes);
    if (!copy)
        return -1;
    memcpy(copy, entry, bytes);
    list->entries[list->n++] = copy;
    return 0;
}

static int scan(DIR *dir, struct dirent ***result, filter wanted, comparison compare)
{
    struct list list = {0};
    struct dirent *entry;
    int why = errno, failed = 0;

    if (!dir)
        return -1;
    errno = 0;
    while (!failed && (entry = hook_readdir(dir)) != NULL) {
        failed = (!wanted || wanted(entry)) && append(&list, entry) != 0;
        errno = failed ? ENOMEM : 0;
    }
    failed = errno;
    hook_closedir(dir);
    if (failed) {
        while (list.n > 0)
            free(list.entries[--list.n]);
        free(list.entries);
        errno = failed;
        return -1;
    }
    if (compare && list.n > 0)
        qsort(list.entries, list.n, sizeof *list.entries,
              (int (*)(const void *, const void *))(void (*)(void))compare);
    if (!list.entries)
        list.entries = malloc(sizeof *list.entries);
    *result = list.entries;
    errno = why;
    return (int)list.n;
}

static DIR *open_at(int folder, const char *path)
{
    int fd = hook_openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), why;
    DIR *dir = fd >= 0 ? hook_fdopendir(fd) : NULL;

    why = errno;
    if (!dir && fd >= 0)
        native_close(fd);
    errno = why;
    return dir;
}

#define SCANDIR(name)                                                                              \
    HOOK(int, name, const char *path, struct dirent ***result, filter wanted, comparison compare)  \
    {                                                                                              \
        return run_is_on() ? scan(hook_opendir(path), result, wanted, compare)                     \
                           : NEXT(name)(path, result, wanted, compare);                            \
    }

#define SCANDIRAT(name)                                                                            \
    HOOK(int, name, int folder, const char *path, struct dirent ***result, filter wanted,          \
         comparison compare)                                                                       \
    {                                                                                              \
        return run_is_on() ? scan(open_at(folder, path), result, wanted, compare)                  \
                           : NEXT(name)(folder, path, result, wanted, compare);                    \
    }

SCANDIR(scandir)
SCANDIR(scandir64)
SCANDIRAT(scandirat)
SCANDIRAT(scandirat64)

/* ---- ftw ---- */

typedef int (*simple_visit)(const char *, const struct stat *, int);
typedef int (*visit)(const char *, const struct stat *, int, struct FTW *);

/* Folders on the way to the present one, so that links do not lead in circles. */
struct above {
    const struct above *next;
    dev_t device;
    ino_t inode;
};

struct walk {
    simple_visit simple; /* of ftw(), or */
    visit full;          /* of nftw() */
    int flags;
    dev_t device; /* where it began */
    int start;    /* the working folder, if visits are made in that of the name; else -1 */
};

/* A visit in the folder of its name: of `base` bytes of the path. */
static int visit_there(const struct walk *walk, const char *path, const struct stat *status,
                       int type, struct FTW *where)
{
    struct run_place *room = run_take();
    int rc;

    memcpy(room->spare, path, (size_t)where->base);
    room->spare[where->base] = '\0';
    rc = where->base > 0 ? hook_chdir(room->spare) : 0;
    run_give(room);
    if (rc == 0)
        rc = walk->full(path, status, type, where);
    return hook_fchdir(walk->start) == 0 ? rc : -1;
}

static int tell(const struct walk *walk, const char *path, const struct stat *status, int type,
                int level)
{
    const char *name = strrchr(path, '/');
    struct FTW where = {.base = name && name[1] ? (int)(name + 1 - path) : 0, .level = level};

    if (walk->start >= 0)
        return visit_there(walk, path, status, type, &where);
    if (walk->full)
        return walk->full(path, status, type, &where);
    return walk->simple(path, status,
                        type == FTW_SL || type == FTW_SLN ? FTW_NS
                        : type == FTW_DP                  ? FTW_D
                                                          : type);
}

static int type_of(const struct walk *walk, const char *path, struct stat *status)
{
    int why = errno;

    if ((walk->flags & FTW_PHYS ? hook_lstat : hook_stat)(path, status) == 0)
        return S_ISDIR(status->st_mode) ? FTW_D : S_ISLNK(status->st_mode) ? FTW_SL : FTW_F;
    if (errno != ENOENT && errno != EACCES)
        return -1;
    if (!(walk->flags & FTW_PHYS) && hook_lstat(path, status) == 0 && S_ISLNK(status->st_mode)) {
        errno = why;
        return FTW_SLN;
    }
    return errno == EACCES ? FTW_NS : -1;
}

static int is_circle(const struct above *above, const struct stat *status)
{
    for (; above; above = above->next) {
        if (above->device == status->st_dev && above->inode == status->st_ino)
            return 1;
    }
    return 0;
}

static int walk_into(const struct walk *walk, char *path, int level, const struct above *above);

/* All names of a folder, read before the first is visited, so that few descriptors are open. */
static int walk_names(const struct walk *walk, char *path, DIR *dir, int level,
                      const struct above *above)
{
    struct dirent **entries;
    size_t length = strlen(path);
    int n = scan(dir, &entries, NULL, NULL), i, rc = 0;

    if (n < 0)
        return -1;
    for (i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;

        if (rc == 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            if (length + 1 + strlen(name) >= PATH_MAX) {
                errno = ENAMETOOLONG;
                rc = -1;
            } else {
                if (length == 0 || path[length - 1] != '/')
                    strcat(path, "/");
                strcat(path, name);
                rc = walk_into(walk, path, level + 1, above);
                path[length] = '\0';
            }
        }
        free(entries[i]);
    }
    free(entries);
    if (walk->flags & FTW_ACTIONRETVAL && rc == FTW_SKIP_SIBLINGS)
        rc = 0;
    return rc;
}

/* The result of a visit, as the walk goes on: a subtree that is to be skipped is done. */
static int enter(const struct walk *walk, char *path, const struct stat *status, int level,
                 const struct above *above)
{
    const struct above here = {above, status->st_dev, status->st_ino};
    DIR *dir = hook_opendir(path);
    int rc;

    if (!dir)
        return errno == EACCES ? tell(walk, path, status, FTW_DNR, level) : -1;
    if (!(walk->flags & FTW_DEPTH)) {
        rc = tell(walk, path, status, FTW_D, level);
        if (rc != 0) {
            hook_closedir(dir);
            return walk->flags & FTW_ACTIONRETVAL && rc == FTW_SKIP_SUBTREE ? 0 : rc;
        }
    }
    rc = walk_names(walk, path, dir, level, &here);
    if (rc == 0 && walk->flags & FTW_DEPTH)
        rc = tell(walk, path, status, FTW_DP, level);
    return rc;
}

static int walk_into(const struct walk *walk, char *path, int level, const struct above *above)
{
    struct stat status;
    int type = type_of(walk, path, &status);

    if (type < 0)
        return errno == ENOENT && level > 0 ? 0 : -1; /* it was removed meanwhile */
    if (walk->flags & FTW_MOUNT && level > 0 && status.st_dev != walk->device)
        return 0;
    if (type != FTW_D)
        return tell(walk, path, &status, type, level);
    if (!(walk->flags & FTW_PHYS) && is_circle(above, &status))
        return 0;
    return enter(walk, path, &status, level, above);
}

static int start(struct walk *walk, const char *from)
{
    struct run_place *room;
    struct stat status;
    size_t length = strlen(from);
    int rc;

    if (length == 0 || length >= PATH_MAX) {
        errno = length == 0 ? ENOENT : ENAMETOOLONG;
        return -1;
    }
    if (hook_stat(from, &status) == 0)
        walk->device = status.st_dev;
    room = run_take();
    memcpy(room->spare, from, length + 1);
    while (length > 1 && room->spare[length - 1] == '/')
        room->spare[--length] = '\0';
    if (walk->flags & FTW_CHDIR)
        walk->start = native_open(".", O_RDONLY | O_DIRECTORY, 0);
    rc = walk->flags & FTW_CHDIR && walk->start < 0 ? -1 : walk_into(walk, room->spare, 0, NULL);
    run_give(room);
    if (walk->start >= 0)
        native_close(walk->start);
    return rc;
}

#define FTW(name)                                                                                  \
    HOOK(int, name, const char *path, simple_visit function, int descriptors)                      \
    {                                                                                              \
        struct walk walk = {.simple = function, .start = -1};                                      \
                                                                                                   \
        return run_is_on() ? start(&walk, path) : NEXT(name)(path, function, descriptors);         \
    }

#define NFTW(name)                                                                                 \
    HOOK(int, name, const char *path, visit function, int descriptors, int flags)                  \
    {                                                                                              \
        struct walk walk = {.full = function, .flags = flags, .start = -1};                        \
                                                                                                   \
        return run_is_on() ? start(&walk, path) : NEXT(name)(path, function, descriptors, flags);  \
    }

FTW(ftw)
FTW(ftw64)
NFTW(nftw)
NFTW(nftw64)

/* ---- glob ---- */

static void *glob_open(const char *path)
{
    return hook_opendir(path);
}

static struct dirent *glob_read(void *dir)
{
    return hook_readdir(dir);
}

static void glob_close(void *dir)
{
    hook_closedir(dir);
}

/* The C library does all but the calls. */
#define GLOB(name)                                                                                 \
    HOOK(int, name, const char *pattern, int flags, int (*error)(const char *, int),               \
         glob_t *found)                                                                            \
    {                                                                                              \
        glob_t before;                                                                             \
        int rc;                                                                                    \
                                                                                                   \
        if (!run_is_on() || flags & GLOB_ALTDIRFUNC)                                               \
            return NEXT(name)(pattern, flags, error, found);                                       \
        before = *found;                                                                           \
        found->gl_opendir = glob_open;                                                             \
        found->gl_readdir = glob_read;                                                             \
        found->gl_closedir = glob_close;                                                           \
        found->gl_stat = hook_stat;                                                                \
        found->gl_lstat = hook_lstat;                                                              \
        rc = NEXT(name)(pattern, flags | GLOB_ALTDIRFUNC, error, found);                           \
        found->gl_flags &= ~GLOB_ALTDIRFUNC;                                                       \
        found->gl_opendir = before.gl_opendir;                                                     \
        found->gl_readdir = before.gl_readdir;                                                     \
        found->gl_closedir = before.gl_closedir;                                                   \
        found->gl_stat = before.gl_stat;                                                           \
        found->gl_lstat = before.gl_lstat;                                                         \
        return rc;                                                                                 \
    }

GLOB(glob)
GLOB(glob64)

/* ---- ftok ---- */

/* As that of the C library, so that programs without the library find the same. */
HOOK(key_t, ftok, const char *path, int number)
{
    struct stat status;

    if (hook_stat(path, &status) != 0)
        return -1;
    return (key_t)((status.st_ino & 0xffff) | (status.st_dev & 0xff) << 16 |
                   ((unsigned)number & 0xff) << 24);
}

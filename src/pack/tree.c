#include "pack/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "base/warning.h"
#include "vfs/below.h"

/* A file with several names, by the first of them. */
struct seen {
    struct {
        dev_t device;
        ino_t inode;
    } key;
    size_t entry;
    UT_hash_handle hh;
};

struct walk {
    const char *root;
    scion_pack_take *take;
    void *context;
    struct scion_pack_list *list;
    struct seen *seen;
    char path[SCION_PACK_PATH]; /* where it is; "" is the root */
};

static int cannot_read(const struct walk *walk, int errnum)
{
    return scion_fail_errno(errnum, "cannot read %s%s%s", walk->root, walk->path[0] ? "/" : "",
                            walk->path);
}

static int type_of(mode_t mode)
{
    return S_ISREG(mode)    ? SCION_PACK_FILE
           : S_ISDIR(mode)  ? SCION_PACK_FOLDER
           : S_ISLNK(mode)  ? SCION_PACK_LINK
           : S_ISFIFO(mode) ? SCION_PACK_PIPE
                            : 0;
}

/* ---- hard links ---- */

static struct seen *find_seen(struct walk *walk, const struct stat *status)
{
    struct seen key = {.hh = {0}}, *found;

    memset(&key.key, 0, sizeof key.key);
    key.key.device = status->st_dev;
    key.key.inode = status->st_ino;
    HASH_FIND(hh, walk->seen, &key.key, sizeof key.key, found);
    return found;
}

static int note_seen(struct walk *walk, const struct stat *status)
{
    struct seen *new = calloc(1, sizeof *new);

    if (!new)
        return scion_fail_memory("names of files");
    new->key.device = status->st_dev;
    new->key.inode = status->st_ino;
    new->entry = walk->list->count - 1;
    HASH_ADD(hh, walk->seen, key, sizeof new->key, new);
    if (SCION_TABLE_HAS(new))
        return 0;
    free(new);
    return scion_fail_memory("names of files");
}

static void forget_seen(struct walk *walk)
{
    struct seen *each, *next;

    HASH_ITER(hh, walk->seen, each, next)
    {
        HASH_DEL(walk->seen, each);
        free(each);
    }
}

/* ---- the walk ---- */

static int add(struct walk *walk, const struct stat *status, int task, char *target)
{
    int type = type_of(status->st_mode), is_first = 1, rc;
    struct scion_pack_entry entry = {.path = walk->path,
                                     .target = target,
                                     .type = type,
                                     .task = task,
                                     .mode = status->st_mode & 07777,
                                     .uid = status->st_uid,
                                     .gid = status->st_gid,
                                     .mtime = status->st_mtim.tv_sec,
                                     .mtime_ns = (uint32_t)status->st_mtim.tv_nsec,
                                     .size = type == SCION_PACK_FILE ? status->st_size : 0};
    const struct seen *seen = NULL;

    if (type == SCION_PACK_FILE && status->st_nlink > 1) {
        seen = find_seen(walk, status);
        is_first = !seen;
    }
    if (seen) {
        entry.type = SCION_PACK_HARD;
        entry.target = walk->list->entries[seen->entry].path;
        entry.task = walk->list->entries[seen->entry].task; /* tar finds it in the same stream */
        entry.size = 0;
    }
    rc = scion_pack_list_add(walk->list, &entry);
    return rc == 0 && type == SCION_PACK_FILE && status->st_nlink > 1 && is_first
               ? note_seen(walk, status)
               : rc;
}

static int take(struct walk *walk, int folder, const char *name, const struct stat *status)
{
    char target[SCION_PATH];
    int task = 0, is_link = S_ISLNK(status->st_mode), errnum = 0;
    int taken = walk->take ? walk->take(walk->context, walk->path, status, &task) : 1;

    if (taken <= 0)
        return taken;
    if (type_of(status->st_mode) == 0) {
        scion_warn("%s/%s is left out: it is a device or a socket", walk->root, walk->path);
        return 0;
    }
    if (is_link)
        errnum = scion_below_target(folder, name, target);
    return errnum == 0 ? add(walk, status, task, is_link ? target : NULL)
                       : cannot_read(walk, errnum);
}

static int visit(struct walk *walk, int folder);

/* The path is that of the name meanwhile. */
static int visit_name(struct walk *walk, int folder, const char *name)
{
    size_t length = strlen(walk->path);
    struct stat status;
    int errnum, inner, rc;
    int bytes = snprintf(walk->path + length, sizeof walk->path - length, "%s%s",
                         length > 0 ? "/" : "", name);

    if (bytes >= (int)(sizeof walk->path - length)) {
        rc =
            scion_fail(SION_ERR_ARGUMENT, "%s/%s...: its path is too long", walk->root, walk->path);
        walk->path[length] = '\0';
        return rc;
    }
    errnum = scion_below_status(folder, name, &status);
    rc = errnum == 0 ? take(walk, folder, name, &status) : cannot_read(walk, errnum);
    if (rc == 0 && S_ISDIR(status.st_mode)) {
        errnum = scion_below_enter(folder, name, &inner);
        rc = errnum == 0 ? visit(walk, inner) : cannot_read(walk, errnum);
        scion_below_close(errnum == 0 ? inner : -1);
    }
    walk->path[length] = '\0';
    return rc;
}

static int visit(struct walk *walk, int folder)
{
    char **names;
    int count, i, errnum = scion_below_names(folder, &names, &count);
    int rc = errnum == 0 ? 0 : cannot_read(walk, errnum);

    for (i = 0; i < count && rc == 0; i++)
        rc = visit_name(walk, folder, names[i]);
    scion_folder_free(names, count);
    return rc;
}

static int by_path(const void *a, const void *b)
{
    return scion_pack_compare(*(char *const *)a, *(char *const *)b);
}

/* The path itself, unless it is the root, and what is below it. */
static int visit_path(struct walk *walk, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int length = slash ? (int)(slash - path) : 0, folder, errnum, rc;
    char start[SCION_PATH];

    if (snprintf(start, sizeof start, "%s/%.*s", walk->root, length, path) >= (int)sizeof start)
        return scion_fail(SION_ERR_ARGUMENT, "%s/%s: its path is too long", walk->root, path);
    snprintf(walk->path, sizeof walk->path, "%.*s", length, path);
    errnum = scion_below_open(start, &folder);
    if (errnum != 0)
        return scion_fail_errno(errnum, "cannot read folder %s", length > 0 ? start : walk->root);
    rc = *name ? visit_name(walk, folder, name) : visit(walk, folder);
    scion_below_close(folder);
    return rc;
}

int scion_pack_walk_paths(const char *root, char **paths, int count, scion_pack_take *take_one,
                          void *context, struct scion_pack_list *list)
{
    struct walk *walk = calloc(1, sizeof *walk);
    const char *last = NULL;
    int rc = 0, i;

    if (!walk)
        return scion_fail_memory("names of files");
    *walk = (struct walk){.root = root, .take = take_one, .context = context, .list = list};
    qsort(paths, (size_t)count, sizeof *paths, by_path);
    for (i = 0; i < count && rc == 0; i++) {
        if (last && scion_pack_is_below(paths[i], last)) {
            paths[i] = NULL;
            continue;
        }
        last = paths[i];
        rc = visit_path(walk, last);
    }
    forget_seen(walk);
    free(walk);
    if (rc == 0)
        scion_pack_list_sort(list);
    return rc;
}

int scion_pack_walk(const char *root, scion_pack_take *take_one, void *context,
                    struct scion_pack_list *list)
{
    char all[] = "", *paths[] = {all};

    return scion_pack_walk_paths(root, paths, 1, take_one, context, list);
}

/* unlink, rmdir and remove. */
#include "run/preload/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "run/native.h"
#include "run/preload/anchor.h"
#include "run/preload/call.h"
#include "run/preload/fill.h"
#include "run/preload/hook.h"
#include "run/preload/union.h"

HOOK(int, unlinkat, int folder, const char *path, int flags);

/* What getdents64() tells. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/* Whether the bytes have a name other than "." and "..". */
static int has_name(const char *bytes, long n)
{
    const struct entry *entry;
    long at;

    for (at = 0; at < n; at += entry->bytes) {
        entry = (const struct entry *)(const void *)(bytes + at);
        if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
            return 1;
    }
    return 0;
}

int run_is_empty(const char *path)
{
    uint64_t bytes[64];
    int fd = native_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0), found = 0, why = errno;
    long n = 1;

    if (fd < 0)
        return 0;
    while (n > 0 && !found) {
        n = syscall(SYS_getdents64, fd, bytes, sizeof bytes);
        found = n < 0 || has_name((const char *)bytes, n);
    }
    native_close(fd);
    errno = why;
    return !found;
}

static int remove_in_tree(const struct run_place *place, int flags)
{
    struct run_at at = run_at(place);
    int rc;

    do
        rc = NEXT(unlinkat)(at.fd, at.path, flags);
    while (rc != 0 && run_is_astray(&at, place));
    return rc;
}

/* If there is a real one, it goes first: if that may not be removed, nothing has happened. */
static int remove_both(struct run_place *place, int has_real, int flags)
{
    int has_tree, rc;
    struct stat status;

    if (!has_real)
        return remove_in_tree(place, flags);
    has_tree = native_stat(place->tree, &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (has_tree && flags == AT_REMOVEDIR && S_ISDIR(status.st_mode) &&
        !run_is_empty(place->tree)) {
        errno = ENOTEMPTY;
        return -1;
    }
    if (NEXT(unlinkat)(AT_FDCWD, place->real, flags) != 0)
        return -1;
    if (!has_tree)
        run_touch_folder(place);
    rc = has_tree ? remove_in_tree(place, flags) : 0;
    return rc != 0 && errno == ENOENT ? 0 : rc;
}

int run_remove(struct run_place *place, int is_folder)
{
    struct stat status;
    int why = errno, has_real = run_real(place, &status) == 0, missing = errno, rc;

    if (!has_real && missing != ENOENT && missing != ENOTDIR)
        return -1;
    errno = why;
    if (is_folder)
        run_input_show(run_inside(place), place->inside_length);
    rc = remove_both(place, has_real, is_folder ? AT_REMOVEDIR : 0);
    if (rc == 0) {
        run_input_forget(place);
        run_changed();
        errno = why;
    } else if (errno == ENOENT && !has_real) {
        errno = missing;
    }
    return rc;
}

/* A folder that is not redirected may have names in the tree. */
static int remove_real_folder(struct run_place *place)
{
    struct stat status;
    int why = errno, rc,
        has_tree = place->inside_length > 0 && run_place_tree(place) &&
                   native_stat(place->tree, &status, AT_SYMLINK_NOFOLLOW) == 0;

    errno = why;
    if (has_tree && !run_is_empty(place->tree)) {
        errno = ENOTEMPTY;
        return -1;
    }
    rc = NEXT(unlinkat)(AT_FDCWD, place->real, AT_REMOVEDIR);
    if (rc == 0 && has_tree)
        native_unlink(place->tree, AT_REMOVEDIR);
    return rc;
}

static int remove_once(int folder, const char *path, int flags)
{
    struct run_place *place;
    int rc, why;

    place = run_take();
    if ((flags & AT_REMOVEDIR ? run_locate : run_locate_quickly)(place, folder, path, 0) != 0)
        rc = -1;
    else if (place->where == RUN_OURS && place->is_recalled &&
             run_locate(place, folder, path, 0) != 0)
        rc = -1;
    else if (place->where == RUN_OURS)
        rc = run_remove(place, flags & AT_REMOVEDIR);
    else if (place->begin > 0 && (flags & AT_REMOVEDIR))
        rc = remove_real_folder(place);
    else if (place->where == RUN_MOVED)
        rc = NEXT(unlinkat)(AT_FDCWD, place->real, flags);
    else
        rc = NEXT(unlinkat)(folder, path, flags);
    why = errno;
    run_give(place);
    errno = why;
    return rc;
}

static int do_remove(int folder, const char *path, int flags)
{
    struct run_watch watch = run_watch();
    int rc;

    if (!run_is_on())
        return NEXT(unlinkat)(folder, path, flags);
    do
        rc = remove_once(folder, path, flags);
    while (rc != 0 && run_has_moved(&watch, path));
    return rc;
}

HOOK(int, unlink, const char *path)
{
    return do_remove(AT_FDCWD, path, 0);
}

HOOK(int, unlinkat, int folder, const char *path, int flags)
{
    return do_remove(folder, path, flags);
}

HOOK(int, rmdir, const char *path)
{
    return do_remove(AT_FDCWD, path, AT_REMOVEDIR);
}

HOOK(int, remove, const char *path)
{
    int why = errno, rc = do_remove(AT_FDCWD, path, 0);

    if (rc != 0 && (errno == EISDIR || errno == EPERM)) {
        errno = why;
        rc = do_remove(AT_FDCWD, path, AT_REMOVEDIR);
    }
    return rc;
}

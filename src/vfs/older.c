#include "vfs/older.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/error.h"
#include "vfs/path.h"

/* ---- which file it is ---- */

static int read_head(const char *name, struct scion_older *seen)
{
    int errnum = scion_path_check_readable(name), rc, closed;
    struct scion_file *file;

    if (errnum == EACCES)
        return 0;
    if (errnum != 0)
        return scion_fail_errno(errnum, "cannot examine %s", name);
    rc = scion_file_open(name, SCION_OPEN_READ, 0, &file);
    if (rc != 0)
        return rc;
    rc = scion_file_read_some(file, seen->head, sizeof seen->head, 0, &seen->nhead);
    closed = scion_file_close(file);
    return scion_first_failure(rc, closed);
}

int scion_older_look(const char *name, struct scion_older *seen)
{
    struct stat status;
    int errnum = scion_path_own_status(name, &status);

    *seen = (struct scion_older){.exists = errnum == 0};
    if (errnum == ENOENT)
        return 0;
    if (errnum != 0)
        return scion_fail_errno(errnum, "cannot examine %s", name);
    seen->device = status.st_dev;
    seen->inode = status.st_ino;
    return S_ISREG(status.st_mode) ? read_head(name, seen) : 0;
}

static int is_same(const struct scion_older *a, const struct scion_older *b)
{
    return a->device == b->device && a->inode == b->inode && a->nhead == b->nhead &&
           memcmp(a->head, b->head, a->nhead) == 0;
}

static int is_other(const struct scion_older *now, const struct scion_older *seen)
{
    return now->exists && !(seen->exists && is_same(seen, now));
}

static int refuse(const char *name)
{
    return scion_fail(SION_ERR_BUSY,
                      "%s was made by another program after the open, and is not replaced", name);
}

int scion_older_check(const char *name, const struct scion_older *seen)
{
    struct scion_older now;
    int rc = scion_older_look(name, &now);

    return rc == 0 && is_other(&now, seen) ? refuse(name) : rc;
}

int scion_older_replace(const char *beside, const char *name, const struct scion_older *seen)
{
    struct scion_older now;
    int rc = scion_older_look(name, &now), errnum;

    if (rc != 0)
        return rc;
    if (is_other(&now, seen))
        return refuse(name);
    errnum = now.exists ? scion_path_move(beside, name) : scion_path_move_new(beside, name);
    if (errnum == EEXIST && !now.exists)
        return refuse(name);
    return errnum == 0 ? scion_sync_folder_of(name)
                       : scion_fail_errno(errnum, "cannot rename %s to %s", beside, name);
}

mode_t scion_older_permissions(const struct scion_older *seen, mode_t wanted)
{
    return seen->exists ? S_IRUSR | S_IWUSR : wanted;
}

/* ---- what is said of it ---- */

static void warn(const char *name, int errnum, const char *what)
{
    scion_warn("%s: its %s could not be kept when it was replaced: %s", name, what,
               strerror(errnum));
}

/* *same_group: the new file has the group of the old one. */
static void keep_owner(const char *name, const struct stat *old, struct scion_file *file,
                       int *same_group)
{
    const struct stat *new = scion_file_opened(file);
    int errnum = 0, second = 0;

    *same_group = 1;
    if (old->st_uid != new->st_uid)
        errnum = scion_file_set_owner(file, old->st_uid, old->st_gid);
    if (errnum != 0)
        warn(name, errnum, "owner");
    if (old->st_gid != new->st_gid && (errnum != 0 || old->st_uid == new->st_uid))
        second = scion_file_set_owner(file, (uid_t)-1, old->st_gid);
    if (second != 0) {
        warn(name, second, "group");
        *same_group = 0;
    }
}

static const char acl[] = "system.posix_acl_access";

static int begins_with(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/*
 * The system sets, or clears, these by itself when a file is written; those that file systems keep
 * for themselves (trusted.lov, lustre.*, ceph.*) belong to the storage of the old file.
 */
static int is_kept(const char *name)
{
    return begins_with(name, "user.") || strcmp(name, acl) == 0 ||
           strcmp(name, "system.nfs4_acl") == 0 || strcmp(name, "system.richacl") == 0 ||
           strcmp(name, "security.selinux") == 0 || begins_with(name, "security.SMACK64");
}

enum { MOST_VALUE = 1 << 16 }; /* Linux has no longer ones, and no longer lists of names */

/* 1 if it could be kept. */
static int keep_attribute(const char *path, struct scion_file *file, const char *name,
                          unsigned char *values)
{
    const struct scion_vfs *vfs = scion_vfs_current();
    unsigned char *there = values + MOST_VALUE;
    int fd = scion_file_descriptor(file);
    ssize_t bytes = vfs->getxattr(path, name, values, MOST_VALUE), now;

    if (bytes < 0 && errno == ENODATA) /* it has just been removed */
        return 1;
    now = bytes < 0 ? -1 : vfs->fgetxattr(fd, name, there, MOST_VALUE);
    if (bytes >= 0 && now == bytes && memcmp(values, there, (size_t)bytes) == 0)
        return 1;
    if (bytes >= 0 && vfs->fsetxattr(fd, name, values, (size_t)bytes, 0) == 0)
        return 1;
    warn(path, errno, strcmp(name, acl) == 0 ? "ACL" : name);
    return 0;
}

/* The new file may have an ACL by the folder's default that the old one had not. */
static int remove_acl(const char *path, struct scion_file *file)
{
    const struct scion_vfs *vfs = scion_vfs_current();
    int fd = scion_file_descriptor(file);

    if (vfs->fgetxattr(fd, acl, NULL, 0) < 0 || vfs->fremovexattr(fd, acl) == 0)
        return 1;
    warn(path, errno, "permissions without an ACL");
    return 0;
}

/* *same_acl: the new file has the ACL of the old one. */
static int keep_attributes(const char *path, struct scion_file *file, int *same_acl)
{
    unsigned char *values = malloc((size_t)2 * MOST_VALUE);
    char *names = malloc(MOST_VALUE), *name;
    ssize_t bytes = values && names ? scion_vfs_current()->listxattr(path, names, MOST_VALUE) : 0;
    int rc = values && names ? 0 : scion_fail_memory("attributes of a file"), has_acl = 0;

    *same_acl = 1;
    for (name = names; rc == 0 && name < names + bytes; name += strlen(name) + 1) {
        int is_acl = strcmp(name, acl) == 0, kept;

        kept = !is_kept(name) || keep_attribute(path, file, name, values);
        has_acl |= is_acl;
        *same_acl &= !is_acl || kept;
    }
    if (rc == 0 && !has_acl)
        *same_acl = remove_acl(path, file);
    free(values);
    free(names);
    return rc;
}

/* What the file's group may do if it is not the one, or not all, that was meant. */
static mode_t without_group(mode_t permissions)
{
    return (permissions & ~(mode_t)S_IRWXG) | ((permissions & S_IRWXO) << 3);
}

int scion_older_keep(const char *name, struct scion_file *file)
{
    struct stat old;
    int errnum = scion_path_status(name, &old), same_group, same_acl, rc;
    mode_t permissions;

    if (errnum == ENOENT || (errnum == 0 && !S_ISREG(old.st_mode)))
        return 0;
    if (errnum != 0)
        return scion_fail_errno(errnum, "cannot examine %s", name);
    keep_owner(name, &old, file, &same_group);
    rc = keep_attributes(name, file, &same_acl);
    permissions = old.st_mode & 0777;
    return rc == 0 ? scion_file_set_permissions(
                         file, same_group && same_acl ? permissions : without_group(permissions))
                   : rc;
}

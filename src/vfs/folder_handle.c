#include "vfs/folder_handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "vfs/system.h"

static int open_folder(const char *path, int flags)
{
    int fd, times = 0;

    do
        fd = scion_vfs_current()->open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags, 0);
    while (fd < 0 && scion_vfs_again(&times));
    return fd;
}

static void find_way(struct scion_folder_handle *held)
{
    struct stat status;

    snprintf(held->way, sizeof held->way, "/proc/self/fd/%d", held->fd);
    if (scion_path_status(held->way, &status) != 0)
        strcpy(held->way, held->name);
}

static int refuse(const char *path, const char *name, int errnum)
{
    struct stat status;

    if (scion_vfs_current()->lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return scion_fail(SION_ERR_ARGUMENT, "%s is a link, which could lead elsewhere", name);
    return scion_fail_errno(errnum, "cannot make folder %s", name);
}

int scion_folder_handle_sync(const struct scion_folder_handle *held)
{
    return scion_vfs_sync(scion_vfs_current(), held->fd) == 0
               ? 0
               : scion_fail_errno(errno, "cannot flush folder %s to disk", held->name);
}

/* Go on to a part of the path, which is made if it is missing. */
static int enter(struct scion_folder_handle *held, const char *part)
{
    const struct scion_vfs *vfs = scion_vfs_current();
    char path[SCION_PATH], name[SCION_PATH];
    int rc = scion_path(path, held->way, part), errnum, fd;

    if (rc == 0)
        rc = scion_path(name, held->name, part);
    if (rc != 0)
        return rc;
    errnum = vfs->mkdir(path, 0777) == 0 ? 0 : errno;
    if (errnum == 0 && (rc = scion_folder_handle_sync(held)) != 0)
        return rc;
    if (errnum != 0 && errnum != EEXIST)
        return scion_fail_errno(errnum, "cannot make folder %s", name);
    fd = open_folder(path, O_NOFOLLOW);
    if (fd < 0)
        return refuse(path, name, errno);
    vfs->close(held->fd);
    held->fd = fd;
    strcpy(held->name, name);
    find_way(held);
    return 0;
}

static int enter_all(struct scion_folder_handle *held, char *name)
{
    char *part = name, *slash;
    int rc = 0;

    for (; rc == 0 && (slash = strchr(part, '/')); part = slash + 1) {
        *slash = '\0';
        if (*part && strcmp(part, ".") != 0)
            rc = enter(held, part);
    }
    return rc;
}

int scion_hold_folder_of(const char *base, const char *name, struct scion_folder_handle *held)
{
    char *copy = strdup(name);
    int rc = copy ? scion_path(held->name, NULL, base) : scion_fail_memory("file name");

    held->fd = rc == 0 ? open_folder(base, 0) : -1;
    if (rc == 0 && held->fd < 0)
        rc = scion_fail_errno(errno, "cannot open folder %s", base);
    if (rc == 0) {
        find_way(held);
        rc = enter_all(held, copy);
        if (rc != 0)
            scion_folder_handle_release(held);
    }
    free(copy);
    return rc;
}

int scion_folder_handle_result(const struct scion_folder_handle *held, int rc)
{
    if (rc != 0)
        scion_error_replace(held->way, held->name);
    return rc;
}

void scion_folder_handle_release(struct scion_folder_handle *held)
{
    scion_vfs_current()->close(held->fd);
    held->fd = -1;
}

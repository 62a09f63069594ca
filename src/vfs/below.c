#include "vfs/below.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "vfs/system.h"

static int errno_of(int rc)
{
    return rc == 0 ? 0 : errno;
}

static int open_folder(int folder, const char *name, int flags, int *fd)
{
    int times = 0;

    do
        *fd = scion_vfs_current()->openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags,
                                          0);
    while (*fd < 0 && scion_vfs_again(&times));
    return *fd < 0 ? errno : 0;
}

int scion_below_open(const char *path, int *folder)
{
    return open_folder(AT_FDCWD, path, 0, folder);
}

int scion_below_enter(int folder, const char *name, int *inner)
{
    return open_folder(folder, name, O_NOFOLLOW, inner);
}

void scion_below_close(int folder)
{
    if (folder >= 0)
        scion_vfs_current()->close(folder);
}

/* ---- names ---- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The list has room for 2, 4, 8 ... names. */
static int add_name(char ***names, int *count, const char *name)
{
    char **list = *names;

    if ((*count & (*count - 1)) == 0)
        list = realloc(list, 2 * ((size_t)*count + 1) * sizeof *list);
    if (!list)
        return ENOMEM;
    *names = list;
    list[*count] = strdup(name);
    return list[*count] ? (++*count, 0) : ENOMEM;
}

static int add_all(DIR *folder, char ***names, int *count)
{
    const struct dirent *entry;
    int errnum = 0;

    while (errnum == 0 && (errno = 0, entry = scion_vfs_current()->readdir(folder))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            errnum = add_name(names, count, entry->d_name);
    }
    return errnum != 0 ? errnum : errno;
}

int scion_below_names(int folder, char ***names, int *count)
{
    int fd, errnum = open_folder(folder, ".", 0, &fd);
    DIR *listed = errnum == 0 ? fdopendir(fd) : NULL;

    *names = NULL;
    *count = 0;
    if (errnum == 0 && !listed) {
        errnum = errno;
        scion_below_close(fd);
    }
    if (!listed)
        return errnum;
    errnum = add_all(listed, names, count);
    closedir(listed);
    if (*count > 1)
        qsort(*names, (size_t)*count, sizeof **names, by_bytes);
    return errnum;
}

/* ---- one of them ---- */

int scion_below_status(int folder, const char *name, struct stat *status)
{
    return errno_of(scion_vfs_current()->fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW));
}

int scion_below_target(int folder, const char *name, char *target)
{
    ssize_t bytes = scion_vfs_current()->readlinkat(folder, name, target, SCION_PATH);

    if (bytes < 0)
        return errno;
    if (bytes >= SCION_PATH)
        return ENAMETOOLONG;
    target[bytes] = '\0';
    return 0;
}

int scion_below_make_folder(int folder, const char *name, mode_t mode)
{
    return errno_of(scion_vfs_current()->mkdirat(folder, name, mode));
}

int scion_below_make_pipe(int folder, const char *name, mode_t mode)
{
    return errno_of(scion_vfs_current()->mkfifoat(folder, name, mode));
}

int scion_below_make_link(int folder, const char *name, const char *target)
{
    return errno_of(scion_vfs_current()->symlinkat(target, folder, name));
}

int scion_below_link(int from_folder, const char *from, int folder, const char *name)
{
    return errno_of(scion_vfs_current()->linkat(from_folder, from, folder, name, 0));
}

int scion_below_rename(int folder, const char *from, const char *to)
{
    return errno_of(scion_vfs_current()->renameat(folder, from, folder, to));
}

int scion_below_remove(int folder, const char *name)
{
    return errno_of(scion_vfs_current()->unlinkat(folder, name, 0));
}

int scion_below_set_time(int folder, const char *name, const struct timespec *time)
{
    const struct timespec times[2] = {*time, *time};

    return errno_of(scion_vfs_current()->utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW));
}

int scion_below_set_mode(int folder, mode_t mode)
{
    return errno_of(scion_vfs_current()->fchmod(folder, mode));
}

int scion_below_set_own_time(int folder, const struct timespec *time)
{
    const struct timespec times[2] = {*time, *time};

    return errno_of(scion_vfs_current()->futimens(folder, times));
}

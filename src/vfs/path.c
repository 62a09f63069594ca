#include "vfs/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- what the system knows about a name ---- */

static int errno_of(int result)
{
    return result == 0 ? 0 : errno;
}

int scion_path_status(const char *path, struct stat *status)
{
    int errnum, times = 0;

    do
        errnum = errno_of(scion_vfs_current()->stat(path, status));
    while (errnum != 0 && scion_vfs_again(&times));
    return errnum;
}

int scion_path_own_status(const char *path, struct stat *status)
{
    int errnum, times = 0;

    do
        errnum = errno_of(scion_vfs_current()->lstat(path, status));
    while (errnum != 0 && scion_vfs_again(&times));
    return errnum;
}

int scion_path_is(const char *path, const struct stat *file)
{
    struct stat status;

    return scion_path_status(path, &status) == 0 && scion_is_same_file(&status, file);
}

int scion_path_is_same(const char *path, const char *other)
{
    struct stat file;

    return scion_path_status(other, &file) == 0 && scion_path_is(path, &file);
}

int scion_path_is_taken(const char *path)
{
    struct stat status;

    return scion_vfs_current()->lstat(path, &status) == 0;
}

int scion_file_exists(const char *path)
{
    struct stat status;

    return scion_path_status(path, &status) == 0;
}

static int is_not_there(int errnum)
{
    return errnum == ENOENT || errnum == ENOTDIR;
}

int scion_file_look_for(const char *path, int *exists)
{
    struct stat status;
    int errnum = scion_path_status(path, &status);

    *exists = errnum == 0;
    if (*exists || is_not_there(errnum))
        return 0;
    return scion_fail_errno(errnum, "cannot look for %s", path);
}

mode_t scion_path_permissions(const char *path)
{
    struct stat status;

    return scion_path_status(path, &status) == 0 ? status.st_mode & 0777 : S_IRUSR | S_IWUSR;
}

int scion_path_check_writable(const char *path)
{
    return errno_of(scion_vfs_current()->access(path, W_OK));
}

int scion_path_check_readable(const char *path)
{
    return errno_of(scion_vfs_current()->access(path, R_OK));
}

int scion_path_check_folder(const char *path)
{
    char folder[SCION_PATH];

    if (scion_path(folder, NULL, strchr(path, '/') ? path : "./") != 0)
        return ENAMETOOLONG;
    scion_path_up(folder);
    return errno_of(scion_vfs_current()->access(folder, W_OK | X_OK));
}

int scion_path_set_permissions(const char *path, mode_t permissions)
{
    return errno_of(scion_vfs_current()->chmod(path, permissions));
}

int scion_path_real(const char *path, char *real)
{
    char *found = scion_vfs_current()->realpath(path, NULL);
    int rc;

    if (!found)
        return scion_fail_errno(errno, "cannot find %s", path);
    rc = scion_path(real, NULL, found);
    free(found);
    return rc;
}

/* The part of a path after the folder's name and its slash; NULL: path is not below it. Both are
   without links. */
static const char *below(const char *folder, const char *path)
{
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return strncmp(folder, path, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* A file that is not there yet will be in its folder, which may be missing, too. Shortens path. */
static int real_or_new(char *path, char *real)
{
    char name[SCION_PATH], above[SCION_PATH];
    int exists, rc = scion_file_look_for(path, &exists);

    if (rc != 0 || exists)
        return rc != 0 ? rc : scion_path_real(path, real);
    strcpy(name, scion_basename(path));
    if (strchr(path, '/'))
        scion_path_up(path);
    else
        strcpy(path, ".");
    rc = real_or_new(path, above);
    if (rc != 0)
        return rc;
    if (strcmp(name, "..") == 0)
        scion_path_up(above);
    return !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0
               ? scion_path(real, NULL, above)
               : scion_path(real, above, name);
}

int scion_relative(const char *base, const char *path, char *relative)
{
    char real_base[SCION_PATH], real_path[SCION_PATH], copy[SCION_PATH];
    const char *rest;
    int rc = scion_path_real(base, real_base);

    if (rc == 0)
        rc = scion_path(copy, NULL, path);
    if (rc == 0)
        rc = real_or_new(copy, real_path);
    if (rc != 0)
        return rc;
    rest = below(real_base, real_path);
    if (!rest)
        return scion_fail(SION_ERR_ARGUMENT, "%s is not in or below %s", path, base);
    strcpy(relative, rest);
    return 0;
}

static int check_links(const char *path, const char *base, const char *name)
{
    char real_base[SCION_PATH], real_path[SCION_PATH];
    int rc = scion_path_real(base, real_base);

    if (rc == 0)
        rc = scion_path_real(path, real_path);
    if (rc == 0 && !below(real_base, real_path))
        rc = scion_fail(SION_ERR_DAMAGED, "the name %.200s leads out of its folder, by a link",
                        name);
    return rc;
}

int scion_path_inside(char *path, const char *base, const char *name, int allow_outside)
{
    int rc = scion_check_name(name, allow_outside), exists = 0;

    if (rc == 0)
        rc = scion_path(path, name[0] == '/' ? NULL : base, name);
    if (rc == 0 && !allow_outside)
        rc = scion_file_look_for(path, &exists);
    return rc == 0 && exists ? check_links(path, base, name) : rc;
}

/* 1: the file is there, and no link; 0: it is a link; -1: it is not there. */
static int is_plain(const char *path)
{
    struct stat status;

    return scion_vfs_current()->lstat(path, &status) != 0 ? -1 : !S_ISLNK(status.st_mode);
}

/* A file that is not a link is where its folder is. */
int scion_path_inside_again(struct scion_inside *last, char *path, const char *base,
                            const char *name, int allow_outside)
{
    int rc = scion_check_name(name, allow_outside), plain;
    size_t length;

    if (rc == 0)
        rc = scion_path(path, name[0] == '/' ? NULL : base, name);
    if (rc != 0 || allow_outside)
        return rc;
    plain = is_plain(path);
    length = (size_t)(scion_basename(path) - path);
    if (plain != 0 && length > 0 && strncmp(last->folder, path, length) == 0 &&
        !last->folder[length])
        return 0;
    rc = scion_path_inside(path, base, name, 0);
    if (rc == 0 && plain > 0) {
        memcpy(last->folder, path, length);
        last->folder[length] = '\0';
    }
    return rc;
}

/* ---- folders ---- */

int scion_make_folder(const char *path)
{
    int errnum = errno_of(scion_vfs_current()->mkdir(path, 0777)), looked;
    struct stat status;

    if (errnum == 0) /* files in it can be on the disk only if it is */
        return scion_sync_folder_of(path);
    if (errnum == EEXIST) {
        looked = scion_path_status(path, &status);
        if (looked != ENOENT) /* a link that leads nowhere stays an existing name */
            errnum = looked != 0 ? looked : S_ISDIR(status.st_mode) ? 0 : EEXIST;
    }
    return errnum == 0 ? 0 : scion_fail_errno(errnum, "cannot make folder %s", path);
}

int scion_make_private_folder(const char *path)
{
    return errno_of(scion_vfs_current()->mkdir(path, S_IRWXU));
}

int scion_remove_folder(const char *path)
{
    return errno_of(scion_vfs_current()->rmdir(path));
}

int scion_make_folders(const char *path)
{
    char part[SCION_PATH], *slash = part;
    int rc = *path ? scion_path(part, NULL, path)
                   : scion_fail(SION_ERR_ARGUMENT, "an empty name of a folder");

    while (rc == 0 && (slash = strchr(slash + 1, '/'))) {
        *slash = '\0';
        rc = scion_make_folder(part);
        *slash = '/';
    }
    return rc != 0 ? rc : scion_make_folder(path);
}

int scion_make_folders_of(const char *path)
{
    char folder[SCION_PATH], *slash;
    int rc = scion_path(folder, NULL, path);

    slash = strrchr(folder, '/');
    if (rc != 0 || !slash || slash == folder)
        return rc;
    *slash = '\0';
    return scion_make_folders(folder);
}

static int open_folder(const char *path)
{
    int fd, times = 0;

    do
        fd = scion_vfs_current()->open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    while (fd < 0 && scion_vfs_again(&times));
    return fd;
}

struct scion_folder {
    const struct scion_vfs *vfs;
    DIR *names;
    char path[];
};

int scion_folder_open(const char *path, struct scion_folder **folder)
{
    struct scion_folder *new;
    int fd = open_folder(path);

    *folder = NULL;
    if (fd < 0)
        return is_not_there(errno) ? 0 : scion_fail_errno(errno, "cannot read folder %s", path);
    new = malloc(sizeof *new + strlen(path) + 1);
    if (new) {
        new->vfs = scion_vfs_current();
        new->names = fdopendir(fd);
        strcpy(new->path, path);
    }
    if (!new || !new->names) {
        scion_vfs_current()->close(fd);
        free(new);
        return scion_fail_memory("folder");
    }
    *folder = new;
    return 0;
}

int scion_folder_next(struct scion_folder *folder, const char **name)
{
    const struct dirent *entry;

    errno = 0;
    entry = folder->vfs->readdir(folder->names);
    *name = entry ? entry->d_name : NULL;
    return entry || errno == 0 ? 0 : scion_fail_errno(errno, "cannot read folder %s", folder->path);
}

void scion_folder_close(struct scion_folder *folder)
{
    if (!folder)
        return;
    closedir(folder->names);
    free(folder);
}

static int by_version(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Append to the list, which has room for 2, 4, 8 ... names; all of it is the caller's. */
static int add_name(char ***names, int *count, const char *name)
{
    char **list = *names;

    if ((*count & (*count - 1)) == 0)
        list = scion_array_grown(list, 2 * ((size_t)*count + 1), sizeof *list);
    if (!list)
        return scion_fail_memory("names of files");
    *names = list;
    list[*count] = strdup(name);
    return list[*count] ? (++*count, 0) : scion_fail_memory("names of files");
}

void scion_folder_free(char **names, int count)
{
    while (names && count > 0)
        free(names[--count]);
    free(names);
}

static int add_all(struct scion_folder *folder, char ***names, int *count)
{
    const char *name;
    int rc = scion_folder_next(folder, &name);

    while (rc == 0 && name) {
        rc = add_name(names, count, name);
        if (rc == 0)
            rc = scion_folder_next(folder, &name);
    }
    return rc;
}

int scion_folder_sorted(const char *path, char ***names, int *count)
{
    struct scion_folder *folder;
    int rc = scion_folder_open(path, &folder);

    *names = NULL;
    *count = 0;
    if (!folder)
        return rc;
    rc = add_all(folder, names, count);
    scion_folder_close(folder);
    if (rc == 0) {
        qsort(*names, (size_t)*count, sizeof **names, by_version);
        return 0;
    }
    scion_folder_free(*names, *count);
    *names = NULL;
    *count = 0;
    return rc;
}

/* ---- names of files ---- */

/* A new name is on the disk when its folder is. */
int scion_sync_folder_of(const char *path)
{
    const struct scion_vfs *vfs = scion_vfs_current();
    char *folder = strchr(path, '/') ? strdup(path) : strdup(".");
    int fd, rc = 0;

    if (!folder)
        return scion_fail_memory("name of a folder");
    scion_path_up(folder);
    fd = open_folder(folder);
    if (fd < 0 || scion_vfs_sync(vfs, fd) != 0)
        rc = scion_fail_errno(errno, "cannot flush folder %s to disk", folder);
    if (fd >= 0)
        vfs->close(fd);
    free(folder);
    return rc;
}

int scion_path_move(const char *from, const char *to)
{
    return errno_of(scion_vfs_current()->rename(from, to));
}

int scion_file_rename(const char *from, const char *to)
{
    int errnum = scion_path_move(from, to);

    return errnum == 0 ? scion_sync_folder_of(to)
                       : scion_fail_errno(errnum, "cannot rename %s to %s", from, to);
}

void scion_file_remove(const char *path)
{
    const struct scion_vfs *vfs = scion_vfs_current();
    struct stat status;

    if (vfs->lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        vfs->unlink(path);
}

int scion_path_try_link(const char *from, const char *to)
{
    return errno_of(scion_vfs_current()->link(from, to));
}

int scion_path_link(const char *from, const char *to)
{
    int errnum = scion_path_try_link(from, to);

    return errnum == 0 ? 0 : scion_fail_errno(errnum, "cannot make %s", to);
}

/* Reasons why a file system cannot rename without replacing, but perhaps can link. */
static int is_unable(int errnum)
{
    return errnum == ENOSYS || errnum == EINVAL || errnum == EOPNOTSUPP;
}

static int link_and_unlink(const char *from, const char *to)
{
    int errnum;

    if (scion_vfs_current()->link(from, to) != 0)
        return scion_path_is_taken(to) ? EEXIST : scion_path_move(from, to);
    errnum = errno_of(scion_vfs_current()->unlink(from));
    if (errnum != 0)
        scion_vfs_current()->unlink(to);
    return errnum;
}

int scion_path_move_new(const char *from, const char *to)
{
    int errnum = errno_of(scion_vfs_current()->rename_new(from, to));

    return is_unable(errnum) ? link_and_unlink(from, to) : errnum;
}

int scion_path_remove(const char *path)
{
    int errnum = errno_of(scion_vfs_current()->unlink(path));

    return errnum == 0 || is_not_there(errnum) ? 0
                                               : scion_fail_errno(errnum, "cannot remove %s", path);
}

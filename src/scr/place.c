#include "scr/place.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

int scion_path(char *path, const char *folder, const char *name)
{
    int length = folder ? snprintf(path, SCION_PATH, "%s/%s", folder, name)
                        : snprintf(path, SCION_PATH, "%s", name);

    return length < SCION_PATH ? 0 : scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", path);
}

int scion_place_folder(const struct sion_scr_place *place, char *path)
{
    int length = place->layout == SION_SCR_LAYOUT_DATASET
                     ? snprintf(path, SCION_PATH, "%s/.scr", place->base)
                     : snprintf(path, SCION_PATH, "%s/.scr/scr.dataset.%d", place->base, place->id);

    return length < SCION_PATH ? 0 : scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", path);
}

int scion_place_entry(const struct sion_scr_place *place, int level, sion_int64 rank, char *name)
{
    switch (place->layout) {
    case SION_SCR_LAYOUT_DATASET:
        return snprintf(name, SCION_NODE_NAME, ".scr/rank2file.%d.%lld.scr", level, rank);
    case SION_SCR_LAYOUT_PREFIX:
        return snprintf(name, SCION_NODE_NAME, ".scr/scr.dataset.%d/rank2file.%d.%lld.scr",
                        place->id, level, rank);
    default:
        return snprintf(name, SCION_NODE_NAME, ".%d.%lld", level, rank);
    }
}

int scion_place_node(const struct sion_scr_place *place, int is_root, int level, sion_int64 rank,
                     char *path)
{
    char folder[SCION_PATH], name[SCION_NODE_NAME];
    const char *suffix = place->layout == SION_SCR_LAYOUT_3 ? "" : ".scr";
    int rc = scion_place_folder(place, folder);

    if (rc != 0)
        return rc;
    if (is_root)
        snprintf(name, sizeof name, "rank2file%s", suffix);
    else
        snprintf(name, sizeof name, "rank2file.%d.%lld%s", level, rank, suffix);
    return scion_path(path, folder, name);
}

/* rank2file.LEVEL.RANK, with .scr or without. */
static int is_node(const char *name)
{
    int level, length = 0;
    long long rank;

    return sscanf(name, "rank2file.%d.%lld%n", &level, &rank, &length) == 2 &&
           (!name[length] || strcmp(name + length, ".scr") == 0);
}

static int remove_in(const char *folder, const char *name)
{
    char path[SCION_PATH];
    int rc = scion_path(path, folder, name);

    if (rc == 0 && unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
        rc = scion_fail_errno(errno, "cannot remove %s", path);
    return rc;
}

int scion_place_clear(const struct sion_scr_place *place)
{
    char path[SCION_PATH];
    const struct dirent *entry;
    DIR *folder;
    int rc = scion_place_folder(place, path);

    if (rc == 0)
        rc = remove_in(path, "rank2file.scr");
    if (rc == 0)
        rc = remove_in(path, "rank2file");
    folder = rc == 0 ? opendir(path) : NULL;
    while (folder && rc == 0 && (entry = readdir(folder))) {
        if (is_node(entry->d_name))
            rc = remove_in(path, entry->d_name);
    }
    if (folder)
        closedir(folder);
    return rc;
}

static int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    return scion_fail_errno(errno, "cannot make folder %s", path);
}

int scion_make_folders(const char *path)
{
    char part[SCION_PATH], *slash = part;
    int rc = scion_path(part, NULL, path);

    while (rc == 0 && (slash = strchr(slash + 1, '/'))) {
        *slash = '\0';
        rc = make_folder(part);
        *slash = '/';
    }
    return rc != 0 ? rc : make_folder(path);
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

int scion_check_name(const char *name, int allow_outside)
{
    const char *part = name, *last = scion_basename(name);

    if (!*name)
        return scion_fail(SION_ERR_DAMAGED, "an empty file name");
    if (!*last || strcmp(last, ".") == 0)
        return scion_fail(SION_ERR_DAMAGED, "the name %.200s is that of a folder", name);
    if (allow_outside)
        return 0;
    if (*name == '/')
        return scion_fail(SION_ERR_DAMAGED, "the name %.200s is absolute", name);
    while (part) {
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return scion_fail(SION_ERR_DAMAGED, "the name %.200s leads out of its folder", name);
        part = strchr(part, '/');
        part = part ? part + 1 : NULL;
    }
    return 0;
}

/* from/name without "." and ".."; an error if it leads out of where `from` is relative to. */
static int join_reduced(const char *from, const char *name, char *path)
{
    char joined[SCION_PATH], *part, *rest, *slash;
    size_t used = 0;
    int rc = scion_path(joined, from, name);

    for (part = strtok_r(rc == 0 ? joined : NULL, "/", &rest); rc == 0 && part;
         part = strtok_r(NULL, "/", &rest)) {
        if (strcmp(part, ".") == 0)
            continue;
        if (strcmp(part, "..") != 0) {
            used += (size_t)sprintf(path + used, "%s%s", used > 0 ? "/" : "", part);
            continue;
        }
        if (used == 0)
            return scion_fail(SION_ERR_DAMAGED, "the name %.200s leads out of its folder", name);
        path[used] = '\0';
        slash = strrchr(path, '/');
        used = slash ? (size_t)(slash - path) : 0;
    }
    path[used] = '\0';
    return rc;
}

/* 1 if names->base/name is there. */
static int is_there(const struct scion_names *names, const char *name)
{
    char path[SCION_PATH];

    return scion_path(path, names->base, name) == 0 && access(path, F_OK) == 0;
}

int scion_segment_name(const struct scion_names *names, const char *file, char *path)
{
    int leads_up = strncmp(file, "../", 3) == 0, rc;

    if (!names->below || !names->below[0] || *file == '/' || !*file) {
        rc = scion_check_name(file, names->allow_outside);
        return rc != 0 ? rc : scion_path(path, NULL, file);
    }
    rc = names->allow_outside ? scion_path(path, names->below, file)
                              : join_reduced(names->below, file, path);
    if (rc == 0 && !leads_up && !is_there(names, path)) {
        rc = scion_check_name(file, names->allow_outside);
        if (rc == 0)
            rc = scion_path(path, NULL, file);
    }
    return rc;
}

int scion_place_prepare(const struct sion_scr_place *place)
{
    char folder[SCION_PATH];
    int rc = scion_place_folder(place, folder);

    if (rc == 0)
        rc = scion_make_folders(folder);
    return rc == 0 ? scion_place_clear(place) : rc;
}

static int resolve(const char *path, char *to)
{
    char *real = realpath(path, NULL);
    int rc;

    if (!real)
        return scion_fail_errno(errno, "cannot find %s", path);
    rc = scion_path(to, NULL, real);
    free(real);
    return rc;
}

/* What is behind the folder's name and its slash; NULL: path is not below it. Without links. */
static const char *below(const char *folder, const char *path)
{
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

    return strncmp(folder, path, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

int scion_relative(const char *base, const char *path, char *relative)
{
    char real_base[SCION_PATH], real_path[SCION_PATH];
    const char *rest;
    int rc = resolve(base, real_base);

    if (rc == 0)
        rc = resolve(path, real_path);
    if (rc != 0)
        return rc;
    rest = below(real_base, real_path);
    if (!rest)
        return scion_fail(SION_ERR_ARGUMENT, "%s is not in or below %s", path, base);
    strcpy(relative, rest);
    return 0;
}

int scion_path_inside(char *path, const char *base, const char *name, int allow_outside)
{
    char real_base[SCION_PATH], real_path[SCION_PATH];
    int rc = scion_check_name(name, allow_outside);

    if (rc == 0)
        rc = scion_path(path, name[0] == '/' ? NULL : base, name);
    if (rc != 0 || allow_outside || access(path, F_OK) != 0)
        return rc;
    rc = resolve(base, real_base);
    if (rc == 0)
        rc = resolve(path, real_path);
    if (rc == 0 && !below(real_base, real_path))
        rc = scion_fail(SION_ERR_DAMAGED, "the name %.200s leads out of its folder, by a link",
                        name);
    return rc;
}

/* 1: the file is there, and no link; 0: it is a link; -1: it is not there. */
static int is_plain(const char *path)
{
    struct stat status;

    return lstat(path, &status) != 0 ? -1 : !S_ISLNK(status.st_mode);
}

/* A file that is no link is where its folder is. */
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

const char *scion_basename(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

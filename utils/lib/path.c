#include "lib/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int path_leads_to(const char *path, const struct stat *file)
{
    struct stat found;

    return stat(path, &found) == 0 && found.st_dev == file->st_dev && found.st_ino == file->st_ino;
}

int path_is_same(const char *path, const char *other)
{
    struct stat file;

    return stat(other, &file) == 0 && path_leads_to(path, &file);
}

mode_t path_permissions(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 ? file.st_mode & 0777 : S_IRUSR | S_IWUSR;
}

char *path_join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);

    if (path)
        sprintf(path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    return path;
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

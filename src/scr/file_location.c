#include "scr/file_location.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>


static void note_outside(struct scion_file_location *located, const char *path)
{
    if (!located->outside[0])
        snprintf(located->outside, sizeof located->outside, "%s", path);
}

/* A name relative to the base. 1: it is there. */
static int try_name(struct scion_file_search *locating, const char *folder, const char *name,
                    struct scion_file_location *located)
{
    char reduced[SCION_PATH], path[SCION_PATH];
    struct stat status;

    if (!name[0] || name[strlen(name) - 1] == '/')
        return 0;
    if (scion_path_reduced(reduced, folder[0] ? folder : NULL, name) != 0 ||
        scion_path_inside_again(&locating->inside, path, locating->base, reduced, 0) != 0) {
        note_outside(located, name);
        return 0;
    }
    located->is_there = scion_path_status(path, &status) == 0 && S_ISREG(status.st_mode);
    if (located->is_there || !located->name[0])
        strcpy(located->name, reduced);
    if (located->is_there) {
        located->size = status.st_size;
        located->permissions = status.st_mode & 0666;
    }
    return located->is_there;
}

/* The folder of an absolute path, relative to the base; the base itself: "". */
static int relative_folder(const struct scion_file_search *locating, const char *path, char *folder)
{
    char above[SCION_PATH];

    strcpy(above, path);
    scion_path_up(above);
    folder[0] = '\0';
    return scion_path_is_same(locating->base, above)
               ? 0
               : scion_relative(locating->base, above, folder);
}

static int try_path(struct scion_file_search *locating, const char *path,
                    struct scion_file_location *located)
{
    char folder[SCION_PATH];

    if (path[0] != '/')
        return try_name(locating, "", path, located);
    if (strlen(path) >= SCION_PATH || relative_folder(locating, path, folder) != 0) {
        note_outside(located, path);
        return 0;
    }
    return try_name(locating, folder, scion_basename(path), located);
}

/* The application's name, below the folder that it belongs to. */
static int try_meta(struct scion_file_search *locating, const struct sion_kvtree *meta,
                    const char *key, struct scion_file_location *located)
{
    const char *folder = sion_kvtree_value(meta, "PATH"), *name = sion_kvtree_value(meta, key);
    char path[SCION_PATH];

    if (!name || (!folder && name[0] != '/'))
        return 0;
    return scion_path(path, name[0] == '/' ? NULL : folder, name) == 0 &&
           try_path(locating, path, located);
}

void scion_file_locate(struct scion_file_search *locating, const struct sion_kvtree *file,
                       struct scion_file_location *located)
{
    const struct sion_kvtree *meta = sion_kvtree_get(file, "META");

    located->is_there = 0;
    located->name[0] = located->outside[0] = '\0';
    if (!try_meta(locating, meta, "NAME", located) && !try_meta(locating, meta, "ORIG", located) &&
        !try_path(locating, file->key, located))
        try_name(locating, locating->own, scion_basename(file->key), located);
}

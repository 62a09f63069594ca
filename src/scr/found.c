#include "scr/found.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "vfs/vfs.h"

static const char dataset_folder[] = "scr.dataset.";

/* 1 and the root's name, if there is one in this folder. */
static int has_root(const char *folder, char *root)
{
    static const char *const names[] = {"rank2file.scr", "rank2file"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (scion_path(root, folder, names[i]) == 0 && scion_file_exists(root))
            return 1;
    }
    return 0;
}

/* A pattern in which the folder's own name means itself. */
static int make_pattern(const char *folder, char *pattern)
{
    char *to = pattern;

    if (2 * strlen(folder) + 32 > SCION_PATH)
        return scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", folder);
    for (; *folder; folder++) {
        if (strchr("*?[\\", *folder))
            *to++ = '\\';
        *to++ = *folder;
    }
    sprintf(to, "/.scr/%s*", dataset_folder);
    return 0;
}

static int say_that_none_is_in(const char *folder)
{
    struct stat status;

    if (stat(folder, &status) != 0)
        return scion_fail(SION_ERR_ARGUMENT, "no rank2file map: %s: %s", folder, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return scion_fail(SION_ERR_ARGUMENT, "no rank2file map: %s is no folder", folder);
    return scion_fail(SION_ERR_ARGUMENT, "no rank2file map in %s, %s/.scr or %s/.scr/%s*", folder,
                      folder, folder, dataset_folder);
}

/* Those with a map go to the front of the paths, which stay in order. */
static int find_all_below(const char *folder, struct scion_maps *maps)
{
    char pattern[SCION_PATH], root[SCION_PATH];
    int rc = make_pattern(folder, pattern);
    size_t i;

    if (rc != 0 || glob(pattern, 0, NULL, &maps->paths) != 0)
        return rc;
    for (i = 0; i < maps->paths.gl_pathc; i++) {
        char **paths = maps->paths.gl_pathv, *path = paths[i];

        if (has_root(path, root)) {
            paths[i] = paths[maps->count];
            paths[maps->count++] = path;
        }
    }
    return 0;
}

/* 1 and the root's name, if the folder is that of one map, or of the dataset which it is for. */
static int is_of_one(const char *folder, char *root)
{
    char below[SCION_PATH];

    return has_root(folder, root) ||
           (scion_path(below, folder, ".scr") == 0 && has_root(below, root));
}

int scion_maps_find(const char *folder, struct scion_maps *maps)
{
    char root[SCION_PATH];

    *maps = (struct scion_maps){0};
    return is_of_one(folder, root) ? 0 : find_all_below(folder, maps);
}

void scion_maps_free(struct scion_maps *maps)
{
    globfree(&maps->paths);
}

static int find_root(const char *folder, struct scion_found *found)
{
    struct scion_maps maps = {0};
    int rc;

    if (is_of_one(folder, found->root))
        return 0;
    rc = find_all_below(folder, &maps);
    if (rc == 0 && maps.count > 1)
        rc = scion_fail(SION_ERR_ARGUMENT, "%s has maps of %d datasets: name one of %s/.scr/%s*",
                        folder, maps.count, folder, dataset_folder);
    else if (rc == 0 && maps.count == 0)
        rc = say_that_none_is_in(folder);
    else if (rc == 0)
        has_root(maps.paths.gl_pathv[0], found->root);
    scion_maps_free(&maps);
    return rc;
}

/* Cut the last part off. */
static void go_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        slash[slash == path] = '\0';
}

/* Which layout the folders' names mean, and the base. */
static int find_base(struct scion_found *found)
{
    char folder[SCION_PATH], *real;
    int is_dataset;

    strcpy(folder, found->root);
    go_up(folder);
    real = realpath(folder, NULL);
    if (!real)
        return scion_fail_errno(errno, "cannot find %s", folder);
    snprintf(found->base, sizeof found->base, "%s", real);
    free(real);
    found->layout = SION_SCR_LAYOUT_DATASET;
    found->below[0] = '\0';
    is_dataset = strncmp(scion_basename(found->base), dataset_folder, strlen(dataset_folder)) == 0;
    if (is_dataset) {
        const char *number = scion_basename(found->base) + strlen(dataset_folder);
        char above[SCION_PATH];

        strcpy(above, found->base);
        go_up(above);
        if (strcmp(scion_basename(above), ".scr") == 0) {
            found->id = atoi(number);
            snprintf(found->below, sizeof found->below, ".scr/%.*s", SCION_NODE_NAME - 8,
                     scion_basename(found->base));
            found->layout = SION_SCR_LAYOUT_PREFIX;
            go_up(above);
            strcpy(found->base, above);
            return 0;
        }
    }
    if (strcmp(scion_basename(found->base), ".scr") == 0)
        go_up(found->base);
    return 0;
}

int scion_find_map(const char *folder, const char *base, struct scion_found *found)
{
    int rc = find_root(folder, found);

    if (rc == 0)
        rc = find_base(found);
    if (rc == 0 && base)
        rc = scion_path(found->base, NULL, base);
    return rc;
}

/* Beside the root, its name and the suffix. */
static int suffixed(const struct scion_found *found, const char *suffix, int allow_outside,
                    char *path)
{
    char folder[SCION_PATH], name[SCION_PATH];

    if (strchr(suffix, '/'))
        return scion_fail(SION_ERR_DAMAGED, "the suffix %.200s leads to another folder", suffix);
    strcpy(folder, found->root);
    go_up(folder);
    if (snprintf(name, sizeof name, "%s%s", scion_basename(found->root), suffix) >= SCION_PATH)
        return scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", name);
    return scion_path_inside(path, folder, name, allow_outside);
}

int scion_found_node(struct scion_found *found, const char *name, int allow_outside, char *path)
{
    if (name[0] != '.' || !isdigit((unsigned char)name[1]))
        return scion_path_inside(path, found->base, name, allow_outside);
    found->layout = SION_SCR_LAYOUT_3;
    return suffixed(found, name, allow_outside, path);
}

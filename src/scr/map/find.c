#include "scr/map/find.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/search.h"

static const char dataset_folder[] = "scr.dataset.";

/* *there: 1 and the root's name, if there is one in this folder. */
static int has_root(const char *folder, char *root, int *there)
{
    static const char *const names[] = {"rank2file.scr", "rank2file"};
    size_t i;
    int rc = 0;

    *there = 0;
    for (i = 0; rc == 0 && !*there && i < sizeof names / sizeof *names; i++) {
        rc = scion_path(root, folder, names[i]);
        if (rc == 0)
            rc = scion_file_look_for(root, there);
    }
    return rc;
}

static int say_that_none_is_in(const char *folder)
{
    struct stat status;
    int errnum = scion_path_status(folder, &status);

    if (errnum != 0)
        return scion_fail(SION_ERR_ARGUMENT, "no rank2file map: %s: %s", folder, strerror(errnum));
    if (!S_ISDIR(status.st_mode))
        return scion_fail(SION_ERR_ARGUMENT, "no rank2file map: %s is not a folder", folder);
    return scion_fail(SION_ERR_ARGUMENT, "no rank2file map in %s, %s/.scr or %s/.scr/%s*", folder,
                      folder, folder, dataset_folder);
}

/* Replace the name by folder/name, or drop it if there is no map. */
static int look_into(const char *above, const char *name, struct scion_maps *maps)
{
    char folder[SCION_PATH], root[SCION_PATH];
    int there, rc;

    if (strncmp(name, dataset_folder, strlen(dataset_folder)) != 0)
        return 0;
    rc = scion_path(folder, above, name);
    if (rc == 0)
        rc = has_root(folder, root, &there);
    if (rc != 0 || !there)
        return rc;
    maps->paths[maps->count] = strdup(folder);
    return maps->paths[maps->count] ? (maps->count++, 0) : scion_fail_memory("names of maps");
}

static int find_all_below(const char *folder, struct scion_maps *maps)
{
    char above[SCION_PATH], **names = NULL;
    int n = 0, i, rc = scion_path(above, folder, ".scr");

    if (rc == 0)
        rc = scion_folder_sorted(above, &names, &n);
    if (rc != 0 || n == 0)
        return rc;
    maps->paths = scion_array((size_t)n, sizeof *maps->paths);
    if (!maps->paths)
        rc = scion_fail_memory("names of maps");
    for (i = 0; i < n && rc == 0; i++)
        rc = look_into(above, names[i], maps);
    scion_folder_free(names, n);
    return rc;
}

/* *there: 1 and the root's name, if the folder is that of a map, or of the dataset of a map. */
static int is_of_one(const char *folder, char *root, int *there)
{
    char below[SCION_PATH];
    int rc = has_root(folder, root, there);

    if (rc != 0 || *there)
        return rc;
    rc = scion_path(below, folder, ".scr");
    return rc == 0 ? has_root(below, root, there) : rc;
}

int scion_maps_find(const char *folder, struct scion_maps *maps)
{
    char root[SCION_PATH];
    int there, rc = is_of_one(folder, root, &there);

    *maps = (struct scion_maps){0};
    return rc != 0 || there ? rc : find_all_below(folder, maps);
}

void scion_maps_free(struct scion_maps *maps)
{
    scion_folder_free(maps->paths, maps->count);
}

/* The map of the current dataset. */
static int find_map_of(const char *prefix, const struct scion_index *index,
                       const struct scion_index_dataset *dataset, char *root, int *there)
{
    char map[SCION_PATH], folder[SCION_PATH];
    int rc = scion_index_dataset_check(dataset), is_others;

    if (rc == 0 && !scion_prefix_find_map(prefix, index->form, dataset->id, dataset->name, map))
        rc = scion_fail(SION_ERR_DAMAGED,
                        "%.1000s: the current dataset, %.200s, has no map: name the folder of "
                        "another one",
                        index->path, dataset->name);
    else if (rc == 0 && (rc = scion_prefix_check_map(prefix, map, dataset->id, dataset->name,
                                                     &is_others)) != 0)
        scion_fail_prefix("%.1000s: the current dataset, %.200s, cannot be used (the folder of a "
                          "map, if you name it, can)",
                          index->path, dataset->name);
    if (rc == 0)
        rc = scion_path(folder, prefix, map);
    return rc == 0 ? has_root(folder, root, there) : rc;
}

/* *there: 1 and the root's name, if the folder has an index that says which dataset is the current
   one. */
static int find_current(const char *prefix, char *root, int *there)
{
    const struct scion_index_dataset *dataset = NULL;
    struct scion_index index;
    int rc = scion_index_read(prefix, &index);

    if (rc == 0)
        rc = scion_index_check_current(&index);
    if (rc == 0 && scion_index_current(&index))
        dataset = scion_index_find(&index, scion_index_current(&index));
    if (dataset)
        rc = find_map_of(prefix, &index, dataset, root, there);
    scion_index_free(&index);
    return rc;
}

static int find_root(const char *folder, struct scion_map_location *found)
{
    struct scion_maps maps = {0};
    int there, rc = is_of_one(folder, found->root, &there);

    if (rc == 0 && !there)
        rc = find_current(folder, found->root, &there);
    if (rc != 0 || there)
        return rc;
    rc = find_all_below(folder, &maps);
    if (rc == 0 && maps.count > 1)
        rc = scion_fail(SION_ERR_ARGUMENT, "%s has maps of %d datasets: name one of %s/.scr/%s*",
                        folder, maps.count, folder, dataset_folder);
    else if (rc == 0 && maps.count == 0)
        rc = say_that_none_is_in(folder);
    else if (rc == 0)
        rc = has_root(maps.paths[0], found->root, &there);
    scion_maps_free(&maps);
    return rc;
}

/* Find out the layout from the names of the folders, and the base. */
static int find_base(struct scion_map_location *found)
{
    char folder[SCION_PATH];
    int is_dataset, rc;

    strcpy(folder, found->root);
    scion_path_up(folder);
    rc = scion_path_real(folder, found->base);
    if (rc != 0)
        return rc;
    found->layout = SION_SCR_LAYOUT_DATASET;
    found->below[0] = '\0';
    is_dataset = strncmp(scion_basename(found->base), dataset_folder, strlen(dataset_folder)) == 0;
    if (is_dataset) {
        const char *number = scion_basename(found->base) + strlen(dataset_folder);
        char above[SCION_PATH];

        strcpy(above, found->base);
        scion_path_up(above);
        if (strcmp(scion_basename(above), ".scr") == 0) {
            found->id = atoi(number);
            snprintf(found->below, sizeof found->below, ".scr/%.*s", SCION_NODE_NAME - 8,
                     scion_basename(found->base));
            found->layout = SION_SCR_LAYOUT_PREFIX;
            scion_path_up(above);
            strcpy(found->base, above);
            return 0;
        }
    }
    if (strcmp(scion_basename(found->base), ".scr") == 0)
        scion_path_up(found->base);
    return 0;
}

int scion_find_map(const char *folder, const char *base, struct scion_map_location *found)
{
    int rc = find_root(folder, found);

    if (rc == 0)
        rc = find_base(found);
    if (rc == 0 && base)
        rc = scion_path(found->base, NULL, base);
    return rc;
}

/* Next to the root, its name and the suffix. */
static int suffixed(const struct scion_map_location *found, const char *suffix, int allow_outside,
                    char *path)
{
    char folder[SCION_PATH], name[SCION_PATH];

    if (strchr(suffix, '/'))
        return scion_fail(SION_ERR_DAMAGED, "the suffix %.200s leads to another folder", suffix);
    strcpy(folder, found->root);
    scion_path_up(folder);
    if (snprintf(name, sizeof name, "%s%s", scion_basename(found->root), suffix) >= SCION_PATH)
        return scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", name);
    return scion_path_inside(path, folder, name, allow_outside);
}

int scion_map_location_node(struct scion_map_location *found, const char *name, int allow_outside,
                            char *path)
{
    if (name[0] != '.' || !isdigit((unsigned char)name[1]))
        return scion_path_inside(path, found->base, name, allow_outside);
    found->layout = SION_SCR_LAYOUT_3;
    return suffixed(found, name, allow_outside, path);
}

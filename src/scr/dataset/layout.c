#include "scr/dataset/layout.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

const char *scion_layout_name(enum sion_scr_layout layout)
{
    static const char *const names[] = {[SION_SCR_LAYOUT_DATASET] = "dataset",
                                        [SION_SCR_LAYOUT_PREFIX] = "prefix",
                                        [SION_SCR_LAYOUT_3] = "scr3"};

    return names[layout];
}

int scion_layout_folder(const struct sion_scr_place *place, char *path)
{
    int length = place->layout == SION_SCR_LAYOUT_DATASET
                     ? snprintf(path, SCION_PATH, "%s/.scr", place->base)
                     : snprintf(path, SCION_PATH, "%s/.scr/scr.dataset.%d", place->base, place->id);

    return length < SCION_PATH ? 0 : scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", path);
}

int scion_layout_entry(const struct sion_scr_place *place, int level, sion_int64 rank, char *name)
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

int scion_layout_node(const struct sion_scr_place *place, int is_root, int level, sion_int64 rank,
                      char *path)
{
    char folder[SCION_PATH], name[SCION_NODE_NAME];
    const char *suffix = place->layout == SION_SCR_LAYOUT_3 ? "" : ".scr";
    int rc = scion_layout_folder(place, folder);

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

    return rc == 0 ? scion_path_remove(path) : rc;
}

static int remove_nodes(struct scion_folder *folder, const char *path)
{
    const char *name;
    int rc = scion_folder_next(folder, &name);

    while (rc == 0 && name) {
        if (is_node(name))
            rc = remove_in(path, name);
        if (rc == 0)
            rc = scion_folder_next(folder, &name);
    }
    return rc;
}

int scion_layout_clear(const struct sion_scr_place *place)
{
    struct scion_folder *folder = NULL;
    char path[SCION_PATH];
    int rc = scion_layout_folder(place, path);

    if (rc == 0)
        rc = remove_in(path, "rank2file.scr");
    if (rc == 0)
        rc = remove_in(path, "rank2file");
    if (rc == 0)
        rc = scion_folder_open(path, &folder);
    if (folder)
        rc = remove_nodes(folder, path);
    scion_folder_close(folder);
    return rc;
}

int scion_layout_prepare(const struct sion_scr_place *place)
{
    char folder[SCION_PATH];
    int rc = scion_layout_folder(place, folder);

    if (rc == 0)
        rc = scion_make_folders(folder);
    return rc == 0 ? scion_layout_clear(place) : rc;
}

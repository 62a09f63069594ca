#include "scr/dataset/layout.h"

#include <stdio.h>
#include <stdlib.h>
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

/* LEVEL.RANK, or LEVEL.RANK.GENERATION. */
static void number_node(const struct scion_node *node, char numbers[64])
{
    int length = snprintf(numbers, 64, "%d.%lld", node->level, node->rank);

    if (node->generation > 0)
        snprintf(numbers + length, 64 - (size_t)length, ".%d", node->generation);
}

int scion_layout_entry(const struct sion_scr_place *place, const struct scion_node *node,
                       char *name)
{
    char numbers[64];

    number_node(node, numbers);
    switch (place->layout) {
    case SION_SCR_LAYOUT_DATASET:
        return snprintf(name, SCION_NODE_NAME, ".scr/rank2file.%s.scr", numbers);
    case SION_SCR_LAYOUT_PREFIX:
        return snprintf(name, SCION_NODE_NAME, ".scr/scr.dataset.%d/rank2file.%s.scr", place->id,
                        numbers);
    default:
        return snprintf(name, SCION_NODE_NAME, ".%s", numbers);
    }
}

static const char *root_name(const struct sion_scr_place *place)
{
    return place->layout == SION_SCR_LAYOUT_3 ? "rank2file" : "rank2file.scr";
}

int scion_layout_root(const struct sion_scr_place *place, char *path)
{
    char folder[SCION_PATH];
    int rc = scion_layout_folder(place, folder);

    return rc == 0 ? scion_path(path, folder, root_name(place)) : rc;
}

int scion_layout_node(const struct sion_scr_place *place, const struct scion_node *node, char *path)
{
    char folder[SCION_PATH], name[SCION_NODE_NAME], numbers[64];
    int rc = scion_layout_folder(place, folder);

    if (rc != 0)
        return rc;
    number_node(node, numbers);
    snprintf(name, sizeof name, "rank2file.%s%s", numbers,
             place->layout == SION_SCR_LAYOUT_3 ? "" : ".scr");
    return scion_path(path, folder, name);
}

/* rank2file.LEVEL.RANK or rank2file.LEVEL.RANK.GENERATION, with .scr or without; -1: another name.
 */
static int generation_of(const char *name)
{
    int level, generation = 0, length = 0, more = 0;
    long long rank;

    if (sscanf(name, "rank2file.%d.%lld%n", &level, &rank, &length) != 2)
        return -1;
    if (sscanf(name + length, ".%d%n", &generation, &more) == 1)
        length += more;
    return !name[length] || strcmp(name + length, ".scr") == 0 ? generation : -1;
}

static int remove_in(const char *folder, const char *name)
{
    char path[SCION_PATH];
    int rc = scion_path(path, folder, name);

    return rc == 0 ? scion_path_remove(path) : rc;
}

/* Which nodes are meant: those of a generation, or all but those. */
struct generation {
    int number;
    int others;
};

static int is_of(const char *name, const struct generation *wanted)
{
    int number = generation_of(name);

    return number >= 0 && (number == wanted->number) != wanted->others;
}

/* Count the nodes in a folder, or remove them. */
static int visit_nodes(const char *path, const struct generation *wanted,
                       int (*remove)(const char *folder, const char *name), int *count)
{
    struct scion_folder *folder;
    const char *name = NULL;
    int rc = scion_folder_open(path, &folder);

    *count = 0;
    while (rc == 0 && folder && (rc = scion_folder_next(folder, &name)) == 0 && name) {
        if (is_of(name, wanted)) {
            ++*count;
            rc = remove ? remove(path, name) : 0;
        }
    }
    scion_folder_close(folder);
    return rc;
}

int scion_layout_clear_root(const struct sion_scr_place *place)
{
    char path[SCION_PATH];
    int rc = scion_layout_folder(place, path);

    if (rc == 0)
        rc = remove_in(path, "rank2file.scr");
    return rc == 0 ? remove_in(path, "rank2file") : rc;
}

int scion_layout_clear(const struct sion_scr_place *place)
{
    const struct generation all = {-1, 1};
    char path[SCION_PATH];
    int rc = scion_layout_clear_root(place), count;

    if (rc == 0)
        rc = scion_layout_folder(place, path);
    return rc == 0 ? visit_nodes(path, &all, remove_in, &count) : rc;
}

int scion_layout_keep(const struct sion_scr_place *place, int number)
{
    const struct generation others = {number, 1};
    char path[SCION_PATH];
    int rc = scion_layout_folder(place, path), count;

    if (rc == 0)
        rc = remove_in(path, place->layout == SION_SCR_LAYOUT_3 ? "rank2file.scr" : "rank2file");
    return rc == 0 ? visit_nodes(path, &others, remove_in, &count) : rc;
}

/* One that cannot be removed stays until the next map is written. */
static int remove_quietly(const char *folder, const char *name)
{
    char path[SCION_PATH];

    if (scion_path(path, folder, name) == 0)
        scion_file_remove(path);
    return 0;
}

void scion_layout_drop(const struct sion_scr_place *place, int number)
{
    const struct generation wanted = {number, 0};
    char path[SCION_PATH], *reason = strdup(scion_error_text());
    int code = scion_error_code(), count;

    if (scion_layout_folder(place, path) == 0) {
        visit_nodes(path, &wanted, remove_quietly, &count);
        scion_remove_folder(path); /* if nothing else is in it */
    }
    if (reason)
        scion_error_set(code, reason);
    free(reason);
}

int scion_layout_prepare(const struct sion_scr_place *place, int *number)
{
    struct generation generation = {0, 0};
    char folder[SCION_PATH];
    int rc = scion_layout_folder(place, folder), count;

    if (rc == 0)
        rc = scion_make_folders(folder);
    if (rc == 0)
        rc = visit_nodes(folder, &generation, NULL, &count);
    while (rc == 0 && count > 0) {
        generation.number++;
        rc = visit_nodes(folder, &generation, NULL, &count);
    }
    *number = generation.number;
    return rc;
}

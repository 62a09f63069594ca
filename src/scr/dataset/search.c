#include "scr/dataset/search.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- where maps are ---- */

/* The layout of the map in a folder of the prefix; 0: there is none. */
static enum sion_scr_layout layout_of(const char *prefix, const char *folder, int is_dataset)
{
    char path[SCION_PATH], root[SCION_PATH];

    if (scion_path_inside(path, prefix, folder, 0) != 0)
        return 0;
    if (scion_path(root, path, "rank2file.scr") == 0 && scion_file_exists(root))
        return is_dataset ? SION_SCR_LAYOUT_DATASET : SION_SCR_LAYOUT_PREFIX;
    if (!is_dataset && scion_path(root, path, "rank2file") == 0 && scion_file_exists(root))
        return SION_SCR_LAYOUT_3;
    return 0;
}

static int map_of_number(const char *prefix, int id, char *folder)
{
    snprintf(folder, SCION_PATH, ".scr/scr.dataset.%d", id);
    return layout_of(prefix, folder, 0) != 0;
}

static int map_of_name(const char *prefix, const char *name, char *folder)
{
    return scion_check_name(name, 0) == 0 && scion_path(folder, name, ".scr") == 0 &&
           layout_of(prefix, folder, 1) != 0;
}

int scion_prefix_find_map(const char *prefix, enum sion_scr_layout form, int id, const char *name,
                          char *folder)
{
    int by_name_first = form == SION_SCR_LAYOUT_DATASET;

    return (by_name_first && map_of_name(prefix, name, folder)) ||
           map_of_number(prefix, id, folder) ||
           (!by_name_first && map_of_name(prefix, name, folder));
}

/* ---- all that are there ---- */

/* Read summary.scr. */
static int take_summary(const struct sion_kvtree *summary, struct scion_prefix_dataset *found)
{
    const char *name;
    long long id, complete, created = 0;
    int rc;

    found->dset = sion_kvtree_get(summary, "DSET");
    name = sion_kvtree_value(found->dset, "NAME");
    rc = scion_kvtree_int(summary, "COMPLETE", &complete);
    if (rc == 0)
        rc = scion_kvtree_int(found->dset, "ID", &id);
    if (rc == 0 && (id < 1 || id > INT_MAX || (found->id != 0 && id != found->id)))
        rc = scion_fail(SION_ERR_DAMAGED, "its ID is %lld", id);
    if (rc == 0 && found->layout != SION_SCR_LAYOUT_DATASET)
        rc = name ? scion_path(found->name, NULL, name)
                  : scion_fail(SION_ERR_DAMAGED, "NAME is missing");
    if (rc == 0)
        rc = scion_check_name(found->name, 0);
    if (rc != 0)
        return rc;
    if (sion_kvtree_get(found->dset, "CREATED"))
        rc = scion_kvtree_int(found->dset, "CREATED", &created);
    found->id = (int)id;
    found->complete = complete == 1;
    found->created = created;
    return rc;
}

static int read_summary(const char *prefix, struct scion_prefix_dataset *found,
                        struct sion_kvtree **summary)
{
    char path[2 * SCION_PATH];
    int rc;

    *summary = NULL;
    snprintf(path, sizeof path, "%s/%s/summary.scr", prefix, found->folder);
    rc = scion_kvtree_read(path, summary);
    if (rc != 0)
        return rc;
    rc = take_summary(*summary, found);
    if (rc != 0)
        scion_fail_prefix("%s", path);
    return rc;
}

static int visit_found(const char *prefix, struct scion_prefix_dataset *found,
                       scion_prefix_dataset_visit *visit, void *data)
{
    struct sion_kvtree *summary;
    int rc = read_summary(prefix, found, &summary);

    rc = rc == SION_ERR_MEMORY ? rc : visit(data, found, rc);
    sion_kvtree_free(summary);
    return rc;
}

/* The number of a folder scr.dataset.N; 0: it is another one. */
static int number_in(const char *name)
{
    int number = 0, length = 0;

    if (sscanf(name, "scr.dataset.%9d%n", &number, &length) != 1 || name[length] || number < 1)
        return 0;
    return number;
}

struct prefix_search {
    const char *prefix;
    scion_prefix_dataset_visit *visit;
    void *data;
};

/* Visit the dataset of a folder, if it has a map. */
static int look_at(void *data, const struct scion_dataset_folder *folder)
{
    const struct prefix_search *prefix_search = data;
    struct scion_prefix_dataset found = {.id = folder->id};
    int is_dataset = folder->id == 0;

    found.layout = layout_of(prefix_search->prefix, folder->path, is_dataset);
    if (found.layout == 0)
        return 0;
    strcpy(found.folder, folder->path);
    snprintf(found.name, sizeof found.name, "%s", folder->name);
    return visit_found(prefix_search->prefix, &found, prefix_search->visit, prefix_search->data);
}

/* PREFIX/.scr/NAME, or PREFIX/NAME/.scr. */
static int visit_folder(const char *name, int is_dataset, scion_folder_visit *visit, void *data)
{
    struct scion_dataset_folder folder = {.name = name, .id = is_dataset ? 0 : number_in(name)};
    int rc;

    if (name[0] == '.' || (!is_dataset && folder.id == 0))
        return 0;
    rc = is_dataset ? scion_path(folder.path, name, ".scr") : scion_path(folder.path, ".scr", name);
    return rc == 0 ? visit(data, &folder) : rc;
}

/* The folders in one, in the order of versions in their names: 9 before 10. */
static int visit_all(const char *folder, int is_dataset, scion_folder_visit *visit, void *data)
{
    char **names;
    int n, rc = scion_folder_sorted(folder, &names, &n), i;

    if (rc == 0 && !names && is_dataset)
        rc = scion_fail_errno(ENOENT, "cannot read %s", folder);
    if (rc != 0)
        return rc;
    for (i = 0; i < n && rc == 0; i++)
        rc = visit_folder(names[i], is_dataset, visit, data);
    scion_folder_free(names, n);
    return rc;
}

int scion_dataset_folders(const char *prefix, scion_folder_visit *visit, void *data)
{
    char folder[SCION_PATH];
    int rc = scion_path(folder, prefix, ".scr");

    if (rc == 0)
        rc = visit_all(folder, 0, visit, data);
    return rc == 0 ? visit_all(prefix, 1, visit, data) : rc;
}

int scion_datasets_search(const char *prefix, const char *name, scion_prefix_dataset_visit *visit,
                          void *data)
{
    struct prefix_search prefix_search = {prefix, visit, data};
    int rc = scion_dataset_folders(prefix, look_at, &prefix_search);

    return rc == 0 && name && strchr(name, '/') ? visit_folder(name, 1, look_at, &prefix_search)
                                                : rc;
}

int scion_prefix_last_number(const char *prefix, int *number)
{
    char folder[SCION_PATH], **names = NULL;
    int n = 0, rc = scion_path(folder, prefix, ".scr"), i;

    *number = 0;
    if (rc == 0)
        rc = scion_folder_sorted(folder, &names, &n);
    for (i = 0; rc == 0 && i < n; i++) {
        int found = number_in(names[i]);

        *number = found > *number ? found : *number;
    }
    scion_folder_free(names, n);
    return rc;
}

/* ---- whose map it is ---- */

int scion_prefix_owner(const char *prefix, const char *folder, struct scion_prefix_dataset *owner)
{
    struct sion_kvtree *summary;
    int rc;

    *owner = (struct scion_prefix_dataset){.layout = SION_SCR_LAYOUT_DATASET};
    snprintf(owner->folder, sizeof owner->folder, "%s", folder);
    if (strncmp(folder, ".scr/", 5) == 0) {
        owner->layout = SION_SCR_LAYOUT_PREFIX;
        owner->id = number_in(scion_basename(folder));
    } else {
        snprintf(owner->name, sizeof owner->name, "%s", folder);
        scion_path_up(owner->name);
    }
    rc = read_summary(prefix, owner, &summary);
    sion_kvtree_free(summary);
    owner->dset = NULL;
    return rc;
}

/* In the layout of SCR 1.1, the map is in the folder of the name. */
int scion_owner_is(const struct scion_prefix_dataset *owner, int id, const char *name)
{
    return owner->id == id &&
           (owner->layout == SION_SCR_LAYOUT_DATASET || strcmp(owner->name, name) == 0);
}

int scion_prefix_check_map(const char *prefix, const char *folder, int id, const char *name,
                           int *is_others)
{
    struct scion_prefix_dataset *owner = scion_must_allocate(1, sizeof *owner);
    int rc = scion_prefix_owner(prefix, folder, owner);

    *is_others = rc == 0 && !scion_owner_is(owner, id, name);
    if (*is_others)
        rc = scion_fail(SION_ERR_DAMAGED, "the map in %.500s is that of dataset %d, %.500s", folder,
                        owner->id, owner->name);
    free(owner);
    return rc;
}

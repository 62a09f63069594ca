/* summary.scr, which describes one dataset, next to its map; and flush.scr, which lists those of a
   prefix. */
#include "base/error.h"
#include "scr/dataset/describe.h"
#include "scr/dataset/index.h"
#include "scr/dataset/record.h"

static int write_and_free(const char *folder, const char *name, struct sion_kvtree *tree, int rc)
{
    char path[SCION_PATH];

    if (rc == 0)
        rc = scion_make_folders(folder);
    if (rc == 0)
        rc = scion_path(path, folder, name);
    if (rc == 0)
        rc = scion_kvtree_replace(path, tree);
    sion_kvtree_free(tree);
    return rc;
}

int scion_scr_summary_write(const struct sion_scr_place *place,
                            const struct sion_scr_dataset *dataset)
{
    struct sion_kvtree *tree = scion_kvtree_new();
    char folder[SCION_PATH];
    int rc = scion_kvtree_put_int(tree, "VERSION", SCION_SUMMARY_VERSION) &&
                     scion_kvtree_put_int(tree, "COMPLETE", dataset->complete)
                 ? scion_dataset_put(scion_kvtree_set(tree, "DSET"), dataset, place->layout)
                 : SION_ERR_MEMORY;

    if (rc == 0)
        rc = scion_layout_folder(place, folder);
    return write_and_free(folder, "summary.scr", tree, rc);
}

/* SCR 1.1 writes the name as DIR, later releases do not. An existing file keeps its form. */
static int find_flush_form(const char *prefix, const struct sion_kvtree *tree,
                           const struct sion_scr_dataset *dataset, int *has_name)
{
    const struct sion_kvtree *all = sion_kvtree_get(tree, "DATASET"), *entry;
    struct scion_index index;
    int rc;

    if (sion_kvtree_count(tree) > 0 && !all)
        return scion_fail(SION_ERR_VERSION, "it has no DATASET: unknown form of a flush file");
    *has_name = 0;
    for (entry = sion_kvtree_first(all); entry; entry = entry->next)
        *has_name |= sion_kvtree_get(entry, "DIR") != NULL;
    if (sion_kvtree_count(all) > 0)
        return 0;
    rc = scion_index_read(prefix, &index);
    if (rc == 0)
        *has_name = scion_index_form(&index, dataset->layout) == SION_SCR_LAYOUT_DATASET;
    scion_index_free(&index);
    return rc;
}

static int put_flush(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset, int has_name,
                     int in_cache)
{
    struct sion_kvtree *entry =
        scion_kvtree_setf(scion_kvtree_set(tree, "DATASET"), "%d", dataset->id);
    struct sion_kvtree *location;

    sion_kvtree_remove(entry, "LOCATION");
    location = scion_kvtree_set(entry, "LOCATION");
    if (!scion_kvtree_set(location, "PFS") || (in_cache && !scion_kvtree_set(location, "CACHE")) ||
        (has_name && !scion_kvtree_put(entry, "DIR", dataset->name)))
        return SION_ERR_MEMORY;
    return 0;
}

int scion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache)
{
    char folder[SCION_PATH], path[SCION_PATH];
    struct sion_kvtree *tree = NULL;
    int is_there, has_name = 0, rc = scion_path(folder, prefix, ".scr");

    if (rc == 0)
        rc = scion_path(path, folder, "flush.scr");
    if (rc == 0)
        rc = scion_kvtree_read_or_new(path, &is_there, &tree);
    if (rc != 0)
        return rc;
    rc = find_flush_form(prefix, tree, dataset, &has_name);
    if (rc != 0)
        scion_fail_prefix("%s", path);
    else
        rc = put_flush(tree, dataset, has_name, in_cache);
    return write_and_free(folder, "flush.scr", tree, rc);
}

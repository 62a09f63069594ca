/* Filemaps: which files of which ranks and datasets are in the cache of a node. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/private_abi.h"
#include "base/error.h"
#include "comm/agree.h"
#include "scr/dataset/describe.h"
#include "scr/dataset/layout.h"
#include "scr/map/filemap.h"
#include "scr/tasks/nodes.h"
#include "scr/tasks/words.h"

static const char list_name[] = "filemap.scrinfo";

/* ---- making one ---- */

/* The tree of a rank's dataset, and the key above it, which names the rank. */
static struct sion_kvtree *entry_of(struct sion_kvtree *map, int dataset, sion_int64 rank)
{
    struct sion_kvtree *by_dataset = scion_kvtree_set(map, "DSET");
    struct sion_kvtree *by_rank = scion_kvtree_set(map, "RANK");
    struct sion_kvtree *owners =
        scion_kvtree_set(scion_kvtree_setf(by_dataset, "%d", dataset), "RANK");
    struct sion_kvtree *datasets =
        scion_kvtree_set(scion_kvtree_setf(by_rank, "%lld", rank), "DSET");

    return scion_kvtree_setf(owners, "%lld", rank) ? scion_kvtree_setf(datasets, "%d", dataset)
                                                   : NULL;
}

int scion_scr_filemap_add(sion_kvtree *map, int dataset, sion_int64 rank,
                          const struct sion_scr_cached_file *file)
{
    struct sion_kvtree *entry = entry_of(map, dataset, rank);
    struct sion_kvtree *files = scion_kvtree_set(entry, "FILE"), *meta;
    const char *orig = file->orig ? file->orig : file->name;

    sion_kvtree_remove(files, file->path);
    meta = scion_kvtree_set(scion_kvtree_set(files, file->path), "META");
    if (!scion_kvtree_put_int(entry, "FILES", sion_kvtree_count(files)) ||
        !scion_kvtree_put(meta, "FILE", file->name) || !scion_kvtree_put(meta, "TYPE", "USER") ||
        !scion_kvtree_put_int(meta, "RANKS", file->ranks) ||
        !scion_kvtree_put(meta, "ORIG", orig) || !scion_kvtree_put(meta, "PATH", file->home) ||
        !scion_kvtree_put(meta, "NAME", file->name) ||
        !scion_kvtree_put_int(meta, "SIZE", file->bytes) ||
        !scion_kvtree_put_int(meta, "COMPLETE", file->complete) ||
        (file->has_crc && !scion_kvtree_put_crc(meta, "CRC", file->crc)))
        return SION_ERR_MEMORY;
    return 0;
}

static int put_redundancy(struct sion_kvtree *entry, const struct sion_scr_redundancy *redundancy)
{
    struct sion_kvtree *tree = scion_kvtree_set(entry, "REDDESC");
    struct sion_kvtree *flush = scion_kvtree_set(entry, "FLUSH");
    int good = scion_kvtree_put_int(tree, "ENABLED", redundancy->enabled) &&
               scion_kvtree_put_int(tree, "INTERVAL", redundancy->interval) &&
               scion_kvtree_put(tree, "STORE", redundancy->store) &&
               scion_kvtree_put(tree, "DIRECTORY", redundancy->directory) &&
               scion_kvtree_put(tree, "TYPE", redundancy->type) &&
               scion_kvtree_put_int(tree, "GROUPS", redundancy->groups) &&
               scion_kvtree_put_int(tree, "GROUP_ID", redundancy->group_id) &&
               scion_kvtree_put_int(tree, "GROUP_SIZE", redundancy->group_size) &&
               scion_kvtree_put_int(tree, "GROUP_RANK", redundancy->group_rank) &&
               scion_kvtree_put_int(flush, "PRESERVE", redundancy->preserve) &&
               scion_kvtree_put_int(flush, "CONTAINER", redundancy->container);

    return good ? 0 : SION_ERR_MEMORY;
}

int scion_scr_filemap_describe(sion_kvtree *map, const struct sion_scr_dataset *dataset,
                               sion_int64 rank, const struct sion_scr_redundancy *redundancy)
{
    struct sion_kvtree *entry = entry_of(map, dataset->id, rank);
    int rc =
        scion_dataset_put(scion_kvtree_set(entry, "DSETDESC"), dataset, SION_SCR_LAYOUT_DATASET);

    return rc == 0 && redundancy ? put_redundancy(entry, redundancy) : rc;
}

/* ---- writing ---- */

/* This process's map; its absolute name. */
static int write_own(const char *folder, int number, const struct sion_kvtree *map, char *path)
{
    char name[64], real[SCION_PATH];
    int rc = scion_make_folders(folder);

    snprintf(name, sizeof name, "filemap_%d.scrinfo", number);
    if (rc == 0)
        rc = scion_path_real(folder, real);
    if (rc == 0)
        rc = scion_path(path, real, name);
    return rc == 0 ? scion_kvtree_replace(path, map) : rc;
}

/* On a node's first process: the list of all names. */
static int write_list(const char *folder, const struct scion_post *names, int size)
{
    struct sion_kvtree *tree = scion_kvtree_new(), *list = scion_kvtree_set(tree, "Filemap");
    const sion_int64 *at = names->list.words;
    char path[SCION_PATH];
    int rc = 0, t;

    for (t = 0; t < size && rc == 0; t++) {
        at = scion_words_text(at, path, sizeof path);
        rc = scion_kvtree_set(list, path) ? 0 : SION_ERR_MEMORY;
    }
    if (rc == 0)
        rc = scion_path(path, folder, list_name);
    if (rc == 0)
        rc = scion_kvtree_replace(path, tree);
    sion_kvtree_free(tree);
    return rc;
}

/* Reasons of failures have the rank in comm. */
static int write_node(const struct scion_comm *comm, struct scion_comm *node, const char *folder,
                      const struct sion_kvtree *map)
{
    struct scion_words name = {0};
    struct scion_post names;
    char path[SCION_PATH];
    int status = write_own(folder, node->rank, map, path), rc;

    if (status == 0)
        scion_words_append_text(&name, path);
    rc = scion_post_gather(node, scion_name_rank(comm, status), name.words, name.count, &names);
    if (rc == 0 && node->rank == 0)
        rc = scion_name_rank(comm, write_list(folder, &names, node->size));
    scion_post_free(&names);
    free(name.words);
    return rc;
}

int scion_scr_filemap_write(sion_scr_comm *comm, const char *folder, const sion_kvtree *map)
{
    struct scion_nodes nodes;
    int rc = scion_nodes_make(comm, &nodes);

    if (rc == 0)
        rc = write_node(comm, nodes.node, folder, map);
    scion_nodes_free(&nodes);
    return scion_agree(comm, rc);
}

/* ---- reading ---- */

static int same_tree(const struct sion_kvtree *a, const struct sion_kvtree *b)
{
    const struct sion_kvtree *child;

    if (sion_kvtree_count(a) != sion_kvtree_count(b))
        return 0;
    for (child = sion_kvtree_first(a); child; child = child->next) {
        const struct sion_kvtree *other = sion_kvtree_get(b, child->key);

        if (!other || !same_tree(child, other))
            return 0;
    }
    return 1;
}

/* Files of a rank's dataset that the new map also has are replaced by those of the new map. */
static void drop_files(struct sion_kvtree *files, const struct sion_kvtree *from, const char *path)
{
    const struct sion_kvtree *file;
    char text[SCION_PATH + 128];

    for (file = sion_kvtree_first(from); file; file = file->next) {
        const struct sion_kvtree *own = sion_kvtree_get(files, file->key);

        if (!own)
            continue;
        if (!same_tree(own, file)) {
            snprintf(text, sizeof text, "%.2000s: other data on %.2000s than the maps before", path,
                     file->key);
            sion_layer_warn(text);
        }
        sion_kvtree_remove(files, file->key);
    }
}

static int merge_dataset(struct sion_kvtree *own, const struct sion_kvtree *from, const char *path)
{
    const struct sion_kvtree *child;
    struct sion_kvtree *files = scion_kvtree_set(own, "FILE");

    if (!files)
        return SION_ERR_MEMORY;
    drop_files(files, sion_kvtree_get(from, "FILE"), path);
    for (child = sion_kvtree_first(from); child; child = child->next) {
        if (strcmp(child->key, "FILE") != 0)
            sion_kvtree_remove(own, child->key);
    }
    if (scion_kvtree_merge(own, from) != 0 ||
        !scion_kvtree_put_int(own, "FILES", sion_kvtree_count(files)))
        return SION_ERR_MEMORY;
    return 0;
}

/* Merge by rank, dataset and file, and copy everything else. */
static int merge_map(struct sion_kvtree *map, const struct sion_kvtree *from, const char *path)
{
    const struct sion_kvtree *rank, *dataset, *other;
    struct sion_kvtree *ranks = scion_kvtree_set(map, "RANK");
    int rc = ranks ? 0 : SION_ERR_MEMORY;

    for (rank = sion_kvtree_first(sion_kvtree_get(from, "RANK")); rank; rank = rank->next) {
        struct sion_kvtree *own = scion_kvtree_set(scion_kvtree_set(ranks, rank->key), "DSET");

        for (dataset = sion_kvtree_first(sion_kvtree_get(rank, "DSET")); dataset && rc == 0;
             dataset = dataset->next) {
            struct sion_kvtree *entry = scion_kvtree_set(own, dataset->key);

            rc = entry ? merge_dataset(entry, dataset, path) : SION_ERR_MEMORY;
        }
    }
    for (other = sion_kvtree_first(from); other && rc == 0; other = other->next) {
        if (strcmp(other->key, "RANK") != 0) {
            struct sion_kvtree *own = scion_kvtree_set(map, other->key);

            rc = own ? scion_kvtree_merge(own, other) : SION_ERR_MEMORY;
        }
    }
    return rc;
}

static int read_map(const char *folder, const char *name, int allow_outside,
                    struct sion_kvtree *map)
{
    char path[SCION_PATH];
    struct sion_kvtree *tree;
    int rc = allow_outside && name[0] == '/' ? scion_path(path, NULL, name)
                                             : scion_path(path, folder, scion_basename(name));

    if (rc == 0)
        rc = scion_kvtree_read(path, &tree);
    if (rc != 0)
        return rc;
    rc = merge_map(map, tree, path);
    sion_kvtree_free(tree);
    return rc;
}

/* ---- maps of one folder, without a list: those of SCR 3, and what a scavenge left ---- */

/* The rank in filemap_<rank> or fmap.<rank>.scr; -1: it is another file. */
static sion_int64 rank_in(const char *name, int *is_new)
{
    long long rank = -1;
    int length = 0;

    *is_new = sscanf(name, "filemap_%18lld%n", &rank, &length) == 1;
    if (!*is_new && sscanf(name, "fmap.%18lld.scr%n", &rank, &length) != 1)
        return -1;
    return length > 0 && !name[length] && rank >= 0 ? rank : -1;
}

static int merge_flat(struct sion_kvtree *map, const struct sion_kvtree *flat, sion_int64 rank,
                      const char *path)
{
    struct sion_kvtree *entry;
    long long id;
    int rc = scion_kvtree_int(sion_kvtree_get(flat, "DSETDESC"), "ID", &id);

    if (rc == 0 && (id < 1 || id > INT_MAX))
        rc = scion_fail(SION_ERR_DAMAGED, "ID is %lld", id);
    if (rc != 0) {
        scion_fail_prefix("%s: DSETDESC", path);
        return rc;
    }
    entry = entry_of(map, (int)id, rank);
    return entry ? merge_dataset(entry, flat, path) : SION_ERR_MEMORY;
}

static int read_one(const char *folder, const char *name, sion_int64 rank, struct sion_kvtree *map)
{
    char path[SCION_PATH];
    struct sion_kvtree *tree;
    int rc = scion_path(path, folder, name);

    if (rc == 0)
        rc = scion_kvtree_read(path, &tree);
    if (rc != 0)
        return rc;
    rc = sion_kvtree_get(tree, "RANK") ? merge_map(map, tree, path)
                                       : merge_flat(map, tree, rank, path);
    sion_kvtree_free(tree);
    return rc;
}

/* Into a map; NULL: only count them. */
static int visit_all(const char *folder, struct sion_kvtree *map, struct scion_filemaps *filemaps)
{
    char **names = NULL;
    int count = 0, is_new, i, rc = scion_folder_sorted(folder, &names, &count);

    *filemaps = (struct scion_filemaps){0};
    for (i = 0; i < count && rc == 0; i++) {
        sion_int64 rank = rank_in(names[i], &is_new);

        if (rank < 0)
            continue;
        filemaps->new += is_new;
        filemaps->old += !is_new;
        rc = map ? read_one(folder, names[i], rank, map) : 0;
    }
    scion_folder_free(names, count);
    return rc;
}

int scion_filemaps_count(const char *folder, struct scion_filemaps *filemaps)
{
    return visit_all(folder, NULL, filemaps);
}

int scion_filemaps_read(const char *folder, struct sion_kvtree *map)
{
    struct scion_filemaps filemaps;
    int rc = visit_all(folder, map, &filemaps);

    return rc == 0 && filemaps.old + filemaps.new == 0
               ? scion_fail(SION_ERR_SYSTEM,
                            "%s has no %s, and no filemap_<rank> or fmap.<rank>.scr", folder,
                            list_name)
               : rc;
}

/* ---- the maps of a node ---- */

static int read_listed(const char *folder, const char *path, int allow_outside,
                       struct sion_kvtree *map)
{
    const struct sion_kvtree *entry;
    struct sion_kvtree *list;
    int rc = scion_kvtree_read(path, &list);

    if (rc != 0)
        return rc;
    for (entry = sion_kvtree_first(sion_kvtree_get(list, "Filemap")); entry && rc == 0;
         entry = entry->next)
        rc = read_map(folder, entry->key, allow_outside, map);
    sion_kvtree_free(list);
    return rc;
}

int scion_scr_filemap_read(const char *folder, int allow_outside, sion_kvtree **map)
{
    char path[SCION_PATH];
    struct sion_kvtree *new = scion_kvtree_new();
    int is_listed = 0, rc = new ? scion_path(path, folder, list_name) : SION_ERR_MEMORY;

    if (rc == 0)
        rc = scion_file_look_for(path, &is_listed);
    if (rc == 0)
        rc = is_listed ? read_listed(folder, path, allow_outside, new)
                       : scion_filemaps_read(folder, new);
    if (rc != 0)
        sion_kvtree_free(new);
    else
        *map = new;
    return rc;
}

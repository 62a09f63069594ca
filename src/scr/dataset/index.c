#include "scr/dataset/index.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/describe.h"

/* ---- the three forms ---- */

enum { FIRST_VERSION = 1, SECOND_VERSION = 2 };

/* The key above names. */
static const char *names_key(enum sion_scr_layout form)
{
    return form == SION_SCR_LAYOUT_DATASET ? "DIR" : "NAME";
}

/* 1 if the key stands at the top, or below a number. */
static int has_key(const struct sion_kvtree *tree, const char *key)
{
    const struct sion_kvtree *child = sion_kvtree_first(sion_kvtree_get(tree, "DSET"));

    while (child && !sion_kvtree_get(child, key))
        child = child->next;
    return child || sion_kvtree_get(tree, key);
}

/* VERSION 1 without any names can be one of two forms; the form stays undecided, as in a new
   index. */
static int find_form(struct scion_index *index)
{
    int has_dir = has_key(index->tree, "DIR"), has_name = has_key(index->tree, "NAME");
    long long version;
    int rc = 0;

    if (sion_kvtree_count(index->tree) == 0)
        return 0;
    rc = scion_kvtree_int(index->tree, "VERSION", &version);
    if (rc == 0 && version == FIRST_VERSION && !(has_dir && has_name)) {
        if (has_dir || has_name)
            index->form = has_dir ? SION_SCR_LAYOUT_DATASET : SION_SCR_LAYOUT_PREFIX;
    } else if (rc == 0 && version == SECOND_VERSION && !has_dir) {
        index->form = SION_SCR_LAYOUT_3;
    } else if (rc == 0) {
        rc = scion_fail(SION_ERR_VERSION, "VERSION %lld%s%s: unknown form of an index", version,
                        has_dir ? " with DIR" : "", has_name ? " with NAME" : "");
    }
    return rc;
}

enum sion_scr_layout scion_index_form(const struct scion_index *index, enum sion_scr_layout layout)
{
    if (index->form != 0)
        return index->form;
    if (layout == 0 || layout == SION_SCR_LAYOUT_DATASET)
        return SION_SCR_LAYOUT_DATASET;
    /* VERSION 1 stays VERSION 1. */
    return sion_kvtree_count(index->tree) > 0 ? SION_SCR_LAYOUT_PREFIX : layout;
}

/* ---- the datasets in it ---- */

/* The number that a key represents; 0: none. */
static int number_of(const char *key)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(key, &end, 10);
    return *key >= '1' && *key <= '9' && !*end && errno == 0 && number <= INT_MAX ? (int)number : 0;
}

static int append(struct scion_index *index, const char *id, const char *name,
                  struct sion_kvtree *tree)
{
    int step = 64;

    if (index->count % step == 0) {
        void *list =
            scion_array_grown(index->list, (size_t)(index->count + step), sizeof *index->list);

        if (!list)
            return scion_fail_memory("an index");
        index->list = list;
    }
    index->list[index->count++] = (struct scion_index_dataset){number_of(id), name, tree};
    return 0;
}

/* Of VERSION 1: a number may have several names. */
static int append_names(struct scion_index *index, struct sion_kvtree *number)
{
    const struct sion_kvtree *names = sion_kvtree_get(number, names_key(index->form));
    struct sion_kvtree *name;
    int rc = 0;

    if (sion_kvtree_count(names) == 0)
        return append(index, number->key, NULL, number);
    for (name = names->first; name && rc == 0; name = name->next)
        rc = append(index, number->key, name->key, name);
    return rc;
}

static int by_number(const void *a, const void *b)
{
    const struct scion_index_dataset *left = a, *right = b;

    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return strcmp(left->name ? left->name : "", right->name ? right->name : "");
}

static int list_datasets(struct scion_index *index)
{
    const struct sion_kvtree *numbers = sion_kvtree_get(index->tree, "DSET");
    struct sion_kvtree *number;
    int rc = 0;

    index->count = 0;
    for (number = numbers ? numbers->first : NULL; number && rc == 0; number = number->next)
        rc = index->form == SION_SCR_LAYOUT_3
                 ? append(index, number->key,
                          sion_kvtree_value(sion_kvtree_get(number, "DSET"), "NAME"), number)
                 : append_names(index, number);
    if (rc == 0 && index->count > 1)
        qsort(index->list, (size_t)index->count, sizeof *index->list, by_number);
    return rc;
}

int scion_index_dataset_check(const struct scion_index_dataset *indexed)
{
    if (indexed->id == 0)
        return scion_fail(SION_ERR_DAMAGED, "the index has a dataset without a number");
    if (!indexed->name)
        return scion_fail(SION_ERR_DAMAGED, "dataset %d has no name", indexed->id);
    return scion_check_name(indexed->name, 0);
}

const char *scion_index_current(const struct scion_index *index)
{
    return sion_kvtree_value(index->tree, "CURRENT");
}

const struct scion_index_dataset *scion_index_find(const struct scion_index *index,
                                                   const char *name)
{
    int i;

    for (i = 0; i < index->count; i++) {
        if (index->list[i].name && strcmp(index->list[i].name, name) == 0)
            return &index->list[i];
    }
    return NULL;
}

/* ---- the file ---- */

int scion_index_read(const char *prefix, struct scion_index *index)
{
    int rc;

    *index = (struct scion_index){0};
    rc = scion_path(index->path, prefix, ".scr/index.scr");
    if (rc == 0)
        rc = scion_kvtree_read_or_new(index->path, &index->is_there, &index->tree);
    if (rc != 0)
        return rc;
    rc = find_form(index);
    if (rc == 0)
        rc = list_datasets(index);
    if (rc != 0)
        scion_fail_prefix("%s", index->path);
    return rc;
}

void scion_index_free(struct scion_index *index)
{
    sion_kvtree_free(index->tree);
    free(index->list);
    *index = (struct scion_index){0};
}

int scion_index_write(const struct scion_index *index)
{
    int rc = scion_make_folders_of(index->path);

    return rc == 0 ? scion_kvtree_replace(index->path, index->tree) : rc;
}

/* ---- changes ---- */

/* If two datasets had the same number, or the same name, SCR would confuse them. */
static int refuse_another(const struct scion_index *index, const struct scion_index_entry *entry)
{
    int i;

    for (i = 0; i < index->count; i++) {
        const struct scion_index_dataset *there = &index->list[i];
        int same_name = there->name && strcmp(there->name, entry->name) == 0;

        if (same_name != (there->id == entry->id) && there->name)
            return scion_fail(SION_ERR_ARGUMENT, "%s already has %.200s as dataset %d", index->path,
                              there->name, there->id);
    }
    return 0;
}

/* In the form of SCR 1.1, a name is a folder, which holds one dataset: the older one no longer
   exists. */
static void drop_other_numbers(struct scion_index *index, const struct scion_index_entry *entry)
{
    struct sion_kvtree *all = sion_kvtree_get(index->tree, "DSET"), *number, *next;

    for (number = all ? all->first : NULL; number; number = next) {
        struct sion_kvtree *names = sion_kvtree_get(number, "DIR");

        next = number->next;
        if (number_of(number->key) != entry->id && sion_kvtree_remove(names, entry->name) &&
            sion_kvtree_count(names) == 0)
            sion_kvtree_remove(all, number->key);
    }
}

static int put_entry(struct sion_kvtree *tree, const struct scion_index_entry *entry)
{
    sion_kvtree_remove(tree, "DSET");
    sion_kvtree_remove(tree, "FAILED");
    if (!scion_kvtree_put_int(tree, "COMPLETE", entry->complete) ||
        !scion_kvtree_put(tree, "FLUSHED", entry->flushed) || !scion_kvtree_set(tree, "DSET"))
        return SION_ERR_MEMORY;
    return scion_kvtree_merge(scion_kvtree_set(tree, "DSET"), entry->dset);
}

static int put_dataset(struct scion_index *index, const struct scion_index_entry *entry)
{
    const char *key = names_key(index->form);
    struct sion_kvtree *names = scion_kvtree_set(index->tree, key), *tree;
    int version = index->form == SION_SCR_LAYOUT_3 ? SECOND_VERSION : FIRST_VERSION;

    tree = scion_kvtree_setf(scion_kvtree_set(index->tree, "DSET"), "%d", entry->id);
    if (index->form != SION_SCR_LAYOUT_3)
        tree = scion_kvtree_set(scion_kvtree_set(tree, key), entry->name);
    if (!tree || !scion_kvtree_put_int(index->tree, "VERSION", version) ||
        !scion_kvtree_put_int(scion_kvtree_set(names, entry->name), "DSET", entry->id))
        return SION_ERR_MEMORY;
    return put_entry(tree, entry);
}

int scion_index_add(struct scion_index *index, enum sion_scr_layout layout,
                    const struct scion_index_entry *entry)
{
    int rc = entry->id > 0
                 ? scion_check_name(entry->name, 0)
                 : scion_fail(SION_ERR_ARGUMENT, "%d is not the number of a dataset", entry->id);

    index->form = scion_index_form(index, layout);
    if (rc == 0 && index->form == SION_SCR_LAYOUT_DATASET)
        drop_other_numbers(index, entry);
    else if (rc == 0)
        rc = refuse_another(index, entry);
    if (rc == 0)
        rc = put_dataset(index, entry);
    return rc == 0 ? list_datasets(index) : rc;
}

/* Remove a key of `above` below which nothing is left. */
static void prune(struct sion_kvtree *above, const char *key)
{
    const struct sion_kvtree *tree = sion_kvtree_get(above, key);

    if (tree && sion_kvtree_count(tree) == 0)
        sion_kvtree_remove(above, key);
}

/* The entry below its number. Its name is part of what is removed. */
static void remove_entry(struct scion_index *index, const char *number, const char *name)
{
    struct sion_kvtree *all = sion_kvtree_get(index->tree, "DSET");
    struct sion_kvtree *below = sion_kvtree_get(all, number);
    const char *key = names_key(index->form);

    if (index->form == SION_SCR_LAYOUT_3 || !name) {
        sion_kvtree_remove(all, number);
        return;
    }
    sion_kvtree_remove(sion_kvtree_get(below, key), name);
    prune(below, key);
    prune(all, number);
}

static void remove_one(struct scion_index *index, const struct scion_index_dataset *indexed)
{
    struct sion_kvtree *names = sion_kvtree_get(index->tree, names_key(index->form));
    char number[16];

    snprintf(number, sizeof number, "%d", indexed->id);
    if (indexed->name) {
        struct sion_kvtree *name = sion_kvtree_get(names, indexed->name);

        sion_kvtree_remove(sion_kvtree_get(name, "DSET"), number);
        prune(name, "DSET");
        prune(names, indexed->name);
    }
    remove_entry(index, number, indexed->name);
}

int scion_index_remove(struct scion_index *index,
                       int (*is_unwanted)(void *data, const struct scion_index_dataset *indexed),
                       void *data)
{
    int i, removed = 0;

    for (i = 0; i < index->count; i++) {
        if (is_unwanted(data, &index->list[i])) {
            remove_one(index, &index->list[i]);
            removed++;
        }
    }
    return removed > 0 ? list_datasets(index) : 0;
}

int scion_index_check_current(const struct scion_index *index)
{
    const char *current = scion_index_current(index);

    if (!current || scion_index_find(index, current))
        return 0;
    return scion_fail(SION_ERR_DAMAGED, "%s: the current dataset, %.200s, is not in it",
                      index->path, current);
}

int scion_index_make_current(struct scion_index *index, const char *name)
{
    if (!scion_index_find(index, name))
        return scion_fail(SION_ERR_ARGUMENT, "%s has no dataset %.200s", index->path, name);
    return scion_kvtree_put(index->tree, "CURRENT", name) ? 0 : SION_ERR_MEMORY;
}

/* ---- a dataset of ours ---- */

void scion_index_time(sion_int64 microseconds, char *text, size_t size)
{
    time_t seconds = (time_t)(microseconds / 1000000);
    struct tm local;

    strftime(text, size, "%Y-%m-%dT%H:%M:%S", localtime_r(&seconds, &local));
}

static int add_dataset(struct scion_index *index, const struct sion_scr_dataset *dataset)
{
    char flushed[32];
    struct sion_kvtree *dset = scion_kvtree_new();
    const struct scion_index_entry entry = {dataset->id, dataset->name, dataset->complete, flushed,
                                            dset};
    int rc = scion_dataset_put(dset, dataset, scion_index_form(index, dataset->layout));

    scion_index_time(dataset->created, flushed, sizeof flushed);
    if (rc == 0)
        rc = scion_index_add(index, dataset->layout, &entry);
    if (rc == 0 && dataset->checkpoint)
        rc = scion_index_make_current(index, dataset->name);
    sion_kvtree_free(dset);
    return rc;
}

int scion_index_try(const char *prefix, const struct sion_scr_dataset *dataset)
{
    struct scion_index index;
    int rc = scion_index_read(prefix, &index);

    if (rc == 0)
        rc = add_dataset(&index, dataset);
    scion_index_free(&index);
    return rc;
}

int scion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset)
{
    struct scion_index index;
    int rc = scion_index_read(prefix, &index);

    if (rc == 0)
        rc = add_dataset(&index, dataset);
    if (rc == 0)
        rc = scion_index_write(&index);
    scion_index_free(&index);
    return rc;
}

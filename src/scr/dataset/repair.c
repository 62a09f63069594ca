/* Show the index of a prefix, and repair it from the datasets that are there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/describe.h"
#include "scr/dataset/repair.h"
#include "scr/dataset/search.h"
#include "vfs/path.h"

typedef int visitor(void *user, const struct sion_scr_indexed *dataset);
typedef void teller(void *user, const char *name, int failed, const char *text);

/* ---- what is in it ---- */

static sion_int64 number_or(const struct sion_kvtree *tree, const char *key, sion_int64 otherwise)
{
    long long number;

    return sion_kvtree_get(tree, key) && scion_kvtree_int(tree, key, &number) == 0 ? number
                                                                                   : otherwise;
}

/* The name of every dataset leads to its number. */
static int check_names(const struct scion_index *index, const struct scion_index_dataset *indexed)
{
    const char *key = index->form == SION_SCR_LAYOUT_DATASET ? "DIR" : "NAME";
    const struct sion_kvtree *numbers =
        sion_kvtree_get(sion_kvtree_get(sion_kvtree_get(index->tree, key), indexed->name), "DSET");
    char number[16];

    snprintf(number, sizeof number, "%d", indexed->id);
    return sion_kvtree_get(numbers, number)
               ? 0
               : scion_fail(SION_ERR_DAMAGED, "%s does not lead from the name to the number", key);
}

/* Check what SCR must be able to read. */
static int check_entry(const struct scion_index *index, const struct scion_index_dataset *indexed)
{
    const struct sion_kvtree *dset = sion_kvtree_get(indexed->tree, "DSET");
    long long complete, id;
    int rc = scion_index_dataset_check(indexed);

    if (rc == 0)
        rc = check_names(index, indexed);
    if (rc == 0)
        rc = scion_kvtree_int(indexed->tree, "COMPLETE", &complete);
    if (rc == 0 && complete != 0 && complete != 1)
        rc = scion_fail(SION_ERR_DAMAGED, "COMPLETE is %lld", complete);
    if (rc == 0)
        rc = scion_kvtree_int(dset, "ID", &id);
    if (rc == 0 && id != indexed->id)
        rc = scion_fail(SION_ERR_DAMAGED, "its description has the ID %lld", id);
    if (rc == 0 && index->form != SION_SCR_LAYOUT_DATASET && !sion_kvtree_get(dset, "FLAG_CKPT") &&
        !sion_kvtree_get(dset, "FLAG_OUTPUT"))
        rc = scion_fail(SION_ERR_DAMAGED, "FLAG_CKPT is missing: SCR does not restart from it");
    return rc;
}

/* A number from 0 to `most`; -1: there is none. */
static sion_int64 number_up_to(const struct sion_kvtree *tree, const char *key, sion_int64 most)
{
    sion_int64 number = number_or(tree, key, -1);

    return number >= 0 && number <= most ? number : -1;
}

static void describe(const struct scion_index *index, const struct scion_index_dataset *indexed,
                     struct sion_scr_indexed *told)
{
    const struct sion_kvtree *dset = sion_kvtree_get(indexed->tree, "DSET");
    const char *current = scion_index_current(index);

    *told = (struct sion_scr_indexed){
        .size = sizeof(struct sion_scr_indexed),
        .form = index->form,
        .id = indexed->id,
        .name = indexed->name ? indexed->name : "",
        .is_current = current && indexed->name && strcmp(current, indexed->name) == 0,
        .complete = (int)number_up_to(indexed->tree, "COMPLETE", 1),
        .flushed = sion_kvtree_value(indexed->tree, "FLUSHED"),
        .failed = sion_kvtree_value(indexed->tree, "FAILED"),
        .is_checkpoint = number_or(dset, "FLAG_CKPT", sion_kvtree_get(dset, "CKPT") != NULL) == 1,
        .is_output = number_or(dset, "FLAG_OUTPUT", 0) == 1,
        .files = number_up_to(dset, "FILES", INT64_MAX),
        .bytes = number_up_to(dset, "SIZE", INT64_MAX),
    };
}

/* Check that SCR can use an entry, and find the map of its dataset; folder "": it has none of its
   own. */
static int check_indexed(const char *prefix, const struct scion_index *index,
                         const struct scion_index_dataset *indexed, char *folder)
{
    int has_map = scion_index_dataset_check(indexed) == 0 &&
                  scion_prefix_find_map(prefix, index->form, indexed->id, indexed->name, folder);
    int rc = check_entry(index, indexed), is_others = 0;

    if (rc == 0 && has_map)
        rc = scion_prefix_check_map(prefix, folder, indexed->id, indexed->name, &is_others);
    if (!has_map || is_others)
        folder[0] = '\0';
    return rc;
}

int scion_index_dataset_describe(const char *prefix, const struct scion_index *index,
                                 const struct scion_index_dataset *indexed, char *folder,
                                 struct sion_scr_indexed *told)
{
    describe(index, indexed, told);
    return check_indexed(prefix, index, indexed, folder);
}

static int visit_one(const char *prefix, const struct scion_index *index,
                     const struct scion_index_dataset *indexed, visitor *visit, void *user)
{
    struct sion_scr_indexed told;
    char map[SCION_PATH], problem[2048];
    int rc = scion_index_dataset_describe(prefix, index, indexed, map, &told);

    snprintf(problem, sizeof problem, "%s", rc != 0 ? scion_error_text() : "");
    told.problem = rc != 0 ? problem : NULL;
    told.map = map[0] ? map : NULL;
    return rc == SION_ERR_MEMORY ? rc : visit(user, &told);
}

static int no_index(const struct scion_index *index)
{
    return scion_fail(SION_ERR_ARGUMENT, "there is no %s", index->path);
}

static int count_found(void *data, const struct scion_prefix_dataset *found, int status)
{
    (void)found, (void)status;
    ++*(int *)data;
    return 0;
}

/* SCR would begin anew, although there are datasets. */
static int check_empty(const char *prefix, const struct scion_index *index)
{
    int maps = 0,
        rc = index->count == 0 ? scion_datasets_search(prefix, NULL, count_found, &maps) : 0;

    return rc != 0 || maps == 0
               ? rc
               : scion_fail(SION_ERR_DAMAGED,
                            "%s has no datasets, but there are maps of %d: SCR finds none of them",
                            index->path, maps);
}

int scion_scr_index_visit(const char *prefix, visitor *visit, void *user)
{
    struct scion_index index;
    int rc = scion_index_read(prefix, &index), i;

    if (rc == 0 && !index.is_there)
        rc = no_index(&index);
    for (i = 0; i < index.count && rc == 0; i++)
        rc = visit_one(prefix, &index, &index.list[i], visit, user);
    if (rc == 0)
        rc = scion_index_check_current(&index);
    if (rc == 0)
        rc = check_empty(prefix, &index);
    scion_index_free(&index);
    return rc;
}

int sion_scr_index_exists(const char *prefix)
{
    char path[SCION_PATH];

    return scion_path(path, prefix, ".scr/index.scr") == 0 && scion_file_exists(path);
}

/* SCR would restart from another dataset than this one, or from none. */
static int check_usable(const char *prefix, const struct scion_index *index, const char *name)
{
    const struct scion_index_dataset *indexed = scion_index_find(index, name);
    char map[SCION_PATH];
    int rc = indexed ? check_indexed(prefix, index, indexed, map) : 0;

    if (indexed && rc == 0 && !map[0])
        rc = scion_fail(SION_ERR_DAMAGED, "it has no map");
    if (rc != 0)
        scion_fail_prefix("%s: dataset %d, %.200s", index->path, indexed->id, name);
    return rc;
}

int scion_scr_index_make_current(const char *prefix, const char *name)
{
    struct scion_index index;
    int rc = scion_index_read(prefix, &index);

    if (rc == 0 && !index.is_there)
        rc = no_index(&index);
    if (rc == 0)
        rc = check_usable(prefix, &index, name);
    if (rc == 0)
        rc = scion_index_make_current(&index, name);
    if (rc == 0)
        rc = scion_index_write(&index);
    scion_index_free(&index);
    return rc;
}

/* ---- what is there, into it ---- */

struct repair_run {
    const char *prefix;
    struct scion_index index;
    const char *wanted; /* only the dataset of this name; NULL: all */
    int found, changed;
    teller *tell;
    void *user;
};

static void say(const struct repair_run *repair_run, const char *name, int failed, const char *text)
{
    if (repair_run->tell)
        repair_run->tell(repair_run->user, name, failed, text);
}

/* The description for this form of the index; NULL: out of memory. */
static struct sion_kvtree *copy_dset(const struct scion_prefix_dataset *found,
                                     enum sion_scr_layout form)
{
    struct sion_kvtree *dset = scion_kvtree_new();

    if (dset && scion_kvtree_merge(dset, found->dset) == 0 &&
        (form == SION_SCR_LAYOUT_DATASET || scion_dataset_put_flags(dset)))
        return dset;
    sion_kvtree_free(dset);
    return NULL;
}

/* When a dataset was flushed, according to the index; otherwise when it was made. */
static void find_time(const struct scion_index_dataset *indexed,
                      const struct scion_prefix_dataset *found, char *text, size_t size)
{
    const char *flushed = indexed ? sion_kvtree_value(indexed->tree, "FLUSHED") : NULL;
    struct timeval now;

    gettimeofday(&now, NULL);
    if (flushed)
        snprintf(text, size, "%s", flushed);
    else
        scion_index_time(found->created > 0 ? found->created : now.tv_sec * (sion_int64)1000000,
                         text, size);
}

static int add_found(struct repair_run *repair_run, const struct scion_prefix_dataset *found,
                     const struct scion_index_dataset *indexed)
{
    enum sion_scr_layout form = scion_index_form(&repair_run->index, found->layout);
    struct sion_kvtree *dset = copy_dset(found, form);
    char flushed[64];
    const struct scion_index_entry entry = {found->id, found->name, found->complete, flushed, dset};
    int is_new = !indexed, rc;

    if (!dset)
        return SION_ERR_MEMORY;
    find_time(indexed, found, flushed, sizeof flushed);
    rc = scion_index_add(&repair_run->index, found->layout, &entry);
    sion_kvtree_free(dset);
    if (rc == SION_ERR_MEMORY)
        return rc;
    repair_run->changed |= rc == 0;
    say(repair_run, found->name, rc != 0,
        rc != 0  ? scion_error_text()
        : is_new ? "added"
                 : "mended");
    return repair_run->wanted ? rc : 0;
}

static int mend_found(void *data, const struct scion_prefix_dataset *found, int status)
{
    struct repair_run *repair_run = data;
    const struct scion_index_dataset *indexed;

    if (repair_run->wanted && (status != 0 || strcmp(repair_run->wanted, found->name) != 0))
        return 0;
    if (status != 0) {
        say(repair_run, found->folder, 1, scion_error_text());
        return 0;
    }
    repair_run->found++;
    indexed = scion_index_find(&repair_run->index, found->name);
    if (indexed && indexed->id == found->id && check_entry(&repair_run->index, indexed) == 0 &&
        number_or(indexed->tree, "COMPLETE", -1) == found->complete)
        return 0;
    return add_found(repair_run, found, indexed);
}

/*
 * Some releases of SCR give a number again, and then the map of the older dataset is gone: its
 * entry would lead to the files of the newer one.
 */
static int has_lost_its_map(void *data, const struct scion_index_dataset *indexed)
{
    struct repair_run *repair_run = data;
    struct scion_prefix_dataset *owner = scion_must_allocate(1, sizeof *owner);
    char folder[SCION_PATH], text[2 * SCION_PATH];
    int is_lost = 0;

    if (scion_index_dataset_check(indexed) == 0 &&
        scion_prefix_find_map(repair_run->prefix, repair_run->index.form, indexed->id,
                              indexed->name, folder) &&
        scion_prefix_owner(repair_run->prefix, folder, owner) == 0)
        is_lost = owner->layout != SION_SCR_LAYOUT_DATASET &&
                  !scion_owner_is(owner, indexed->id, indexed->name);
    if (is_lost) {
        snprintf(text, sizeof text, "removed: its map is that of %s now", owner->name);
        say(repair_run, indexed->name, 0, text);
        repair_run->changed = 1;
    }
    free(owner);
    return is_lost;
}

/* The newest complete checkpoint; NULL: there is none. */
static const char *newest(const char *prefix, const struct scion_index *index)
{
    int i;

    for (i = index->count - 1; i >= 0; i--) {
        struct sion_scr_indexed told;
        char map[SCION_PATH];

        if (scion_index_dataset_describe(prefix, index, &index->list[i], map, &told) == 0 &&
            told.complete == 1 && told.is_checkpoint && !told.failed)
            return told.name;
    }
    return NULL;
}

int scion_index_choose_current(const char *prefix, struct scion_index *index, const char **name)
{
    const char *current = scion_index_current(index);

    *name = NULL;
    if (current && scion_index_find(index, current))
        return 0;
    *name = newest(prefix, index);
    if (!*name)
        sion_kvtree_remove(index->tree, "CURRENT");
    return *name ? scion_index_make_current(index, *name) : 0;
}

static int mend_current(struct repair_run *repair_run)
{
    const char *name;
    int rc = scion_index_choose_current(repair_run->prefix, &repair_run->index, &name);

    repair_run->changed |= name != NULL;
    if (rc == 0 && name)
        say(repair_run, name, 0, "current");
    return rc;
}

int scion_scr_index_add(const char *prefix, const char *name)
{
    struct repair_run repair_run = {.prefix = prefix, .wanted = name};
    int rc = scion_check_name(name, 0);

    if (rc != 0)
        return rc;
    rc = scion_index_read(prefix, &repair_run.index);
    if (rc == 0)
        rc = scion_datasets_search(prefix, name, mend_found, &repair_run);
    if (rc == 0 && repair_run.found == 0)
        rc = scion_fail(SION_ERR_ARGUMENT, "%s has no dataset %.200s with a map and summary.scr",
                        prefix, name);
    if (rc == 0)
        rc = mend_current(&repair_run);
    if (rc == 0 && repair_run.changed)
        rc = scion_index_write(&repair_run.index);
    scion_index_free(&repair_run.index);
    return rc;
}

/* A damaged index is kept next to the new one, which replaces it. */
static int keep_damaged(const struct scion_index *index)
{
    char path[SCION_PATH + 16];

    snprintf(path, sizeof path, "%s.damaged", index->path);
    return scion_path_link(index->path, path);
}

static int read_or_begin(const char *prefix, struct repair_run *repair_run, int *is_damaged)
{
    int rc = scion_index_read(prefix, &repair_run->index);

    *is_damaged =
        rc != 0 && !repair_run->index.tree && (rc == SION_ERR_DAMAGED || rc == SION_ERR_NOT_SION);
    if (!*is_damaged)
        return rc;
    say(repair_run, repair_run->index.path, 0, "damaged: kept as index.scr.damaged");
    repair_run->changed = 1;
    repair_run->index.tree = scion_kvtree_new();
    return repair_run->index.tree ? 0 : SION_ERR_MEMORY;
}

int scion_scr_index_repair(const char *prefix, teller *tell, void *user)
{
    struct repair_run repair_run = {.prefix = prefix, .tell = tell, .user = user};
    int is_damaged, rc = read_or_begin(prefix, &repair_run, &is_damaged);

    if (rc == 0)
        rc = scion_index_remove(&repair_run.index, has_lost_its_map, &repair_run);
    if (rc == 0)
        rc = scion_datasets_search(prefix, NULL, mend_found, &repair_run);
    if (rc == 0 && repair_run.index.count == 0)
        rc = scion_fail(SION_ERR_ARGUMENT, "%s has no dataset with a map and summary.scr", prefix);
    if (rc == 0)
        rc = mend_current(&repair_run);
    if (rc == 0 && is_damaged)
        rc = keep_damaged(&repair_run.index);
    if (rc == 0 && repair_run.changed)
        rc = scion_index_write(&repair_run.index);
    scion_index_free(&repair_run.index);
    return rc;
}

#include "scr/claim.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/describe.h"
#include "scr/dataset/search.h"
#include "scr/map/names.h"
#include "scr/map/walk.h"

/* A dataset of the prefix: in the index, or with a map on the disk. */
struct dataset_entry {
    enum sion_scr_layout layout; /* 0: in the index */
    int id;
    char *name;   /* "": unknown */
    char *folder; /* of its map, relative to the prefix; NULL: in the index */
};

struct claim_list {
    struct scion_claim *claim;
    struct dataset_entry *list; /* [count] */
    int count, highest;
};

/* ---- what is there ---- */

static int add_known(struct claim_list *claim_list, enum sion_scr_layout layout, int id,
                     const char *name, const char *folder)
{
    enum { STEP = 64 };
    struct dataset_entry *dataset_entry;

    if (claim_list->count % STEP == 0) {
        void *list = scion_array_grown(claim_list->list, (size_t)claim_list->count + STEP,
                                       sizeof *claim_list->list);

        if (!list)
            return scion_fail_memory("datasets of a prefix");
        claim_list->list = list;
    }
    dataset_entry = &claim_list->list[claim_list->count];
    *dataset_entry =
        (struct dataset_entry){layout, id, strdup(name), folder ? strdup(folder) : NULL};
    if (!dataset_entry->name || (folder && !dataset_entry->folder)) {
        free(dataset_entry->name);
        free(dataset_entry->folder);
        return scion_fail_memory("datasets of a prefix");
    }
    claim_list->count++;
    if (id > claim_list->highest)
        claim_list->highest = id;
    return 0;
}

static void free_known(struct claim_list *claim_list)
{
    int i;

    for (i = 0; i < claim_list->count; i++) {
        free(claim_list->list[i].name);
        free(claim_list->list[i].folder);
    }
    free(claim_list->list);
}

static int note_found(void *data, const struct scion_prefix_dataset *found, int status)
{
    return add_known(data, found->layout, found->id, status == 0 ? found->name : "", found->folder);
}

static int check_form(const struct scion_claim *claim, const struct scion_index *index)
{
    enum sion_scr_layout form = scion_index_form(index, claim->layout);

    if (!claim->is_indexed || form == claim->layout)
        return 0;
    return scion_fail(SION_ERR_MODE,
                      "%s is of a release of SCR that looks for maps of the layout %s, not %s",
                      index->path, scion_layout_name(form), scion_layout_name(claim->layout));
}

static int look_at_index(struct claim_list *claim_list)
{
    struct scion_index index;
    int rc = scion_index_read(claim_list->claim->prefix, &index), i;

    if (rc == 0)
        rc = check_form(claim_list->claim, &index);
    for (i = 0; i < index.count && rc == 0; i++)
        rc = add_known(claim_list, 0, index.list[i].id,
                       index.list[i].name ? index.list[i].name : "", NULL);
    scion_index_free(&index);
    return rc;
}

static int look_around(struct claim_list *claim_list)
{
    const char *prefix = claim_list->claim->prefix;
    int rc = look_at_index(claim_list), number = 0;

    if (rc == 0)
        rc = scion_datasets_search(prefix, NULL, note_found, claim_list);
    if (rc == 0)
        rc = scion_prefix_last_number(prefix, &number);
    if (number > claim_list->highest)
        claim_list->highest = number;
    return rc;
}

/* ---- whose map it is ---- */

enum whose { UNKNOWN, OURS, OTHERS, GONE };

struct claim_search {
    const struct scion_claim *claim;
    const struct scion_names names;
    enum whose whose;
};

/* `data` itself, a file of its set, or whatever begins so if `data` ends with a dot. */
static int is_ours(const struct scion_claim *claim, const char *path)
{
    size_t length = strlen(claim->data);
    const char *rest = path + length;

    if (strncmp(path, claim->data, length) != 0)
        return 0;
    return !*rest || claim->data[length - 1] == '.' ||
           (rest[0] == '.' && strlen(rest) == 7 && strspn(rest + 1, "0123456789") == 6);
}

static void look_at_name(struct claim_search *claim_search, const char *path)
{
    char full[SCION_PATH];

    if (is_ours(claim_search->claim, path))
        claim_search->whose = claim_search->whose == OTHERS ? OTHERS : OURS;
    else if (scion_path(full, claim_search->names.base, path) == 0 && scion_file_exists(full))
        claim_search->whose = OTHERS;
    else if (claim_search->whose == UNKNOWN)
        claim_search->whose = GONE;
}

/* Of a file with segments the first one tells enough. */
static void look_at_file(struct claim_search *claim_search, const struct sion_kvtree *file)
{
    const struct sion_kvtree *segments = sion_kvtree_get(file, "SEG");
    const char *name = sion_kvtree_value(sion_kvtree_get(segments, "0"), "FILE");
    char path[SCION_PATH];

    if (!segments)
        look_at_name(claim_search, file->key);
    else if (name && scion_segment_name(&claim_search->names, name, path) == 0)
        look_at_name(claim_search, path);
}

/* The first leaf that names files tells enough: 1 ends the walk. */
static int look_at_leaf(void *data, const struct scion_map_file *map)
{
    struct claim_search *claim_search = data;
    const struct sion_kvtree *rank = sion_kvtree_first(sion_kvtree_get(map->tree, "RANK")), *file;

    for (; map->level == 0 && rank && claim_search->whose != OTHERS; rank = rank->next) {
        for (file = sion_kvtree_first(sion_kvtree_get(rank, "FILE")); file; file = file->next)
            look_at_file(claim_search, file);
    }
    return claim_search->whose != UNKNOWN;
}

static enum whose find_whose(const struct scion_claim *claim, const char *folder)
{
    struct scion_map_location *found = scion_must_allocate(1, sizeof *found);
    char path[SCION_PATH];
    enum whose whose = UNKNOWN;

    if (scion_path(path, claim->prefix, folder) == 0 && scion_find_map(path, NULL, found) == 0) {
        struct claim_search claim_search = {claim, {found->base, found->below, 0}, UNKNOWN};

        if (scion_map_walk(found, 0, look_at_leaf, &claim_search) == 1)
            whose = claim_search.whose;
    }
    free(found);
    return whose;
}

/* ---- number and name ---- */

static int choose_new(const struct claim_list *claim_list)
{
    if (claim_list->highest == INT_MAX)
        return scion_fail(SION_ERR_ARGUMENT, "%s has a dataset %d: no number is greater",
                          claim_list->claim->prefix, INT_MAX);
    claim_list->claim->id = claim_list->highest + 1;
    return 0;
}

static int is_numbered(const struct dataset_entry *dataset_entry)
{
    return dataset_entry->folder && dataset_entry->layout != SION_SCR_LAYOUT_DATASET;
}

/* The dataset whose map has the same files; the newest one. NULL: there is none. */
static const struct dataset_entry *find_own(const struct claim_list *claim_list)
{
    const struct dataset_entry *own = NULL;
    int i;

    for (i = 0; i < claim_list->count; i++) {
        const struct dataset_entry *dataset_entry = &claim_list->list[i];

        if (is_numbered(dataset_entry) && (!own || dataset_entry->id > own->id) &&
            find_whose(claim_list->claim, dataset_entry->folder) == OURS)
            own = dataset_entry;
    }
    return own;
}

static const struct dataset_entry *find_named(const struct claim_list *claim_list, const char *name)
{
    const struct dataset_entry *named = NULL;
    int i;

    for (i = 0; i < claim_list->count; i++) {
        const struct dataset_entry *dataset_entry = &claim_list->list[i];

        if (strcmp(dataset_entry->name, name) == 0 &&
            (!dataset_entry->folder || is_numbered(dataset_entry)))
            named = dataset_entry;
    }
    return named;
}

static int choose(const struct claim_list *claim_list)
{
    struct scion_claim *claim = claim_list->claim;
    const struct dataset_entry *own = NULL;
    struct sion_scr_place place = {.layout = claim->layout, .base = claim->prefix};
    int rc = 0;

    if (claim->id == 0)
        own = claim->name[0] ? find_named(claim_list, claim->name) : find_own(claim_list);
    if (own && !claim->name[0])
        snprintf(claim->name, sizeof claim->name, "%s", own->name);
    if (own)
        claim->id = own->id;
    if (claim->id == 0)
        rc = choose_new(claim_list);
    place.id = claim->id;
    return rc == 0 && !claim->name[0] ? scion_dataset_name(&place, claim->name, sizeof claim->name)
                                      : rc;
}

/* ---- conflicts ---- */

/* An error if the map of this number, which would be replaced, is that of other files. */
static int check_map(const struct scion_claim *claim, const struct dataset_entry *dataset_entry)
{
    enum whose whose = find_whose(claim, dataset_entry->folder);

    if (whose == OTHERS)
        return scion_fail(
            SION_ERR_ARGUMENT,
            "%.1000s/%s, dataset %d, is the map of other files: choose another number",
            claim->prefix, dataset_entry->folder, dataset_entry->id);
    if (whose == UNKNOWN && !dataset_entry->name[0])
        return scion_fail(SION_ERR_ARGUMENT,
                          "nothing says whose map is in %.1000s/%s: choose another number",
                          claim->prefix, dataset_entry->folder);
    return 0;
}

static int check_known(const struct scion_claim *claim, const struct dataset_entry *dataset_entry)
{
    int same_name = strcmp(dataset_entry->name, claim->name) == 0,
        same_id = dataset_entry->id == claim->id;

    if (dataset_entry->folder && !is_numbered(dataset_entry))
        return 0;
    if (dataset_entry->name[0] && same_name != same_id)
        return scion_fail(SION_ERR_ARGUMENT, "%.1000s already has %.200s as dataset %d",
                          claim->prefix, dataset_entry->name, dataset_entry->id);
    return same_id && dataset_entry->folder ? check_map(claim, dataset_entry) : 0;
}

static int claim_number(struct claim_list *claim_list)
{
    int rc = look_around(claim_list), i;

    if (rc == 0)
        rc = choose(claim_list);
    for (i = 0; i < claim_list->count && rc == 0; i++)
        rc = check_known(claim_list->claim, &claim_list->list[i]);
    return rc;
}

/* ---- the layout of SCR 1.1 ---- */

/* The number that the map of the folder has already, or the index for its name. */
static int find_own_number(const struct claim_list *claim_list)
{
    const struct scion_claim *claim = claim_list->claim;
    struct scion_prefix_dataset *owner = scion_must_allocate(1, sizeof *owner);
    char folder[SCION_PATH];
    int id = 0, i;

    if (scion_path(folder, claim->folder, ".scr") == 0 &&
        scion_prefix_owner(claim->prefix, folder, owner) == 0)
        id = owner->id;
    for (i = 0; i < claim_list->count && id == 0; i++) {
        if (!claim_list->list[i].folder && strcmp(claim_list->list[i].name, claim->folder) == 0)
            id = claim_list->list[i].id;
    }
    free(owner);
    return id;
}

/* Without an index, it does not matter what can be found out of the prefix. */
static int claim_folder(struct claim_list *claim_list)
{
    struct scion_claim *claim = claim_list->claim;
    int rc = claim->id == 0 || claim->is_indexed ? look_around(claim_list) : 0;

    if (rc != 0 && (claim->is_indexed || rc == SION_ERR_MEMORY))
        return rc;
    if (claim->id == 0)
        claim->id = find_own_number(claim_list);
    return claim->id == 0 ? choose_new(claim_list) : 0;
}

int scion_claim(struct scion_claim *claim)
{
    struct claim_list claim_list = {.claim = claim};
    int rc = claim->layout == SION_SCR_LAYOUT_DATASET ? claim_folder(&claim_list)
                                                      : claim_number(&claim_list);

    free_known(&claim_list);
    return rc;
}

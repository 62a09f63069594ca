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
struct known {
    enum sion_scr_layout layout; /* 0: in the index */
    int id;
    char *name;   /* "": unknown */
    char *folder; /* of its map, relative to the prefix; NULL: in the index */
};

struct claiming {
    struct scion_claim *claim;
    struct known *list; /* [count] */
    int count, highest;
};

/* ---- what is there ---- */

static int add_known(struct claiming *claiming, enum sion_scr_layout layout, int id,
                     const char *name, const char *folder)
{
    enum { STEP = 64 };
    struct known *known;

    if (claiming->count % STEP == 0) {
        void *list = scion_array_grown(claiming->list, (size_t)claiming->count + STEP,
                                       sizeof *claiming->list);

        if (!list)
            return scion_fail_memory("datasets of a prefix");
        claiming->list = list;
    }
    known = &claiming->list[claiming->count];
    *known = (struct known){layout, id, strdup(name), folder ? strdup(folder) : NULL};
    if (!known->name || (folder && !known->folder)) {
        free(known->name);
        free(known->folder);
        return scion_fail_memory("datasets of a prefix");
    }
    claiming->count++;
    if (id > claiming->highest)
        claiming->highest = id;
    return 0;
}

static void free_known(struct claiming *claiming)
{
    int i;

    for (i = 0; i < claiming->count; i++) {
        free(claiming->list[i].name);
        free(claiming->list[i].folder);
    }
    free(claiming->list);
}

static int note_found(void *data, const struct scion_prefixed *found, int status)
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

static int look_at_index(struct claiming *claiming)
{
    struct scion_index index;
    int rc = scion_index_read(claiming->claim->prefix, &index), i;

    if (rc == 0)
        rc = check_form(claiming->claim, &index);
    for (i = 0; i < index.count && rc == 0; i++)
        rc = add_known(claiming, 0, index.list[i].id, index.list[i].name ? index.list[i].name : "",
                       NULL);
    scion_index_free(&index);
    return rc;
}

static int look_around(struct claiming *claiming)
{
    const char *prefix = claiming->claim->prefix;
    int rc = look_at_index(claiming), number = 0;

    if (rc == 0)
        rc = scion_datasets_search(prefix, NULL, note_found, claiming);
    if (rc == 0)
        rc = scion_prefix_last_number(prefix, &number);
    if (number > claiming->highest)
        claiming->highest = number;
    return rc;
}

/* ---- whose map it is ---- */

enum whose { UNKNOWN, OURS, OTHERS, GONE };

struct looking {
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

static void look_at_name(struct looking *looking, const char *path)
{
    char full[SCION_PATH];

    if (is_ours(looking->claim, path))
        looking->whose = looking->whose == OTHERS ? OTHERS : OURS;
    else if (scion_path(full, looking->names.base, path) == 0 && scion_file_exists(full))
        looking->whose = OTHERS;
    else if (looking->whose == UNKNOWN)
        looking->whose = GONE;
}

/* Of a file with segments the first one tells enough. */
static void look_at_file(struct looking *looking, const struct sion_kvtree *file)
{
    const struct sion_kvtree *segments = sion_kvtree_get(file, "SEG");
    const char *name = sion_kvtree_value(sion_kvtree_get(segments, "0"), "FILE");
    char path[SCION_PATH];

    if (!segments)
        look_at_name(looking, file->key);
    else if (name && scion_segment_name(&looking->names, name, path) == 0)
        look_at_name(looking, path);
}

/* The first leaf that names files tells enough: 1 ends the walk. */
static int look_at_leaf(void *data, const struct scion_map_file *map)
{
    struct looking *looking = data;
    const struct sion_kvtree *rank = sion_kvtree_first(sion_kvtree_get(map->tree, "RANK")), *file;

    for (; map->level == 0 && rank && looking->whose != OTHERS; rank = rank->next) {
        for (file = sion_kvtree_first(sion_kvtree_get(rank, "FILE")); file; file = file->next)
            look_at_file(looking, file);
    }
    return looking->whose != UNKNOWN;
}

static enum whose find_whose(const struct scion_claim *claim, const char *folder)
{
    struct scion_found *found = scion_must_allocate(1, sizeof *found);
    char path[SCION_PATH];
    enum whose whose = UNKNOWN;

    if (scion_path(path, claim->prefix, folder) == 0 && scion_find_map(path, NULL, found) == 0) {
        struct looking looking = {claim, {found->base, found->below, 0}, UNKNOWN};

        if (scion_map_walk(found, 0, look_at_leaf, &looking) == 1)
            whose = looking.whose;
    }
    free(found);
    return whose;
}

/* ---- number and name ---- */

static int choose_new(const struct claiming *claiming)
{
    if (claiming->highest == INT_MAX)
        return scion_fail(SION_ERR_ARGUMENT, "%s has a dataset %d: no number is greater",
                          claiming->claim->prefix, INT_MAX);
    claiming->claim->id = claiming->highest + 1;
    return 0;
}

static int is_numbered(const struct known *known)
{
    return known->folder && known->layout != SION_SCR_LAYOUT_DATASET;
}

/* The dataset whose map has the same files; the newest one. NULL: there is none. */
static const struct known *find_own(const struct claiming *claiming)
{
    const struct known *own = NULL;
    int i;

    for (i = 0; i < claiming->count; i++) {
        const struct known *known = &claiming->list[i];

        if (is_numbered(known) && (!own || known->id > own->id) &&
            find_whose(claiming->claim, known->folder) == OURS)
            own = known;
    }
    return own;
}

static const struct known *find_named(const struct claiming *claiming, const char *name)
{
    const struct known *named = NULL;
    int i;

    for (i = 0; i < claiming->count; i++) {
        const struct known *known = &claiming->list[i];

        if (strcmp(known->name, name) == 0 && (!known->folder || is_numbered(known)))
            named = known;
    }
    return named;
}

static int choose(const struct claiming *claiming)
{
    struct scion_claim *claim = claiming->claim;
    const struct known *own = NULL;
    struct sion_scr_place place = {claim->layout, claim->prefix, 0};
    int rc = 0;

    if (claim->id == 0)
        own = claim->name[0] ? find_named(claiming, claim->name) : find_own(claiming);
    if (own && !claim->name[0])
        snprintf(claim->name, sizeof claim->name, "%s", own->name);
    if (own)
        claim->id = own->id;
    if (claim->id == 0)
        rc = choose_new(claiming);
    place.id = claim->id;
    return rc == 0 && !claim->name[0] ? scion_dataset_name(&place, claim->name, sizeof claim->name)
                                      : rc;
}

/* ---- conflicts ---- */

/* An error if the map of this number, which would be replaced, is that of other files. */
static int check_map(const struct scion_claim *claim, const struct known *known)
{
    enum whose whose = find_whose(claim, known->folder);

    if (whose == OTHERS)
        return scion_fail(
            SION_ERR_ARGUMENT,
            "%.1000s/%s, dataset %d, is the map of other files: choose another number",
            claim->prefix, known->folder, known->id);
    if (whose == UNKNOWN && !known->name[0])
        return scion_fail(SION_ERR_ARGUMENT,
                          "nothing says whose map is in %.1000s/%s: choose another number",
                          claim->prefix, known->folder);
    return 0;
}

static int check_known(const struct scion_claim *claim, const struct known *known)
{
    int same_name = strcmp(known->name, claim->name) == 0, same_id = known->id == claim->id;

    if (known->folder && !is_numbered(known))
        return 0;
    if (known->name[0] && same_name != same_id)
        return scion_fail(SION_ERR_ARGUMENT, "%.1000s already has %.200s as dataset %d",
                          claim->prefix, known->name, known->id);
    return same_id && known->folder ? check_map(claim, known) : 0;
}

static int claim_number(struct claiming *claiming)
{
    int rc = look_around(claiming), i;

    if (rc == 0)
        rc = choose(claiming);
    for (i = 0; i < claiming->count && rc == 0; i++)
        rc = check_known(claiming->claim, &claiming->list[i]);
    return rc;
}

/* ---- the layout of SCR 1.1 ---- */

/* The number that the map of the folder has already, or the index for its name. */
static int find_own_number(const struct claiming *claiming)
{
    const struct scion_claim *claim = claiming->claim;
    struct scion_prefixed *owner = scion_must_allocate(1, sizeof *owner);
    char folder[SCION_PATH];
    int id = 0, i;

    if (scion_path(folder, claim->folder, ".scr") == 0 &&
        scion_prefix_owner(claim->prefix, folder, owner) == 0)
        id = owner->id;
    for (i = 0; i < claiming->count && id == 0; i++) {
        if (!claiming->list[i].folder && strcmp(claiming->list[i].name, claim->folder) == 0)
            id = claiming->list[i].id;
    }
    free(owner);
    return id;
}

/* Without an index, it does not matter what can be found out of the prefix. */
static int claim_folder(struct claiming *claiming)
{
    struct scion_claim *claim = claiming->claim;
    int rc = claim->id == 0 || claim->is_indexed ? look_around(claiming) : 0;

    if (rc != 0 && (claim->is_indexed || rc == SION_ERR_MEMORY))
        return rc;
    if (claim->id == 0)
        claim->id = find_own_number(claiming);
    return claim->id == 0 ? choose_new(claiming) : 0;
}

int scion_claim(struct scion_claim *claim)
{
    struct claiming claiming = {.claim = claim};
    int rc = claim->layout == SION_SCR_LAYOUT_DATASET ? claim_folder(&claiming)
                                                      : claim_number(&claiming);

    free_known(&claiming);
    return rc;
}

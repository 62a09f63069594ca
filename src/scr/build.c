/* Maps, summaries and the index of a prefix, from the filemaps that a scavenge left in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/describe.h"
#include "scr/dataset/repair.h"
#include "scr/dataset/search.h"
#include "scr/map/filemap.h"
#include "scr/map/map.h"
#include "scr/scavenged.h"
#include "scr/scr.h"

typedef void teller(void *user, const char *name, int failed, const char *text);

struct building {
    const char *prefix;
    struct scion_comm *self;
    int dry_run;
    teller *tell;
    void *user;
    int found, failed; /* datasets with filemaps; those of them that are not complete now */
    int maps;          /* datasets that have a map now */
};

/* A dataset that is looked at. */
struct built {
    struct building *building;
    const char *name; /* for messages */
    struct sion_scr_place place;
    char base[SCION_PATH], folder[SCION_PATH], summary[SCION_PATH]; /* folder: of the map */
    char own[SCION_PATH];    /* of the dataset, relative to base */
    struct sion_kvtree *old; /* the summary; NULL: none that can be read */
    int has_map;             /* that can be read */
    int keeps_map;           /* and that is not marked as incomplete */
    struct scion_scavenged scavenged;
};

static void say(const struct building *building, const char *name, int failed, const char *text)
{
    if (building->tell)
        building->tell(building->user, name, failed, text);
}

static void tell_fault(void *user, const char *fault)
{
    const struct built *built = user;

    say(built->building, built->name, 1, fault);
}

/* ---- what is there ---- */

static int find_place(struct built *built, const struct scion_dataset_folder *folder,
                      const struct scion_filemaps *filemaps)
{
    const char *prefix = built->building->prefix;
    int rc = folder->id > 0 ? scion_path(built->base, NULL, prefix)
                            : scion_path(built->base, prefix, folder->name);

    built->place = (struct sion_scr_place){
        .layout = folder->id == 0     ? SION_SCR_LAYOUT_DATASET
                  : filemaps->new > 0 ? SION_SCR_LAYOUT_3
                                      : SION_SCR_LAYOUT_PREFIX,
        .base = built->base,
        .id = folder->id,
    };
    built->name = folder->name;
    snprintf(built->own, sizeof built->own, "%s", folder->id > 0 ? folder->path : "");
    if (rc == 0)
        rc = scion_path(built->summary, built->folder, "summary.scr");
    return rc;
}

/* A map of which anything cannot be read is none. */
static int look_for_map(struct built *built)
{
    sion_scr_ranks *ranks = scion_scr_map_read(built->building->self, built->folder, NULL);

    built->has_map = ranks != NULL;
    sion_scr_ranks_free(ranks);
    return built->has_map || scion_error_code() != SION_ERR_MEMORY ? 0 : SION_ERR_MEMORY;
}

/* A summary that cannot be read is none. */
static int look_for_summary(struct built *built)
{
    int rc = scion_kvtree_read(built->summary, &built->old);

    if (rc != 0)
        built->old = NULL;
    return rc == SION_ERR_MEMORY ? rc : 0;
}

/* What an earlier scavenge did not copy may be there now. */
static int is_complete(const struct sion_kvtree *summary)
{
    long long complete = 0;

    return summary && scion_kvtree_int(summary, "COMPLETE", &complete) == 0 && complete == 1;
}

static int find_files(struct built *built)
{
    struct scion_scavenged *scavenged = &built->scavenged;
    struct sion_kvtree *map = scion_kvtree_new();
    int rc = map ? scion_filemaps_read(built->folder, map) : SION_ERR_MEMORY;

    *scavenged = (struct scion_scavenged){.base = built->base,
                                          .own = built->own,
                                          .name = built->name,
                                          .id = built->place.id,
                                          .tell = tell_fault,
                                          .user = built};
    if (rc == 0)
        rc = scion_scavenged_find(map, scavenged);
    sion_kvtree_free(map);
    return rc;
}

/* ---- writing ---- */

static int same_value(const struct sion_kvtree *a, const struct sion_kvtree *b, const char *key)
{
    const char *left = sion_kvtree_value(a, key), *right = sion_kvtree_value(b, key);

    return left && right && strcmp(left, right) == 0;
}

/* The summary that is there says the same of the dataset. */
static int has_summary(const struct built *built)
{
    const struct sion_kvtree *old = sion_kvtree_get(built->old, "DSET");
    const struct sion_kvtree *new = built->scavenged.dset;

    return is_complete(built->old) == (built->scavenged.faults == 0) &&
           same_value(old, new, "ID") && same_value(old, new, "NAME") &&
           same_value(old, new, "FILES") && same_value(old, new, "SIZE");
}

static int write_summary(const struct built *built)
{
    const struct scion_scavenged *scavenged = &built->scavenged;
    struct sion_kvtree *tree = scion_kvtree_new(), *dset = scion_kvtree_set(tree, "DSET");
    int rc = 0;

    if (!dset || !scion_kvtree_put_int(tree, "VERSION", SCION_SUMMARY_VERSION) ||
        !scion_kvtree_put_int(tree, "COMPLETE", scavenged->faults == 0) ||
        scion_kvtree_merge(dset, scavenged->dset) != 0 ||
        (built->place.layout != SION_SCR_LAYOUT_DATASET && !scion_dataset_put_flags(dset)))
        rc = SION_ERR_MEMORY;
    if (rc == 0)
        rc = scion_kvtree_replace(built->summary, tree);
    sion_kvtree_free(tree);
    return rc;
}

static int write_map(const struct built *built)
{
    return built->keeps_map
               ? 0
               : scion_map_write(built->building->self, 0, &built->place, &built->scavenged.ranks,
                                 NULL, built->scavenged.permissions | S_IRUSR | S_IWUSR);
}

/* Whatever is there if this is killed, no map of an incomplete dataset has a summary that calls it
   complete. */
static int write_both(const struct built *built)
{
    int has_it = has_summary(built), is_whole = built->scavenged.faults == 0, rc = 0;

    if (!has_it && !is_whole)
        rc = write_summary(built);
    if (rc == 0)
        rc = write_map(built);
    if (rc == 0 && !has_it && is_whole)
        rc = write_summary(built);
    return rc;
}

static void tell_built(const struct built *built)
{
    const struct scion_scavenged *scavenged = &built->scavenged;
    char text[128];

    snprintf(
        text, sizeof text, "%s: the %s of %d rank%s and %lld file%s%s",
        built->building->dry_run ? "to be built" : "built", built->keeps_map ? "summary" : "map",
        scavenged->ranks.count, scavenged->ranks.count == 1 ? "" : "s", scavenged->files,
        scavenged->files == 1 ? "" : "s", scavenged->faults == 0 ? "" : ", marked as incomplete");
    say(built->building, built->name, 0, text);
}

static int build(struct built *built)
{
    int rc = find_files(built);

    if (rc == 0 && !built->building->dry_run)
        rc = write_both(built);
    if (rc == 0)
        tell_built(built);
    return rc;
}

/* ---- one after the other ---- */

static int look_at(struct built *built)
{
    struct building *building = built->building;
    int rc = look_for_map(built);

    if (rc == 0)
        rc = look_for_summary(built);
    built->keeps_map = built->has_map && (!built->old || is_complete(built->old));
    if (rc == 0 && !(built->keeps_map && built->old))
        rc = build(built);
    building->maps += rc == 0 || built->has_map;
    building->failed += rc != 0 || built->scavenged.faults > 0;
    if (rc != 0 && rc != SION_ERR_MEMORY)
        say(building, built->name, 1, scion_error_text());
    return rc == SION_ERR_MEMORY ? rc : 0;
}

/* It cannot be read; in the layout of SCR 1.1, it need not be one of SCR. */
static int skip(struct building *building, const struct scion_dataset_folder *folder)
{
    if (folder->id > 0) {
        building->found++;
        building->failed++;
        say(building, folder->name, 1, scion_error_text());
    }
    return 0;
}

static int visit(void *data, const struct scion_dataset_folder *folder)
{
    struct building *building = data;
    struct built *built = scion_must_allocate(1, sizeof *built);
    struct scion_filemaps filemaps = {0};
    int rc = scion_path_inside(built->folder, building->prefix, folder->path, 0);

    if (rc == 0)
        rc = scion_filemaps_count(built->folder, &filemaps);
    if (rc == 0 && filemaps.old + filemaps.new > 0) {
        building->found++;
        built->building = building;
        rc = find_place(built, folder, &filemaps);
        if (rc == 0)
            rc = look_at(built);
    } else if (rc != 0 && rc != SION_ERR_MEMORY) {
        rc = skip(building, folder);
    }
    scion_scavenged_free(&built->scavenged);
    sion_kvtree_free(built->old);
    free(built);
    return rc;
}

int scion_scr_index_build(const char *prefix, int dry_run, teller *tell, void *user)
{
    struct building building = {.prefix = prefix, .dry_run = dry_run, .tell = tell, .user = user};
    int rc = scion_comm_self(&building.self);

    if (rc == 0)
        rc = scion_dataset_folders(prefix, visit, &building);
    scion_comm_free(building.self);
    if (rc == 0 && building.found == 0)
        rc = scion_fail(SION_ERR_ARGUMENT,
                        "%s has no filemaps of a scavenge: no fmap.N.scr or filemap_N in "
                        "NAME/.scr or .scr/scr.dataset.ID",
                        prefix);
    if (rc == 0 && !dry_run && building.maps > 0)
        rc = scion_scr_index_repair(prefix, tell, user);
    return rc == 0 && building.failed > 0
               ? scion_fail(SION_ERR_DAMAGED, "%s: not complete: %d of %d with filemaps", prefix,
                            building.failed, building.found)
               : rc;
}

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
#include "scr/scavenge.h"
#include "scr/scr.h"

typedef void teller(void *user, const char *name, int failed, const char *text);

struct build_run {
    const char *prefix;
    struct scion_comm *self;
    int dry_run;
    teller *tell;
    void *user;
    int found, failed; /* datasets with filemaps; those of them that are not complete now */
    int maps;          /* datasets that have a map now */
};

/* A dataset that is looked at. */
struct build_dataset {
    struct build_run *build_run;
    const char *name; /* for messages */
    struct sion_scr_place place;
    char base[SCION_PATH], folder[SCION_PATH], summary[SCION_PATH]; /* folder: of the map */
    char own[SCION_PATH];    /* of the dataset, relative to base */
    struct sion_kvtree *old; /* the summary; NULL: none that can be read */
    int has_map;             /* that can be read */
    int keeps_map;           /* and that is not marked as incomplete */
    struct scion_scavenge scavenged;
};

static void say(const struct build_run *build_run, const char *name, int failed, const char *text)
{
    if (build_run->tell)
        build_run->tell(build_run->user, name, failed, text);
}

static void tell_fault(void *user, const char *fault)
{
    const struct build_dataset *build_dataset = user;

    say(build_dataset->build_run, build_dataset->name, 1, fault);
}

/* ---- what is there ---- */

static int find_place(struct build_dataset *build_dataset,
                      const struct scion_dataset_folder *folder,
                      const struct scion_filemaps *filemaps)
{
    const char *prefix = build_dataset->build_run->prefix;
    int rc = folder->id > 0 ? scion_path(build_dataset->base, NULL, prefix)
                            : scion_path(build_dataset->base, prefix, folder->name);

    build_dataset->place = (struct sion_scr_place){
        .layout = folder->id == 0     ? SION_SCR_LAYOUT_DATASET
                  : filemaps->new > 0 ? SION_SCR_LAYOUT_3
                                      : SION_SCR_LAYOUT_PREFIX,
        .base = build_dataset->base,
        .id = folder->id,
    };
    build_dataset->name = folder->name;
    snprintf(build_dataset->own, sizeof build_dataset->own, "%s",
             folder->id > 0 ? folder->path : "");
    if (rc == 0)
        rc = scion_path(build_dataset->summary, build_dataset->folder, "summary.scr");
    return rc;
}

/* A map of which anything cannot be read is none. */
static int look_for_map(struct build_dataset *build_dataset)
{
    sion_scr_ranks *ranks =
        scion_scr_map_read(build_dataset->build_run->self, build_dataset->folder, NULL);

    build_dataset->has_map = ranks != NULL;
    sion_scr_ranks_free(ranks);
    return build_dataset->has_map || scion_error_code() != SION_ERR_MEMORY ? 0 : SION_ERR_MEMORY;
}

/* A summary that cannot be read is none. */
static int look_for_summary(struct build_dataset *build_dataset)
{
    int rc = scion_kvtree_read(build_dataset->summary, &build_dataset->old);

    if (rc != 0)
        build_dataset->old = NULL;
    return rc == SION_ERR_MEMORY ? rc : 0;
}

/* What an earlier scavenge did not copy may be there now. */
static int is_complete(const struct sion_kvtree *summary)
{
    long long complete = 0;

    return summary && scion_kvtree_int(summary, "COMPLETE", &complete) == 0 && complete == 1;
}

static int find_files(struct build_dataset *build_dataset)
{
    struct scion_scavenge *scavenged = &build_dataset->scavenged;
    struct sion_kvtree *map = scion_kvtree_new();
    int rc = map ? scion_filemaps_read(build_dataset->folder, map) : SION_ERR_MEMORY;

    *scavenged = (struct scion_scavenge){.base = build_dataset->base,
                                         .own = build_dataset->own,
                                         .name = build_dataset->name,
                                         .id = build_dataset->place.id,
                                         .tell = tell_fault,
                                         .user = build_dataset};
    if (rc == 0)
        rc = scion_scavenge_find(map, scavenged);
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
static int has_summary(const struct build_dataset *build_dataset)
{
    const struct sion_kvtree *old = sion_kvtree_get(build_dataset->old, "DSET");
    const struct sion_kvtree *new = build_dataset->scavenged.dset;

    return is_complete(build_dataset->old) == (build_dataset->scavenged.faults == 0) &&
           same_value(old, new, "ID") && same_value(old, new, "NAME") &&
           same_value(old, new, "FILES") && same_value(old, new, "SIZE");
}

static int write_summary(const struct build_dataset *build_dataset)
{
    const struct scion_scavenge *scavenged = &build_dataset->scavenged;
    struct sion_kvtree *tree = scion_kvtree_new(), *dset = scion_kvtree_set(tree, "DSET");
    int rc = 0;

    if (!dset || !scion_kvtree_put_int(tree, "VERSION", SCION_SUMMARY_VERSION) ||
        !scion_kvtree_put_int(tree, "COMPLETE", scavenged->faults == 0) ||
        scion_kvtree_merge(dset, scavenged->dset) != 0 ||
        (build_dataset->place.layout != SION_SCR_LAYOUT_DATASET && !scion_dataset_put_flags(dset)))
        rc = SION_ERR_MEMORY;
    if (rc == 0)
        rc = scion_kvtree_replace(build_dataset->summary, tree);
    sion_kvtree_free(tree);
    return rc;
}

static int write_map(const struct build_dataset *build_dataset)
{
    return build_dataset->keeps_map
               ? 0
               : scion_map_write(build_dataset->build_run->self, 0, &build_dataset->place,
                                 &build_dataset->scavenged.ranks, NULL,
                                 build_dataset->scavenged.permissions | S_IRUSR | S_IWUSR);
}

/* Whatever is there if this is killed, no map of an incomplete dataset has a summary that calls it
   complete. */
static int write_both(const struct build_dataset *build_dataset)
{
    int has_it = has_summary(build_dataset), is_whole = build_dataset->scavenged.faults == 0,
        rc = 0;

    if (!has_it && !is_whole)
        rc = write_summary(build_dataset);
    if (rc == 0)
        rc = write_map(build_dataset);
    if (rc == 0 && !has_it && is_whole)
        rc = write_summary(build_dataset);
    return rc;
}

static void tell_built(const struct build_dataset *build_dataset)
{
    const struct scion_scavenge *scavenged = &build_dataset->scavenged;
    char text[128];

    snprintf(text, sizeof text, "%s: the %s of %d rank%s and %lld file%s%s",
             build_dataset->build_run->dry_run ? "to be built" : "built",
             build_dataset->keeps_map ? "summary" : "map", scavenged->ranks.count,
             scavenged->ranks.count == 1 ? "" : "s", scavenged->files,
             scavenged->files == 1 ? "" : "s",
             scavenged->faults == 0 ? "" : ", marked as incomplete");
    say(build_dataset->build_run, build_dataset->name, 0, text);
}

static int build(struct build_dataset *build_dataset)
{
    int rc = find_files(build_dataset);

    if (rc == 0 && !build_dataset->build_run->dry_run)
        rc = write_both(build_dataset);
    if (rc == 0)
        tell_built(build_dataset);
    return rc;
}

/* ---- one after the other ---- */

static int look_at(struct build_dataset *build_dataset)
{
    struct build_run *build_run = build_dataset->build_run;
    int rc = look_for_map(build_dataset);

    if (rc == 0)
        rc = look_for_summary(build_dataset);
    build_dataset->keeps_map =
        build_dataset->has_map && (!build_dataset->old || is_complete(build_dataset->old));
    if (rc == 0 && !(build_dataset->keeps_map && build_dataset->old))
        rc = build(build_dataset);
    build_run->maps += rc == 0 || build_dataset->has_map;
    build_run->failed += rc != 0 || build_dataset->scavenged.faults > 0;
    if (rc != 0 && rc != SION_ERR_MEMORY)
        say(build_run, build_dataset->name, 1, scion_error_text());
    return rc == SION_ERR_MEMORY ? rc : 0;
}

/* It cannot be read; in the layout of SCR 1.1, it need not be one of SCR. */
static int skip(struct build_run *build_run, const struct scion_dataset_folder *folder)
{
    if (folder->id > 0) {
        build_run->found++;
        build_run->failed++;
        say(build_run, folder->name, 1, scion_error_text());
    }
    return 0;
}

static int visit(void *data, const struct scion_dataset_folder *folder)
{
    struct build_run *build_run = data;
    struct build_dataset *build_dataset = scion_must_allocate(1, sizeof *build_dataset);
    struct scion_filemaps filemaps = {0};
    int rc = scion_path_inside(build_dataset->folder, build_run->prefix, folder->path, 0);

    if (rc == 0)
        rc = scion_filemaps_count(build_dataset->folder, &filemaps);
    if (rc == 0 && filemaps.old + filemaps.new > 0) {
        build_run->found++;
        build_dataset->build_run = build_run;
        rc = find_place(build_dataset, folder, &filemaps);
        if (rc == 0)
            rc = look_at(build_dataset);
    } else if (rc != 0 && rc != SION_ERR_MEMORY) {
        rc = skip(build_run, folder);
    }
    scion_scavenge_free(&build_dataset->scavenged);
    sion_kvtree_free(build_dataset->old);
    free(build_dataset);
    return rc;
}

int scion_scr_index_build(const char *prefix, int dry_run, teller *tell, void *user)
{
    struct build_run build_run = {.prefix = prefix, .dry_run = dry_run, .tell = tell, .user = user};
    int rc = scion_comm_self(&build_run.self);

    if (rc == 0)
        rc = scion_dataset_folders(prefix, visit, &build_run);
    scion_comm_free(build_run.self);
    if (rc == 0 && build_run.found == 0)
        rc = scion_fail(SION_ERR_ARGUMENT,
                        "%s has no filemaps of a scavenge: no fmap.N.scr or filemap_N in "
                        "NAME/.scr or .scr/scr.dataset.ID",
                        prefix);
    if (rc == 0 && !dry_run && build_run.maps > 0)
        rc = scion_scr_index_repair(prefix, tell, user);
    return rc == 0 && build_run.failed > 0
               ? scion_fail(SION_ERR_DAMAGED, "%s: not complete: %d of %d with filemaps", prefix,
                            build_run.failed, build_run.found)
               : rc;
}

#include "scr/census.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/describe.h"
#include "scr/map/walk.h"

/* ---- counting ---- */

/* Entries before that of `rank` had no file. */
static void pass(struct scion_census *census, sion_int64 rank)
{
    const struct scion_rank *entries = census->ranks->entries;

    for (; census->next < census->ranks->count && entries[census->next].rank < rank;
         census->next++) {
        if (census->lacking++ == 0)
            census->lacking1 = entries[census->next].rank;
    }
}

void scion_census_count(struct scion_census *census, sion_int64 rank, sion_int64 size)
{
    pass(census, rank);
    if (census->next < census->ranks->count && census->ranks->entries[census->next].rank == rank)
        census->next++;
    census->files++;
    census->is_open |= size < 0;
    census->bytes += size < 0 ? 0 : size;
}

/* ---- comparing ---- */

/* A file of the map: RANKS, which may be missing, and the ranks that it has. */
struct file_count {
    char *name;
    sion_int64 stored, own, first;
    int level;
};

struct comparison {
    struct scion_census *census;
    struct scion_map_location found;
    const struct sion_scr_fetch_options *options;
    scion_census_tell *tell;
    void *data;
    int faults;
    struct file_count *files; /* [nfiles] */
    size_t nfiles;
};

static void tell(struct comparison *comparison, enum sion_scr_fault fault, sion_int64 rank,
                 const char *file, const char *text)
{
    comparison->faults++;
    comparison->tell(comparison->data, fault, rank, file, text);
}

static int note_file(void *data, const struct scion_map_file *file)
{
    enum { STEP = 64 };
    struct comparison *comparison = data;
    const struct sion_kvtree *all = sion_kvtree_get(file->tree, "RANK"), *entry;
    struct file_count file_count = {NULL, -1, sion_kvtree_count(all), INT64_MAX, file->level};
    int rc = 0;

    if (comparison->nfiles % STEP == 0) {
        void *files = scion_array_grown(comparison->files, comparison->nfiles + STEP,
                                        sizeof *comparison->files);

        if (!files)
            return scion_fail_memory("files of a map");
        comparison->files = files;
    }
    if (sion_kvtree_get(file->tree, "RANKS"))
        rc = scion_kvtree_int(file->tree, "RANKS", &file_count.stored);
    for (entry = sion_kvtree_first(all); entry && rc == 0; entry = entry->next) {
        sion_int64 rank;

        rc = scion_rank_of(entry, &rank);
        file_count.first = rc == 0 && rank < file_count.first ? rank : file_count.first;
    }
    file_count.name = rc == 0 ? strdup(scion_basename(file->path)) : NULL;
    if (rc == 0 && !file_count.name)
        return scion_fail_memory("files of a map");
    if (rc == 0)
        comparison->files[comparison->nfiles++] = file_count;
    return rc;
}

/* The ranks of the last leaf: older releases write their number as RANKS of all files. */
static sion_int64 last_leaf(const struct comparison *comparison)
{
    sion_int64 first = -1, own = -1;
    size_t i;

    for (i = 0; i < comparison->nfiles; i++) {
        if (comparison->files[i].level == 0 && comparison->files[i].first > first) {
            first = comparison->files[i].first;
            own = comparison->files[i].own;
        }
    }
    return comparison->found.layout == SION_SCR_LAYOUT_3 ? -1 : own;
}

static void compare_files(struct comparison *comparison)
{
    sion_int64 total = comparison->census->ranks->count, last = last_leaf(comparison);
    char text[128];
    size_t i;

    for (i = 0; i < comparison->nfiles; i++) {
        const struct file_count *file = &comparison->files[i];

        if (file->stored < 0 || file->stored == total || file->stored == last ||
            (file->level == 0 && file->stored == file->own))
            continue;
        snprintf(text, sizeof text, "RANKS is %lld, but there are %lld", file->stored, total);
        tell(comparison, SION_SCR_FAULT_RANKS, -1, file->name, text);
    }
}

static void compare_lacking(struct comparison *comparison)
{
    struct scion_census *census = comparison->census;
    char text[128];

    pass(census, INT64_MAX);
    if (comparison->found.layout != SION_SCR_LAYOUT_DATASET || census->lacking == 0)
        return;
    snprintf(text, sizeof text, "SCR 1.1 cannot restart: %lld rank%s no file", census->lacking,
             census->lacking == 1 ? " has" : "s have");
    tell(comparison, SION_SCR_FAULT_RANKS, census->lacking1, scion_basename(comparison->found.root),
         text);
}

/* ---- the summary ---- */

/* A number of the summary, if it has it. */
static int compare_number(const struct sion_kvtree *tree, const char *key, sion_int64 there)
{
    long long said = there;
    int rc = sion_kvtree_get(tree, key) ? scion_kvtree_int(tree, key, &said) : 0;

    return rc != 0 || said == there
               ? rc
               : scion_fail(SION_ERR_DAMAGED, "%s is %lld, but the map has %lld", key, said, there);
}

/* A number that must be this one. */
static int require(const struct sion_kvtree *tree, const char *key, sion_int64 wanted)
{
    long long said;
    int rc = scion_kvtree_int(tree, key, &said);

    return rc != 0 || said == wanted ? rc : scion_fail(SION_ERR_DAMAGED, "%s is %lld", key, said);
}

static int compare_summary(const struct comparison *comparison, const struct sion_kvtree *summary)
{
    const struct scion_census *census = comparison->census;
    const struct sion_kvtree *dataset = sion_kvtree_get(summary, "DSET");
    long long id;
    int rc = require(summary, "VERSION", SCION_SUMMARY_VERSION);

    if (rc == 0 && !comparison->options->force)
        rc = require(summary, "COMPLETE", 1);
    if (rc == 0)
        rc = scion_kvtree_int(dataset, "ID", &id);
    if (rc == 0 && comparison->found.layout != SION_SCR_LAYOUT_DATASET)
        rc = require(dataset, "ID", comparison->found.id);
    if (rc == 0)
        rc = compare_number(summary, "RANKS", census->ranks->count);
    if (rc == 0)
        rc = compare_number(dataset, "FILES", census->files);
    if (rc == 0 && !census->is_open)
        rc = compare_number(dataset, "SIZE", census->bytes);
    return rc;
}

static int check_summary(struct comparison *comparison)
{
    static const char name[] = "summary.scr";
    struct sion_kvtree *summary = NULL;
    char folder[SCION_PATH], path[SCION_PATH];
    int rc;

    strcpy(folder, comparison->found.root);
    scion_path_up(folder);
    rc = scion_path(path, folder, name);
    if (rc == 0)
        rc = scion_kvtree_read(path, &summary);
    if (rc == 0)
        rc = compare_summary(comparison, summary);
    sion_kvtree_free(summary);
    if (rc != 0 && rc != SION_ERR_MEMORY)
        tell(comparison, SION_SCR_FAULT_SUMMARY, -1, name, scion_error_text());
    return rc == SION_ERR_MEMORY ? rc : 0;
}

/* The map has been read before, so that it cannot be read again is no matter of the map. */
static int compare_all(struct comparison *comparison, const char *folder)
{
    const struct sion_scr_map_options *map = comparison->options->map;
    int rc = scion_find_map(folder, map->base, &comparison->found);

    if (rc == 0)
        rc = scion_map_walk(&comparison->found, map->allow_outside, note_file, comparison);
    if (rc != 0)
        return rc;
    compare_files(comparison);
    compare_lacking(comparison);
    return check_summary(comparison);
}

int scion_census_compare(struct scion_census *census, const char *folder,
                         const struct sion_scr_fetch_options *options, scion_census_tell *say,
                         void *data, int *faults)
{
    struct comparison *comparison = scion_must_allocate(1, sizeof *comparison);
    int rc;
    size_t i;

    comparison->census = census;
    comparison->options = options;
    comparison->tell = say;
    comparison->data = data;
    rc = compare_all(comparison, folder);
    *faults = comparison->faults;
    for (i = 0; i < comparison->nfiles; i++)
        free(comparison->files[i].name);
    free(comparison->files);
    free(comparison);
    return rc;
}

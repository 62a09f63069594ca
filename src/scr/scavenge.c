#include "scr/scavenge.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/file_location.h"
#include "scr/map/entry.h"

/* So many ranks without a filemap are a wrong number of ranks, and no loss. */
enum { MISSING_MOST = 1 << 24 };

struct scavenge_search {
    struct scion_scavenge *result;
    struct scion_file_search locating;
    const char *dataset;                 /* key of the dataset */
    const struct sion_kvtree *described; /* its description, of the first rank that has one */
    sion_int64 total;                    /* number of ranks; -1: not known yet */
    sion_int64 bytes;
    struct sion_kvtree *owners; /* { name -> rank }: of the files that are there */
};

static void tell(struct scavenge_search *scavenge_search, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void tell(struct scavenge_search *scavenge_search, const char *format, ...)
{
    char text[2 * SCION_PATH];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    scavenge_search->result->faults++;
    if (scavenge_search->result->tell)
        scavenge_search->result->tell(scavenge_search->result->user, text);
}

/* ---- which dataset ---- */

static const char *name_in(const struct sion_kvtree *dataset)
{
    return sion_kvtree_value(sion_kvtree_get(dataset, "DSETDESC"), "NAME");
}

/* That of the number; where there is none the only one, or that of the name. */
static int choose_dataset(struct scavenge_search *scavenge_search, const struct sion_kvtree *map)
{
    const struct scion_scavenge *result = scavenge_search->result;
    const struct sion_kvtree *rank, *dataset;
    int others = 0, is_named = 0;

    for (rank = sion_kvtree_first(sion_kvtree_get(map, "RANK")); rank; rank = rank->next) {
        for (dataset = sion_kvtree_first(sion_kvtree_get(rank, "DSET")); dataset;
             dataset = dataset->next) {
            const char *name = name_in(dataset);
            int is_meant = result->id != 0 ? atoll(dataset->key) == result->id
                                           : name && strcmp(name, result->name) == 0;

            if ((is_meant && !is_named) || (result->id == 0 && !scavenge_search->dataset))
                scavenge_search->dataset = dataset->key;
            else if (scavenge_search->dataset &&
                     strcmp(scavenge_search->dataset, dataset->key) != 0)
                others = 1;
            is_named |= is_meant;
        }
    }
    if (!scavenge_search->dataset)
        return scion_fail(SION_ERR_DAMAGED, "the filemaps have nothing of this dataset");
    return others && !is_named ? scion_fail(SION_ERR_DAMAGED,
                                            "the filemaps are of several datasets, none of them "
                                            "called %.200s",
                                            result->name)
                               : 0;
}

/* All ranks describe the same dataset. */
static int take_description(struct scavenge_search *scavenge_search,
                            const struct sion_kvtree *dataset)
{
    const struct sion_kvtree *description = sion_kvtree_get(dataset, "DSETDESC");
    const char *name = sion_kvtree_value(description, "NAME"), *first;
    long long id;
    int rc = description ? scion_kvtree_int(description, "ID", &id) : 0;

    if (!description)
        return 0;
    if (rc == 0 && (id != atoll(scavenge_search->dataset) || id < 1 || id > INT_MAX))
        rc = scion_fail(SION_ERR_DAMAGED, "ID is %lld", id);
    if (rc == 0)
        rc = scion_check_name(name ? name : "", 0);
    if (rc != 0) {
        scion_fail_prefix("DSETDESC");
        return rc;
    }
    if (!scavenge_search->described)
        scavenge_search->described = description;
    first = sion_kvtree_value(scavenge_search->described, "NAME");
    return strcmp(first, name) == 0
               ? 0
               : scion_fail(SION_ERR_DAMAGED, "DSETDESC: NAME is %.200s, but others have %.200s",
                            name, first);
}

/* ---- a file ---- */

/* What META says of a file. */
struct meta {
    long long ranks, size, complete, crc;
    int has_crc;
};

static int get_meta(const struct sion_kvtree *tree, struct meta *meta)
{
    int rc = scion_kvtree_int(tree, "SIZE", &meta->size);

    if (rc == 0 && meta->size < 0)
        rc = scion_fail(SION_ERR_DAMAGED, "SIZE is %lld", meta->size);
    if (rc == 0)
        rc = scion_kvtree_int(tree, "COMPLETE", &meta->complete);
    meta->has_crc = sion_kvtree_get(tree, "CRC") != NULL;
    if (rc == 0 && meta->has_crc)
        rc = scion_kvtree_int(tree, "CRC", &meta->crc);
    if (rc == 0 && meta->has_crc && (meta->crc < 0 || meta->crc > UINT32_MAX))
        rc = scion_fail(SION_ERR_DAMAGED, "CRC is %lld", meta->crc);
    return rc;
}

/* All files name the same number of ranks. */
static int take_ranks(struct scavenge_search *scavenge_search, const struct sion_kvtree *tree)
{
    long long ranks;
    int rc = scion_kvtree_int(tree, "RANKS", &ranks);

    if (rc == 0 && (ranks < 1 || ranks > INT32_MAX))
        rc = scion_fail(SION_ERR_DAMAGED, "RANKS is %lld", ranks);
    if (rc == 0 && scavenge_search->total >= 0 && scavenge_search->total != ranks)
        rc = scion_fail(SION_ERR_DAMAGED, "RANKS is %lld, but other files have %lld", ranks,
                        scavenge_search->total);
    if (rc == 0)
        scavenge_search->total = ranks;
    return rc;
}

/* Why a file is not whole: an error, which makes the dataset incomplete. */
static int check_file(const struct scavenge_search *scavenge_search,
                      const struct scion_file_location *located, const struct meta *meta)
{
    const char *owner = sion_kvtree_value(scavenge_search->owners, located->name);

    if (!located->is_there && located->outside[0])
        return scion_fail(SION_ERR_SYSTEM, "it does not exist, and %.1000s is not in %.1000s",
                          located->outside, scavenge_search->result->base);
    if (!located->is_there)
        return scion_fail(SION_ERR_SYSTEM, "it is not there");
    if (owner)
        return scion_fail(SION_ERR_DAMAGED, "it is also the file of rank %s", owner);
    if (located->size != meta->size)
        return scion_fail(SION_ERR_DAMAGED, "it has %lld bytes, not %lld", located->size,
                          meta->size);
    return meta->complete == 1 ? 0 : scion_fail(SION_ERR_DAMAGED, "marked as incomplete");
}

static int put_file(struct scavenge_search *scavenge_search, struct sion_kvtree *entry,
                    const char *rank, const struct scion_file_location *located,
                    const struct meta *meta)
{
    const uint32_t crc = (uint32_t)meta->crc;

    scavenge_search->result->files++;
    scavenge_search->bytes += meta->size;
    scavenge_search->result->permissions &= located->permissions;
    return scion_kvtree_put(scavenge_search->owners, located->name, rank)
               ? scion_entry_put(entry, located->name, meta->size, meta->has_crc ? &crc : NULL,
                                 NULL, NULL)
               : SION_ERR_MEMORY;
}

/* A file that has a fault stays in the map, marked as such. */
static int put_incomplete(struct sion_kvtree *entry, const char *name)
{
    struct sion_kvtree *file = scion_kvtree_set(scion_kvtree_set(entry, "FILE"), name);

    return scion_kvtree_put_int(file, "COMPLETE", 0) ? 0 : SION_ERR_MEMORY;
}

static int add_file(struct scavenge_search *scavenge_search, struct sion_kvtree *entry,
                    const char *rank, const struct sion_kvtree *file)
{
    const struct sion_kvtree *tree = sion_kvtree_get(file, "META");
    const char *type = sion_kvtree_value(tree, "TYPE");
    struct scion_file_location located;
    struct meta meta = {0};
    int rc;

    if (type && strcmp(type, "USER") != 0)
        return 0; /* SCR's own, which protects the others */
    rc = take_ranks(scavenge_search, tree);
    if (rc != 0) {
        scion_fail_prefix("rank %s, file %.500s", rank, file->key);
        return rc;
    }
    scion_file_locate(&scavenge_search->locating, file, &located);
    rc = get_meta(tree, &meta);
    if (rc == 0)
        rc = check_file(scavenge_search, &located, &meta);
    if (rc == 0)
        return put_file(scavenge_search, entry, rank, &located, &meta);
    tell(scavenge_search, "rank %s, file %.1000s: %s", rank,
         located.name[0] ? located.name : file->key, scion_error_text());
    return located.name[0] ? put_incomplete(entry, located.name) : 0;
}

/* ---- a rank ---- */

static int add_rank(struct scavenge_search *scavenge_search, const struct sion_kvtree *tree)
{
    const struct sion_kvtree *dataset =
        sion_kvtree_get(sion_kvtree_get(tree, "DSET"), scavenge_search->dataset);
    const struct sion_kvtree *file = sion_kvtree_first(sion_kvtree_get(dataset, "FILE"));
    struct sion_kvtree *entry = scion_kvtree_new();
    sion_int64 rank;
    int rc = entry ? scion_rank_of(tree, &rank) : SION_ERR_MEMORY;

    if (rc == 0 && dataset) {
        rc = take_description(scavenge_search, dataset);
        if (rc != 0)
            scion_fail_prefix("rank %s", tree->key);
        for (; file && rc == 0; file = file->next)
            rc = add_file(scavenge_search, entry, tree->key, file);
        if (rc == 0)
            rc = scion_ranks_add(&scavenge_search->result->ranks, rank, entry);
    }
    sion_kvtree_free(entry);
    return rc;
}

/* Ranks first .. last have no filemap: entries without files. */
static int add_missing(struct scavenge_search *scavenge_search, sion_int64 first, sion_int64 last)
{
    static const struct sion_kvtree none;
    sion_int64 rank;
    int rc = 0;

    if (first > last)
        return 0;
    if (first == last)
        tell(scavenge_search, "rank %lld: it has no filemap", first);
    else
        tell(scavenge_search, "ranks %lld to %lld: they have no filemaps", first, last);
    for (rank = first; rank <= last && rc == 0; rank++)
        rc = scion_ranks_add(&scavenge_search->result->ranks, rank, &none);
    return rc;
}

static int complete_ranks(struct scavenge_search *scavenge_search)
{
    struct sion_scr_ranks *ranks = &scavenge_search->result->ranks;
    sion_int64 next = 0;
    int rc = scion_ranks_sort(ranks), count = ranks->count, i;

    if (rc == 0 && scavenge_search->total < 0)
        rc = scion_fail(SION_ERR_DAMAGED, "no file gives the number of ranks");
    if (rc == 0 && ranks->entries[count - 1].rank >= scavenge_search->total)
        rc = scion_fail(SION_ERR_DAMAGED, "there is a rank %lld, but RANKS is %lld",
                        ranks->entries[count - 1].rank, scavenge_search->total);
    if (rc == 0 && scavenge_search->total - count > MISSING_MOST)
        rc = scion_fail(SION_ERR_DAMAGED, "RANKS is %lld, but there are %d", scavenge_search->total,
                        count);
    for (i = 0; i < count && rc == 0; i++) {
        sion_int64 rank = ranks->entries[i].rank;

        rc = add_missing(scavenge_search, next, rank - 1);
        next = rank + 1;
    }
    if (rc == 0)
        rc = add_missing(scavenge_search, next, scavenge_search->total - 1);
    return rc == 0 ? scion_ranks_sort(ranks) : rc;
}

/* ---- the dataset ---- */

/* A number of the description; if it has none, that which is there. */
static int compare_number(struct scavenge_search *scavenge_search, const char *key,
                          sion_int64 there)
{
    struct sion_kvtree *dset = scavenge_search->result->dset;
    long long said = there;
    int rc = 0;

    if (sion_kvtree_get(dset, key))
        rc = scion_kvtree_int(dset, key, &said);
    else if (!scion_kvtree_put_int(dset, key, there))
        return SION_ERR_MEMORY;
    if (rc != 0) {
        scion_fail_prefix("DSETDESC");
        return rc;
    }
    if (said != there && scavenge_search->result->faults == 0)
        tell(scavenge_search, "DSETDESC: %s is %lld, but there are %lld", key, said, there);
    return 0;
}

static int describe(struct scavenge_search *scavenge_search)
{
    struct scion_scavenge *result = scavenge_search->result;
    const char *complete = sion_kvtree_value(scavenge_search->described, "COMPLETE");
    int rc;

    if (!scavenge_search->described)
        return scion_fail(SION_ERR_DAMAGED,
                          "no filemap describes the dataset: DSETDESC is missing");
    result->dset = scion_kvtree_new();
    if (!result->dset || scion_kvtree_merge(result->dset, scavenge_search->described) != 0)
        return SION_ERR_MEMORY;
    rc = compare_number(scavenge_search, "FILES", result->files);
    if (rc == 0)
        rc = compare_number(scavenge_search, "SIZE", scavenge_search->bytes);
    if (rc == 0 && complete && strcmp(complete, "1") != 0)
        tell(scavenge_search, "DSETDESC: marked as incomplete");
    if (rc == 0 && !scion_kvtree_put_int(result->dset, "COMPLETE", result->faults == 0))
        rc = SION_ERR_MEMORY;
    return rc;
}

static int find_all(struct scavenge_search *scavenge_search, const struct sion_kvtree *map)
{
    const struct sion_kvtree *rank;
    int rc = choose_dataset(scavenge_search, map);

    for (rank = sion_kvtree_first(sion_kvtree_get(map, "RANK")); rank && rc == 0; rank = rank->next)
        rc = add_rank(scavenge_search, rank);
    if (rc == 0)
        rc = complete_ranks(scavenge_search);
    return rc == 0 ? describe(scavenge_search) : rc;
}

int scion_scavenge_find(const struct sion_kvtree *map, struct scion_scavenge *scavenged)
{
    struct scavenge_search *scavenge_search = scion_must_allocate(1, sizeof *scavenge_search);
    int rc;

    scavenged->permissions = 0666;
    scavenge_search->result = scavenged;
    scavenge_search->locating =
        (struct scion_file_search){.base = scavenged->base, .own = scavenged->own};
    scavenge_search->total = -1;
    scavenge_search->owners = scion_kvtree_new();
    rc = scavenge_search->owners ? find_all(scavenge_search, map) : SION_ERR_MEMORY;
    sion_kvtree_free(scavenge_search->owners);
    free(scavenge_search);
    return rc;
}

void scion_scavenge_free(struct scion_scavenge *scavenged)
{
    scion_ranks_clear(&scavenged->ranks);
    sion_kvtree_free(scavenged->dset);
    scavenged->dset = NULL;
}

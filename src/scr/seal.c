/*
 * Add sizes and CRCs to a map that has none. All tasks measure the files of their ranks; rank 0
 * then goes through the map's own files, in which only two keys are added to each entry.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/map/entry.h"
#include "scr/map/find.h"
#include "scr/map/map.h"
#include "scr/map/walk.h"
#include "scr/scr.h"
#include "scr/tasks/words.h"

/* What is known of a file, as words: its rank, its number among the files of the rank, size,
   CRC. */
enum { RANK, NUMBER, SIZE, CRC, WORDS };

struct seal_run {
    struct scion_comm *comm;
    const struct sion_scr_fetch_options *options;
    struct scion_names names;
    struct scion_source source;
    struct scion_words measured; /* of this task's files */
    sion_int64 rank, number;     /* of the file measured last */

    /* on rank 0 */
    struct scion_map_location found;
    struct scion_post all; /* of all tasks: by rank and number */
    sion_int64 files;
};

/* ---- on every task: its files ---- */

static int measure(struct seal_run *seal_run, const struct scion_entry *entry)
{
    struct scion_segments whole = {0};
    sion_int64 size;
    uint32_t crc = 0;
    int rc = scion_source_size(&seal_run->source, entry->name, &size);

    if (rc == 0 && entry->size >= 0 && entry->size != size)
        rc = scion_fail(SION_ERR_DAMAGED, "it has %lld bytes, not %lld", size, entry->size);
    if (rc == 0)
        rc = scion_segments_add(&whole, entry->name, 0, size);
    if (rc == 0 && !seal_run->options->no_crc)
        rc = scion_source_read(&seal_run->source, &whole, &crc, NULL, NULL);
    if (rc == 0 && !seal_run->options->no_crc)
        rc = scion_entry_compare(entry, crc);
    scion_segments_free(&whole);
    scion_words_append(&seal_run->measured, seal_run->rank);
    scion_words_append(&seal_run->measured, seal_run->number);
    scion_words_append(&seal_run->measured, size);
    scion_words_append(&seal_run->measured, crc);
    return rc;
}

static int visit(void *data, sion_int64 rank, struct scion_entry *entry, int status)
{
    struct seal_run *seal_run = data;

    seal_run->number = rank == seal_run->rank ? seal_run->number + 1 : 0;
    seal_run->rank = rank;
    if (status == 0 && entry->failed && !seal_run->options->force)
        status = scion_fail(SION_ERR_DAMAGED, "marked as incomplete");
    if (status == 0 && !entry->in_segments && !entry->failed && !entry->nofetch)
        status = measure(seal_run, entry);
    if (status != 0)
        scion_fail_prefix("file %.200s", entry->name);
    return status;
}

/* ---- on rank 0: the map's files ---- */

static int by_place(const void *a, const void *b)
{
    const sion_int64 *left = a, *right = b;

    if (left[RANK] != right[RANK])
        return left[RANK] < right[RANK] ? -1 : 1;
    return left[NUMBER] < right[NUMBER] ? -1 : left[NUMBER] > right[NUMBER];
}

static int seal_rank(const struct seal_run *seal_run, const struct sion_kvtree *entry)
{
    sion_int64 wanted[WORDS] = {atoll(entry->key), 0};
    struct sion_kvtree *file = sion_kvtree_get(entry, "FILE");

    for (file = file ? file->first : NULL; file; file = file->next, wanted[NUMBER]++) {
        const sion_int64 *known = bsearch(wanted, seal_run->all.list.words, (size_t)seal_run->files,
                                          WORDS * sizeof *wanted, by_place);

        if (!known)
            continue;
        if (!scion_kvtree_put_int(file, "SIZE", known[SIZE]) ||
            (!seal_run->options->no_crc &&
             !scion_kvtree_put_crc(file, "CRC", (unsigned int)known[CRC])))
            return SION_ERR_MEMORY;
    }
    return 0;
}

static int seal_file(void *data, const struct scion_map_file *file)
{
    const struct seal_run *seal_run = data;
    const struct sion_kvtree *entry;
    int rc = 0;

    if (file->offset != 0)
        return scion_fail(SION_ERR_ARGUMENT, "%.200s: a map in one file cannot be sealed",
                          file->path);
    if (file->level > 0)
        return 0;
    for (entry = sion_kvtree_first(sion_kvtree_get(file->tree, "RANK")); entry && rc == 0;
         entry = entry->next)
        rc = seal_rank(seal_run, entry);
    return rc == 0 ? scion_kvtree_replace(file->path, file->whole) : rc;
}

static int seal_map(struct seal_run *seal_run, const char *folder)
{
    int rc = scion_find_map(folder, seal_run->options->map->base, &seal_run->found);

    seal_run->files = seal_run->all.list.count / WORDS;
    if (seal_run->files > 0)
        qsort(seal_run->all.list.words, (size_t)seal_run->files, WORDS * sizeof(sion_int64),
              by_place);
    return rc == 0 ? scion_map_walk(&seal_run->found, seal_run->names.allow_outside, seal_file,
                                    seal_run)
                   : rc;
}

/* Collective: one map. */
static int seal_one(struct scion_comm *comm, const char *folder,
                    const struct sion_scr_fetch_options *options)
{
    struct seal_run *seal_run = scion_must_allocate(1, sizeof *seal_run);
    struct scion_map_info *info = scion_must_allocate(1, sizeof *info);
    struct sion_scr_ranks ranks = {0};
    int rc, status;

    seal_run->comm = comm;
    seal_run->options = options;
    seal_run->rank = -1;
    rc = scion_map_read(comm, folder, seal_run->options->map, &ranks, info);
    if (rc == 0) {
        seal_run->names = scion_map_names(info, seal_run->options->map);
        scion_source_begin(&seal_run->source, info->base, seal_run->names.allow_outside);
        status = scion_entries_visit(&ranks, &seal_run->names, visit, seal_run);
        scion_source_end(&seal_run->source);
        rc = scion_post_gather(comm, scion_name_rank(comm, status), seal_run->measured.words,
                               seal_run->measured.count, &seal_run->all);
    }
    if (rc == 0) {
        status = comm->rank == 0 ? seal_map(seal_run, folder) : 0;
        rc = scion_agree(comm, scion_name_rank(comm, status));
    }
    scion_ranks_clear(&ranks);
    free(seal_run->measured.words);
    scion_post_free(&seal_run->all);
    free(info);
    free(seal_run);
    return rc;
}

/* Collective: seal the maps that rank 0 has found; rank 0 reports each of them. */
static int seal_several(struct scion_comm *comm, const struct scion_maps *maps, int count,
                        const struct sion_scr_fetch_options *options)
{
    int failed = 0, code = 0, i;

    for (i = 0; i < count; i++) {
        const char *folder = comm->rank == 0 ? maps->paths[i] : "";
        int rc = seal_one(comm, folder, options);

        if (comm->rank == 0 && options->tell)
            options->tell(options->user, rc == 0 ? SION_SCR_DONE : SION_SCR_FAILED, -1, folder,
                          rc == 0 ? "sealed" : sion_error_text());
        failed += rc != 0;
        code = scion_first_failure(rc, code);
    }
    return failed == 0 ? 0 : scion_fail(code, "%d of %d maps could not be sealed", failed, count);
}

int scion_scr_seal(sion_scr_comm *comm, const char *folder,
                   const struct sion_scr_fetch_options *options)
{
    struct scion_maps maps = {0};
    int status = comm->rank == 0 ? scion_maps_find(folder, &maps) : 0, count = maps.count;
    int rc = scion_agree(comm, scion_name_rank(comm, status));

    if (rc == 0)
        rc = scion_bcast(comm, &count, sizeof count, 0);
    if (rc == 0)
        rc =
            count > 1 ? seal_several(comm, &maps, count, options) : seal_one(comm, folder, options);
    scion_maps_free(&maps);
    return rc;
}

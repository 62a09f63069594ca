#include "scr/map_stream.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/describe.h"
#include "scr/kvtree/kvtree.h"

static const char version_key[] = "SION_SCR_MAP";
enum { KEPT_VERSION = 1 };

/* ---- making one ---- */

/* DSET of the summary next to the map; if there is none, the number in the name of the folder. */
static int take_dataset(const struct scion_map_location *found, struct sion_kvtree *kept)
{
    char folder[SCION_PATH], path[SCION_PATH];
    struct sion_kvtree *summary, *dataset = scion_kvtree_set(kept, "DSET");
    const struct sion_kvtree *said;
    int is_there, rc;

    strcpy(folder, found->root);
    folder[scion_basename(folder) - folder] = '\0';
    rc = scion_path(path, folder, "summary.scr");
    if (rc == 0)
        rc = scion_kvtree_read_or_new(path, &is_there, &summary);
    if (rc != 0)
        return rc;
    said = sion_kvtree_get(summary, "DSET");
    if (said && dataset)
        rc = scion_kvtree_merge(dataset, said);
    sion_kvtree_free(summary);
    if (rc == 0 && found->id > 0 && !sion_kvtree_get(dataset, "ID") &&
        !scion_kvtree_put_int(dataset, "ID", found->id))
        rc = SION_ERR_MEMORY;
    return dataset ? rc : SION_ERR_MEMORY;
}

int scion_map_stream_new(const struct scion_map_location *found, const struct sion_scr_ranks *ranks,
                         struct sion_kvtree **kept)
{
    struct sion_kvtree *all;
    int is_below = found->layout != SION_SCR_LAYOUT_DATASET, rc = 0, i;

    *kept = scion_kvtree_new();
    if (!scion_kvtree_put_int(*kept, version_key, KEPT_VERSION) ||
        !scion_kvtree_put(*kept, "NAMES", is_below ? "PREFIX" : "DATASET"))
        rc = SION_ERR_MEMORY;
    if (rc == 0)
        rc = take_dataset(found, *kept);
    all = scion_kvtree_set(*kept, "RANK");
    for (i = 0; i < ranks->count && rc == 0; i++) {
        if (!scion_kvtree_setf(all, "%lld", ranks->entries[i].rank))
            rc = SION_ERR_MEMORY;
    }
    return rc;
}

int scion_map_stream_add(struct sion_kvtree *kept, sion_int64 rank, const struct scion_entry *entry,
                         int task)
{
    struct sion_kvtree *tree = scion_kvtree_setf(sion_kvtree_get(kept, "RANK"), "%lld", rank);
    struct sion_kvtree *file = scion_kvtree_set(scion_kvtree_set(tree, "FILE"), entry->name);

    if (!scion_kvtree_put_int(file, "TASK", task) ||
        (entry->failed && !scion_kvtree_put_int(file, "COMPLETE", 0)) ||
        (entry->nofetch && !scion_kvtree_set(file, "NOFETCH")))
        return SION_ERR_MEMORY;
    return 0;
}

/* ---- whether it is needed ---- */

/* 1 if a key is not there, or has this value. */
static int has_default(const struct sion_kvtree *tree, const char *key, long long value)
{
    long long found;

    return !sion_kvtree_get(tree, key) ||
           (scion_kvtree_int(tree, key, &found) == 0 && found == value);
}

/* Whether an export would make this dataset: in the folder of its name, or named by its number. */
static int is_default_dataset(const struct sion_kvtree *kept)
{
    const struct sion_kvtree *dataset = sion_kvtree_get(kept, "DSET");
    const char *name = sion_kvtree_value(dataset, "NAME");

    return strcmp(sion_kvtree_value(kept, "NAMES"), "DATASET") == 0 &&
           (!name || !strchr(name, '/')) && has_default(dataset, "ID", 1) &&
           has_default(dataset, "CKPT", 1) && has_default(dataset, "COMPLETE", 1) &&
           has_default(dataset, "FLAG_CKPT", 1) && has_default(dataset, "FLAG_OUTPUT", 0);
}

/* Whether every rank has one ordinary file, with the name that an export would give it. */
static int has_default_names(const struct sion_kvtree *kept, const char *container)
{
    const struct sion_kvtree *rank = sion_kvtree_first(sion_kvtree_get(kept, "RANK"));
    char name[SCION_PATH];

    for (; rank; rank = rank->next) {
        const struct sion_kvtree *files = sion_kvtree_get(rank, "FILE");
        const struct sion_kvtree *file = sion_kvtree_first(files);

        snprintf(name, sizeof name, "%s.task.%s", scion_basename(container), rank->key);
        if (sion_kvtree_count(files) != 1 || sion_kvtree_count(file) != 1 ||
            strcmp(file->key, name) != 0)
            return 0;
    }
    return 1;
}

int scion_map_stream_is_needed(const struct sion_kvtree *kept, const char *container)
{
    return !is_default_dataset(kept) || !has_default_names(kept, container);
}

/* ---- reading one ---- */

static int append(void *data, const void *bytes, size_t size)
{
    unsigned char **to = data;

    if (bytes)
        memcpy(*to, bytes, size);
    else
        memset(*to, 0, size);
    *to += size;
    return 0;
}

/* All bytes of the segments, if they are one record of a tree; else *size is 0. */
static int read_record(const struct scion_segments *segments, void **bytes, size_t *size)
{
    unsigned char header[SCION_KVTREE_HEADER], *to = header;
    struct scion_segment first = segments->list[0];
    struct scion_segments begin = {&first, 1, 1, sizeof header};
    struct scion_source source;
    sion_int64 said = 0;
    uint32_t crc;
    int rc;

    first.length = sizeof header;
    scion_source_begin(&source, ".", 1);
    rc = scion_source_read(&source, &begin, &crc, append, &to);
    if (rc == 0 && scion_kvtree_record_size(header, sizeof header, &said) == 0 &&
        said == segments->bytes && (uint64_t)said <= SIZE_MAX) {
        *size = (size_t)said;
        *bytes = malloc(*size);
        to = *bytes;
        rc = to ? scion_source_read(&source, segments, &crc, append, &to)
                : scion_fail_memory("names in a container");
    }
    scion_source_end(&source);
    return rc;
}

static int decode(const void *bytes, size_t size, struct sion_kvtree **kept)
{
    long long version;
    int rc = scion_kvtree_decode(bytes, size, kept, NULL);

    if (rc != 0 || !sion_kvtree_get(*kept, version_key)) {
        sion_kvtree_free(rc == 0 ? *kept : NULL);
        *kept = NULL;
        return rc;
    }
    rc = scion_kvtree_int(*kept, version_key, &version);
    if (rc == 0 && version != KEPT_VERSION)
        rc = scion_fail(SION_ERR_VERSION, "%s is %lld", version_key, version);
    if (rc == 0 && !sion_kvtree_value(*kept, "NAMES"))
        rc = scion_fail(SION_ERR_DAMAGED, "NAMES is missing");
    return rc;
}

int scion_map_stream_read(const struct sion_layer_parts *parts, struct sion_kvtree **kept)
{
    struct scion_segments segments = {0};
    struct sion_layer_part part;
    void *bytes = NULL;
    size_t size = 0;
    int last = sion_layer_parts_count(parts) - 1, rc;

    *kept = NULL;
    sion_layer_parts_get(parts, last, &part);
    if (last < 1 || part.globalrank != -1)
        return 0;
    rc = scion_segments_add_chunks(&segments, part.path, &part.place, part.used, part.stride,
                                   part.count);
    if (rc == 0 && segments.count > 0 && segments.list[0].length >= SCION_KVTREE_HEADER)
        rc = read_record(&segments, &bytes, &size);
    if (rc == 0 && size > 0)
        rc = decode(bytes, size, kept);
    if (rc != 0)
        scion_fail_prefix("%.200s, task %d: the names of the files", part.path, last);
    free(bytes);
    scion_segments_free(&segments);
    return rc;
}

int scion_map_stream_apply(const struct sion_kvtree *kept, int has_id,
                           struct scion_export_plan *export)
{
    const struct sion_kvtree *dataset = sion_kvtree_get(kept, "DSET");
    const char *name = sion_kvtree_value(dataset, "NAME");
    struct scion_dataset_facts *told = &export->told;
    long long id;

    told->kept = dataset;
    told->no_checkpoint |= !has_default(dataset, "FLAG_CKPT", 1);
    told->output |= !has_default(dataset, "FLAG_OUTPUT", 0);
    if (!has_id && scion_kvtree_int(dataset, "ID", &id) == 0 && id > 0 && id <= INT_MAX)
        export->place.id = (int)id;
    if (told->name[0] || !name || export->place.layout == SION_SCR_LAYOUT_DATASET)
        return 0;
    if (strlen(name) >= sizeof told->name)
        return scion_fail(SION_ERR_ARGUMENT, "%.60s...: the dataset's name is too long", name);
    if (scion_check_name(name, 0) != 0)
        return sion_error_code();
    strcpy(told->name, name);
    return 0;
}

int scion_map_stream_name(const struct sion_kvtree *kept, const struct scion_export_plan *export,
                          const char *name, char *path)
{
    char dataset[NAME_MAX + 1];
    int rc = 0;

    snprintf(dataset, sizeof dataset, "%s", export->told.name);
    if (!dataset[0])
        rc = scion_dataset_name(&export->place, dataset, sizeof dataset);
    if (rc != 0)
        return rc;
    if (export->place.layout != SION_SCR_LAYOUT_DATASET &&
        strcmp(sion_kvtree_value(kept, "NAMES"), "DATASET") == 0)
        rc = scion_path(path, dataset, name);
    else
        rc = scion_path(path, NULL, name);
    return rc != 0 ? rc : scion_check_name(path, 0);
}

/* The task of a file; an error if another file has the same task. */
static int take_task(const struct sion_kvtree *file, int ntasks, char *is_taken, int *task)
{
    long long number;
    int rc = scion_kvtree_int(file, "TASK", &number);

    if (rc == 0 && (number < 0 || number >= ntasks || is_taken[number]))
        rc = scion_fail(SION_ERR_DAMAGED, "TASK is %lld", number);
    if (rc != 0) {
        scion_fail_prefix("file %.200s", file->key);
        return rc;
    }
    is_taken[number] = 1;
    *task = (int)number;
    return 0;
}

int scion_map_stream_files(const struct sion_kvtree *kept, int ntasks,
                           scion_map_stream_visit *visit, void *data)
{
    const struct sion_kvtree *entry = sion_kvtree_first(sion_kvtree_get(kept, "RANK")), *file;
    char *is_taken = scion_must_allocate((size_t)ntasks + 1, 1);
    sion_int64 rank;
    int rc = 0, task;

    for (; entry && rc == 0; entry = entry->next) {
        rc = scion_rank_of(entry, &rank);
        file = sion_kvtree_first(sion_kvtree_get(entry, "FILE"));
        for (; file && rc == 0; file = file->next) {
            rc = take_task(file, ntasks, is_taken, &task);
            if (rc == 0)
                rc = visit(data, rank, file, task);
        }
        if (rc == 0)
            rc = visit(data, rank, NULL, -1);
    }
    for (task = 0; task < ntasks && rc == 0; task++) {
        if (!is_taken[task])
            rc =
                scion_fail(SION_ERR_DAMAGED, "task %d is not a file of the map that is kept", task);
    }
    free(is_taken);
    return rc;
}

/* The map of a container that is closed. */
#include "scr/export_plan.h"

#include <stdlib.h>
#include <string.h>

#include "api/private_abi.h"
#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset/record.h"
#include "scr/map_stream.h"
#include "scr/map/entry.h"
#include "scr/map/map.h"
#include "scr/merged.h"
#include "scr/native.h"
#include "scr/scr.h"

struct job {
    struct scion_export_plan export;
    struct sion_layer_parts *parts;
    struct scion_comm *self;
    int ntasks;               /* that have a file of a rank */
    struct sion_kvtree *kept; /* of the map that it was imported from; NULL: none */
    struct sion_kvtree *tree; /* of the rank whose files are visited */
    int use_ranks;            /* the stored global ranks are unique */
    struct sion_scr_ranks ranks;
    struct scion_source source;
    char *is_named;          /* [physical files]: it is in the map */
    const char *path;        /* physical file whose name is in `file` */
    char file[SCION_PATH];   /* relative to base */
    sion_int64 files, bytes; /* of all ranks */
};

/* A task of a buddy file that only holds others' data. */
static int is_placeholder(const struct sion_layer_part *part)
{
    return part->globalrank < 0 && part->chunksize == 0 && part->count <= 1 && part->used[0] == 0;
}

static int compare(const void *a, const void *b)
{
    sion_int64 left = *(const sion_int64 *)a, right = *(const sion_int64 *)b;

    return left < right ? -1 : left > right;
}

/* Whether all tasks that are not place-holders have different global ranks. */
static void look_at_ranks(struct job *job)
{
    sion_int64 *ranks = scion_must_allocate((size_t)job->ntasks + 1, sizeof *ranks);
    int n = 0, t;

    job->use_ranks = 1;
    for (t = 0; t < job->ntasks; t++) {
        struct sion_layer_part part;

        sion_layer_parts_get(job->parts, t, &part);
        if (is_placeholder(&part))
            continue;
        ranks[n++] = part.globalrank;
    }
    qsort(ranks, (size_t)n, sizeof *ranks, compare);
    for (t = 0; t < n; t++) {
        if (ranks[t] < 0 || (t > 0 && ranks[t] == ranks[t - 1]))
            job->use_ranks = 0;
    }
    free(ranks);
}

/* The name of a physical file in the map. */
static int name_file(struct job *job, const char *path)
{
    int rc;

    if (job->path == path)
        return 0;
    rc = scion_relative(job->export.base, path, job->file);
    job->path = rc == 0 ? path : NULL;
    return rc;
}

/* The task's stream, in segments. */
static int put_stream(struct job *job, const char *name, const struct sion_layer_part *part,
                      struct sion_kvtree *tree)
{
    struct scion_segments segments = {0};
    uint32_t crc;
    int rc = name_file(job, part->path);

    if (rc == 0)
        rc = scion_segments_add_chunks(&segments, job->file, &part->place, part->used, part->stride,
                                       part->count);
    if (rc == 0 && job->export.crc)
        rc = scion_source_read(&job->source, &segments, &crc, NULL, NULL);
    if (rc == 0)
        rc = scion_entry_put(tree, name, segments.bytes, job->export.crc ? &crc : NULL, &segments,
                             job->export.prefix);
    job->files++;
    job->bytes += segments.bytes;
    scion_segments_free(&segments);
    return rc;
}

/* The physical file, if this is its first task. */
static int put_physical(struct job *job, const struct sion_layer_part *part,
                        struct sion_kvtree *tree)
{
    struct scion_native file = {.name = job->file};
    int rc;

    if (job->is_named[part->file])
        return 0;
    job->is_named[part->file] = 1;
    rc = name_file(job, part->path);
    if (rc == 0)
        rc = scion_native_measure(job->self, 0, job->export.base, job->export.crc, &file, 1);
    if (rc == 0)
        rc = scion_entry_put(tree, file.name, file.size, job->export.crc ? &file.crc : NULL, NULL,
                             "");
    job->files++;
    job->bytes += file.size;
    return rc;
}

static int add_task(struct job *job, int task)
{
    struct sion_kvtree *tree;
    struct sion_layer_part part;
    char name[SCION_PATH];
    sion_int64 rank;
    int rc = 0;

    sion_layer_parts_get(job->parts, task, &part);
    if (is_placeholder(&part))
        return 0;
    tree = scion_kvtree_new();
    rank = job->use_ranks ? part.globalrank : task;
    if (!job->export.native)
        rc = scion_export_name(&job->export, rank, name);
    if (rc == 0)
        rc = job->export.native ? put_physical(job, &part, tree)
                                : put_stream(job, name, &part, tree);
    if (rc == 0)
        rc = scion_ranks_add(&job->ranks, rank, tree);
    sion_kvtree_free(tree);
    return rc;
}

/* ---- one that was imported ---- */

static int put_kept(struct job *job, const struct sion_kvtree *file, int task)
{
    struct sion_layer_part part;
    struct sion_kvtree *entry;
    char name[SCION_PATH];
    int rc = scion_map_stream_name(job->kept, &job->export, file->key, name);

    if (rc != 0)
        return rc;
    sion_layer_parts_get(job->parts, task, &part);
    if (job->export.native)
        return put_physical(job, &part, job->tree);
    rc = put_stream(job, name, &part, job->tree);
    entry = sion_kvtree_get(sion_kvtree_get(job->tree, "FILE"), name);
    if (rc == 0 &&
        ((sion_kvtree_get(file, "COMPLETE") && !scion_kvtree_put_int(entry, "COMPLETE", 0)) ||
         (sion_kvtree_get(file, "NOFETCH") && !scion_kvtree_set(entry, "NOFETCH"))))
        rc = SION_ERR_MEMORY;
    return rc;
}

static int visit_kept(void *data, sion_int64 rank, const struct sion_kvtree *file, int task)
{
    struct job *job = data;
    int rc;

    if (!job->tree)
        job->tree = scion_kvtree_new();
    if (file)
        return put_kept(job, file, task);
    rc = scion_ranks_add(&job->ranks, rank, job->tree);
    sion_kvtree_free(job->tree);
    job->tree = NULL;
    return rc;
}

/* Use what the last stream describes, if it is not that of a task. */
static int take_kept(struct job *job, const struct sion_scr_export_options *options)
{
    int rc = scion_map_stream_read(job->parts, &job->kept);

    if (rc != 0 || !job->kept)
        return rc;
    job->ntasks--;
    return scion_map_stream_apply(job->kept, options->id > 0, &job->export);
}

static int add_tasks(struct job *job, const struct sion_scr_export_options *options)
{
    int rc = 0, t;

    if (job->kept && !options->name)
        return scion_map_stream_files(job->kept, job->ntasks, visit_kept, job);
    look_at_ranks(job);
    for (t = 0; t < job->ntasks && rc == 0; t++)
        rc = add_task(job, t);
    return rc;
}

static int write_map(struct job *job)
{
    int rc = scion_map_write(job->self, scion_ranks_sort(&job->ranks), &job->export.place,
                             &job->ranks, &job->export.map, scion_export_permissions(&job->export));

    return rc != 0 ? rc
                   : scion_dataset_record(job->self, &job->export.place, &job->export.told,
                                          job->files, job->bytes);
}

int scion_scr_export(const char *container, const struct sion_scr_export_options *options)
{
    struct job *job = scion_must_allocate(1, sizeof *job);
    int rc = sion_layer_parts_open(container, "rb", 0, &job->parts), t;

    if (rc != 0) {
        free(job);
        return rc;
    }
    rc = scion_comm_self(&job->self);
    if (rc == 0)
        rc = scion_export_begin(container, options, &job->export);
    if (rc == 0 && !options->force)
        rc = scion_merged_check(job->parts);
    scion_source_begin(&job->source, job->export.base, 1);
    job->ntasks = sion_layer_parts_count(job->parts);
    for (t = 0; t < job->ntasks && rc == 0; t++) /* a map names every file */
        rc = sion_layer_parts_check(job->parts, t);
    if (rc == 0)
        rc = take_kept(job, options);
    if (rc == 0)
        rc = scion_export_claim(&job->export);
    job->is_named =
        scion_must_allocate((size_t)sion_layer_parts_files(job->parts) + 1, sizeof *job->is_named);
    if (rc == 0)
        rc = add_tasks(job, options);
    if (rc == 0)
        rc = scion_export_claim(&job->export); /* reading all data can take a while */
    if (rc == 0)
        rc = write_map(job);
    scion_source_end(&job->source);
    sion_layer_parts_close(job->parts);
    scion_comm_free(job->self);
    scion_ranks_clear(&job->ranks);
    sion_kvtree_free(job->kept);
    sion_kvtree_free(job->tree);
    free(job->is_named);
    free(job);
    return rc;
}

#include "scr/export.h"

#include <stdlib.h>
#include <string.h>

#include "api/parts.h"
#include "base/error.h"
#include "base/memory.h"
#include "scr/dataset.h"
#include "scr/entry.h"
#include "scr/tree.h"

/* ---- options ---- */

/* The folder above a file or folder, with all links resolved, `levels` up. */
static int folder_above(const char *path, int levels, char *folder)
{
    int rc = scion_relative("/", path, folder + 1);

    folder[0] = '/';
    while (rc == 0 && levels-- > 0) {
        char *slash = strrchr(folder, '/');

        slash[slash == folder] = '\0';
    }
    return rc;
}

int scion_export_begin(const char *path, const struct sion_scr_export_options *options,
                       struct scion_exporting *export)
{
    static const struct sion_scr_export_options none;
    const struct sion_scr_export_options *given = options ? options : &none;
    int rc;

    *export = (struct scion_exporting){.map = given->map, .crc = !given->no_crc};
    export->place.layout = given->layout ? given->layout : SION_SCR_LAYOUT_DATASET;
    export->place.id = given->id > 0 ? given->id : 1;
    rc = scion_path(export->name, NULL, given->name ? given->name : "%c.task.%r");
    if (rc != 0)
        return rc;
    if (given->base)
        rc = folder_above(given->base, 0, export->base);
    else
        rc = folder_above(path, export->place.layout == SION_SCR_LAYOUT_DATASET ? 1 : 2,
                          export->base);
    export->place.base = export->base;
    return rc != 0 ? rc : scion_relative(export->base, path, export->container);
}

int scion_export_name(const struct scion_exporting *export, sion_int64 rank, char *name)
{
    const char *from;
    size_t used = 0;

    for (from = export->name; *from && used < SCION_PATH; from++) {
        size_t room = SCION_PATH - used;

        if (from[0] == '%' && from[1] == 'r')
            used += (size_t)snprintf(name + used, room, "%lld", rank);
        else if (from[0] == '%' && from[1] == 'c')
            used += (size_t)snprintf(name + used, room, "%s", export->container);
        else
            used += (size_t)snprintf(name + used, room, "%c", *from);
        from += from[0] == '%' && from[1] && strchr("rc%", from[1]);
    }
    if (used >= SCION_PATH)
        return scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", export->name);
    return scion_check_name(name, 0);
}

/* ---- a container that is closed ---- */

struct job {
    struct scion_exporting export;
    struct sion_layer_parts *parts;
    int ntasks;
    int use_ranks; /* the stored global ranks are unique */
    struct sion_scr_ranks ranks;
    struct scion_source source;
    const char *path;        /* physical file that `file` is the name of */
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

/* Whether every task that is no place-holder has a global rank of its own. */
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

/* The name of a physical file in the map; tasks of one file come one after the other. */
static int name_file(struct job *job, const char *path)
{
    int rc;

    if (job->path == path)
        return 0;
    rc = scion_relative(job->export.base, path, job->file);
    job->path = rc == 0 ? path : NULL;
    return rc;
}

static int add_entry(struct job *job, sion_int64 rank, const struct scion_segments *segments,
                     const uint32_t *crc)
{
    struct sion_kvtree *tree = sion_kvtree_new();
    char name[SCION_PATH];
    int rc = scion_export_name(&job->export, rank, name);

    if (rc == 0)
        rc = scion_entry_put(tree, name, segments->bytes, crc, segments);
    if (rc == 0)
        rc = sion_scr_ranks_add(&job->ranks, rank, tree);
    sion_kvtree_free(tree);
    job->files++;
    job->bytes += segments->bytes;
    return rc;
}

static int add_task(struct job *job, int task)
{
    struct scion_segments segments = {0};
    struct sion_layer_part part;
    uint32_t crc;
    int rc;

    sion_layer_parts_get(job->parts, task, &part);
    if (is_placeholder(&part))
        return 0;
    rc = name_file(job, part.path);
    if (rc == 0)
        rc = scion_segments_add_chunks(&segments, job->file, &part.place, part.used, part.stride,
                                       part.count);
    if (rc == 0 && job->export.crc)
        rc = scion_source_read(&job->source, &segments, &crc, NULL, NULL);
    if (rc == 0)
        rc = add_entry(job, job->use_ranks ? part.globalrank : task, &segments,
                       job->export.crc ? &crc : NULL);
    scion_segments_free(&segments);
    return rc;
}

static int write_map(struct job *job)
{
    struct scion_comm *self;
    int rc = scion_comm_self(&self);

    if (rc != 0)
        return rc;
    rc = scion_map_write(self, scion_ranks_sort(&job->ranks), &job->export.place, &job->ranks,
                         &job->export.map);
    if (rc == 0)
        rc = scion_summary_write(self, &job->export.place, job->files, job->bytes);
    scion_comm_free(self);
    return rc;
}

int sion_scr_export(const char *container, const struct sion_scr_export_options *options)
{
    struct job *job = scion_must_allocate(1, sizeof *job);
    int rc = sion_layer_parts_open(container, &job->parts), t;

    if (rc != 0) {
        free(job);
        return rc;
    }
    rc = scion_export_begin(container, options, &job->export);
    scion_source_begin(&job->source, job->export.base, 1);
    job->ntasks = sion_layer_parts_count(job->parts);
    look_at_ranks(job);
    for (t = 0; t < job->ntasks && rc == 0; t++)
        rc = add_task(job, t);
    if (rc == 0)
        rc = write_map(job);
    scion_source_end(&job->source);
    sion_layer_parts_close(job->parts);
    scion_ranks_clear(&job->ranks);
    free(job);
    return rc;
}

#include "scr/dataset.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/kvtree.h"
#include "scr/place.h"
#include "scr/words.h"

/* ---- the description of a dataset ---- */

static const char *user_name(void)
{
    const struct passwd *entry = getpwuid(getuid());

    return entry ? entry->pw_name : "unknown";
}

void sion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name)
{
    struct timeval now;

    gettimeofday(&now, NULL);
    *dataset = (struct sion_scr_dataset){
        .id = id,
        .name = name,
        .created = (sion_int64)now.tv_sec * 1000000 + now.tv_usec,
        .jobname = getenv("SCR_JOB_NAME"),
        .jobid = getenv("SCR_JOB_ID"),
        .cluster = getenv("SCR_CLUSTER_NAME"),
        .ckpt = id,
        .complete = 1,
        .checkpoint = 1,
    };
}

/* 1; 0: out of memory. */
static int put_if_known(struct sion_kvtree *tree, const char *key, const char *value)
{
    return !value || sion_kvtree_put(tree, key, value);
}

/* SCR lists and restarts nothing without them from 1.2 on; 1.1 does not know them. 1; 0. */
static int put_flags(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset,
                     enum sion_scr_layout layout)
{
    return layout == SION_SCR_LAYOUT_DATASET ||
           (sion_kvtree_put_int(tree, "FLAG_CKPT", dataset->checkpoint != 0) &&
            sion_kvtree_put_int(tree, "FLAG_OUTPUT", dataset->output != 0));
}

int scion_dataset_put(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset,
                      enum sion_scr_layout layout)
{
    const char *user = dataset->user ? dataset->user : user_name();
    int good = sion_kvtree_put_int(tree, "ID", dataset->id) &&
               sion_kvtree_put(tree, "NAME", dataset->name) && put_flags(tree, dataset, layout) &&
               sion_kvtree_put_int(tree, "CREATED", dataset->created) &&
               sion_kvtree_put(tree, "USER", user) &&
               put_if_known(tree, "JOBNAME", dataset->jobname) &&
               put_if_known(tree, "JOBID", dataset->jobid) &&
               put_if_known(tree, "CLUSTER", dataset->cluster);

    good = good && sion_kvtree_put_int(tree, "CKPT", dataset->ckpt) &&
           sion_kvtree_put_int(tree, "FILES", dataset->files) &&
           sion_kvtree_put_int(tree, "SIZE", dataset->size) &&
           sion_kvtree_put_int(tree, "COMPLETE", dataset->complete);
    return good ? 0 : SION_ERR_MEMORY;
}

/* ---- files ---- */

/* At any moment the old file or the new one: it tells of other datasets, too. */
static int replace(const char *path, const struct sion_kvtree *tree)
{
    char new[SCION_PATH];
    int rc = snprintf(new, sizeof new, "%s.new", path) < SCION_PATH
                 ? sion_kvtree_write(new, tree)
                 : scion_fail(SION_ERR_ARGUMENT, "%.60s...: name too long", path);

    if (rc != 0)
        return rc;
    rc = scion_file_rename(new, path);
    if (rc != 0)
        scion_file_remove(new);
    return rc;
}

static int write_and_free(const char *folder, const char *name, struct sion_kvtree *tree, int rc)
{
    char path[SCION_PATH];

    if (rc == 0)
        rc = scion_make_folders(folder);
    if (rc == 0)
        rc = scion_path(path, folder, name);
    if (rc == 0)
        rc = replace(path, tree);
    sion_kvtree_free(tree);
    return rc;
}

int sion_scr_summary_write(const struct sion_scr_place *place,
                           const struct sion_scr_dataset *dataset)
{
    enum { SUMMARY_VERSION = 6 };
    struct sion_kvtree *tree = sion_kvtree_new();
    char folder[SCION_PATH];
    int rc = sion_kvtree_put_int(tree, "VERSION", SUMMARY_VERSION) &&
                     sion_kvtree_put_int(tree, "COMPLETE", dataset->complete)
                 ? scion_dataset_put(sion_kvtree_set(tree, "DSET"), dataset, place->layout)
                 : SION_ERR_MEMORY;

    if (rc == 0)
        rc = scion_place_folder(place, folder);
    return write_and_free(folder, "summary.scr", tree, rc);
}

/* The tree in PREFIX/.scr/name, an empty one if there is none yet. */
static int read_or_new(const char *prefix, const char *name, char *folder,
                       struct sion_kvtree **tree)
{
    char path[SCION_PATH];
    int rc = scion_path(folder, prefix, ".scr");

    *tree = NULL;
    if (rc == 0)
        rc = scion_path(path, folder, name);
    if (rc != 0)
        return rc;
    if (scion_file_exists(path))
        return sion_kvtree_read(path, tree);
    *tree = sion_kvtree_new();
    return *tree ? 0 : SION_ERR_MEMORY;
}

int sion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache)
{
    char folder[SCION_PATH];
    struct sion_kvtree *tree, *entry, *location;
    int rc = read_or_new(prefix, "flush.scr", folder, &tree);

    if (rc == 0) {
        entry = scion_kvtree_setf(sion_kvtree_set(tree, "DATASET"), "%d", dataset->id);
        sion_kvtree_remove(entry, "LOCATION");
        location = sion_kvtree_set(entry, "LOCATION");
        if (!sion_kvtree_set(location, "PFS") ||
            (in_cache && !sion_kvtree_set(location, "CACHE")) ||
            !sion_kvtree_put(entry, "DIR", dataset->name))
            rc = SION_ERR_MEMORY;
    }
    return write_and_free(folder, "flush.scr", tree, rc);
}

int sion_scr_index_write(const char *prefix, const struct sion_scr_dataset *dataset)
{
    enum { INDEX_VERSION = 1 };
    char folder[SCION_PATH], flushed[32], id[16];
    struct sion_kvtree *tree, *entry, *names;
    time_t now = (time_t)(dataset->created / 1000000);
    struct tm local;
    int rc = read_or_new(prefix, "index.scr", folder, &tree);

    snprintf(id, sizeof id, "%d", dataset->id);
    strftime(flushed, sizeof flushed, "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &local));
    if (rc == 0) {
        names = sion_kvtree_set(sion_kvtree_set(tree, "DIR"), dataset->name);
        entry = sion_kvtree_set(sion_kvtree_set(tree, "DSET"), id);
        entry = sion_kvtree_set(sion_kvtree_set(entry, "DIR"), dataset->name);
        if (!sion_kvtree_put_int(tree, "VERSION", INDEX_VERSION) ||
            !sion_kvtree_put(tree, "CURRENT", dataset->name) ||
            !sion_kvtree_set(sion_kvtree_set(names, "DSET"), id) ||
            !sion_kvtree_put_int(entry, "COMPLETE", dataset->complete) ||
            !sion_kvtree_put(entry, "FLUSHED", flushed))
            rc = SION_ERR_MEMORY;
        sion_kvtree_remove(entry, "DSET");
        if (rc == 0)
            rc =
                scion_dataset_put(sion_kvtree_set(entry, "DSET"), dataset, SION_SCR_LAYOUT_DATASET);
    }
    return write_and_free(folder, "index.scr", tree, rc);
}

/* ---- of all tasks ---- */

int scion_dataset_name(const struct sion_scr_place *place, char *name, size_t size)
{
    char *real;
    int id = place->id > 0 ? place->id : 1;

    if (place->layout != SION_SCR_LAYOUT_DATASET) {
        snprintf(name, size, "scr.dataset.%d", id);
        return 0;
    }
    real = realpath(place->base, NULL);
    if (!real)
        return scion_fail_errno(errno, "cannot find %s", place->base);
    snprintf(name, size, "%s", scion_basename(real));
    free(real);
    return 0;
}

int scion_dataset_count(struct scion_comm *comm, struct sion_scr_dataset *dataset)
{
    const sion_int64 mine[] = {dataset->files, dataset->size};
    sion_int64 *all = NULL, sums[2] = {0, 0};
    int rc, t;

    if (comm->rank == 0)
        all = scion_must_allocate((size_t)comm->size, sizeof mine);
    rc = scion_gather(comm, mine, all, sizeof mine, 0);
    for (t = 0; rc == 0 && comm->rank == 0 && t < comm->size; t++) {
        sums[0] += all[2 * t];
        sums[1] += all[2 * t + 1];
    }
    free(all);
    dataset->files = sums[0];
    dataset->size = sums[1];
    return rc;
}

int scion_summary_write(struct scion_comm *comm, const struct sion_scr_place *place,
                        sion_int64 files, sion_int64 bytes)
{
    struct sion_scr_dataset dataset;
    char name[NAME_MAX + 1] = "";
    int rc, status = 0;

    sion_scr_dataset_init(&dataset, place->id > 0 ? place->id : 1, name);
    dataset.files = files;
    dataset.size = bytes;
    rc = scion_dataset_count(comm, &dataset);
    if (rc == 0 && comm->rank == 0) {
        status = scion_dataset_name(place, name, sizeof name);
        if (status == 0)
            status = sion_scr_summary_write(place, &dataset);
    }
    return rc != 0 ? rc : scion_agree(comm, scion_name_rank(comm, status));
}

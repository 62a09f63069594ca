#include "scr/dataset/dataset.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"
#include "scr/dataset/index.h"
#include "scr/kvtree/kvtree.h"
#include "scr/dataset/layout.h"
#include "scr/tasks/words.h"

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

static int write_and_free(const char *folder, const char *name, struct sion_kvtree *tree, int rc)
{
    char path[SCION_PATH];

    if (rc == 0)
        rc = scion_make_folders(folder);
    if (rc == 0)
        rc = scion_path(path, folder, name);
    if (rc == 0)
        rc = scion_kvtree_replace(path, tree);
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
        rc = scion_layout_folder(place, folder);
    return write_and_free(folder, "summary.scr", tree, rc);
}

/* SCR 1.1 notes the name as DIR, later releases do not. The form that is there counts. */
static int find_flush_form(const char *prefix, const struct sion_kvtree *tree,
                           const struct sion_scr_dataset *dataset, int *has_name)
{
    const struct sion_kvtree *all = sion_kvtree_get(tree, "DATASET"), *entry;
    struct scion_index index;
    int rc;

    if (sion_kvtree_count(tree) > 0 && !all)
        return scion_fail(SION_ERR_VERSION, "it has no DATASET: no known form of a flush file");
    *has_name = 0;
    for (entry = sion_kvtree_first(all); entry; entry = entry->next)
        *has_name |= sion_kvtree_get(entry, "DIR") != NULL;
    if (sion_kvtree_count(all) > 0)
        return 0;
    rc = scion_index_read(prefix, &index);
    if (rc == 0)
        *has_name = scion_index_form(&index, dataset->layout) == SION_SCR_LAYOUT_DATASET;
    scion_index_free(&index);
    return rc;
}

static int put_flush(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset, int has_name,
                     int in_cache)
{
    struct sion_kvtree *entry =
        scion_kvtree_setf(sion_kvtree_set(tree, "DATASET"), "%d", dataset->id);
    struct sion_kvtree *location;

    sion_kvtree_remove(entry, "LOCATION");
    location = sion_kvtree_set(entry, "LOCATION");
    if (!sion_kvtree_set(location, "PFS") || (in_cache && !sion_kvtree_set(location, "CACHE")) ||
        (has_name && !sion_kvtree_put(entry, "DIR", dataset->name)))
        return SION_ERR_MEMORY;
    return 0;
}

int sion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache)
{
    char folder[SCION_PATH], path[SCION_PATH];
    struct sion_kvtree *tree = NULL;
    int is_there, has_name = 0, rc = scion_path(folder, prefix, ".scr");

    if (rc == 0)
        rc = scion_path(path, folder, "flush.scr");
    if (rc == 0)
        rc = scion_kvtree_read_or_new(path, &is_there, &tree);
    if (rc != 0)
        return rc;
    rc = find_flush_form(prefix, tree, dataset, &has_name);
    if (rc != 0)
        scion_fail_prefix("%s", path);
    else
        rc = put_flush(tree, dataset, has_name, in_cache);
    return write_and_free(folder, "flush.scr", tree, rc);
}

/* ---- of all tasks ---- */

int scion_dataset_name(const struct sion_scr_place *place, char *name, size_t size)
{
    char real[SCION_PATH];
    int rc, id = place->id > 0 ? place->id : 1;

    if (place->layout != SION_SCR_LAYOUT_DATASET) {
        snprintf(name, size, "scr.dataset.%d", id);
        return 0;
    }
    rc = scion_path_real(place->base, real);
    if (rc == 0)
        snprintf(name, size, "%s", scion_basename(real));
    return rc;
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

/* The folder that SCR looks for the index in; above: room for its name. */
static const char *prefix_of(const struct sion_scr_place *place, char *above, size_t size)
{
    if (place->layout != SION_SCR_LAYOUT_DATASET)
        return place->base;
    snprintf(above, size, "%s/..", place->base);
    return above;
}

/* Who made it, and when, is what was known before; files and bytes were counted anew. */
static void take_kept(const struct sion_kvtree *kept, struct sion_scr_dataset *dataset)
{
    long long created, complete, id, ckpt;

    dataset->user = sion_kvtree_value(kept, "USER");
    dataset->jobname = sion_kvtree_value(kept, "JOBNAME");
    dataset->jobid = sion_kvtree_value(kept, "JOBID");
    dataset->cluster = sion_kvtree_value(kept, "CLUSTER");
    if (sion_kvtree_int(kept, "CREATED", &created) == 0)
        dataset->created = created;
    if (sion_kvtree_int(kept, "COMPLETE", &complete) == 0)
        dataset->complete = complete == 1;
    if (sion_kvtree_int(kept, "ID", &id) == 0 && id == dataset->id &&
        sion_kvtree_int(kept, "CKPT", &ckpt) == 0)
        dataset->ckpt = (int)ckpt;
}

/* On rank 0. */
static int write_told(const struct sion_scr_place *place, const struct scion_told *told,
                      struct sion_scr_dataset *dataset)
{
    char name[NAME_MAX + 1], above[SCION_PATH];
    int rc = 0;

    snprintf(name, sizeof name, "%s", told->name);
    if (!name[0])
        rc = scion_dataset_name(place, name, sizeof name);
    dataset->name = name;
    dataset->layout = place->layout;
    dataset->checkpoint = !told->no_checkpoint;
    dataset->output = told->output;
    if (sion_kvtree_count(told->kept) > 0)
        take_kept(told->kept, dataset);
    if (rc == 0)
        rc = sion_scr_summary_write(place, dataset);
    if (rc == 0 && told->index)
        rc = sion_scr_index_write(prefix_of(place, above, sizeof above), dataset);
    return rc;
}

int scion_summary_write(struct scion_comm *comm, const struct sion_scr_place *place,
                        const struct scion_told *told, sion_int64 files, sion_int64 bytes)
{
    struct sion_scr_dataset dataset;
    int rc, status = 0;

    sion_scr_dataset_init(&dataset, place->id > 0 ? place->id : 1, "");
    dataset.files = files;
    dataset.size = bytes;
    rc = scion_dataset_count(comm, &dataset);
    if (rc == 0 && comm->rank == 0)
        status = write_told(place, told, &dataset);
    return rc != 0 ? rc : scion_agree(comm, scion_name_rank(comm, status));
}

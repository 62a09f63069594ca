#include "scr/dataset/describe.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "scr/kvtree/kvtree.h"

static const char *user_name(void)
{
    const struct passwd *entry = getpwuid(getuid());

    return entry ? entry->pw_name : "unknown";
}

void scion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name)
{
    struct timeval now;

    gettimeofday(&now, NULL);
    *dataset = (struct sion_scr_dataset){
        .id = id,
        .name = name,
        .created = (sion_int64)now.tv_sec * 1000000 + now.tv_usec,
        .jobname = secure_getenv("SCR_JOB_NAME"),
        .jobid = secure_getenv("SCR_JOB_ID"),
        .cluster = secure_getenv("SCR_CLUSTER_NAME"),
        .ckpt = id,
        .complete = 1,
        .checkpoint = 1,
    };
}

/* 1; 0: out of memory. */
static int put_if_known(struct sion_kvtree *tree, const char *key, const char *value)
{
    return !value || scion_kvtree_put(tree, key, value);
}

/* SCR lists and restarts nothing without them from 1.2 on; 1.1 does not know them. 1; 0. */
static int put_flags(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset,
                     enum sion_scr_layout layout)
{
    return layout == SION_SCR_LAYOUT_DATASET ||
           (scion_kvtree_put_int(tree, "FLAG_CKPT", dataset->checkpoint != 0) &&
            scion_kvtree_put_int(tree, "FLAG_OUTPUT", dataset->output != 0));
}

int scion_dataset_put(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset,
                      enum sion_scr_layout layout)
{
    const char *user = dataset->user ? dataset->user : user_name();
    int good = scion_kvtree_put_int(tree, "ID", dataset->id) &&
               scion_kvtree_put(tree, "NAME", dataset->name) && put_flags(tree, dataset, layout) &&
               scion_kvtree_put_int(tree, "CREATED", dataset->created) &&
               scion_kvtree_put(tree, "USER", user) &&
               put_if_known(tree, "JOBNAME", dataset->jobname) &&
               put_if_known(tree, "JOBID", dataset->jobid) &&
               put_if_known(tree, "CLUSTER", dataset->cluster);

    good = good && scion_kvtree_put_int(tree, "CKPT", dataset->ckpt) &&
           scion_kvtree_put_int(tree, "FILES", dataset->files) &&
           scion_kvtree_put_int(tree, "SIZE", dataset->bytes) &&
           scion_kvtree_put_int(tree, "COMPLETE", dataset->complete);
    return good ? 0 : SION_ERR_MEMORY;
}

int scion_dataset_put_flags(struct sion_kvtree *dset)
{
    return sion_kvtree_get(dset, "FLAG_CKPT") || sion_kvtree_get(dset, "FLAG_OUTPUT") ||
           (scion_kvtree_put_int(dset, "FLAG_CKPT", 1) &&
            scion_kvtree_put_int(dset, "FLAG_OUTPUT", 0));
}

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

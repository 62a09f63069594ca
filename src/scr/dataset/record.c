#include "scr/dataset/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "comm/agree.h"
#include "scr/dataset/describe.h"
#include "scr/dataset/index.h"

int scion_dataset_count(struct scion_comm *comm, struct sion_scr_dataset *dataset)
{
    const sion_int64 mine[] = {dataset->files, dataset->bytes};
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
    dataset->bytes = sums[1];
    return rc;
}

const char *scion_dataset_prefix(const struct sion_scr_place *place, char *above, size_t size)
{
    if (place->layout != SION_SCR_LAYOUT_DATASET)
        return place->base;
    snprintf(above, size, "%s/..", place->base);
    return above;
}

/* Its creator and time are taken from before; files and bytes have been counted again. */
static void take_kept(const struct sion_kvtree *kept, struct sion_scr_dataset *dataset)
{
    long long created, complete, id, ckpt;

    dataset->user = sion_kvtree_value(kept, "USER");
    dataset->jobname = sion_kvtree_value(kept, "JOBNAME");
    dataset->jobid = sion_kvtree_value(kept, "JOBID");
    dataset->cluster = sion_kvtree_value(kept, "CLUSTER");
    if (scion_kvtree_int(kept, "CREATED", &created) == 0)
        dataset->created = created;
    if (scion_kvtree_int(kept, "COMPLETE", &complete) == 0)
        dataset->complete = complete == 1;
    if (scion_kvtree_int(kept, "ID", &id) == 0 && id == dataset->id &&
        scion_kvtree_int(kept, "CKPT", &ckpt) == 0)
        dataset->ckpt = (int)ckpt;
}

/* On rank 0. */
static int write_told(const struct sion_scr_place *place, const struct scion_dataset_facts *told,
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
        rc = scion_scr_summary_write(place, dataset);
    if (rc == 0 && told->index)
        rc = scion_scr_index_write(scion_dataset_prefix(place, above, sizeof above), dataset);
    return rc;
}

int scion_dataset_record(struct scion_comm *comm, const struct sion_scr_place *place,
                         const struct scion_dataset_facts *told, sion_int64 files, sion_int64 bytes)
{
    struct sion_scr_dataset dataset;
    int rc, status = 0;

    scion_scr_dataset_init(&dataset, place->id > 0 ? place->id : 1, "");
    dataset.files = files;
    dataset.bytes = bytes;
    rc = scion_dataset_count(comm, &dataset);
    if (rc == 0 && comm->rank == 0)
        status = write_told(place, told, &dataset);
    return rc != 0 ? rc : scion_agree(comm, scion_name_rank(comm, status));
}

/* What is recorded of a dataset after its map is written: its summary, and its entry in the
   index. */
#ifndef SCION_SCR_RECORD_H
#define SCION_SCR_RECORD_H

#include <limits.h>

#include "comm/comm.h"
#include "scr/public.h"

/* Collective: add up the files and bytes of all tasks in the dataset of rank 0. */
int scion_dataset_count(struct scion_comm *comm, struct sion_scr_dataset *dataset);

/* What is known of a dataset from the user, or from the container into which it was imported. */
struct scion_dataset_facts {
    char name[NAME_MAX + 1]; /* "": scion_dataset_name */
    int no_checkpoint, output;
    int index;                      /* note it in the prefix, too */
    const struct sion_kvtree *kept; /* the keys that describe it already; NULL: it is new */
};

/* As the functions of sion_scr.h. */
int scion_scr_summary_write(const struct sion_scr_place *place,
                            const struct sion_scr_dataset *dataset);
int scion_scr_flush_write(const char *prefix, const struct sion_scr_dataset *dataset, int in_cache);

/* The prefix of a dataset; above: room for its name. */
const char *scion_dataset_prefix(const struct sion_scr_place *place, char *above, size_t size);

/*
 * Collective, once a map is written: count files and bytes of all tasks; rank 0 writes summary.scr
 * next to the map, and records the dataset in the index if that is wanted.
 */
int scion_dataset_record(struct scion_comm *comm, const struct sion_scr_place *place,
                         const struct scion_dataset_facts *told, sion_int64 files,
                         sion_int64 bytes);

#endif

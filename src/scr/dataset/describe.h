/* The keys by which SCR describes a dataset, in whatever file. */
#ifndef SCION_SCR_DESCRIBE_H
#define SCION_SCR_DESCRIBE_H

#include <stddef.h>

#include "scr/public.h"

enum { SCION_SUMMARY_VERSION = 6 }; /* of summary.scr */

/* As sion_scr_dataset_init, of all members. */
void scion_scr_dataset_init(struct sion_scr_dataset *dataset, int id, const char *name);

/*
 * Put the keys that describe a dataset into tree, as the releases of SCR with this layout write
 * them. tree may be NULL after lack of memory.
 */
int scion_dataset_put(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset,
                      enum sion_scr_layout layout);

/*
 * SCR from 1.2 on restarts from no dataset without a flag. Descriptions of older releases have none:
 * add that it is a checkpoint. 1; 0: out of memory.
 */
int scion_dataset_put_flags(struct sion_kvtree *dset);

/* The name of the dataset that has this folder, or the name made from its number. */
int scion_dataset_name(const struct sion_scr_place *place, char *name, size_t size);

#endif

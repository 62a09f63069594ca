/* The keys by which SCR describes a dataset, in whatever file. */
#ifndef SCION_SCR_DESCRIBE_H
#define SCION_SCR_DESCRIBE_H

#include <stddef.h>

#include "scr/public.h"

enum { SCION_SUMMARY_VERSION = 6 }; /* of summary.scr */

/*
 * Put the keys that describe a dataset into tree, as the releases of SCR with this layout write
 * them. tree may be NULL after lack of memory.
 */
int scion_dataset_put(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset,
                      enum sion_scr_layout layout);

/* The name of the dataset that has this folder, or the name made from its number. */
int scion_dataset_name(const struct sion_scr_place *place, char *name, size_t size);

#endif

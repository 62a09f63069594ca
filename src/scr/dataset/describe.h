/* What SCR says of a dataset as a whole, wherever it says it. */
#ifndef SCION_SCR_DESCRIBE_H
#define SCION_SCR_DESCRIBE_H

#include <stddef.h>

#include "scr/public.h"

/*
 * The keys that describe a dataset, into tree (NULL: out of memory before), as the releases of SCR
 * with this layout have them.
 */
int scion_dataset_put(struct sion_kvtree *tree, const struct sion_scr_dataset *dataset,
                      enum sion_scr_layout layout);

/* The name of the dataset whose folder this is, or that its number makes. */
int scion_dataset_name(const struct sion_scr_place *place, char *name, size_t size);

#endif

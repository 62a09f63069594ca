/* The index of the files of all nodes. */
#ifndef UTILS_SIONRUN_MERGED_H
#define UTILS_SIONRUN_MERGED_H

#include "sionrun/load.h"

/*
 * Collect the lists of all nodes on the first one, where *all gets them, sorted. Files that several
 * nodes have written are told there, and *twice counts them. Collective. TOOL_RUN, or TOOL_FAILED
 * after a message.
 */
int merged_make(const struct load *load, struct team *team, struct scion_pack_list *all,
                int *twice);

/* What all[0].used was borrowed from stays the load's. */
void merged_free(struct scion_pack_list *all);

#endif

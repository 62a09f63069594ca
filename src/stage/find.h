/* The parts of staged containers in a node's folder. */
#ifndef SCION_STAGE_FIND_H
#define SCION_STAGE_FIND_H

#include "stage/part.h"

/*
 * Paths of the records in a folder, in the order of the opens; malloc'd, as the list is. An error
 * if there is no such folder.
 */
int scion_stage_find(const char *folder, char ***records, int *n);

/* Free such a list. */
void scion_stage_free_list(char **records, int n);

/* Remove files of parts whose records are missing or damaged, as an open that was killed leaves
   them. */
int scion_stage_clean(const char *folder, int *removed);

/*
 * Remove what nodes have said of drains to a container of this name, with its folder, that could
 * not be removed when that was complete or given up: its new file 0 is gone.
 */
void scion_stage_clean_notes(const char *target);

/*
 * Give a part up: the node's files, what it says to the others, and the container's new files, so
 * that the others' parts cannot become a container any more.
 */
void scion_stage_discard(const struct scion_stage_part *part);

#endif

/* The files in the folder of a dataset that a new dataset replaces. */
#ifndef SCION_SCR_REPLACED_H
#define SCION_SCR_REPLACED_H

#include "scr/tasks/words.h"

/* List those in a folder .scr: device and number of each. It is no error if there are none. */
int scion_replaced_find(const char *folder, struct scion_words *files);

/* An error if a name leads to one of them. */
int scion_replaced_check(const struct scion_words *files, const char *path);

/* Remove all containers from a folder .scr. */
int scion_replaced_remove_containers(const char *folder);

#endif

/* The files in the folder of a dataset that a new dataset replaces. */
#ifndef SCION_SCR_REPLACED_H
#define SCION_SCR_REPLACED_H

#include "scr/tasks/words.h"

/* In a folder .scr while a dataset is packed there. It is removed, so it counts as replaced. */
#define SCION_PACK_LOCK "pack.lock"

/* List those in a folder .scr: device and number of each. It is no error if there are none. */
int scion_replaced_find(const char *folder, struct scion_words *files);

/* An error if a name leads to one of them. */
int scion_replaced_check(const struct scion_words *files, const char *path);

/* A number above those of all containers in a folder .scr; 0: there are none. */
int scion_replaced_next_container(const char *folder, sion_int64 *number);

/* Remove the containers from a folder .scr, but not those with the numbers first .. last. */
int scion_replaced_remove_containers(const char *folder, sion_int64 first, sion_int64 last);

#endif

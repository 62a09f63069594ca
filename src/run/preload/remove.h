/* Removing: what a rename needs of it. Native paths; functions return 0 or -1 with errno. */
#ifndef SCION_PRELOAD_REMOVE_H
#define SCION_PRELOAD_REMOVE_H

#include "run/preload/place.h"

/* Remove what has the name in both layers. is_folder: as rmdir(), else as unlink(). */
int run_remove(struct run_place *place, int is_folder);

/* Whether nothing is in a folder; 0 also if there is no such folder. */
int run_is_empty(const char *path);

#endif

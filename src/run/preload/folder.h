/* The names in a folder of two layers. */
#ifndef SCION_PRELOAD_FOLDER_H
#define SCION_PRELOAD_FOLDER_H

#include <dirent.h>
#include <stddef.h>

#include "run/preload/place.h"

struct run_names {
    struct dirent **names; /* each once, without "." and ".."; malloc'd, as they are */
    size_t n, room;
};

/* Those of a place that is inside the root: what its folder has in the tree, and in reality.
   Returns 0, or -1 with errno. */
int run_names_of(struct run_place *place, struct run_names *names);
void run_names_free(struct run_names *names);

/* In the child of a fork. */
void run_folders_forked(void);

#endif

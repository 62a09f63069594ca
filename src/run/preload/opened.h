/* The paths of folders that are open. */
#ifndef SCION_PRELOAD_OPENED_H
#define SCION_PRELOAD_OPENED_H

#include <stddef.h>

/* The path of a descriptor, without links, as the system tells it. Returns its length, or 0: it has
   none. `path` has room for PATH_MAX. errno stays. */
size_t run_opened_path(int fd, char *path);

/* In the child of a fork. */
void run_opened_forked(void);

#endif

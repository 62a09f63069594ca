/* The files below a folder, as a list to be packed. */
#ifndef SCION_PACK_TREE_H
#define SCION_PACK_TREE_H

#include <sys/stat.h>

#include "pack/entry.h"

/*
 * Whether something of the tree is packed, and by which task (*task, 0 before). 1: it is; 0: it is
 * not, but what is below a folder is asked for; or an error code, with a message.
 */
typedef int scion_pack_take(void *context, const char *path, const struct stat *status, int *task);

/*
 * Add all that is below the folder `root` and is taken (take NULL: all, for task 0); paths are
 * relative to it. No link is followed. The list, which was empty, is sorted then. A second name of
 * a file is a hard link to the first one, of the same task. Devices and sockets are left out with a
 * warning.
 */
int scion_pack_walk(const char *root, scion_pack_take *take, void *context,
                    struct scion_pack_list *list);

/*
 * The same for some paths below the root, with what is below them; folders on the way to them may
 * be links. The paths are sorted, and those below others become NULL.
 */
int scion_pack_walk_paths(const char *root, char **paths, int count, scion_pack_take *take,
                          void *context, struct scion_pack_list *list);

#endif

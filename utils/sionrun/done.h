/*
 * Which files are in containers that were made while the program ran, and as what: so that the next
 * one has only what is new. The file SESSION/done keeps it.
 */
#ifndef UTILS_SIONRUN_DONE_H
#define UTILS_SIONRUN_DONE_H

#include <sys/stat.h>

#include "pack/entry.h"

struct done;

struct done_list {
    struct done *files; /* by path */
};

/* Read it; a list that is not there is empty. TOOL_RUN, or TOOL_FAILED after a message. To be freed
   in any case. */
int done_read(struct done_list *list, const char *path);
int done_write(const struct done_list *list, const char *path);
void done_free(struct done_list *list);

/* Whether the file is in a container as it is now. */
int done_has(const struct done_list *list, const char *path, const struct stat *status);

/* All files of a container. */
int done_add(struct done_list *list, const struct scion_pack_list *packed);

#endif

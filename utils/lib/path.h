/* Names of files, and what the system knows of them. */
#ifndef UTILS_LIB_PATH_H
#define UTILS_LIB_PATH_H

#include <sys/stat.h>

/* 1 if the path leads to this file, by whatever name or link. */
int path_leads_to(const char *path, const struct stat *file);

/* 1 if both paths lead to one file that is there: an output must not be an input. */
int path_is_same(const char *path, const char *other);

/* Those of a file; of one that cannot be asked, its owner's alone. */
mode_t path_permissions(const char *path);

/* Name of a file in a folder, which is not empty; to be freed. NULL: out of memory. */
char *path_join(const char *folder, const char *name);

/* Without its folder. */
const char *path_base(const char *path);

#endif

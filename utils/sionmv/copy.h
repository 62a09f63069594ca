/* Copies the files of a container, with their holes. */
#ifndef UTILS_SIONMV_COPY_H
#define UTILS_SIONMV_COPY_H

#include "sionmv/place.h"

/*
 * Copy all files and give them the names of the target, when they are on the disk. is_preserving:
 * with owner, permissions, attributes and times; else permissions are those of the source under the
 * umask, or those of the file that is replaced. After a failure nothing of the copy is left.
 * TOOL_RUN, or TOOL_FAILED after a message.
 */
int copy_container(const struct members *set, const char *from, const struct target *target,
                   int is_preserving);

#endif

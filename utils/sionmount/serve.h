/* Serves the tree to the kernel as a file system, until it is unmounted. */
#ifndef UTILS_SIONMOUNT_SERVE_H
#define UTILS_SIONMOUNT_SERVE_H

#include "sionmount/tree.h"

/*
 * Mount the tree on a folder, and answer requests of the kernel. options: of mount, separated by
 * commas, or NULL. foreground: stay there; else the process that was called ends as soon as the
 * folder can be used. TOOL_DONE after the unmount, or TOOL_FAILED and a message.
 */
int serve(struct tree *tree, const char *folder, const char *options, int foreground);

#endif

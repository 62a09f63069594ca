/*
 * In place of a library that redirects calls: a mount namespace, in which the folders of the
 * patterns are those of the session's tree. All programs of a node enter the same one, because
 * processes of different user namespaces may not read each other's memory, as MPI does.
 *
 * The file SESSION/namespace names the process that keeps it until the last program has ended, and
 * the folders that were made as places for mounts.
 */
#ifndef UTILS_SIONRUN_NAMESPACE_H
#define UTILS_SIONRUN_NAMESPACE_H

#include "sionrun/folder.h"

/* Whether the settings go with a namespace. TOOL_RUN, or TOOL_USAGE after a message. */
int namespace_check(const struct settings *settings);

/* Make it for a session. TOOL_RUN, or TOOL_FAILED after a message, like the next one. */
int namespace_make(const struct folder *folder);

/* Enter it, in a process with one thread that is to become a program. */
int namespace_enter(const struct folder *folder);

/* The last program of this node has ended: remove what was made for it. */
void namespace_end(const struct folder *folder);

#endif

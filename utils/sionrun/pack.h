/* The files of a session folder become a container. */
#ifndef UTILS_SIONRUN_PACK_H
#define UTILS_SIONRUN_PACK_H

#include "sionrun/folder.h"

/*
 * Of all nodes, after the last program of this node has ended: waits for those of the others. The
 * session folder is removed if that succeeds, and stays otherwise, with a message that names it.
 * TOOL_RUN, or TOOL_FAILED after a message, like all these.
 */
int pack_at_end(const struct folder *folder, const struct settings *settings);

/* The same of what a job has left that was killed. */
int pack_later(const struct folder *folder, const struct settings *settings);

/* What has been closed by now, while the program runs, into the next container. */
int pack_meanwhile(const struct folder *folder, const struct settings *settings);

/* Whether another node packs meanwhile, and waits for this one. */
int pack_is_wanted(const struct folder *folder);

#endif

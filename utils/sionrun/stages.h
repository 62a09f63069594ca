/* Folders of this node in which session folders can be. */
#ifndef UTILS_SIONRUN_STAGES_H
#define UTILS_SIONRUN_STAGES_H

#include "vfs/path.h"

/* The one that was asked for (NULL: the first one that the environment names), without links.
   TOOL_RUN, or TOOL_FAILED after a message. */
int stage_choose(const char *wanted, char stage[SCION_PATH]);

#endif

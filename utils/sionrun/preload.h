/* The library that redirects calls. */
#ifndef UTILS_SIONRUN_PRELOAD_H
#define UTILS_SIONRUN_PRELOAD_H

#include "vfs/path.h"

/* Its path, into library[SCION_PATH]. TOOL_RUN, or TOOL_FAILED after a message. */
int preload_find(char *library);

#endif

/* What sionmv and sioncp have in common: many sources, and a target that may be a folder. */
#ifndef UTILS_SIONMV_FILES_H
#define UTILS_SIONMV_FILES_H

#include "lib/tool.h"
#include "sionmv/place.h"

struct files_settings {
    int force, verbose, preserve;
};

/* One container, of which nothing is missing and which nobody writes, gets, or leaves, the names of
   a target. TOOL_RUN, or TOOL_FAILED after a message. */
typedef int files_do(const struct members *set, const char *name, const struct target *target,
                     const struct files_settings *settings);

/* is_moving: the source is locked, not only looked at. The exit status. */
int files_do_all(char **names, int count, const struct files_settings *settings, int is_moving,
                 files_do *do_one);

#endif

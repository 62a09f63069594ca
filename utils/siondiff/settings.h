/* What the command line of siondiff says, and how it ends. */
#ifndef UTILS_SIONDIFF_SETTINGS_H
#define UTILS_SIONDIFF_SETTINGS_H

#include "lib/tool.h"

enum { PIECE = 1 << 18 };

/* Exit statuses like those of diff and cmp; TOOL_FAILED is trouble. */
enum { SAME = TOOL_DONE, DIFFERENT = 1 };

struct settings {
    int quiet;
    int files; /* packed ones */
    int times; /* of them, too */
};

#endif

/* siondiff --files: whether two trees of files are the same, packed or not. */
#ifndef UTILS_SIONDIFF_FILES_H
#define UTILS_SIONDIFF_FILES_H

#include "siondiff/settings.h"

/* Of two containers or folders, by their names. SAME, DIFFERENT, or TOOL_FAILED and a message. */
int diff_files(const struct settings *settings, char **names);

#endif

/* sionsplit --files: packed files become files again. */
#ifndef UTILS_SIONSPLIT_FILES_H
#define UTILS_SIONSPLIT_FILES_H

#include "sionsplit/settings.h"

/*
 * Below a folder, which is made if it is missing: all files of the tasks that are wanted, or those
 * of some paths and below them. TOOL_RUN or the status of a failure.
 */
int split_files(const struct split_settings *settings, const struct input *input,
                const char *folder, char **paths, int count);

#endif

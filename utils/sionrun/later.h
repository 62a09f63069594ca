/* What jobs have left that were killed, or whose files could not be packed. */
#ifndef UTILS_SIONRUN_LATER_H
#define UTILS_SIONRUN_LATER_H

#include "sionrun/settings.h"

/* --pack, --list or --discard of session folders, or of folders in which these are. The status to
 * exit with. */
int later(char **folders, int n, const struct settings *settings);

#endif

/* sioncat --follow: what comes while a container is written. */
#ifndef UTILS_SIONCAT_FOLLOW_H
#define UTILS_SIONCAT_FOLLOW_H

#include "lib/numbers.h"

/* TOOL_DONE when the container was closed, or the user has interrupted it; or TOOL_FAILED. */
int sioncat_follow(char *name, const struct numbers *tasks);

#endif

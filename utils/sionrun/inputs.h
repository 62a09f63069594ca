/* The containers whose files the program sees at their old names. */
#ifndef UTILS_SIONRUN_INPUTS_H
#define UTILS_SIONRUN_INPUTS_H

#include "sionrun/settings.h"

/* Make the map of their files in a session folder. TOOL_RUN, or TOOL_FAILED after a message. */
int inputs_map(const char *session, const struct settings *settings);

#endif

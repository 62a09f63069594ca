/* Whether a release of SCR would restart a job from a prefix. */
#ifndef UTILS_SIONSCR_RESTART_H
#define UTILS_SIONSCR_RESTART_H

#include "sionscr/commands.h"

/*
 * Report what would keep SCR from it, each with the command that cures it. *dataset[size]: the folder
 * of the map from which SCR would restart, for the check of its files; "": there is none.
 * TOOL_RUN: nothing would; TOOL_FAILED.
 */
int scr_restart(const struct scr_settings *settings, const char *prefix, char *folder, size_t size);

#endif

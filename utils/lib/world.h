/* The processes that a launcher of MPI programs has started, with MPI if this build has it. */
#ifndef UTILS_LIB_WORLD_H
#define UTILS_LIB_WORLD_H

#include "lib/team.h"
#include "lib/tool.h"

/* If a launcher is there, start MPI and return 1; else, or in a build without MPI, 0. */
int world_begin(int *argc, char ***argv, int *rank);
void world_end(void);

/* tool_parse(), of which the first process alone prints help and errors. */
int world_parse(const struct tool *tool, int argc, char **argv, void *settings);

/*
 * Make a team of all processes, or of this one with --alone. TOOL_RUN, or TOOL_DONE: another
 * process does the work, because they cannot speak with each other; that one warns.
 */
int world_team(struct team *team, int *argc, char ***argv);

/* Ends the team and MPI. */
void world_end_team(struct team *team);

#endif

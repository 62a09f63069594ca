/* What this process knows of who has started it, and of other processes of this node. */
#ifndef UTILS_SIONRUN_LAUNCHER_H
#define UTILS_SIONRUN_LAUNCHER_H

#include "sion_datatypes.h"

#include "vfs/path.h"

/* By it, the library that redirects calls finds the session folder. */
#define SESSION_VARIABLE "SION_RUN_SESSION"

/* When a process was started, in a number that differs from that of any other one with its number;
   -1: there is no such process. */
sion_int64 launcher_start_of(long process);

/*
 * The name of the session folder in `stage`: equal for the processes that one launcher has started
 * on this node for this output. TOOL_RUN, or TOOL_FAILED after a message.
 */
int launcher_name_session(const char *stage, const char *output, char name[SCION_PATH]);

/* The launcher's name of the job; "": it does not tell one that is the same on all nodes. */
void launcher_name_job(char *job, size_t size);

/* 1 if a process of this user has this session folder in its environment. */
int launcher_has_session(long process, const char *folder);

#endif

/* The program: how it is started, and how its end is awaited. */
#ifndef UTILS_SIONRUN_CHILD_H
#define UTILS_SIONRUN_CHILD_H

#include "sionrun/folder.h"

/* Called when files are to be packed while the program runs. */
struct child_events {
    int signal;       /* that asks for it; 0: none */
    const char *pipe; /* in which the library names files that were closed; NULL: none */
    void (*pack)(void *context);
    int (*is_wanted)(void *context); /* asked each second: whether another node packs; or NULL */
    void *context;
};

/* TOOL_RUN if the calls of this program can be redirected, by a library or in a namespace; else a
   message and TOOL_FAILED. */
int child_check(const char *program, int has_namespace);

/*
 * Run the program with the library that redirects its calls, pass signals on to it, and wait until
 * it and all processes that it has left have ended. *status: as a shell has it. TOOL_RUN, or
 * TOOL_FAILED after a message if it could not be started.
 */
int child_run(const struct folder *folder, char **program, const struct child_events *events,
              int *status);

#endif

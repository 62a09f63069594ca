/* What a file system is best asked for, before containers are written to it. */
#ifndef UTILS_SIONLS_ADVICE_H
#define UTILS_SIONLS_ADVICE_H

#include <stdio.h>

#include "lib/input.h"
#include "vfs/storage.h"

/*
 * Of a folder: what it is, the block size that new containers take, and, as shell commands, the
 * striping and number of files to set. All else is in comments, so that a shell can run it.
 */
void advice_print(FILE *to, const char *folder, const struct scion_storage *storage);

/* Of a container in such a file system: whether, and how, it is to be written anew. */
void advice_print_container(FILE *to, const struct input *input,
                            const struct scion_storage *storage);

/* A folder, or a container. TOOL_RUN, or TOOL_FAILED and a message. */
int advise(char *name);

#endif

/* A new container of what is left of another one. */
#ifndef UTILS_LIB_RESCUE_H
#define UTILS_LIB_RESCUE_H

#include "recover/recover.h"

/*
 * Write the streams of all tasks, with their global ranks. TOOL_RUN, or TOOL_FAILED after a
 * message; then an older file of the name is unchanged.
 */
int rescue_write(const struct scion_salvage *salvage, const char *name);

#endif

/* Containers whose collectors have the bytes of other tasks. */
#ifndef SCION_SCR_MERGED_H
#define SCION_SCR_MERGED_H

#include "api/parts.h"

/*
 * An error if a container looks as if it was merged. The file does not say so, but it can be
 * recognised by the sizes of its chunks (doc/format.md, 4.4): see merged.c.
 */
int scion_merged_check(const struct sion_layer_parts *parts);

#endif

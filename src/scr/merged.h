/* Containers whose collectors have the bytes of other tasks. */
#ifndef SCION_SCR_MERGED_H
#define SCION_SCR_MERGED_H

#include "api/private_abi.h"

/*
 * An error if a container was merged, or looks so. SIONlib's files do not say it, but can be
 * recognised by the sizes of its chunks (doc/format.md, 4.4): see merged.c.
 */
int scion_merged_check(const struct sion_layer_parts *parts);

#endif

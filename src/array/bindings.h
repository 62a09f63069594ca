/* Functions for bindings of arrays in other languages: exported, but in no public header. */
#ifndef SCION_ARRAY_BINDINGS_H
#define SCION_ARRAY_BINDINGS_H

#include "sion_array.h"

#pragma GCC visibility push(default)

/*
 * Get type, size of elements, dimensions and shape of a defined array in a container that is open
 * for writing; the rest of info is 0. Returns 0, or an error code, whose reason is in the error
 * record; nothing is printed.
 */
int sion_layer_array_defined(int sid, const char *name, struct sion_array_info *info);

/* "i8" .. "c128", for messages; and the bytes of an element. */
const char *sion_layer_array_type(int type);
size_t sion_layer_array_size(int type);

#pragma GCC visibility pop

#endif

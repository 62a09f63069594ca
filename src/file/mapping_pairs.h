/* The pairs of a mapping that is written, of which it need not have all numbers. */
#ifndef SCION_FILE_MAPPING_PAIRS_H
#define SCION_FILE_MAPPING_PAIRS_H

#include "format/meta2.h"

/* A piece of them, one after the other. 0, or it does not go on. */
typedef int scion_pairs_function(void *user, const int *pairs, int n);

int scion_mapping_each(const struct scion_mapping *mapping, scion_pairs_function *function,
                       void *user);

#endif

/* The one hash of names, for tables in memory. No file contains its values. */
#ifndef SCION_BASE_HASH_H
#define SCION_BASE_HASH_H

#include <stdint.h>

/* FNV-1a, 64 bits. */
static inline uint64_t scion_hash_name(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

#endif

/* What index.c and index_cursor.c share. */
#ifndef SCION_PACK_INDEX_PRIVATE_H
#define SCION_PACK_INDEX_PRIVATE_H

#include "pack/index_bytes.h"

struct scion_index {
    struct scion_pack_source source;
    struct scion_index_trailer trailer;
    struct scion_index_block *blocks; /* [trailer.blocks] */
    sion_int64 *before;               /* [trailer.blocks + 1] entries before each, and all */
    char *paths;                      /* the first ones, one after the other */
};

int scion_index_damaged(const char *what);

static inline int scion_index_fetch(const struct scion_index *index, void *to, size_t bytes,
                                    sion_int64 offset)
{
    return index->source.read(index->source.context, to, bytes, offset);
}

#endif

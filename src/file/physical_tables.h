/* Shared by the files that write a physical file; nobody else includes this. */
#ifndef SCION_FILE_PHYSICAL_TABLES_H
#define SCION_FILE_PHYSICAL_TABLES_H

#include "file/physical.h"

/* Whether what tasks flush can be recovered after a power failure. */
static inline int scion_physical_is_recovered(const struct scion_physical *physical)
{
    return physical->is_flushed && physical->trailer > 0;
}

int scion_physical_write_mapping(struct scion_physical *physical,
                                 const struct scion_mapping *mapping, sion_int64 at);

/* Of tables that end at `behind`: the first block after them. Chunks of 0 bytes need no place. */
sion_int64 scion_physical_block_behind(const struct scion_physical *physical);

#endif

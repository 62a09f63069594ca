/* The records in a log of owners (owners.h), between those who write and who read it. */
#ifndef SCION_RUN_OWNERS_LOG_H
#define SCION_RUN_OWNERS_LOG_H

#include <stdint.h>

struct scion_owner_slot {
    uint64_t name;  /* scion_name_hash(); 0: not written */
    uint64_t value; /* the lower 8 bits: an enum scion_owner_what or scion_owner_move; the others:
                       the owner, or where the old name and the new one are among the texts */
};

#endif

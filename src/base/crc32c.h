/* CRC-32C (Castagnoli), as in iSCSI and ext4. */
#ifndef SCION_BASE_CRC32C_H
#define SCION_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of what crc is of, with these bytes behind it; crc 0: of these bytes alone. */
uint32_t scion_crc32c(uint32_t crc, const void *bytes, size_t size);

#endif

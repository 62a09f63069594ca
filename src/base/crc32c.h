/* CRC-32C (Castagnoli), as in iSCSI and ext4. */
#ifndef SCION_BASE_CRC32C_H
#define SCION_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continue crc, the CRC of the bytes before these; 0: there are none. */
uint32_t scion_crc32c(uint32_t crc, const void *bytes, size_t size);

#endif

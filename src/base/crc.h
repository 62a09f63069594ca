/*
 * Where CRCs come from: a function that the program names, or that of libsion_checksum where that
 * is installed. The core contains none, and is linked with no library that does.
 */
#ifndef SCION_BASE_CRC_H
#define SCION_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of IEEE 802.3, as zlib's crc32(): continues the CRC of the bytes before (none: 0). */
typedef uint32_t scion_crc_function(uint32_t crc, const void *bytes, size_t size);

/* Use this function from now on. */
void scion_crc_use(scion_crc_function *crc);

/* NULL: there is none. */
scion_crc_function *scion_crc_find(void);

int scion_crc_missing(void); /* an error that says so */

#endif

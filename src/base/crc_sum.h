/*
 * Sums of long bytes from sums of their parts: CRC-32 as in base/crc.h, of tables that are not read
 * again when a few of their bytes change.
 */
#ifndef SCION_BASE_CRC_SUM_H
#define SCION_BASE_CRC_SUM_H

#include "base/crc.h"

/* The CRC of bytes with these CRCs, one after the other; bytes: of the second ones. */
uint32_t scion_crc_join(uint32_t first, uint32_t second, uint64_t bytes);

/* The CRC of bytes that have this one, and so many zeros behind them. */
uint32_t scion_crc_extend(uint32_t crc, uint64_t zeros);

/*
 * What of a CRC changes if some bytes do: the changes are put in their order, each as the old bytes
 * XOR the new ones. It is 0 before the first one.
 */
uint32_t scion_crc_change(scion_crc_function *crc, uint32_t changed, const void *xors,
                          size_t bytes);
uint32_t scion_crc_skip(uint32_t changed, uint64_t unchanged);

#endif

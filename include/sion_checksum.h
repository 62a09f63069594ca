/**
 * @file sion_checksum.h Checksums of the data in containers.
 *
 * With the word `checksum` in the mode string, or SION_CHECKSUM=1 in the environment, a container
 * that is written gets a CRC-32 for each MiB of each chunk, after its metadata; other readers do
 * not see them. With the same word or variable, a container that is read has its data compared with
 * the checksums, if there are any, when they are first read, or with `checksum=open` in the open;
 * sionverify(1) compares all of them.
 *
 * The library itself does not compute CRCs. It loads libsion_checksum, if that is installed, when
 * the first container needs it. Programs that are linked with static archives only link
 * libsionchecksum_64.a (`sionconfig --checksum`, pkg-config's sion-checksum, CMake's SION::checksum)
 * and call `sion_checksum_use(sion_crc32)`; or pass a function of their own.
 *
 * All functions are local.
 */
#ifndef SION_CHECKSUM_H
#define SION_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A CRC-32 as zlib's crc32(): continues the CRC of the bytes before (0: none). */
typedef uint32_t sion_crc32_t(uint32_t crc, const void *bytes, size_t size);

/**
 * Use this function for the checksums of all containers that are opened from now on.
 *
 * @param function sion_crc32, or one with the same results; NULL: look for libsion_checksum again
 * @threads no other thread may be inside the library
 */
void sion_checksum_use(sion_crc32_t *function);

/**
 * CRC-32 of IEEE 802.3, the one of zlib, gzip and PNG: with ISA-L, if Scion was built with it, else
 * with zlib. In libsionchecksum_64.a and libsion_checksum.
 *
 * @param crc   of the bytes before; 0 if there are none
 * @param bytes the bytes that follow
 * @param size  number of bytes
 * @return the CRC of all bytes
 * @threads any
 */
uint32_t sion_crc32(uint32_t crc, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif

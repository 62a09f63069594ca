/* The CRC of a library that has one: the whole of libsion_checksum. */
#include "sion_checksum.h"

#pragma GCC visibility push(default)

#ifdef HAVE_ISAL
#include <isa-l.h>

uint32_t sion_crc32(uint32_t crc, const void *bytes, size_t size)
{
    return crc32_gzip_refl(crc, bytes, size);
}
#else
#include <zlib.h>

uint32_t sion_crc32(uint32_t crc, const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc, bytes, size);
}
#endif

#pragma GCC visibility pop

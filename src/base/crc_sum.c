/* A CRC is the remainder of a polynomial over bits, so zeros behind it multiply it by a power of x.
 */
#include "base/crc_sum.h"

static const uint32_t polynomial = 0xedb88320, one = 0x80000000; /* bit 31 is x^0 */

static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0, bit;

    for (bit = one; bit != 0; bit >>= 1) {
        if (a & bit)
            product ^= b;
        b = b & 1 ? b >> 1 ^ polynomial : b >> 1;
    }
    return product;
}

/* x to the power of 8 * bytes. */
static uint32_t power(uint64_t bytes)
{
    uint32_t result = one, square = one >> 8;

    for (; bytes > 0; bytes >>= 1) {
        if (bytes & 1)
            result = multiply(result, square);
        square = multiply(square, square);
    }
    return result;
}

uint32_t scion_crc_skip(uint32_t changed, uint64_t unchanged)
{
    return changed == 0 || unchanged == 0 ? changed : multiply(changed, power(unchanged));
}

uint32_t scion_crc_join(uint32_t first, uint32_t second, uint64_t bytes)
{
    return scion_crc_skip(first, bytes) ^ second;
}

uint32_t scion_crc_extend(uint32_t crc, uint64_t zeros)
{
    return ~scion_crc_skip(~crc, zeros);
}

uint32_t scion_crc_change(scion_crc_function *crc, uint32_t changed, const void *xors, size_t bytes)
{
    return ~crc(~changed, xors, bytes);
}

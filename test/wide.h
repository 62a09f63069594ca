/* Sums and products of 63-bit numbers that do not overflow; they are exact where they fit into 63
 * bits. */
#ifndef TEST_WIDE_H
#define TEST_WIDE_H

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;
#else
/* On 32-bit x86, 64 bits of mantissa. */
#include <float.h>
_Static_assert(LDBL_MANT_DIG >= 64, "there is no wide type");
typedef long double wide;
#endif

#endif

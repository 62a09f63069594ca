/* The function that makes CRCs, if the program names one. */
#include "api/public.h"

#include "base/crc.h"

void sion_checksum_use(sion_crc32_t *function)
{
    scion_crc_use(function);
}

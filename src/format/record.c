#include "format/record.h"

#include <string.h>

#include "base/byteorder.h"

void scion_record_encode(uint64_t key, uint64_t length, unsigned char *to)
{
    memcpy(to, &key, sizeof key);
    memcpy(to + 8, &length, sizeof length);
}

void scion_record_decode(const unsigned char *from, int swapped, uint64_t *key, uint64_t *length)
{
    *key = (uint64_t)scion_load_i64(from, swapped);
    *length = (uint64_t)scion_load_i64(from + 8, swapped);
}

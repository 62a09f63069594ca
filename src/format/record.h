/* The header of a key-value record: key and length, before the value (doc/format.md, "Key-value").
 */
#ifndef SCION_FORMAT_RECORD_H
#define SCION_FORMAT_RECORD_H

#include <stdint.h>

enum { SCION_RECORD_HEADER = 16 };

/* In the host's byte order, SCION_RECORD_HEADER bytes. */
void scion_record_encode(uint64_t key, uint64_t length, unsigned char *to);

/* swapped: as in the metadata of the file. */
void scion_record_decode(const unsigned char *from, int swapped, uint64_t *key, uint64_t *length);

#endif

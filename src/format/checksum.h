/*
 * The head of the checksums that may stand after META2 and the mapping (doc/format.md,
 * "Checksums"). Pure functions between structs and bytes.
 */
#ifndef SCION_FORMAT_CHECKSUM_H
#define SCION_FORMAT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "sion_datatypes.h"

#include "base/crc.h"

enum {
    SCION_CHECKSUM_HEAD = 40,       /* bytes of the head */
    SCION_CHECKSUM_PIECE = 1 << 20, /* bytes of data under one CRC, as this library writes them */
    SCION_CHECKSUM_PIECE_MOST = 1 << 30
};

struct scion_checksum_head {
    int is_in_area;     /* of a state in an area: the CRCs are in a table of their own there */
    uint32_t piece;     /* bytes of data under one CRC */
    sion_int64 count;   /* CRCs that follow; in an area: where the table begins in the file */
    uint32_t of_meta1;  /* of META1 with its tail */
    uint32_t of_tables; /* of META2 and the mapping */
    uint32_t of_all;    /* of the bytes of the CRCs that follow, or of the table */
};

/* Write the head in the host's byte order: SCION_CHECKSUM_HEAD bytes. */
void scion_checksum_encode(const struct scion_checksum_head *head, scion_crc_function *crc,
                           unsigned char *to);

/* 1 if length bytes begin as a head of checksums does, good or damaged. */
int scion_checksum_is_head(const unsigned char *from, size_t length);

/* What SCION_CHECKSUM_HEAD bytes say if they are a head; nothing is checked. */
void scion_checksum_load(const unsigned char *from, int swapped, struct scion_checksum_head *head);

/*
 * Decode the head from length bytes and check it: its CRC, its version, and that `room` bytes
 * after it hold as many CRCs as it says, if they follow it.
 */
int scion_checksum_decode(const unsigned char *from, size_t length, int swapped, sion_int64 room,
                          scion_crc_function *crc, struct scion_checksum_head *head);

/* Number of CRCs for a chunk of this many bytes. */
sion_int64 scion_checksum_pieces(sion_int64 bytes, sion_int64 piece);

#endif

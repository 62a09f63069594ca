/*
 * Commit records: what a writer leaves at the end of every chunk, so that its data can be found
 * without META2 (doc/format.md, "Recovery"). Pure, as meta1.h.
 */
#ifndef SCION_FORMAT_SLOT_H
#define SCION_FORMAT_SLOT_H

#include <stdint.h>

#include "sion_datatypes.h"

enum {
    SCION_SLOT_SIZE = 64,
    SCION_SLOTS = 2,
    SCION_TRAILER_SIZE = SCION_SLOTS * SCION_SLOT_SIZE /* last bytes of a chunk */
};

/* flag2 of a container whose chunks have trailers, and the nonce in it. */
sion_int64 scion_marker_make(uint32_t nonce);

/* flag2 of one that has a nonce, and no trailers. */
sion_int64 scion_marker_plain(uint32_t nonce);

/* The same flag2 of a container whose streams are compressed; and whether it is one. */
sion_int64 scion_marker_zip(sion_int64 flag2);
int scion_marker_is_zipped(sion_int64 flag2);

/* 1 if flag2 has a nonce, with or without trailers. */
int scion_marker_nonce(sion_int64 flag2, uint32_t *nonce);

/* 1 if two files may have been written together: both have the same nonce, or none. */
int scion_marker_fits(sion_int64 flag2, sion_int64 other);

/* Bytes of the trailers that flag2 tells of, 0 if there are none. *nonce: NULL: not wanted. */
int scion_marker_trailer(sion_int64 flag2, uint32_t *nonce);

/* Bytes that data may take in a chunk of this size with a trailer of this size. */
static inline sion_int64 scion_trailer_room(sion_int64 size, int trailer)
{
    return size > trailer ? size - trailer : 0;
}

struct scion_slot {
    uint32_t nonce;
    int task; /* index in the physical file */
    sion_int64 chunk;
    sion_int64 sequence; /* counts all commits of the task; its parity is the number of the slot */
    sion_int64 used;     /* bytes of the chunk that were written before */
    sion_int64 flushed;  /* of these, the bytes before the last flush */
};

/* In the host's byte order; SCION_SLOT_SIZE bytes. */
void scion_slot_encode(const struct scion_slot *slot, unsigned char *to);

/*
 * Find the newest slot of a trailer of SCION_TRAILER_SIZE bytes that is whole, has the nonce, task
 * and chunk of `wanted`, a higher sequence than `wanted`, and at most `room` bytes. 1, or 0: none.
 */
int scion_slot_find(const unsigned char *trailer, int swapped, const struct scion_slot *wanted,
                    sion_int64 room, struct scion_slot *slot);

#endif

/*
 * The bytes of records in a task's stream: struct <-> bytes, and the checks (doc/arrays.md). Pure:
 * no I/O, no state, never past (bytes, length).
 */
#ifndef SCION_ARRAY_CODEC_H
#define SCION_ARRAY_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "array/codecs.h"
#include "array/types.h"

enum {
    SCION_ARRAY_MAGIC = 8,     /* bytes that a header begins with */
    SCION_ARRAY_FIXED = 48,    /* bytes before the numbers of its dimensions */
    SCION_ARRAY_ALIGN = 64,    /* headers and data begin on a multiple of this in the file */
    SCION_ARRAY_HEADER = 1280, /* the longest header */
    SCION_ARRAY_TRAILER = 64,
    SCION_ARRAY_VALUE = 65535 /* bytes of an attribute's value */
};

enum scion_array_record { SCION_ARRAY_BLOCK = 1, SCION_ARRAY_ATTRIBUTE = 2, SCION_ARRAY_INDEX = 3 };

enum { SCION_ARRAY_BIG_ENDIAN = 1, SCION_ARRAY_HAS_CRC = 2 };

extern const unsigned char scion_array_magic[SCION_ARRAY_MAGIC];

/* A record's header. Of an attribute, data are key, NUL, value; of an index, a part of it. */
struct scion_array_header {
    int kind, type, ndims;            /* enum scion_array_record; type and ndims 0: no block */
    uint32_t flags, crc;              /* crc of the data, if the flags say so */
    struct scion_array_coding coding; /* of a block's data */
    sion_int64 bytes;                 /* of the data, as they are stored */
    sion_int64 step;                  /* of an index: where in it this part begins */
    sion_int64 shape[SION_ARRAY_DIMS], offset[SION_ARRAY_DIMS], count[SION_ARRAY_DIMS];
    const char *name; /* not terminated; of an attribute of the container, none */
    size_t name_length;
};

/* Bytes of the header in front of the data. */
size_t scion_array_header_size(int ndims, size_t name_length);

/* Into bytes[scion_array_header_size()]. */
void scion_array_header_encode(const struct scion_array_header *header, unsigned char *bytes);

/*
 * Whether SCION_ARRAY_FIXED bytes that begin with the magic are a header that is damaged, perhaps:
 * one of its fields is plausible. Bytes of the application can have the magic, too.
 */
int scion_array_header_resembles(const unsigned char *bytes);

/*
 * Decode `length` bytes that begin with the magic, at least SCION_ARRAY_FIXED. Returns the size of
 * the header. If that is more than length, nothing else is known. 0: no header, or a damaged one.
 * name points into bytes.
 */
size_t scion_array_header_decode(const unsigned char *bytes, size_t length,
                                 struct scion_array_header *header);

/* What follows an index, at the end of a stream or of what was published of it. */
struct scion_array_trailer {
    int has_codings;  /* the index says how the blocks of each array are stored: version 2 */
    int is_whole;     /* 0: the index is of this task's blocks only */
    uint32_t crc;     /* of the index */
    sion_int64 start; /* of its first part's header, in the stream */
    sion_int64 bytes; /* of the index, all parts together */
    sion_int64 parts; /* records */
    sion_int64 blocks;
    sion_int64 before; /* where the trailer of the index ends that this one goes on; 0: none */
    sion_int64 generation; /* bytes of the generation that ends with it; 0: there are none */
};

void scion_array_trailer_encode(const struct scion_array_trailer *trailer,
                                unsigned char bytes[SCION_ARRAY_TRAILER]);

/* 1, or 0: there is none, or one of a later version, if *is_later. */
int scion_array_trailer_decode(const unsigned char bytes[SCION_ARRAY_TRAILER],
                               struct scion_array_trailer *trailer, int *is_later);

#endif

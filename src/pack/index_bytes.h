/* The bytes of an index. Its numbers are little-endian. Pure functions. */
#ifndef SCION_PACK_INDEX_BYTES_H
#define SCION_PACK_INDEX_BYTES_H

#include "pack/index.h"

enum {
    SCION_INDEX_BLOCK = 1 << 15, /* a block ends with the entry that makes it so long */
    SCION_INDEX_BLOCK_MOST = 1 << 20,
    SCION_INDEX_ENTRY = 52, /* of an entry, before its path */
    SCION_INDEX_ENTRY_MOST = SCION_INDEX_ENTRY + 2 * SCION_PACK_PATH,
    SCION_INDEX_LISTED = 22, /* of a block in the list of blocks, before its first path */
    SCION_INDEX_TRAILER = 80,
    SCION_INDEX_VERSION = 1
};

/* A block, as the list of blocks has it. */
struct scion_index_block {
    sion_int64 offset; /* in the file */
    uint32_t size, count, crc;
    const char *first; /* path of its first entry */
};

struct scion_index_trailer {
    struct scion_index_key key;
    sion_int64 count;                  /* entries */
    sion_int64 begin;                  /* of the index, in the file */
    sion_int64 list_offset, list_size; /* of the list of blocks */
    uint32_t blocks, list_crc;
};

/* Returns the bytes. before: the path of the entry before it in the block, or "". */
size_t scion_index_encode(const struct scion_pack_entry *entry, const char *before,
                          unsigned char *to);

/*
 * Decode and check an entry: path, the caller's, is that of the entry before it, "" for the first
 * one of a block, and becomes this one's; target[SCION_PACK_PATH]. Returns its bytes, or 0: there
 * is none that is valid.
 */
size_t scion_index_decode(const unsigned char *from, size_t length, int ntasks, char *path,
                          char *target, struct scion_pack_entry *entry);

/* A block in the list; returns the bytes; 0 as above. first[SCION_PACK_PATH]. */
size_t scion_index_encode_block(const struct scion_index_block *block, unsigned char *to);
size_t scion_index_decode_block(const unsigned char *from, size_t length,
                                struct scion_index_block *block, char *first);

void scion_index_encode_trailer(const struct scion_index_trailer *trailer, unsigned char *to);

/* Whether these are the last bytes of an index, good or damaged. */
int scion_index_is_trailer(const unsigned char *from);

/* Decode a trailer that ends a file of `size` bytes and check it. 0 or an error code. */
int scion_index_decode_trailer(const unsigned char *from, sion_int64 size,
                               struct scion_index_trailer *trailer);

#endif

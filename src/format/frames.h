/*
 * Compressed streams as bytes (doc/format.md, "Compressed streams"): each is a seekable zstd file,
 * whose first frame is a head of ours. Numbers are little-endian, as in all that zstd reads. Pure,
 * as meta1.h.
 */
#ifndef SCION_FORMAT_FRAMES_H
#define SCION_FORMAT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "sion_datatypes.h"

enum {
    SCION_ZIP_HEAD = 40,   /* bytes of the head, which is a skippable frame */
    SCION_SEEK_HEAD = 8,   /* of the seek table, which is one, too: before its entries, */
    SCION_SEEK_ENTRY = 8,  /* one of them, and what */
    SCION_SEEK_FOOTER = 9, /* is behind them */
    SCION_FRAME_LEAST = 4096,
    SCION_FRAME_USUAL = 1 << 20,
    SCION_FRAME_MOST = 1 << 26, /* plain bytes of a frame */
    SCION_SHUFFLE_MOST = 64,
    SCION_RAW_HEAD = 9,        /* bytes of the head of a frame that is not compressed, */
    SCION_RAW_BLOCK = 1 << 17, /* most bytes of one of its blocks, */
    SCION_RAW_BLOCK_HEAD = 3,  /* and what is before each */
    SCION_FRAME_HEAD = 18      /* most bytes of a frame's head */
};

struct scion_zip_head {
    uint32_t frame;   /* most plain bytes of a frame */
    uint32_t shuffle; /* bytes of an element of which bytes were shuffled; 1: they were not */
};

void scion_zip_head_encode(const struct scion_zip_head *head, unsigned char to[SCION_ZIP_HEAD]);

/* From length bytes. NULL: done; else what is wrong, a static string. */
const char *scion_zip_head_decode(const unsigned char *from, size_t length,
                                  struct scion_zip_head *head);

/* Most bytes that a frame with so many plain ones may take. */
size_t scion_zip_most(size_t plain);

/* ---- the seek table ---- */

enum { SCION_SEEK_MOST = 0x8000000 /* entries */ };

void scion_seek_head_encode(uint32_t entries, unsigned char to[SCION_SEEK_HEAD]);
void scion_seek_entry_encode(uint32_t stored, uint32_t plain, unsigned char to[SCION_SEEK_ENTRY]);
void scion_seek_footer_encode(uint32_t entries, unsigned char to[SCION_SEEK_FOOTER]);

/* 1, and how many entries of how many bytes there are; 0: it is none. */
int scion_seek_footer_decode(const unsigned char from[SCION_SEEK_FOOTER], uint32_t *entries,
                             size_t *size);

/* 1 if it is that of a table with so many entries of such a size. */
int scion_seek_head_check(const unsigned char from[SCION_SEEK_HEAD], uint32_t entries, size_t size);
void scion_seek_entry_decode(const unsigned char *from, uint32_t *stored, uint32_t *plain);

/* ---- frames ---- */

/* The head of a frame that is not compressed, and of each of its blocks. */
void scion_raw_head_encode(uint32_t plain, unsigned char to[SCION_RAW_HEAD]);
void scion_raw_block_encode(uint32_t bytes, int is_last, unsigned char to[SCION_RAW_BLOCK_HEAD]);

/* Bytes of such a frame. */
size_t scion_raw_size(size_t plain);

struct scion_frame_head {
    int is_skippable;
    sion_int64 bytes;      /* of the head; of a skippable frame: of all of it */
    sion_int64 plain;      /* that the frame holds; a skippable one: 0 */
    sion_int64 bytes_more; /* behind the last block: a checksum */
};

/* 1, or 0: that does not begin with the head of a frame that says how much it holds. */
int scion_frame_head_decode(const unsigned char *from, size_t length,
                            struct scion_frame_head *head);

/* The 3 bytes before a block: how many follow, and whether it is the frame's last. 0: wrong. */
int scion_block_head_decode(const unsigned char from[SCION_RAW_BLOCK_HEAD], sion_int64 *bytes,
                            int *is_last);

#endif

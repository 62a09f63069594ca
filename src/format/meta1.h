/*
 * META1: the static metadata at the start of a physical file (doc/format.md, "META1").
 *
 * Pure functions between structs and bytes: no I/O, no state, never past (buffer, length).
 */
#ifndef SCION_FORMAT_META1_H
#define SCION_FORMAT_META1_H

#include <stddef.h>

#include "sion_datatypes.h"

enum {
    SCION_PREFIX_SIZE = 1024,
    /* Bytes before the arrays. Format version 2 has 20 bytes less. */
    SCION_META1_FIXED = 1076,
    SCION_META1_FIXED_V2 = 1056,
    /* maxchunks and start_of_varheader, after the arrays, written at close. */
    SCION_META1_TAIL = 12,
    SCION_FORMAT_OLDEST = 2 /* that can be read */
};

/* The fixed part, decoded. */
struct scion_meta1 {
    int swapped;    /* the metadata's byte order is not the host's */
    int big_endian; /* byte order of the users' data: 1 big, 0 little */
    int version;    /* library that wrote it: 1000 * main + sub */
    int patch;
    int format_version;
    int fsblksize; /* bytes, >= 1 */
    int ntasks;    /* tasks in this physical file, >= 1 */
    int nfiles;    /* physical files of the container */
    int filenumber;
    sion_int64 flag1; /* key-value mode in the upper 32 bits */
    sion_int64 flag2;
    char prefix[SCION_PREFIX_SIZE + 1]; /* always terminated here */
};

/* Bytes that META1 takes in the layout: the same formula for every format version. */
sion_int64 scion_meta1_size(sion_int64 ntasks);

/* A header as this library writes it: version, byte orders and flags set, the rest zero. */
void scion_meta1_init(struct scion_meta1 *head, int keyval, int big_endian);

/* What flag1 is in files of a key-value mode. */
sion_int64 scion_meta1_flag1(int keyval);

/* The key-value mode that a file's header says: SION_KEYVAL_* or the number found. */
int scion_meta1_keyval(const struct scion_meta1 *head);

/* 0: writers of this version make no such key-value mode, so flag1 may be damaged. */
int scion_meta1_has_usual_keyval(const struct scion_meta1 *head);

/*
 * Bytes that every chunk is rounded up to when its place is computed: 1 for today's files, which
 * store rounded sizes; the block size for format version 3 and older, which store requested ones.
 */
int scion_meta1_grain(const struct scion_meta1 *head);

/* Write the fixed part in the host's byte order: SCION_META1_FIXED bytes. */
void scion_meta1_encode(const struct scion_meta1 *head, unsigned char *to);

/*
 * Decode the fixed part from the first length bytes of a file of file_size bytes and check it:
 * magic, byte order, version, then every number against what the file can hold.
 */
int scion_meta1_decode(const unsigned char *from, size_t length, sion_int64 file_size,
                       struct scion_meta1 *head);

/* Bytes of the fixed part in a file of this header's version. */
size_t scion_meta1_fixed_size(const struct scion_meta1 *head);

/* The tail: maxchunks and start_of_varheader; encode takes SCION_META1_TAIL bytes. */
void scion_meta1_encode_tail(int maxchunks, sion_int64 start_of_varheader, unsigned char *to);
void scion_meta1_decode_tail(const unsigned char *from, int swapped, int *maxchunks,
                             sion_int64 *start_of_varheader);

/* An array of n 64-bit numbers, from the file's byte order to the host's, in place. */
void scion_array_decode(sion_int64 *array, size_t n, int swapped);

#endif

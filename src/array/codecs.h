/*
 * How the data of a block may be compressed (doc/arrays.md, "Compressed blocks"): what headers and
 * indexes say about it, and the words of sion_array_codec(). Pure.
 */
#ifndef SCION_ARRAY_CODECS_H
#define SCION_ARRAY_CODECS_H

#include "array/types.h"

enum scion_array_codec { SCION_ARRAY_PLAIN, SCION_ARRAY_ZSTD, SCION_ARRAY_ZFP };

/* What is needed to read a block. */
struct scion_array_coding {
    int codec;   /* enum scion_array_codec */
    int shuffle; /* bytes of an element of which bytes were shuffled before; 0: they were not */
};

/* What is needed to write one. */
struct scion_array_packing {
    struct scion_array_coding coding;
    int level;   /* of zstd */
    int is_rate; /* of zfp: the number is bits of an element; else how far it may be off */
    double number;
};

/* Whether there can be blocks of a type with such numbers. */
int scion_array_is_coding(int type, const struct scion_array_coding *coding);

/*
 * Whether `stored` bytes can hold so many plain ones: what is beyond is no memory taken for. Plain
 * blocks have equal numbers.
 */
int scion_array_may_hold(int codec, sion_int64 stored, sion_int64 plain);

/* Words for sion_array_codec, without a level; "": plain. A static string. */
const char *scion_array_coding_text(const struct scion_array_coding *coding);

/* Find out what sion_array_codec's words mean for an array. 0, or an error of
   SION_ERR_ARGUMENT. */
struct scion_array_definition;
int scion_array_find_packing(const char *words, const struct scion_array_definition *definition,
                             struct scion_array_packing *packing);

#endif

/* Compressing the data of blocks, and getting them back. */
#ifndef SCION_ARRAY_PACK_H
#define SCION_ARRAY_PACK_H

#include "array/codecs.h"

/* Fail, with a message, if the system lacks what a codec needs. */
int scion_array_need_codec(int codec);

/* Memory to compress with, which is made when it is first needed. */
struct scion_array_packer;
struct scion_array_packer *scion_array_packer_new(void);
void scion_array_packer_free(struct scion_array_packer *packer); /* NULL: nothing */

/* Bytes of a block, and of what. */
struct scion_array_pack_block {
    int type, ndims;
    const sion_int64 *count;
    const void *data; /* of one that is compressed */
    size_t bytes;     /* at least 1 */
};

/* *packed belongs to the packer, until the next call. *stored is 0 if the block is better plain. */
int scion_array_pack(struct scion_array_packer *packer, const struct scion_array_packing *packing,
                     const struct scion_array_pack_block *block, const unsigned char **packed,
                     size_t *stored);

struct scion_array_unpacker;
struct scion_array_unpacker *scion_array_unpacker_new(void);
void scion_array_unpacker_free(struct scion_array_unpacker *unpacker); /* NULL: nothing */

/* Memory for the bytes as they are stored, until the next call. NULL: there is none. */
unsigned char *scion_array_unpacker_room(struct scion_array_unpacker *unpacker, size_t stored);

/*
 * What is in that memory becomes the block's data. *why: what is wrong with it, and the result is
 * SION_ERR_DAMAGED, without a message. Nothing is written beyond `bytes`.
 */
int scion_array_unpack(struct scion_array_unpacker *unpacker,
                       const struct scion_array_coding *coding, size_t stored,
                       const struct scion_array_pack_block *block, void *to, const char **why);

#endif

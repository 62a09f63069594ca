#include "array/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shuffle.h"
#include "base/zstd.h"

/* Memory that only grows. */
struct room {
    unsigned char *at;
    size_t size;
};

static int need(struct room *room, size_t size)
{
    unsigned char *at;

    if (room->size >= size)
        return 0;
    free(room->at); /* what it has is not needed any more */
    *room = (struct room){NULL, 0};
    at = malloc(size);
    if (!at)
        return scion_fail_memory("compressed blocks");
    *room = (struct room){at, size};
    return 0;
}

int scion_array_need_codec(int codec)
{
    return codec == SCION_ARRAY_ZSTD ? scion_zstd_need("compressed arrays") : 0;
}

/* ---- compressing ---- */

struct scion_array_packer {
    struct scion_zstd_encoder *encoder;
    int level; /* the encoder's */
    struct room shuffled, packed;
};

struct scion_array_packer *scion_array_packer_new(void)
{
    struct scion_array_packer *packer = calloc(1, sizeof *packer);

    if (!packer)
        scion_fail_memory("compressed blocks");
    return packer;
}

void scion_array_packer_free(struct scion_array_packer *packer)
{
    if (!packer)
        return;
    scion_zstd_encoder_free(packer->encoder);
    free(packer->shuffled.at);
    free(packer->packed.at);
    free(packer);
}

static int need_encoder(struct scion_array_packer *packer, int level)
{
    int rc = packer->encoder ? 0 : scion_array_need_codec(SCION_ARRAY_ZSTD);

    if (rc != 0 || (packer->encoder && packer->level == level))
        return rc;
    scion_zstd_encoder_free(packer->encoder);
    packer->encoder = scion_zstd_encoder_new(level, 0);
    packer->level = level;
    return packer->encoder ? 0 : scion_fail_memory("compressed blocks");
}

/* zstd itself stores what does not shrink, so there is room for all. */
static int pack_zstd(struct scion_array_packer *packer, const struct scion_array_packing *packing,
                     const struct scion_array_pack_block *block, size_t *stored)
{
    size_t shuffle = (size_t)packing->coding.shuffle;
    const void *from = block->data;
    int rc = need_encoder(packer, packing->level);

    if (rc == 0 && shuffle > 0)
        rc = need(&packer->shuffled, block->bytes);
    if (rc == 0)
        rc = need(&packer->packed, scion_zstd_bound(block->bytes));
    if (rc != 0)
        return rc;
    if (shuffle > 0) {
        scion_shuffle_all(block->data, block->bytes, shuffle, packer->shuffled.at);
        from = packer->shuffled.at;
    }
    *stored = scion_zstd_encode(packer->encoder, from, block->bytes, packer->packed.at,
                                packer->packed.size);
    return *stored > 0 ? 0 : scion_fail_memory("compressed blocks");
}

int scion_array_pack(struct scion_array_packer *packer, const struct scion_array_packing *packing,
                     const struct scion_array_pack_block *block, const unsigned char **packed,
                     size_t *stored)
{
    int rc = pack_zstd(packer, packing, block, stored);

    *packed = packer->packed.at;
    return rc;
}

/* ---- back ---- */

struct scion_array_unpacker {
    struct scion_zstd_decoder *decoder;
    struct room stored, shuffled;
};

struct scion_array_unpacker *scion_array_unpacker_new(void)
{
    struct scion_array_unpacker *unpacker = calloc(1, sizeof *unpacker);

    if (!unpacker)
        scion_fail_memory("compressed blocks");
    return unpacker;
}

void scion_array_unpacker_free(struct scion_array_unpacker *unpacker)
{
    if (!unpacker)
        return;
    scion_zstd_decoder_free(unpacker->decoder);
    free(unpacker->stored.at);
    free(unpacker->shuffled.at);
    free(unpacker);
}

unsigned char *scion_array_unpacker_room(struct scion_array_unpacker *unpacker, size_t stored)
{
    return need(&unpacker->stored, stored) == 0 ? unpacker->stored.at : NULL;
}

static int need_decoder(struct scion_array_unpacker *unpacker)
{
    int rc = unpacker->decoder ? 0 : scion_array_need_codec(SCION_ARRAY_ZSTD);

    if (rc == 0 && !unpacker->decoder)
        unpacker->decoder = scion_zstd_decoder_new();
    return rc != 0 || unpacker->decoder ? rc : scion_fail_memory("compressed blocks");
}

int scion_array_unpack(struct scion_array_unpacker *unpacker,
                       const struct scion_array_coding *coding, size_t stored, void *to,
                       size_t bytes, const char **why)
{
    int rc = need_decoder(unpacker), is_shuffled = coding->shuffle > 0;

    *why = NULL;
    if (rc == 0 && is_shuffled)
        rc = need(&unpacker->shuffled, bytes);
    if (rc != 0)
        return rc;
    *why = scion_zstd_decode(unpacker->decoder, unpacker->stored.at, stored,
                             is_shuffled ? unpacker->shuffled.at : to, bytes);
    if (*why)
        return SION_ERR_DAMAGED;
    if (is_shuffled)
        scion_unshuffle_all(unpacker->shuffled.at, bytes, (size_t)coding->shuffle, to);
    return 0;
}

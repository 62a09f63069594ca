#include "array/pack.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shuffle.h"
#include "base/zfp.h"
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
    return codec == SCION_ARRAY_ZSTD  ? scion_zstd_need("compressed arrays")
           : codec == SCION_ARRAY_ZFP ? scion_zfp_need()
                                      : 0;
}

/* ---- compressing ---- */

struct scion_array_packer {
    struct scion_zstd_encoder *encoder;
    int level; /* the encoder's */
    struct room shuffled, packed, aligned;
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
    free(packer->aligned.at);
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

static void find_box(const struct scion_array_pack_block *block, struct scion_zfp_box *box)
{
    int d;

    *box = (struct scion_zfp_box){.is_double = block->type == SION_F64, .ndims = block->ndims};
    for (d = 0; d < block->ndims; d++)
        box->count[d] = (size_t)block->count[d];
}

static double element(const struct scion_array_pack_block *block, const void *data, size_t i)
{
    return block->type == SION_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* Memory of the program may be at any address. */
static const void *aligned(struct scion_array_packer *packer,
                           const struct scion_array_pack_block *block)
{
    if ((uintptr_t)block->data % sizeof(double) == 0)
        return block->data;
    if (need(&packer->aligned, block->bytes) != 0)
        return NULL;
    memcpy(packer->aligned.at, block->data, block->bytes);
    return packer->aligned.at;
}

/* zfp knows no number that is not finite, unless it loses nothing. */
static int is_finite(const struct scion_array_pack_block *block, const void *data)
{
    size_t n = block->bytes / scion_array_size(block->type), i = 0;

    while (i < n && isfinite(element(block, data, i)))
        i++;
    return i == n;
}

/* *is_kept: what comes back differs by no more than the bound; none (< 0): not at all. */
static int compare(struct scion_array_packer *packer, const struct scion_array_pack_block *block,
                   const struct scion_zfp_box *box, const void *data, double bound, int *is_kept)
{
    size_t n = block->bytes / scion_array_size(block->type), i;
    int rc = need(&packer->shuffled, block->bytes);
    const char *why =
        rc == 0 ? scion_zfp_decode(box, packer->packed.at, packer->packed.size, packer->shuffled.at)
                : NULL;

    *is_kept = 0;
    if (rc != 0 || why)
        return rc != 0 ? rc : scion_fail(SION_ERR_ARGUMENT, "zfp: %s", why);
    if (bound < 0) {
        *is_kept = memcmp(data, packer->shuffled.at, block->bytes) == 0;
        return 0;
    }
    for (i = 0; i < n; i++) {
        if (!(fabs(element(block, data, i) - element(block, packer->shuffled.at, i)) <= bound))
            return 0;
    }
    *is_kept = 1;
    return 0;
}

/* As the mode says, if all numbers can be so, or without loss, or not at all: *stored is 0. */
static int pack_zfp(struct scion_array_packer *packer, const struct scion_array_packing *packing,
                    const struct scion_array_pack_block *block, size_t *stored)
{
    const void *data = aligned(packer, block);
    enum scion_zfp_mode mode = packing->is_rate ? SCION_ZFP_RATE : SCION_ZFP_ACCURACY;
    struct scion_zfp_box box;
    const char *why;
    int is_kept = 0, rc = data ? scion_array_need_codec(SCION_ARRAY_ZFP) : SION_ERR_MEMORY;

    find_box(block, &box);
    *stored = 0;
    if (rc == 0 && !is_finite(block, data))
        mode = SCION_ZFP_REVERSIBLE;
    while (rc == 0 && !is_kept) {
        free(packer->packed.at);
        packer->packed = (struct room){NULL, 0};
        why = scion_zfp_encode(&box, mode, packing->number, data, &packer->packed.at,
                               &packer->packed.size);
        if (why)
            return scion_fail(SION_ERR_ARGUMENT, "zfp: %s", why);
        if (mode == SCION_ZFP_RATE)
            break;
        rc = compare(packer, block, &box, data, mode == SCION_ZFP_REVERSIBLE ? -1 : packing->number,
                     &is_kept);
        if (mode == SCION_ZFP_REVERSIBLE && !is_kept)
            return rc;
        mode = SCION_ZFP_REVERSIBLE;
    }
    *stored = rc == 0 && packer->packed.size < block->bytes ? packer->packed.size : 0;
    return rc;
}

int scion_array_pack(struct scion_array_packer *packer, const struct scion_array_packing *packing,
                     const struct scion_array_pack_block *block, const unsigned char **packed,
                     size_t *stored)
{
    int rc = packing->coding.codec == SCION_ARRAY_ZFP ? pack_zfp(packer, packing, block, stored)
                                                      : pack_zstd(packer, packing, block, stored);

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

static int unpack_zfp(struct scion_array_unpacker *unpacker, size_t stored,
                      const struct scion_array_pack_block *block, void *to, const char **why)
{
    int rc = scion_array_need_codec(SCION_ARRAY_ZFP),
        is_aligned = (uintptr_t)to % sizeof(double) == 0;
    struct scion_zfp_box box;

    if (block->ndims < 1 || block->ndims > 4) {
        *why = "zfp has no such dimensions";
        return SION_ERR_DAMAGED;
    }
    find_box(block, &box);
    if (rc == 0 && !is_aligned)
        rc = need(&unpacker->shuffled, block->bytes);
    if (rc != 0)
        return rc;
    *why = scion_zfp_decode(&box, unpacker->stored.at, stored,
                            is_aligned ? to : unpacker->shuffled.at);
    if (*why)
        return SION_ERR_DAMAGED;
    if (!is_aligned)
        memcpy(to, unpacker->shuffled.at, block->bytes);
    return 0;
}

static int unpack_zstd(struct scion_array_unpacker *unpacker,
                       const struct scion_array_coding *coding, size_t stored, void *to,
                       size_t bytes, const char **why)
{
    int rc = need_decoder(unpacker), is_shuffled = coding->shuffle > 0;

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

int scion_array_unpack(struct scion_array_unpacker *unpacker,
                       const struct scion_array_coding *coding, size_t stored,
                       const struct scion_array_pack_block *block, void *to, const char **why)
{
    *why = NULL;
    return coding->codec == SCION_ARRAY_ZFP
               ? unpack_zfp(unpacker, stored, block, to, why)
               : unpack_zstd(unpacker, coding, stored, to, block->bytes, why);
}

#include "array/codecs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/payload.h"
#include "base/error.h"
#include "base/numerals.h"

enum { LEVEL_USUAL = 1, LEVEL_LEAST = -100, LEVEL_MOST = 22 };

int scion_array_is_coding(int type, const struct scion_array_coding *coding)
{
    if (coding->codec == SCION_ARRAY_ZFP)
        return coding->shuffle == 0 && (type == SION_F32 || type == SION_F64);
    if (coding->codec == SCION_ARRAY_ZSTD)
        return coding->shuffle == 0 || coding->shuffle == (int)scion_array_size(type);
    return coding->codec == SCION_ARRAY_PLAIN && coding->shuffle == 0;
}

/* A block of zstd has at most 128 KiB, and takes at least 4 bytes; one of zfp has at most 256
   doubles, and takes at least one bit. */
int scion_array_may_hold(int codec, sion_int64 stored, sion_int64 plain)
{
    enum { MOST = 1 << 17, LEAST = 4, ZFP_MOST = 8 * 256 * 8 };
    const sion_int64 beyond = (sion_int64)1 << 48; /* which no file has */

    if (codec == SCION_ARRAY_PLAIN)
        return stored == plain;
    if (codec == SCION_ARRAY_ZFP)
        return plain > 0 && stored > 0 && stored < beyond && (plain - 1) / ZFP_MOST < stored;
    return plain > 0 && stored > 0 && stored < beyond && (plain - 1) / MOST < stored / LEAST;
}

const char *scion_array_coding_text(const struct scion_array_coding *coding)
{
    return coding->codec == SCION_ARRAY_PLAIN ? ""
           : coding->codec == SCION_ARRAY_ZFP ? "zfp"
           : coding->shuffle > 0              ? "zstd,shuffle"
                                              : "zstd";
}

/* ---- words ---- */

static int refuse(const char *words, const struct scion_array_definition *definition)
{
    return scion_fail(SION_ERR_ARGUMENT,
                      "array %.200s: codec '%.60s': it takes zstd or zstd:LEVEL with a level up to "
                      "22, then perhaps ,shuffle; zfp:accuracy=NUMBER or zfp:rate=BITS; or none",
                      definition->name, words);
}

/* The words after "zstd". 1, or 0: they are wrong. */
static int find_zstd(const char *rest, const struct scion_array_definition *definition,
                     struct scion_array_packing *packing)
{
    long level = LEVEL_USUAL;
    char *end;

    if (*rest == ':') {
        level = strtol(rest + 1, &end, 10);
        if (end == rest + 1 || level < LEVEL_LEAST || level > LEVEL_MOST)
            return 0;
        rest = end;
    }
    *packing = (struct scion_array_packing){.coding = {SCION_ARRAY_ZSTD, 0}, .level = (int)level};
    if (strcmp(rest, ",shuffle") == 0)
        packing->coding.shuffle = (int)scion_array_size(definition->type);
    return !*rest || packing->coding.shuffle > 0;
}

/* The words after "zfp:". */
static int find_zfp(const char *rest, struct scion_array_packing *packing)
{
    const char *number = strchr(rest, '=');
    double most = 64;
    char *end;

    *packing = (struct scion_array_packing){.coding = {SCION_ARRAY_ZFP, 0}};
    packing->is_rate = strncmp(rest, "rate=", strlen("rate=")) == 0;
    if (!packing->is_rate && strncmp(rest, "accuracy=", strlen("accuracy=")) != 0)
        return 0;
    packing->number = scion_read_number(number + 1, &end);
    return end != number + 1 && !*end && packing->number > 0 && isfinite(packing->number) &&
           (!packing->is_rate || packing->number <= most);
}

/* Whether zfp takes the array. */
static int check_zfp(const struct scion_array_definition *definition)
{
    return (definition->type == SION_F32 || definition->type == SION_F64) &&
                   definition->ndims >= 1 && definition->ndims <= 4
               ? 0
               : scion_fail(SION_ERR_ARGUMENT,
                            "array %.200s: zfp takes f32 and f64 of 1 to 4 dimensions, and this is "
                            "%s of %d",
                            definition->name, scion_array_type_name(definition->type),
                            definition->ndims);
}

int scion_array_find_packing(const char *words, const struct scion_array_definition *definition,
                             struct scion_array_packing *packing)
{
    size_t zstd = strlen("zstd"), zfp = strlen("zfp:");

    *packing = (struct scion_array_packing){.coding = {SCION_ARRAY_PLAIN, 0}};
    if (!words)
        return scion_fail(SION_ERR_ARGUMENT, "codec is NULL");
    if (strcmp(words, "none") == 0)
        return 0;
    if (strncmp(words, "zstd", zstd) == 0 && find_zstd(words + zstd, definition, packing))
        return 0;
    if (strncmp(words, "zfp:", zfp) == 0 && find_zfp(words + zfp, packing))
        return check_zfp(definition);
    return refuse(words, definition);
}

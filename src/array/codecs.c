#include "array/codecs.h"

#include <stdlib.h>
#include <string.h>

#include "array/payload.h"
#include "base/error.h"

enum { LEVEL_USUAL = 1, LEVEL_LEAST = -100, LEVEL_MOST = 22 };

int scion_array_is_coding(int type, const struct scion_array_coding *coding)
{
    if (coding->codec == SCION_ARRAY_ZSTD)
        return coding->shuffle == 0 || coding->shuffle == (int)scion_array_size(type);
    return coding->codec == SCION_ARRAY_PLAIN && coding->shuffle == 0;
}

/* A block of zstd has at most 128 KiB, and takes at least 4 bytes. */
int scion_array_may_hold(int codec, sion_int64 stored, sion_int64 plain)
{
    enum { MOST = 1 << 17, LEAST = 4 };
    const sion_int64 beyond = (sion_int64)1 << 48; /* which no file has */

    if (codec == SCION_ARRAY_PLAIN)
        return stored == plain;
    return plain > 0 && stored > 0 && stored < beyond && (plain - 1) / MOST < stored / LEAST;
}

const char *scion_array_coding_text(const struct scion_array_coding *coding)
{
    return coding->codec == SCION_ARRAY_PLAIN ? "" : coding->shuffle > 0 ? "zstd,shuffle" : "zstd";
}

/* ---- words ---- */

static int refuse(const char *words, const struct scion_array_definition *definition)
{
    return scion_fail(SION_ERR_ARGUMENT,
                      "array %.200s: codec '%.60s': it takes zstd or zstd:LEVEL with a level up to "
                      "22, then perhaps ,shuffle; or none",
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

int scion_array_find_packing(const char *words, const struct scion_array_definition *definition,
                             struct scion_array_packing *packing)
{
    size_t zstd = strlen("zstd");

    *packing = (struct scion_array_packing){.coding = {SCION_ARRAY_PLAIN, 0}};
    if (!words)
        return scion_fail(SION_ERR_ARGUMENT, "codec is NULL");
    if (strcmp(words, "none") == 0)
        return 0;
    if (strncmp(words, "zstd", zstd) == 0 && find_zstd(words + zstd, definition, packing))
        return 0;
    return refuse(words, definition);
}

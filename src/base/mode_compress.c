/* The words of the mode string about compression. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sion_const.h"

#include "base/env.h"
#include "base/error.h"
#include "base/mode.h"
#include "base/zstd.h"

enum {
    LEVEL_USUAL = 1,
    LEVEL_LEAST = -100,
    LEVEL_MOST = 22,
    FRAME_LEAST = 4096,
    FRAME_USUAL = 1 << 20,
    FRAME_MOST = 1 << 26,
    SHUFFLE_MOST = 64,
    THREADS_MOST = 256
};

/* A whole number from least to most, or 0: that is none. */
static int find_number(const char *text, int least, int most, int *number)
{
    char *end;
    long found = strtol(text, &end, 10);

    if (!*text || *end || found < least || found > most)
        return 0;
    *number = (int)found;
    return 1;
}

static int find_zstd(const char *text, struct scion_mode *mode)
{
    size_t length = strlen("zstd");
    int level = LEVEL_USUAL;

    if (strncmp(text, "zstd", length) != 0)
        return 0;
    text += length;
    if (*text && (*text != ':' || !find_number(text + 1, LEVEL_LEAST, LEVEL_MOST, &level)))
        return 0;
    mode->compress = SCION_COMPRESS_ZSTD;
    mode->compress_level = level;
    return 1;
}

static int fail_value(const char *word, const char *value, const char *takes)
{
    return scion_fail(SION_ERR_ARGUMENT, "file mode '%s=%.60s': it takes %s", word, value, takes);
}

/* SIONlib ignores the word alone. */
static int set_compress(struct scion_mode *mode, const char *value)
{
    int is_none = strcmp(value, "none") == 0, is_stored = strcmp(value, "stored") == 0;

    if (!*value)
        return 0;
    if (!is_none && !is_stored && !find_zstd(value, mode))
        return fail_value("compress", value,
                          "zstd, zstd:LEVEL with a level up to 22, stored or none");
    if (is_none)
        mode->compress = SCION_COMPRESS_NONE;
    if (is_stored)
        mode->compress = SCION_COMPRESS_STORED;
    mode->compress_by_site = 0;
    return 0;
}

int scion_mode_set_compress(struct scion_mode *mode, const char *word, const char *value)
{
    if (strcmp(word, "compress") == 0)
        return set_compress(mode, value);
    if (strcmp(word, "shuffle") == 0)
        return find_number(value, 1, SHUFFLE_MOST, &mode->shuffle)
                   ? 0
                   : fail_value(word, value, "the bytes of an element, 1 to 64");
    if (strcmp(word, "compress_frame") == 0)
        return find_number(value, FRAME_LEAST, FRAME_MOST, &mode->compress_frame)
                   ? 0
                   : fail_value(word, value, "a number of bytes from 4096 to 67108864");
    return find_number(value, 0, THREADS_MOST, &mode->compress_threads)
               ? 0
               : fail_value(word, value, "a number of threads up to 256");
}

/* As in the mode string: the value of `compress`, and perhaps other words behind a comma. */
static int find_all(char *text, struct scion_mode *mode)
{
    char *word, *rest;
    int rc = 0, n = 0;

    for (word = strtok_r(text, ",", &rest); word && rc == 0;
         word = strtok_r(NULL, ",", &rest), n++) {
        char *equals = n > 0 ? strchr(word, '=') : NULL;

        if (n > 0 && !equals)
            return SION_ERR_ARGUMENT;
        if (equals)
            *equals = '\0';
        if (equals && strcmp(word, "shuffle") != 0 && strcmp(word, "compress_frame") != 0 &&
            strcmp(word, "compress_threads") != 0)
            return SION_ERR_ARGUMENT;
        rc = scion_mode_set_compress(mode, n > 0 ? word : "compress", equals ? equals + 1 : word);
    }
    return mode->compress == SCION_COMPRESS_STORED ? SION_ERR_ARGUMENT : rc;
}

#define TAKES                                                                                      \
    "it takes zstd, zstd:LEVEL, or none, and behind a comma shuffle=BYTES, compress_frame=BYTES, " \
    "compress_threads=N"

int scion_mode_read_compress(const char *text, struct scion_mode *mode)
{
    struct scion_mode found = {.compress_frame = FRAME_USUAL, .shuffle = 1};
    char copy[128];

    snprintf(copy, sizeof copy, "%s", text);
    if (!*text || strlen(text) >= sizeof copy || find_all(copy, &found) != 0)
        return scion_fail(SION_ERR_ARGUMENT, "%.100s: " TAKES, text);
    mode->compress = found.compress;
    mode->compress_level = found.compress_level;
    mode->compress_frame = found.compress_frame;
    mode->compress_threads = found.compress_threads;
    mode->shuffle = found.shuffle;
    return 0;
}

void scion_mode_default_compress(struct scion_mode *mode)
{
    const char *text = scion_env("COMPRESS");

    mode->compress_frame = FRAME_USUAL;
    mode->shuffle = 1;
    if (!text || !*text)
        return;
    if (scion_mode_read_compress(text, mode) == 0)
        mode->compress_by_site = 1;
    else
        scion_warn("SION_COMPRESS=%s is ignored: " TAKES, text);
}

/* What a compressed container cannot have, or NULL. */
static const char *find_conflict(const struct scion_mode *mode, int keyval)
{
    return keyval != SION_KEYVAL_NONE             ? "key-value records"
           : mode->collective || mode->node_aware ? "collective calls with collectors"
           : mode->merge                          ? "merging collectors"
           : mode->buddies > 0                    ? "buddy copies"
           : mode->append && (mode->compress_by_site || mode->compress == SCION_COMPRESS_STORED)
               ? "mode a, which writes on"
               : NULL;
}

int scion_mode_settle_compress(struct scion_mode *mode, const char *text, int keyval)
{
    const char *conflict = scion_mode_zips(mode) ? find_conflict(mode, keyval) : NULL;

    if (conflict && !mode->compress_by_site)
        return scion_fail(SION_ERR_ARGUMENT, "file mode '%s': no compressed streams with %s", text,
                          conflict);
    if (conflict)
        mode->compress = SCION_COMPRESS_NONE;
    if (!scion_mode_zips(mode) || scion_zstd_need("compressed streams") == 0)
        return 0;
    if (!mode->compress_by_site)
        return scion_error_code();
    scion_warn("SION_COMPRESS is set, but %s: nothing is compressed", scion_error_text());
    mode->compress = SCION_COMPRESS_NONE;
    return 0;
}

int scion_mode_zips(const struct scion_mode *mode)
{
    return mode->access == SCION_ACCESS_WRITE && mode->compress != SCION_COMPRESS_NONE;
}

int scion_mode_level(const struct scion_mode *mode)
{
    return scion_mode_zips(mode) ? mode->compress_level : LEVEL_USUAL;
}

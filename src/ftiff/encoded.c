/* Files of level 3: Reed-Solomon bytes with a file block behind them. */
#include "ftiff/read.h"

#include <string.h>

#include "base/error.h"

enum { PIECE = 1 << 16 };

/* The file block is at the end in all eras. */
static int find_block(struct scion_fti_source *source, struct scion_fti_parity *encoded)
{
    unsigned char bytes[SCION_FTI_FB_MOST];
    int era, plausible = 0;

    for (era = 0; era < SCION_FTI_ERAS; era++) {
        int length = scion_fti_layout((enum scion_fti_era)era)->fb_bytes, rc;

        if (source->size < length)
            continue;
        rc = source->read(source, bytes, (size_t)length, source->size - length);
        if (rc != 0)
            return rc;
        plausible |= scion_fti_fb_plausible(bytes);
        if (!scion_fti_fb_valid((enum scion_fti_era)era, bytes))
            continue;
        encoded->era = (enum scion_fti_era)era;
        encoded->bytes = source->size - length;
        scion_fti_fb_decode(encoded->era, bytes, &encoded->fb);
        return 0;
    }
    if (plausible)
        return scion_fail(SION_ERR_DAMAGED, "the file block is damaged");
    return scion_fail(SION_ERR_NOT_SION, "no file block of FTI-FF at the end");
}

static int hash_bytes(struct scion_fti_source *source, sion_int64 bytes, char text[SCION_FTI_HEX])
{
    unsigned char digest[SCION_MD5_BYTES], piece[PIECE];
    struct md5_ctx md5;
    sion_int64 place;

    md5_init(&md5);
    for (place = 0; place < bytes;) {
        size_t now = bytes - place < PIECE ? (size_t)(bytes - place) : PIECE;
        int rc = source->read(source, piece, now, place);

        if (rc != 0)
            return rc;
        md5_update(&md5, now, piece);
        place += (sion_int64)now;
    }
    scion_md5_final(&md5, digest);
    scion_fti_hex(digest, text);
    return 0;
}

int scion_fti_read_encoded(struct scion_fti_source *source, struct scion_fti_parity *encoded)
{
    char text[SCION_FTI_HEX];
    int rc = find_block(source, encoded);

    if (rc != 0)
        return rc;
    if (encoded->fb.fs != encoded->bytes)
        return scion_fail(SION_ERR_DAMAGED, "%lld Reed-Solomon bytes, but fs is %lld",
                          encoded->bytes, encoded->fb.fs);
    rc = hash_bytes(source, encoded->bytes, text);
    if (rc == 0 && strcmp(text, encoded->fb.checksum) != 0)
        rc = scion_fail(SION_ERR_DAMAGED, "the Reed-Solomon bytes have the MD5 %s, not %s", text,
                        encoded->fb.checksum);
    return rc;
}

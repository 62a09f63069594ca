/*
 * The records of FTI-FF: file block (FB), block (BMD) and container (VMD), struct <-> bytes, in all
 * layouts that releases of FTI have written. Pure: no I/O, no state. Numbers are little-endian.
 *
 * @see doc/fti-ff.md
 */
#ifndef SCION_FTIFF_FORMAT_H
#define SCION_FTIFF_FORMAT_H

#include <stdint.h>

#include "sion_datatypes.h"

#include "ftiff/md5.h"

enum scion_fti_era {
    SCION_FTI_A, /* 1.1 */
    SCION_FTI_B, /* 1.2 */
    SCION_FTI_C, /* 1.3 */
    SCION_FTI_D, /* 1.4 */
    SCION_FTI_E, /* 1.4.1 to 1.6 */
    SCION_FTI_F, /* since */
    SCION_FTI_ERAS
};

enum {
    SCION_FTI_HEX = 2 * SCION_MD5_BYTES + 1,                /* a digest as text, with its NUL */
    SCION_FTI_FB_MOST = 110,                                /* bytes of the longest file block */
    SCION_FTI_FB_DIGESTS = SCION_FTI_HEX + SCION_MD5_BYTES, /* it begins with them, in all eras */
    SCION_FTI_DB_MOST = 12,
    SCION_FTI_VAR_MOST = 64
};

/* Bytes of the records, and what differs beyond them. */
struct scion_fti_layout {
    const char *releases;
    int fb_bytes, db_bytes, var_bytes;
    int fb_at_end; /* 1: data, metadata, FB. 0: FB, then each block with its data after it. */
    int has_idx;   /* containers carry idx */
    int has_id;    /* the file block carries the checkpoint's id, and the sizes of its parts */
};

const struct scion_fti_layout *scion_fti_layout(enum scion_fti_era era);

/* Fields that an era does not have are 0. Sizes in bytes; -1: does not apply. */
struct scion_fti_fb {
    char checksum[SCION_FTI_HEX];
    sion_int64 ckptid;
    sion_int64 ckptsize, fs; /* both: of the whole file */
    sion_int64 metasize, datasize;
    sion_int64 maxfs, ptfs; /* longest file of the group, the partner's */
    sion_int64 timestamp;   /* ns; E and F keep the low 32 bits */
};

/* One container of a variable. */
struct scion_fti_var {
    sion_int64 dptr;                     /* offset of its data in the variable */
    sion_int64 fptr;                     /* offset in the file */
    sion_int64 chunksize, containersize; /* bytes used, and reserved for ever */
    int32_t id, containerid;
};

/* All that is stored of it. */
struct scion_fti_record {
    struct scion_fti_var var;
    int32_t idx;                         /* index of the variable in the process */
    unsigned char hascontent, hasckpt;   /* 0 and 1 are the good values */
    unsigned char hash[SCION_MD5_BYTES]; /* of the used bytes */
};

/* Whether fb_bytes bytes of the era can be a file block at all: the checksum is text. */
int scion_fti_fb_plausible(const unsigned char *bytes);

/* Whether it is a file block of this era: it is plausible, and its own hash is right. */
int scion_fti_fb_valid(enum scion_fti_era era, const unsigned char *bytes);

void scion_fti_fb_decode(enum scion_fti_era era, const unsigned char *bytes,
                         struct scion_fti_fb *fb);

/* With the hash of the block itself; padding is 0. */
void scion_fti_fb_encode(enum scion_fti_era era, const struct scion_fti_fb *fb,
                         unsigned char *bytes);

/* bytes: db_bytes of the era. */
void scion_fti_db_decode(enum scion_fti_era era, const unsigned char *bytes, int32_t *numvars,
                         sion_int64 *dbsize);
void scion_fti_db_encode(enum scion_fti_era era, int32_t numvars, sion_int64 dbsize,
                         unsigned char *bytes);

/* bytes: var_bytes of the era. */
void scion_fti_record_decode(enum scion_fti_era era, const unsigned char *bytes,
                             struct scion_fti_record *record);
void scion_fti_record_encode(enum scion_fti_era era, const struct scion_fti_record *record,
                             unsigned char *bytes);

/* The digest of no bytes. */
void scion_fti_hash_nothing(unsigned char digest[SCION_MD5_BYTES]);

/* A digest as text: lower case, NUL-terminated. */
void scion_fti_hex(const unsigned char digest[SCION_MD5_BYTES], char text[SCION_FTI_HEX]);

#endif

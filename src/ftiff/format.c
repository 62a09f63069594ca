#include "ftiff/format.h"

#include <string.h>

/* A number in a record: where, and how wide. Width 0: the era does not have it. */
struct field {
    unsigned char at, width;
};

enum fb_field { CKPTID, CKPTSIZE, METASIZE, DATASIZE, FS, MAXFS, PTFS, TIMESTAMP, FB_FIELDS };
enum var_field {
    ID,
    IDX,
    CONTAINERID,
    HASCONTENT,
    HASCKPT,
    DPTR,
    FPTR,
    CHUNKSIZE,
    CONTAINERSIZE,
    HASH,
    VAR_FIELDS
};

enum { FB_HASH = SCION_FTI_HEX /* offset of the file block's own hash, in all eras */ };

struct era {
    struct scion_fti_layout layout;
    struct field fb[FB_FIELDS];
    struct field dbsize; /* after numvars */
    struct field var[VAR_FIELDS];
};

/* clang-format off: tables, in the order of the enumerations */

/* Fields that several eras share. */
#define FB_CD                                                                                      \
    {                                                                                              \
        {49, 4}, {53, 8}, {61, 8}, {69, 8}, {77, 8}, {85, 8}, {93, 8},                             \
        {                                                                                          \
            101, 8                                                                                 \
        }                                                                                          \
    }
#define VAR_BC                                                                                     \
    {                                                                                              \
        {0, 4}, {4, 4}, {8, 4}, {12, 1}, {13, 1}, {14, 8}, {22, 8}, {30, 8}, {38, 8},              \
        {                                                                                          \
            46, SCION_MD5_BYTES                                                                    \
        }                                                                                          \
    }
#define VAR_DF                                                                                     \
    {                                                                                              \
        {0, 4}, {0, 0}, {4, 4}, {8, 1}, {9, 1}, {10, 8}, {18, 8}, {26, 8}, {34, 8},                \
        {                                                                                          \
            42, SCION_MD5_BYTES                                                                    \
        }                                                                                          \
    }

static const struct era eras[SCION_FTI_ERAS] = {
    [SCION_FTI_A] = {.layout = {"1.1", 96, 12, 64, 0, 1, 0},
                     .fb = {{0, 0}, {56, 8}, {0, 0}, {0, 0}, {64, 8}, {72, 8}, {80, 8}, {88, 8}},
                     .dbsize = {4, 8},
                     .var = {{0, 4},
                             {4, 4},
                             {8, 4},
                             {12, 1},
                             {0, 0},
                             {16, 8},
                             {24, 8},
                             {32, 8},
                             {40, 8},
                             {48, SCION_MD5_BYTES}}},
    [SCION_FTI_B] = {.layout = {"1.2", 90, 12, 62, 0, 1, 0},
                     .fb = {{0, 0}, {49, 8}, {0, 0}, {0, 0}, {57, 8}, {65, 8}, {73, 8}, {81, 8}},
                     .dbsize = {4, 8},
                     .var = VAR_BC},
    [SCION_FTI_C] = {{"1.3", 110, 12, 62, 1, 1, 1}, FB_CD, {4, 8}, VAR_BC},
    [SCION_FTI_D] = {{"1.4", 110, 12, 58, 1, 0, 1}, FB_CD, {4, 8}, VAR_DF},
    [SCION_FTI_E] = {.layout = {"1.4.1 to 1.6", 82, 8, 50, 1, 0, 1},
                     .fb = {{49, 4}, {53, 4}, {57, 4}, {61, 4}, {65, 4}, {69, 4}, {73, 4}, {77, 4}},
                     .dbsize = {4, 4},
                     .var = {{0, 4},
                             {0, 0},
                             {4, 4},
                             {8, 1},
                             {9, 1},
                             {10, 8},
                             {18, 8},
                             {26, 4},
                             {30, 4},
                             {34, SCION_MD5_BYTES}}},
    [SCION_FTI_F] =
        {.layout = {"later than 1.6", 106, 12, 58, 1, 0, 1},
         .fb = {{49, 4}, {53, 8}, {61, 8}, {69, 8}, {77, 8}, {85, 8}, {93, 8}, {101, 4}},
         .dbsize = {4, 8},
         .var = VAR_DF},
};
/* clang-format on */

const struct scion_fti_layout *scion_fti_layout(enum scion_fti_era era)
{
    return &eras[era].layout;
}

/* Signed, as all numbers here; 0 if the era does not have the field. */
static sion_int64 load(const unsigned char *record, struct field field)
{
    uint64_t value = 0;
    int i;

    for (i = field.width - 1; i >= 0; i--)
        value = value << 8 | record[field.at + i];
    if (field.width == 4)
        return (int32_t)(uint32_t)value;
    return (sion_int64)value;
}

static void store(unsigned char *record, struct field field, sion_int64 value)
{
    int i;

    for (i = 0; i < field.width; i++)
        record[field.at + i] = (unsigned char)((uint64_t)value >> (8 * i));
}

int scion_fti_fb_plausible(const unsigned char *bytes)
{
    int i;

    for (i = 0; i < SCION_FTI_HEX - 1; i++) {
        if (!((bytes[i] >= '0' && bytes[i] <= '9') || (bytes[i] >= 'a' && bytes[i] <= 'f')))
            return 0;
    }
    return bytes[SCION_FTI_HEX - 1] == '\0';
}

/* The fields that are stored, not all, and not in their order. */
static void hash_fb(const struct era *era, const unsigned char *bytes,
                    unsigned char digest[SCION_MD5_BYTES])
{
    static const enum fb_field order[] = {TIMESTAMP, CKPTSIZE, METASIZE, DATASIZE, FS, PTFS, MAXFS};
    struct md5_ctx md5;
    size_t i;

    md5_init(&md5);
    md5_update(&md5, SCION_FTI_HEX, bytes);
    for (i = 0; i < sizeof order / sizeof *order; i++)
        md5_update(&md5, era->fb[order[i]].width, bytes + era->fb[order[i]].at);
    scion_md5_final(&md5, digest);
}

int scion_fti_fb_valid(enum scion_fti_era era, const unsigned char *bytes)
{
    unsigned char digest[SCION_MD5_BYTES];

    if (!scion_fti_fb_plausible(bytes))
        return 0;
    hash_fb(&eras[era], bytes, digest);
    return memcmp(bytes + FB_HASH, digest, sizeof digest) == 0;
}

void scion_fti_fb_decode(enum scion_fti_era era, const unsigned char *bytes,
                         struct scion_fti_fb *fb)
{
    const struct field *fields = eras[era].fb;

    memcpy(fb->checksum, bytes, sizeof fb->checksum);
    fb->checksum[SCION_FTI_HEX - 1] = '\0';
    fb->ckptid = load(bytes, fields[CKPTID]);
    fb->ckptsize = load(bytes, fields[CKPTSIZE]);
    fb->metasize = load(bytes, fields[METASIZE]);
    fb->datasize = load(bytes, fields[DATASIZE]);
    fb->fs = load(bytes, fields[FS]);
    fb->maxfs = load(bytes, fields[MAXFS]);
    fb->ptfs = load(bytes, fields[PTFS]);
    fb->timestamp = load(bytes, fields[TIMESTAMP]);
    if (fields[TIMESTAMP].width == 4)
        fb->timestamp &= 0xffffffff;
}

void scion_fti_fb_encode(enum scion_fti_era era, const struct scion_fti_fb *fb,
                         unsigned char *bytes)
{
    const struct field *fields = eras[era].fb;

    memset(bytes, 0, (size_t)eras[era].layout.fb_bytes);
    memcpy(bytes, fb->checksum, sizeof fb->checksum);
    store(bytes, fields[CKPTID], fb->ckptid);
    store(bytes, fields[CKPTSIZE], fb->ckptsize);
    store(bytes, fields[METASIZE], fb->metasize);
    store(bytes, fields[DATASIZE], fb->datasize);
    store(bytes, fields[FS], fb->fs);
    store(bytes, fields[MAXFS], fb->maxfs);
    store(bytes, fields[PTFS], fb->ptfs);
    store(bytes, fields[TIMESTAMP], fb->timestamp);
    hash_fb(&eras[era], bytes, bytes + FB_HASH);
}

void scion_fti_db_decode(enum scion_fti_era era, const unsigned char *bytes, int32_t *numvars,
                         sion_int64 *dbsize)
{
    *numvars = (int32_t)load(bytes, (struct field){0, 4});
    *dbsize = load(bytes, eras[era].dbsize);
}

void scion_fti_db_encode(enum scion_fti_era era, int32_t numvars, sion_int64 dbsize,
                         unsigned char *bytes)
{
    store(bytes, (struct field){0, 4}, numvars);
    store(bytes, eras[era].dbsize, dbsize);
}

void scion_fti_record_decode(enum scion_fti_era era, const unsigned char *bytes,
                             struct scion_fti_record *record)
{
    const struct field *fields = eras[era].var;

    record->var.id = (int32_t)load(bytes, fields[ID]);
    record->var.containerid = (int32_t)load(bytes, fields[CONTAINERID]);
    record->var.dptr = load(bytes, fields[DPTR]);
    record->var.fptr = load(bytes, fields[FPTR]);
    record->var.chunksize = load(bytes, fields[CHUNKSIZE]);
    record->var.containersize = load(bytes, fields[CONTAINERSIZE]);
    record->idx = (int32_t)load(bytes, fields[IDX]);
    record->hascontent = (unsigned char)load(bytes, fields[HASCONTENT]);
    record->hasckpt = (unsigned char)load(bytes, fields[HASCKPT]);
    memcpy(record->hash, bytes + fields[HASH].at, sizeof record->hash);
}

void scion_fti_record_encode(enum scion_fti_era era, const struct scion_fti_record *record,
                             unsigned char *bytes)
{
    const struct field *fields = eras[era].var;

    memset(bytes, 0, (size_t)eras[era].layout.var_bytes);
    store(bytes, fields[ID], record->var.id);
    store(bytes, fields[CONTAINERID], record->var.containerid);
    store(bytes, fields[DPTR], record->var.dptr);
    store(bytes, fields[FPTR], record->var.fptr);
    store(bytes, fields[CHUNKSIZE], record->var.chunksize);
    store(bytes, fields[CONTAINERSIZE], record->var.containersize);
    store(bytes, fields[IDX], record->idx);
    store(bytes, fields[HASCONTENT], record->hascontent);
    store(bytes, fields[HASCKPT], record->hasckpt);
    memcpy(bytes + fields[HASH].at, record->hash, sizeof record->hash);
}

void scion_fti_hash_nothing(unsigned char digest[SCION_MD5_BYTES])
{
    struct md5_ctx md5;

    md5_init(&md5);
    scion_md5_final(&md5, digest);
}

void scion_fti_hex(const unsigned char digest[SCION_MD5_BYTES], char text[SCION_FTI_HEX])
{
    static const char digits[] = "0123456789abcdef";
    int i;

    for (i = 0; i < SCION_MD5_BYTES; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[SCION_FTI_HEX - 1] = '\0';
}

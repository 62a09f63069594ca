#include "format/meta1.h"

#include <stdint.h>
#include <string.h>

#include "sion_const.h"

#include "base/byteorder.h"
#include "base/error.h"

/* Offsets in the fixed part; nothing is padded or aligned. */
enum {
    AT_ENDIANNESS = 4,
    AT_VERSION = 8,
    AT_PATCH = 12,
    AT_FORMAT = 16,
    AT_FSBLKSIZE = 20,
    AT_NTASKS = 24,
    AT_NFILES = 28,
    AT_FILENUMBER = 32,
    AT_FLAG1 = 36,
    AT_FLAG2 = 44,
    AT_PREFIX = 52,
    AT_PREFIX_V2 = 32
};

static const char magic[4] = {'s', 'i', 'o', 'n'};

sion_int64 scion_meta1_size(sion_int64 ntasks)
{
    return SCION_META1_FIXED + SCION_META1_TAIL + 16 * ntasks;
}

size_t scion_meta1_fixed_size(const struct scion_meta1 *head)
{
    return head->format_version == 2 ? SCION_META1_FIXED_V2 : SCION_META1_FIXED;
}

/* Not by a shift: unknown modes may be negative. */
sion_int64 scion_meta1_flag1(int keyval)
{
    return (sion_int64)keyval * ((sion_int64)1 << 32);
}

void scion_meta1_init(struct scion_meta1 *head, int keyval, int big_endian)
{
    memset(head, 0, sizeof *head);
    head->version = 1000 * SION_MAIN_VERSION + SION_SUB_VERSION;
    head->patch = SION_VERSION_PATCHLEVEL;
    head->format_version = SION_FILEFORMAT_VERSION;
    head->big_endian = big_endian;
    head->flag1 = scion_meta1_flag1(keyval);
}

int scion_meta1_keyval(const struct scion_meta1 *head)
{
    int keyval = (int)(head->flag1 >> 32);

    return head->format_version < 5 || keyval == 0 ? SION_KEYVAL_NONE : keyval;
}

/* Versions before 1.7 may have left the mode out. */
int scion_meta1_has_usual_keyval(const struct scion_meta1 *head)
{
    if (head->format_version != SION_FILEFORMAT_VERSION)
        return 1;
    return head->flag1 == 0
               ? head->version < 1007
               : head->flag1 >> 32 == SION_KEYVAL_NONE || head->flag1 >> 32 == SION_KEYVAL_INLINE;
}

int scion_meta1_grain(const struct scion_meta1 *head)
{
    return head->format_version <= 3 ? head->fsblksize : 1;
}

static void put_i32(unsigned char *to, int value)
{
    memcpy(to, &value, 4);
}

static void put_i64(unsigned char *to, sion_int64 value)
{
    memcpy(to, &value, 8);
}

void scion_meta1_encode(const struct scion_meta1 *head, unsigned char *to)
{
    unsigned char outer = (unsigned char)scion_host_is_big();
    unsigned char inner = (unsigned char)(head->big_endian != 0);
    const unsigned char word[4] = {outer, inner, inner, outer};

    memset(to, 0, SCION_META1_FIXED);
    memcpy(to, magic, sizeof magic);
    memcpy(to + AT_ENDIANNESS, word, sizeof word);
    put_i32(to + AT_VERSION, head->version);
    put_i32(to + AT_PATCH, head->patch);
    put_i32(to + AT_FORMAT, head->format_version);
    put_i32(to + AT_FSBLKSIZE, head->fsblksize);
    put_i32(to + AT_NTASKS, head->ntasks);
    put_i32(to + AT_NFILES, head->nfiles);
    put_i32(to + AT_FILENUMBER, head->filenumber);
    put_i64(to + AT_FLAG1, head->flag1);
    put_i64(to + AT_FLAG2, head->flag2);
    memcpy(to + AT_PREFIX, head->prefix, strnlen(head->prefix, SCION_PREFIX_SIZE));
}

/*
 * The outer bytes of the endianness word say how the metadata are stored. Old writers may have set
 * only one of the two; so if the format version makes sense in only one order, that order is right.
 */
static int decode_byte_order(const unsigned char *from, struct scion_meta1 *head)
{
    int big = (from[AT_ENDIANNESS] | from[AT_ENDIANNESS + 3]) & 1;
    int32_t format, other;

    head->big_endian = (from[AT_ENDIANNESS + 1] | from[AT_ENDIANNESS + 2]) & 1;
    head->swapped = big != scion_host_is_big();
    format = scion_load_i32(from + AT_FORMAT, head->swapped);
    other = scion_load_i32(from + AT_FORMAT, !head->swapped);
    if ((format < 0 || format > 0xffff) && other >= 0 && other <= 0xffff)
        return scion_fail(SION_ERR_DAMAGED,
                          "endianness word says %s endian, but the numbers are stored the other "
                          "way round",
                          big ? "big" : "little");
    head->format_version = format;
    return 0;
}

static int check_version(const struct scion_meta1 *head)
{
    if (head->format_version < SCION_FORMAT_OLDEST)
        return scion_fail(
            SION_ERR_VERSION,
            "sionlib: FATAL ERROR: file format version of file differs, aborting ... (%u!=%d)",
            (unsigned)head->format_version, SION_FILEFORMAT_VERSION);
    if (head->format_version != SION_FILEFORMAT_VERSION)
        scion_warn("sionlib: FATAL WARNING: old file format version of file differs, trying to "
                   "read ... (%u!=%d)",
                   (unsigned)head->format_version, SION_FILEFORMAT_VERSION);
    return 0;
}

static int check_numbers(const struct scion_meta1 *head, sion_int64 file_size)
{
    sion_int64 room = file_size - (sion_int64)scion_meta1_fixed_size(head);

    if (head->fsblksize < 1)
        return scion_fail(SION_ERR_DAMAGED, "file system block size is %d", head->fsblksize);
    if (head->ntasks < 1 || head->ntasks > room / 16)
        return scion_fail(SION_ERR_DAMAGED,
                          "header says %d tasks, which a file of %lld bytes cannot hold",
                          head->ntasks, file_size);
    if (head->nfiles > 1 && (head->filenumber < 0 || head->filenumber >= head->nfiles))
        return scion_fail(SION_ERR_DAMAGED, "header says file number %d of %d files",
                          head->filenumber, head->nfiles);
    return 0;
}

static void decode_fields(const unsigned char *from, struct scion_meta1 *head)
{
    int swap = head->swapped;
    int is_v2 = head->format_version == 2;

    head->version = scion_load_i32(from + AT_VERSION, swap);
    head->patch = scion_load_i32(from + AT_PATCH, swap);
    head->fsblksize = scion_load_i32(from + AT_FSBLKSIZE, swap);
    head->ntasks = scion_load_i32(from + AT_NTASKS, swap);
    head->nfiles = scion_load_i32(from + AT_NFILES, swap);
    head->filenumber = is_v2 ? 1 : scion_load_i32(from + AT_FILENUMBER, swap);
    head->flag1 = is_v2 ? 0 : scion_load_i64(from + AT_FLAG1, swap);
    head->flag2 = is_v2 ? 0 : scion_load_i64(from + AT_FLAG2, swap);
    memcpy(head->prefix, from + (is_v2 ? AT_PREFIX_V2 : AT_PREFIX), SCION_PREFIX_SIZE);
    head->prefix[SCION_PREFIX_SIZE] = '\0';
}

int scion_meta1_decode(const unsigned char *from, size_t length, sion_int64 file_size,
                       struct scion_meta1 *head)
{
    int rc;

    memset(head, 0, sizeof *head);
    if (length < sizeof magic)
        return scion_fail(SION_ERR_NOT_SION, "not a sion file: only %zu bytes long", length);
    if (memcmp(from, magic, sizeof magic) != 0)
        return scion_fail(SION_ERR_NOT_SION, "not a sion file: it does not begin with \"sion\"");
    if (length < AT_FSBLKSIZE)
        return scion_fail(SION_ERR_DAMAGED, "header is cut off after %zu bytes", length);
    rc = decode_byte_order(from, head);
    if (rc == 0)
        rc = check_version(head);
    if (rc != 0)
        return rc;
    if (length < scion_meta1_fixed_size(head))
        return scion_fail(SION_ERR_DAMAGED, "header is cut off after %zu bytes", length);
    decode_fields(from, head);
    return check_numbers(head, file_size);
}

void scion_meta1_encode_tail(int maxchunks, sion_int64 start_of_varheader, unsigned char *to)
{
    put_i32(to, maxchunks);
    put_i64(to + 4, start_of_varheader);
}

void scion_meta1_decode_tail(const unsigned char *from, int swapped, int *maxchunks,
                             sion_int64 *start_of_varheader)
{
    *maxchunks = scion_load_i32(from, swapped);
    *start_of_varheader = scion_load_i64(from + 4, swapped);
}

void scion_array_decode(sion_int64 *array, size_t n, int swapped)
{
    size_t i;

    for (i = 0; swapped && i < n; i++) {
        if (array[i] != 0) /* what was a hole takes no memory until it is written */
            scion_swap_copy(&array[i], &array[i], sizeof *array, 1);
    }
}

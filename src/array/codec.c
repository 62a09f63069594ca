#include "array/codec.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"

/* Compressed blocks and the indexes of arrays that have them are of version 2, all else is of
   version 1. */
enum { PLAIN_VERSION = 1, CODED_VERSION = 2, SUM = 4 };

const unsigned char scion_array_magic[SCION_ARRAY_MAGIC] = {0x89, 'S', 'I', 'O',
                                                            'N',  'A', 'R', 'R'};
static const unsigned char trailer_magic[SCION_ARRAY_MAGIC] = {0x89, 'S', 'I', 'O',
                                                               'N',  'A', 'R', 'E'};

/* ---- numbers, low bytes first ---- */

static void put(unsigned char *to, size_t bytes, uint64_t number)
{
    size_t i;

    for (i = 0; i < bytes; i++)
        to[i] = (unsigned char)(number >> 8 * i);
}

static uint64_t get(const unsigned char *from, size_t bytes)
{
    uint64_t number = 0;
    size_t i;

    for (i = 0; i < bytes; i++)
        number |= (uint64_t)from[i] << 8 * i;
    return number;
}

static sion_int64 get_signed(const unsigned char *from)
{
    return (sion_int64)get(from, 8);
}

/* ---- headers ---- */

size_t scion_array_header_size(int ndims, size_t name_length)
{
    size_t bytes = SCION_ARRAY_FIXED + 24 * (size_t)ndims + name_length + SUM;

    return (bytes + SCION_ARRAY_ALIGN - 1) / SCION_ARRAY_ALIGN * SCION_ARRAY_ALIGN;
}

void scion_array_header_encode(const struct scion_array_header *header, unsigned char *bytes)
{
    size_t size = scion_array_header_size(header->ndims, header->name_length);
    unsigned char *at = bytes + SCION_ARRAY_FIXED;
    int d;

    memset(bytes, 0, size);
    memcpy(bytes, scion_array_magic, SCION_ARRAY_MAGIC);
    put(bytes + 8, 2, header->coding.codec == SCION_ARRAY_PLAIN ? PLAIN_VERSION : CODED_VERSION);
    put(bytes + 10, 2, (uint64_t)header->kind);
    put(bytes + 12, 4, size);
    put(bytes + 16, 8, (uint64_t)header->bytes);
    put(bytes + 24, 8, (uint64_t)header->step);
    put(bytes + 32, 1, (uint64_t)header->type);
    put(bytes + 33, 1, (uint64_t)header->ndims);
    put(bytes + 34, 2, header->name_length);
    put(bytes + 36, 4, header->flags);
    put(bytes + 40, 4, header->crc);
    put(bytes + 44, 1, (uint64_t)header->coding.codec);
    put(bytes + 45, 1, (uint64_t)header->coding.shuffle);
    for (d = 0; d < header->ndims; d++, at += 8) {
        put(at, 8, (uint64_t)header->shape[d]);
        put(at + 8 * header->ndims, 8, (uint64_t)header->offset[d]);
        put(at + 16 * header->ndims, 8, (uint64_t)header->count[d]);
    }
    if (header->name_length > 0)
        memcpy(bytes + SCION_ARRAY_FIXED + 24 * header->ndims, header->name, header->name_length);
    put(bytes + size - SUM, SUM, scion_crc32c(0, bytes, size - SUM));
}

static int is_good_block(const struct scion_array_header *header)
{
    int d;

    if (!scion_array_is_type(header->type) || header->step < 0 ||
        !scion_array_is_coding(header->type, &header->coding) ||
        scion_array_check_name("name", header->name, header->name_length) != 0)
        return 0;
    for (d = 0; d < header->ndims; d++) {
        if (header->shape[d] < 0 || header->offset[d] < 0 || header->count[d] < 0 ||
            header->count[d] > header->shape[d] ||
            header->offset[d] > header->shape[d] - header->count[d])
            return 0;
    }
    return scion_array_bytes(header->type, header->ndims, header->shape) >= 0 &&
           scion_array_may_hold(header->coding.codec, header->bytes,
                                scion_array_bytes(header->type, header->ndims, header->count));
}

static int is_good(const struct scion_array_header *header)
{
    if (header->bytes < 0)
        return 0;
    if (header->kind == SCION_ARRAY_BLOCK)
        return is_good_block(header);
    if (header->type != 0 || header->ndims != 0 || header->coding.codec != SCION_ARRAY_PLAIN)
        return 0;
    if (header->kind == SCION_ARRAY_ATTRIBUTE)
        return header->bytes <= SION_ARRAY_NAME + 1 + SCION_ARRAY_VALUE &&
               (header->name_length == 0 ||
                scion_array_check_name("name", header->name, header->name_length) == 0);
    return header->kind == SCION_ARRAY_INDEX && header->name_length == 0 && header->step >= 0;
}

static void get_numbers(const unsigned char *bytes, struct scion_array_header *header)
{
    const unsigned char *at = bytes + SCION_ARRAY_FIXED;
    int d;

    for (d = 0; d < header->ndims; d++, at += 8) {
        header->shape[d] = get_signed(at);
        header->offset[d] = get_signed(at + 8 * header->ndims);
        header->count[d] = get_signed(at + 16 * header->ndims);
    }
}

int scion_array_header_resembles(const unsigned char *bytes)
{
    int kind = (int)get(bytes + 10, 2);

    return get(bytes + 8, 2) == PLAIN_VERSION || get(bytes + 8, 2) == CODED_VERSION ||
           kind == SCION_ARRAY_BLOCK || kind == SCION_ARRAY_ATTRIBUTE ||
           get(bytes + 12, 4) == scion_array_header_size(bytes[33], (size_t)get(bytes + 34, 2));
}

size_t scion_array_header_decode(const unsigned char *bytes, size_t length,
                                 struct scion_array_header *header)
{
    uint64_t version = get(bytes + 8, 2);
    size_t size;

    if (memcmp(bytes, scion_array_magic, SCION_ARRAY_MAGIC) != 0 || version < PLAIN_VERSION ||
        version > CODED_VERSION)
        return 0;
    header->kind = (int)get(bytes + 10, 2);
    header->bytes = get_signed(bytes + 16);
    header->step = get_signed(bytes + 24);
    header->type = bytes[32];
    header->ndims = bytes[33];
    header->name_length = (size_t)get(bytes + 34, 2);
    header->flags = (uint32_t)get(bytes + 36, 4);
    header->crc = (uint32_t)get(bytes + 40, 4);
    header->coding = (struct scion_array_coding){0, 0};
    if (version == CODED_VERSION)
        header->coding = (struct scion_array_coding){bytes[44], bytes[45]};
    if (header->ndims > SION_ARRAY_DIMS || header->name_length > SION_ARRAY_NAME)
        return 0;
    size = scion_array_header_size(header->ndims, header->name_length);
    if (get(bytes + 12, 4) != size)
        return 0;
    if (size > length)
        return size;
    if (get(bytes + size - SUM, SUM) != scion_crc32c(0, bytes, size - SUM))
        return 0;
    get_numbers(bytes, header);
    header->name = (const char *)bytes + SCION_ARRAY_FIXED + 24 * header->ndims;
    return is_good(header) ? size : 0;
}

/* ---- trailers ---- */

void scion_array_trailer_encode(const struct scion_array_trailer *trailer,
                                unsigned char bytes[SCION_ARRAY_TRAILER])
{
    memset(bytes, 0, SCION_ARRAY_TRAILER);
    memcpy(bytes, trailer_magic, sizeof trailer_magic);
    put(bytes + 8, 2, trailer->has_codings ? CODED_VERSION : PLAIN_VERSION);
    put(bytes + 10, 2,
        (trailer->is_whole ? 2U : 1U) + (trailer->generation > 0 ? 4U
                                         : trailer->before > 0   ? 2U
                                                                 : 0));
    put(bytes + 12, 4, trailer->crc);
    put(bytes + 16, 8, (uint64_t)trailer->start);
    put(bytes + 24, 8, (uint64_t)trailer->bytes);
    put(bytes + 32, 8, (uint64_t)trailer->parts);
    put(bytes + 40, 8, (uint64_t)trailer->blocks);
    put(bytes + 48, 8, (uint64_t)(trailer->before + trailer->generation));
    put(bytes + SCION_ARRAY_TRAILER - SUM, SUM, scion_crc32c(0, bytes, SCION_ARRAY_TRAILER - SUM));
}

int scion_array_trailer_decode(const unsigned char bytes[SCION_ARRAY_TRAILER],
                               struct scion_array_trailer *trailer, int *is_later)
{
    uint64_t version = get(bytes + 8, 2), scope = get(bytes + 10, 2);

    *is_later = 0;
    if (memcmp(bytes, trailer_magic, sizeof trailer_magic) != 0 ||
        get(bytes + SCION_ARRAY_TRAILER - SUM, SUM) !=
            scion_crc32c(0, bytes, SCION_ARRAY_TRAILER - SUM))
        return 0;
    *is_later = version > CODED_VERSION;
    if (*is_later || version < PLAIN_VERSION || scope < 1 || scope > 6)
        return 0;
    trailer->has_codings = version == CODED_VERSION;
    trailer->is_whole = scope % 2 == 0;
    trailer->crc = (uint32_t)get(bytes + 12, 4);
    trailer->start = get_signed(bytes + 16);
    trailer->bytes = get_signed(bytes + 24);
    trailer->parts = get_signed(bytes + 32);
    trailer->blocks = get_signed(bytes + 40);
    trailer->before = scope == 3 || scope == 4 ? get_signed(bytes + 48) : 0;
    trailer->generation = scope > 4 ? get_signed(bytes + 48) : 0;
    return trailer->start >= 0 && trailer->bytes >= 0 && trailer->parts >= 0 &&
           trailer->blocks >= 0 &&
           (scope <= 2 || scope > 4 ||
            (trailer->before >= SCION_ARRAY_TRAILER && trailer->before <= trailer->start)) &&
           (scope <= 4 || trailer->generation >= SCION_ARRAY_TRAILER);
}

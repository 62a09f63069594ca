#include "format/checksum.h"

#include <string.h>

#include "base/byteorder.h"
#include "base/error.h"

enum {
    AT_VERSION = 8,
    AT_PIECE = 12,
    AT_COUNT = 16,
    AT_META1 = 24,
    AT_TABLES = 28,
    AT_ALL = 32,
    AT_SELF = 36,
    VERSION_BEHIND = 1,
    VERSION_IN_AREA = 2
};

static const char magic[AT_VERSION] = {'S', 'I', 'O', 'N', 'C', 'R', 'C', '1'};

static void put(unsigned char *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
}

void scion_checksum_encode(const struct scion_checksum_head *head, scion_crc_function *crc,
                           unsigned char *to)
{
    memcpy(to, magic, sizeof magic);
    put(to + AT_VERSION, head->is_in_area ? VERSION_IN_AREA : VERSION_BEHIND);
    put(to + AT_PIECE, head->piece);
    memcpy(to + AT_COUNT, &head->count, sizeof head->count);
    put(to + AT_META1, head->of_meta1);
    put(to + AT_TABLES, head->of_tables);
    put(to + AT_ALL, head->of_all);
    put(to + AT_SELF, crc(0, to, AT_SELF));
}

int scion_checksum_is_head(const unsigned char *from, size_t length)
{
    return length >= sizeof magic && memcmp(from, magic, sizeof magic) == 0;
}

static uint32_t get(const unsigned char *from, int swapped)
{
    return (uint32_t)scion_load_i32(from, swapped);
}

void scion_checksum_load(const unsigned char *from, int swapped, struct scion_checksum_head *head)
{
    head->is_in_area = get(from + AT_VERSION, swapped) == VERSION_IN_AREA;
    head->piece = get(from + AT_PIECE, swapped);
    head->count = scion_load_i64(from + AT_COUNT, swapped);
    head->of_meta1 = get(from + AT_META1, swapped);
    head->of_tables = get(from + AT_TABLES, swapped);
    head->of_all = get(from + AT_ALL, swapped);
}

int scion_checksum_decode(const unsigned char *from, size_t length, int swapped, sion_int64 room,
                          scion_crc_function *crc, struct scion_checksum_head *head)
{
    if (length < SCION_CHECKSUM_HEAD)
        return scion_fail(SION_ERR_DAMAGED, "checksums are cut off after %zu bytes", length);
    if (get(from + AT_SELF, swapped) != crc(0, from, AT_SELF))
        return scion_fail(SION_ERR_DAMAGED, "the head of the checksums is damaged");
    if (get(from + AT_VERSION, swapped) != VERSION_BEHIND &&
        get(from + AT_VERSION, swapped) != VERSION_IN_AREA)
        return scion_fail(SION_ERR_VERSION, "checksums of the unknown version %u",
                          get(from + AT_VERSION, swapped));
    scion_checksum_load(from, swapped, head);
    if (head->piece < 1 || head->piece > SCION_CHECKSUM_PIECE_MOST || head->count < 0)
        return scion_fail(SION_ERR_DAMAGED, "%lld checksums of %u bytes each", head->count,
                          head->piece);
    if (!head->is_in_area && head->count > room / 4)
        return scion_fail(SION_ERR_DAMAGED, "%lld checksums, of which only %lld are there",
                          head->count, room / 4);
    return 0;
}

sion_int64 scion_checksum_pieces(sion_int64 bytes, sion_int64 piece)
{
    return bytes / piece + (bytes % piece > 0);
}

#include "format/generations.h"

#include <string.h>

#include "base/byteorder.h"
#include "base/crc32c.h"

enum { RECORD_VERSION = 1 };

/* Offsets in the head, and in an entry. What is not named is zero. */
enum {
    AT_VERSION = 8,
    AT_N = 12,
    AT_KEEP = 16,
    AT_NEWEST = 24,
    AT_CRC = SCION_GENERATIONS_HEAD - 4,
    AT_NUMBER = 0,
    AT_TIME = 8,
    AT_FIRST = 16,
    AT_BLOCKS = 24,
    AT_BYTES = 32
};

static const char magic[8] = {'S', 'I', 'O', 'N', 'G', 'E', 'N', '1'};

static void put_u32(unsigned char *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
}

static void put_i64(unsigned char *to, sion_int64 value)
{
    memcpy(to, &value, sizeof value);
}

/* Of the head before it, and of the entries. */
static uint32_t crc_of(const unsigned char *record, size_t length)
{
    return scion_crc32c(scion_crc32c(0, record, AT_CRC), record + SCION_GENERATIONS_HEAD,
                        length - SCION_GENERATIONS_HEAD);
}

void scion_generations_encode(const struct scion_generations_head *head,
                              const struct scion_generation *list, unsigned char *to)
{
    unsigned char *entry = to + SCION_GENERATIONS_HEAD;
    int i;

    memset(to, 0, scion_generations_bytes(head->n));
    memcpy(to, magic, sizeof magic);
    put_u32(to + AT_VERSION, RECORD_VERSION);
    put_u32(to + AT_N, (uint32_t)head->n);
    put_u32(to + AT_KEEP, (uint32_t)head->keep);
    put_i64(to + AT_NEWEST, head->newest);
    for (i = 0; i < head->n; i++, entry += SCION_GENERATION_ENTRY) {
        put_i64(entry + AT_NUMBER, list[i].number);
        put_i64(entry + AT_TIME, list[i].time);
        put_i64(entry + AT_FIRST, list[i].first);
        put_i64(entry + AT_BLOCKS, list[i].blocks);
        put_i64(entry + AT_BYTES, list[i].bytes);
    }
    put_u32(to + AT_CRC, crc_of(to, scion_generations_bytes(head->n)));
}

/* One after the other, in this order, each of blocks that the file has. */
static int is_list(const struct scion_generations_head *head, const struct scion_generation *list,
                   sion_int64 maxchunks)
{
    sion_int64 number = 0, block = 0;
    int i;

    for (i = 0; i < head->n; i++) {
        if (list[i].number <= number || list[i].first < block || list[i].first >= maxchunks ||
            list[i].blocks < 1 || list[i].blocks > maxchunks - list[i].first || list[i].bytes < 0)
            return 0;
        number = list[i].number;
        block = list[i].first + list[i].blocks;
    }
    return number <= head->newest;
}

int scion_generations_decode(const unsigned char *from, size_t length, int swapped,
                             sion_int64 maxchunks, struct scion_generations_head *head,
                             struct scion_generation *list)
{
    const unsigned char *entry = from + SCION_GENERATIONS_HEAD;
    int i;

    if (length < SCION_GENERATIONS_HEAD || memcmp(from, magic, sizeof magic) != 0 ||
        scion_load_i32(from + AT_VERSION, swapped) != RECORD_VERSION)
        return 0;
    head->n = scion_load_i32(from + AT_N, swapped);
    head->keep = scion_load_i32(from + AT_KEEP, swapped);
    head->newest = scion_load_i64(from + AT_NEWEST, swapped);
    if (head->n < 0 ||
        head->n > (int)((length - SCION_GENERATIONS_HEAD) / SCION_GENERATION_ENTRY) ||
        scion_generations_bytes(head->n) != length || head->keep < 1 ||
        head->keep > SCION_GENERATIONS_MOST ||
        (uint32_t)scion_load_i32(from + AT_CRC, swapped) != crc_of(from, length))
        return 0;
    for (i = 0; i < head->n; i++, entry += SCION_GENERATION_ENTRY)
        list[i] = (struct scion_generation){
            .number = scion_load_i64(entry + AT_NUMBER, swapped),
            .time = scion_load_i64(entry + AT_TIME, swapped),
            .first = scion_load_i64(entry + AT_FIRST, swapped),
            .blocks = scion_load_i64(entry + AT_BLOCKS, swapped),
            .bytes = scion_load_i64(entry + AT_BYTES, swapped),
        };
    return is_list(head, list, maxchunks);
}

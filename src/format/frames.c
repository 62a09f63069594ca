#include "format/frames.h"

#include <string.h>

#include "base/crc32c.h"

enum { HEAD_VERSION = 1 };

/* Offsets in the head. What is not named is zero. */
enum { AT_MAGIC = 8, AT_VERSION = 16, AT_FRAME = 20, AT_SHUFFLE = 24, AT_CRC = SCION_ZIP_HEAD - 4 };

#define SKIPPABLE   0x184D2A50u /* the last 4 bits are free */
#define HEAD_FRAME  0x184D2A54u
#define SEEK_FRAME  0x184D2A5Eu
#define SEEK_MAGIC  0x8F92EAB1u
#define FRAME_MAGIC 0xFD2FB528u

static const char magic[8] = {'S', 'I', 'O', 'N', 'Z', 'S', 'T', '1'};

static void put(unsigned char *to, uint64_t value, int bytes)
{
    int i;

    for (i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0)
        value = value << 8 | from[bytes];
    return value;
}

static uint32_t get32(const unsigned char *from)
{
    return (uint32_t)get(from, 4);
}

void scion_zip_head_encode(const struct scion_zip_head *head, unsigned char to[SCION_ZIP_HEAD])
{
    memset(to, 0, SCION_ZIP_HEAD);
    put(to, HEAD_FRAME, 4);
    put(to + 4, SCION_ZIP_HEAD - 8, 4);
    memcpy(to + AT_MAGIC, magic, sizeof magic);
    put(to + AT_VERSION, HEAD_VERSION, 4);
    put(to + AT_FRAME, head->frame, 4);
    put(to + AT_SHUFFLE, head->shuffle, 4);
    put(to + AT_CRC, scion_crc32c(0, to, AT_CRC), 4);
}

const char *scion_zip_head_decode(const unsigned char *from, size_t length,
                                  struct scion_zip_head *head)
{
    if (length < SCION_ZIP_HEAD || get32(from) != HEAD_FRAME ||
        get32(from + 4) != SCION_ZIP_HEAD - 8 || memcmp(from + AT_MAGIC, magic, sizeof magic) != 0)
        return "it does not begin with the head of a compressed stream";
    if (get32(from + AT_CRC) != scion_crc32c(0, from, AT_CRC))
        return "its head has another CRC";
    if (get32(from + AT_VERSION) != HEAD_VERSION)
        return "its head is of a later version";
    head->frame = get32(from + AT_FRAME);
    head->shuffle = get32(from + AT_SHUFFLE);
    if (head->frame < 1 || head->frame > SCION_FRAME_MOST || head->shuffle < 1 ||
        head->shuffle > SCION_SHUFFLE_MOST)
        return "its head has wrong sizes";
    return NULL;
}

size_t scion_zip_most(size_t plain)
{
    return plain + plain / 64 + 1024;
}

/* ---- the seek table ---- */

void scion_seek_head_encode(uint32_t entries, unsigned char to[SCION_SEEK_HEAD])
{
    put(to, SEEK_FRAME, 4);
    put(to + 4, (uint64_t)entries * SCION_SEEK_ENTRY + SCION_SEEK_FOOTER, 4);
}

void scion_seek_entry_encode(uint32_t stored, uint32_t plain, unsigned char to[SCION_SEEK_ENTRY])
{
    put(to, stored, 4);
    put(to + 4, plain, 4);
}

void scion_seek_footer_encode(uint32_t entries, unsigned char to[SCION_SEEK_FOOTER])
{
    put(to, entries, 4);
    to[4] = 0;
    put(to + 5, SEEK_MAGIC, 4);
}

int scion_seek_footer_decode(const unsigned char from[SCION_SEEK_FOOTER], uint32_t *entries,
                             size_t *size)
{
    enum { HAS_CHECKSUMS = 0x80, RESERVED = 0x7c };

    *entries = get32(from);
    *size = from[4] & HAS_CHECKSUMS ? SCION_SEEK_ENTRY + 4 : SCION_SEEK_ENTRY;
    return get32(from + 5) == SEEK_MAGIC && (from[4] & RESERVED) == 0 &&
           *entries <= SCION_SEEK_MOST;
}

int scion_seek_head_check(const unsigned char from[SCION_SEEK_HEAD], uint32_t entries, size_t size)
{
    return get32(from) == SEEK_FRAME && get32(from + 4) == entries * size + SCION_SEEK_FOOTER;
}

void scion_seek_entry_decode(const unsigned char *from, uint32_t *stored, uint32_t *plain)
{
    *stored = get32(from);
    *plain = get32(from + 4);
}

/* ---- frames ---- */

void scion_raw_head_encode(uint32_t plain, unsigned char to[SCION_RAW_HEAD])
{
    enum { FOUR_BYTES = 2 << 6, SINGLE_SEGMENT = 1 << 5 };

    put(to, FRAME_MAGIC, 4);
    to[4] = FOUR_BYTES | SINGLE_SEGMENT;
    put(to + 5, plain, 4);
}

void scion_raw_block_encode(uint32_t bytes, int is_last, unsigned char to[SCION_RAW_BLOCK_HEAD])
{
    put(to, (uint64_t)bytes << 3 | (is_last ? 1 : 0), 3);
}

size_t scion_raw_size(size_t plain)
{
    return SCION_RAW_HEAD + plain +
           (plain + SCION_RAW_BLOCK - 1) / SCION_RAW_BLOCK * SCION_RAW_BLOCK_HEAD;
}

/* The first byte behind the magic says which fields follow, and how long they are. */
int scion_frame_head_decode(const unsigned char *from, size_t length, struct scion_frame_head *head)
{
    static const int dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
    int flags, single, size, at;

    *head = (struct scion_frame_head){0};
    if (length < 8)
        return 0;
    if ((get32(from) & ~0xfu) == SKIPPABLE) {
        head->is_skippable = 1;
        head->bytes = 8 + (sion_int64)get32(from + 4);
        return 1;
    }
    flags = from[4];
    single = flags >> 5 & 1;
    size = flags >> 6 == 0 && single ? 1 : content[flags >> 6];
    at = 5 + !single + dictionary[flags & 3];
    if (get32(from) != FRAME_MAGIC || (flags & 8) != 0 || size == 0 || length < (size_t)(at + size))
        return 0;
    head->bytes = at + size;
    head->plain = (sion_int64)(get(from + at, size) & INT64_MAX) + (size == 2 ? 256 : 0);
    head->bytes_more = flags & 4 ? 4 : 0;
    return 1;
}

int scion_block_head_decode(const unsigned char from[SCION_RAW_BLOCK_HEAD], sion_int64 *bytes,
                            int *is_last)
{
    enum { RAW, REPEATED, COMPRESSED, RESERVED };
    uint32_t word = (uint32_t)get(from, 3), type = word >> 1 & 3;

    *is_last = word & 1;
    *bytes = type == REPEATED ? 1 : (sion_int64)(word >> 3);
    return type != RESERVED && *bytes <= SCION_RAW_BLOCK;
}

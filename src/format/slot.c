#include "format/slot.h"

#include <string.h>

#include "base/byteorder.h"
#include "base/crc32c.h"

enum { MARKER_VERSION = 1, ZIPPED_VERSION = 2, VERSION_SHIFT = 48, TRAILER_SHIFT = 32 };

/* Offsets in a slot. What is not named is zero. */
enum {
    AT_NONCE = 4,
    AT_TASK = 8,
    AT_CHUNK = 16,
    AT_SEQUENCE = 24,
    AT_USED = 32,
    AT_FLUSHED = 40,
    AT_CRC = SCION_SLOT_SIZE - 4
};

static const char magic[4] = {'s', 'l', 'o', 't'};

sion_int64 scion_marker_make(uint32_t nonce)
{
    return (sion_int64)MARKER_VERSION << VERSION_SHIFT |
           (sion_int64)SCION_TRAILER_SIZE << TRAILER_SHIFT | (sion_int64)nonce;
}

sion_int64 scion_marker_plain(uint32_t nonce)
{
    return (sion_int64)MARKER_VERSION << VERSION_SHIFT | (sion_int64)nonce;
}

/* The versions differ in one thing: in the second one, streams are compressed. */
static const sion_int64 zipped = (sion_int64)(ZIPPED_VERSION ^ MARKER_VERSION) << VERSION_SHIFT;

sion_int64 scion_marker_zip(sion_int64 flag2)
{
    return flag2 ^ zipped;
}

static sion_int64 without_zip(sion_int64 flag2)
{
    return flag2 >> VERSION_SHIFT == ZIPPED_VERSION ? flag2 ^ zipped : flag2;
}

int scion_marker_is_zipped(sion_int64 flag2)
{
    uint32_t nonce;

    return without_zip(flag2) != flag2 && scion_marker_nonce(flag2, &nonce);
}

int scion_marker_nonce(sion_int64 flag2, uint32_t *nonce)
{
    *nonce = (uint32_t)flag2;
    flag2 = without_zip(flag2);
    return flag2 == scion_marker_make(*nonce) || flag2 == scion_marker_plain(*nonce);
}

int scion_marker_fits(sion_int64 flag2, sion_int64 other)
{
    uint32_t nonce;
    int is_marked = scion_marker_nonce(flag2, &nonce);

    return is_marked || scion_marker_nonce(other, &nonce) ? flag2 == other : 1;
}

int scion_marker_trailer(sion_int64 flag2, uint32_t *nonce)
{
    uint32_t found = (uint32_t)flag2;

    if (nonce)
        *nonce = found;
    return without_zip(flag2) == scion_marker_make(found) ? SCION_TRAILER_SIZE : 0;
}

static void put_i32(unsigned char *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
}

static void put_i64(unsigned char *to, sion_int64 value)
{
    memcpy(to, &value, sizeof value);
}

void scion_slot_encode(const struct scion_slot *slot, unsigned char *to)
{
    memset(to, 0, SCION_SLOT_SIZE);
    memcpy(to, magic, sizeof magic);
    put_i32(to + AT_NONCE, slot->nonce);
    put_i32(to + AT_TASK, (uint32_t)slot->task);
    put_i64(to + AT_CHUNK, slot->chunk);
    put_i64(to + AT_SEQUENCE, slot->sequence);
    put_i64(to + AT_USED, slot->used);
    put_i64(to + AT_FLUSHED, slot->flushed);
    put_i32(to + AT_CRC, scion_crc32c(0, to, AT_CRC));
}

/* 1 if the bytes are a slot as it was written. */
static int decode(const unsigned char *from, int swapped, struct scion_slot *slot)
{
    if (memcmp(from, magic, sizeof magic) != 0 ||
        (uint32_t)scion_load_i32(from + AT_CRC, swapped) != scion_crc32c(0, from, AT_CRC))
        return 0;
    slot->nonce = (uint32_t)scion_load_i32(from + AT_NONCE, swapped);
    slot->task = scion_load_i32(from + AT_TASK, swapped);
    slot->chunk = scion_load_i64(from + AT_CHUNK, swapped);
    slot->sequence = scion_load_i64(from + AT_SEQUENCE, swapped);
    slot->used = scion_load_i64(from + AT_USED, swapped);
    slot->flushed = scion_load_i64(from + AT_FLUSHED, swapped);
    return 1;
}

static int fits(const struct scion_slot *slot, int number, const struct scion_slot *wanted,
                sion_int64 room)
{
    return slot->nonce == wanted->nonce && slot->task == wanted->task &&
           slot->chunk == wanted->chunk && slot->sequence > wanted->sequence &&
           (slot->sequence & 1) == number && slot->used >= 0 && slot->used <= room &&
           slot->flushed >= 0 && slot->flushed <= slot->used;
}

int scion_slot_find(const unsigned char *trailer, int swapped, const struct scion_slot *wanted,
                    sion_int64 room, struct scion_slot *slot)
{
    struct scion_slot other;
    int found = 0, i;

    for (i = 0; i < SCION_SLOTS; i++) {
        if (!decode(trailer + i * SCION_SLOT_SIZE, swapped, &other) ||
            !fits(&other, i, wanted, room) || (found && other.sequence < slot->sequence))
            continue;
        *slot = other;
        found = 1;
    }
    return found;
}

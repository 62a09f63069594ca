#include "format/state.h"

#include <string.h>

#include "base/byteorder.h"
#include "base/crc32c.h"

enum { RECORD_VERSION = 2, IS_CLOSED = 1 };

/* Offsets in a record. What is not named is zero. */
enum {
    AT_VERSION = 8,
    AT_FLAGS = 12,
    AT_GENERATION = 16,
    AT_TIME = 24,
    AT_BYTES = 32,
    AT_OLD_START = 40,
    AT_OLD_MAXCHUNKS = 48,
    AT_MAXCHUNKS = 52,
    AT_START = 56,
    AT_FLOOR = 64,
    AT_AREAS = 72, /* two, 16 bytes each */
    AT_GENERATIONS = 104,
    AT_GENERATIONS_BYTES = 112,
    AT_CRC = SCION_STATE_RECORD - 4
};

static const char magic[8] = {'S', 'I', 'O', 'N', 'P', 'U', 'B', '1'};

static void put_i32(unsigned char *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
}

static void put_i64(unsigned char *to, sion_int64 value)
{
    memcpy(to, &value, sizeof value);
}

void scion_state_encode(const struct scion_state *state, unsigned char to[SCION_STATE_RECORD])
{
    int i;

    memset(to, 0, SCION_STATE_RECORD);
    memcpy(to, magic, sizeof magic);
    put_i32(to + AT_VERSION, RECORD_VERSION);
    put_i32(to + AT_FLAGS, state->is_closed ? IS_CLOSED : 0);
    put_i64(to + AT_GENERATION, state->generation);
    put_i64(to + AT_TIME, state->time);
    put_i64(to + AT_BYTES, state->bytes);
    put_i64(to + AT_OLD_START, state->old_start_of_varheader);
    put_i32(to + AT_OLD_MAXCHUNKS, (uint32_t)state->old_maxchunks);
    put_i32(to + AT_MAXCHUNKS, (uint32_t)state->maxchunks);
    put_i64(to + AT_START, state->start_of_varheader);
    put_i64(to + AT_FLOOR, state->floor);
    for (i = 0; i < 2; i++) {
        put_i64(to + AT_AREAS + 16 * i, state->areas[i].begin);
        put_i64(to + AT_AREAS + 16 * i + 8, state->areas[i].bytes);
    }
    put_i64(to + AT_GENERATIONS, state->generations_at);
    put_i32(to + AT_GENERATIONS_BYTES, (uint32_t)state->generations_bytes);
    put_i32(to + AT_CRC, scion_crc32c(0, to, AT_CRC));
}

int scion_state_is_head(const unsigned char *from, size_t length)
{
    return length >= sizeof magic && memcmp(from, magic, sizeof magic) == 0;
}

int scion_state_decode(const unsigned char *from, size_t length, int swapped,
                       struct scion_state *state)
{
    int i;

    if (length < SCION_STATE_RECORD || !scion_state_is_head(from, length) ||
        scion_load_i32(from + AT_VERSION, swapped) != RECORD_VERSION ||
        (uint32_t)scion_load_i32(from + AT_CRC, swapped) != scion_crc32c(0, from, AT_CRC))
        return 0;
    *state = (struct scion_state){
        .generation = scion_load_i64(from + AT_GENERATION, swapped),
        .time = scion_load_i64(from + AT_TIME, swapped),
        .bytes = scion_load_i64(from + AT_BYTES, swapped),
        .is_closed = scion_load_i32(from + AT_FLAGS, swapped) & IS_CLOSED,
        .old_maxchunks = scion_load_i32(from + AT_OLD_MAXCHUNKS, swapped),
        .old_start_of_varheader = scion_load_i64(from + AT_OLD_START, swapped),
        .maxchunks = scion_load_i32(from + AT_MAXCHUNKS, swapped),
        .start_of_varheader = scion_load_i64(from + AT_START, swapped),
        .floor = scion_load_i64(from + AT_FLOOR, swapped),
        .generations_at = scion_load_i64(from + AT_GENERATIONS, swapped),
        .generations_bytes = scion_load_i32(from + AT_GENERATIONS_BYTES, swapped),
    };
    for (i = 0; i < 2; i++)
        state->areas[i] = (struct scion_area){
            scion_load_i64(from + AT_AREAS + 16 * i, swapped),
            scion_load_i64(from + AT_AREAS + 16 * i + 8, swapped),
        };
    return 1;
}

#include "format/places.h"

#include <string.h>

#include "base/byteorder.h"
#include "base/crc32c.h"
#include "base/error.h"

enum { PLACES_VERSION = 1, RECORD = 32 };

/* Offsets in the record, which ends the prefix. The places are right before it. */
enum {
    AT_VERSION = 8,
    AT_NUMBER = 12,
    AT_GLOBALSKIP = 16,
    AT_STEP = 24,
    AT_CRC = RECORD - 4,
    ENDS_AT = SCION_META1_FIXED, /* in META1 */
    ROOM = SCION_PREFIX_SIZE - RECORD
};

static const char magic[8] = {'S', 'I', 'O', 'N', 'P', 'L', 'C', '1'};

void scion_places_plan(const struct scion_meta1 *head, struct scion_places *places)
{
    int room = (ROOM - 1 - (int)strnlen(head->prefix, ROOM - 1)) / 8;
    int most = room < SCION_PLACES_MOST ? room : SCION_PLACES_MOST;

    *places = (struct scion_places){0};
    if (head->ntasks < SCION_PLACES_LEAST || most == 0)
        return;
    places->step = head->ntasks / (most + 1) + 1;
    places->n = (head->ntasks - 1) / places->step;
}

void scion_places_pass(struct scion_places *places, const sion_int64 *chunksizes, int first, int n,
                       sion_int64 before)
{
    int next = places->step > 0 ? (first + places->step - 1) / places->step : 0, task = first;

    for (next = next > 0 ? next : 1; next <= places->n; next++) {
        if ((sion_int64)next * places->step >= (sion_int64)first + n)
            return;
        while (task < next * places->step)
            before += chunksizes[task++ - first];
        places->at[next - 1] = before;
    }
}

static uint32_t sum(const unsigned char *record, int n)
{
    return scion_crc32c(0, record - 8 * n, 8 * (size_t)n + AT_CRC);
}

void scion_places_encode(const struct scion_places *places, unsigned char *fixed)
{
    unsigned char *record = fixed + ENDS_AT - RECORD;
    const uint32_t numbers[] = {PLACES_VERSION, (uint32_t)places->n};
    uint32_t crc;

    if (places->n == 0)
        return;
    memcpy(record - 8 * places->n, places->at, 8 * (size_t)places->n);
    memcpy(record, magic, sizeof magic);
    memcpy(record + AT_VERSION, numbers, sizeof numbers);
    memcpy(record + AT_GLOBALSKIP, &places->globalskip, 8);
    memcpy(record + AT_STEP, &places->step, 4);
    crc = sum(record, places->n);
    memcpy(record + AT_CRC, &crc, sizeof crc);
}

/* Every place is in the block, and not before the last one. */
static int is_in_order(const struct scion_places *places)
{
    sion_int64 last = 0;
    int i;

    for (i = 0; i < places->n; i++) {
        if (places->at[i] < last)
            return 0;
        last = places->at[i];
    }
    return last <= places->globalskip;
}

int scion_places_decode(const struct scion_meta1 *head, struct scion_places *places)
{
    const unsigned char *record = (const unsigned char *)head->prefix + ROOM;
    int swap = head->swapped, n = scion_load_i32(record + AT_NUMBER, swap), i;

    *places = (struct scion_places){0};
    if (memcmp(record, magic, sizeof magic) != 0 || scion_meta1_grain(head) != 1 ||
        scion_load_i32(record + AT_VERSION, swap) != PLACES_VERSION)
        return 0;
    if (n < 1 || n > SCION_PLACES_MOST ||
        sum(record, n) != (uint32_t)scion_load_i32(record + AT_CRC, swap))
        return SION_ERR_DAMAGED;
    places->n = n;
    places->step = scion_load_i32(record + AT_STEP, swap);
    places->globalskip = scion_load_i64(record + AT_GLOBALSKIP, swap);
    for (i = 0; i < n; i++)
        places->at[i] = scion_load_i64(record - 8 * (n - i), swap);
    return places->step > 0 && (head->ntasks - 1) / places->step == n && is_in_order(places)
               ? 1
               : SION_ERR_DAMAGED;
}

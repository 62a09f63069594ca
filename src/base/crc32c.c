#include "base/crc32c.h"

#include <stdatomic.h>

/*
 * Eight tables, one for each byte of a word of eight bytes. Threads that fill them at the same time
 * write the same numbers.
 */
static _Atomic uint32_t tables[8][256];
static atomic_int ready;

static inline uint32_t look_up(int table, uint32_t byte)
{
    return atomic_load_explicit(&tables[table][byte & 255], memory_order_relaxed);
}

static inline void store(int table, uint32_t byte, uint32_t crc)
{
    atomic_store_explicit(&tables[table][byte], crc, memory_order_relaxed);
}

static void make_tables(void)
{
    uint32_t byte, crc;
    int bit, table;

    for (byte = 0; byte < 256; byte++) {
        crc = byte;
        for (bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
        store(0, byte, crc);
    }
    for (table = 1; table < 8; table++) {
        for (byte = 0; byte < 256; byte++) {
            crc = look_up(table - 1, byte);
            store(table, byte, (crc >> 8) ^ look_up(0, crc));
        }
    }
    atomic_store_explicit(&ready, 1, memory_order_release);
}

uint32_t scion_crc32c(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    if (!atomic_load_explicit(&ready, memory_order_acquire))
        make_tables();
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        uint32_t low = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                              (uint32_t)at[3] << 24);

        crc = look_up(7, low) ^ look_up(6, low >> 8) ^ look_up(5, low >> 16) ^
              look_up(4, low >> 24) ^ look_up(3, at[4]) ^ look_up(2, at[5]) ^ look_up(1, at[6]) ^
              look_up(0, at[7]);
    }
    for (; size > 0; size--)
        crc = (crc >> 8) ^ look_up(0, crc ^ *at++);
    return ~crc;
}

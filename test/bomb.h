/* Files of a few KiB on the disk that say they have much more: functions that fill the open file
 * bomb_file. */
#ifndef TEST_BOMB_H
#define TEST_BOMB_H

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "format/meta1.h"
#include "sion_const.h"

enum { BOMB_BLOCK = 512, BOMB_TABLES_OF_TWO = 1536 /* META1 has 1120 bytes */ };

static int bomb_file, bomb_failed;

static inline void bomb_put(sion_int64 offset, const void *bytes, size_t size)
{
    bomb_failed |= pwrite(bomb_file, bytes, size, (off_t)offset) != (ssize_t)size;
}

static inline void bomb_number(sion_int64 offset, sion_int64 number)
{
    bomb_put(offset, &number, sizeof number);
}

/* All but the tables of the tasks; where the data begin. */
static inline sion_int64 bomb_head(int keyval, int ntasks, int maxchunks, sion_int64 globalskip)
{
    unsigned char bytes[SCION_META1_FIXED], tail[SCION_META1_TAIL];
    sion_int64 size = scion_meta1_size(ntasks);
    sion_int64 start = (size + BOMB_BLOCK - 1) / BOMB_BLOCK * BOMB_BLOCK;
    struct scion_meta1 head;

    scion_meta1_init(&head, keyval, 0);
    head.fsblksize = BOMB_BLOCK;
    head.ntasks = ntasks;
    head.nfiles = 1;
    head.filenumber = 1;
    strcpy(head.prefix, "bomb.sion");
    scion_meta1_encode(&head, bytes);
    bomb_put(0, bytes, sizeof bytes);
    scion_meta1_encode_tail(maxchunks, start + maxchunks * globalskip, tail);
    bomb_put(size - SCION_META1_TAIL, tail, sizeof tail);
    return start;
}

/* One task with a chunk of 8 TiB, all used; 5 bytes of it are there. Returns where it begins. */
static inline sion_int64 bomb_data(int keyval)
{
    sion_int64 chunk = 8LL << 40, start = bomb_head(keyval, 1, 1, chunk);

    bomb_number(SCION_META1_FIXED + 8, chunk);
    bomb_put(start + (1 << 30), "bytes", keyval == SION_KEYVAL_NONE ? 5 : 0);
    bomb_number(start + chunk, 1);
    bomb_number(start + chunk + 8, chunk);
    return start;
}

/* The same with one record, whose value is a hole. */
static inline void bomb_value(sion_int64 key)
{
    sion_int64 start = bomb_data(SION_KEYVAL_INLINE);

    bomb_number(start, key);
    bomb_number(start + 8, (8LL << 40) - 16);
}

/* Tables of zeros: so many tasks, of so many chunks at most. */
static inline void bomb_tables(int ntasks, int maxchunks)
{
    sion_int64 start = bomb_head(SION_KEYVAL_NONE, ntasks, maxchunks, 0);

    bomb_failed |= ftruncate(bomb_file, (off_t)(start + 8LL * ntasks * (1LL + maxchunks))) != 0;
}

/* Two tasks, of which one has all chunks; they are empty. */
static inline void bomb_chunks(int maxchunks)
{
    bomb_tables(2, maxchunks);
    bomb_number(BOMB_TABLES_OF_TWO, maxchunks);
    bomb_number(BOMB_TABLES_OF_TWO + 8, 1);
}

/* One task of chunks of a block, never closed; a byte is there. */
static inline void bomb_open(sion_int64 offset)
{
    static const unsigned char tail[SCION_META1_TAIL];

    bomb_head(SION_KEYVAL_NONE, 1, 0, 0);
    bomb_number(SCION_META1_FIXED + 8, BOMB_BLOCK);
    bomb_put(scion_meta1_size(1) - SCION_META1_TAIL, tail, sizeof tail);
    bomb_put(offset, "x", 1);
}

#endif

/* Damages numbers of the metadata of a file, which may have the other byte order. */
#ifndef TEST_DAMAGE_H
#define TEST_DAMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DAMAGE_ORDER = 7, DAMAGE_NTASKS = 24, DAMAGE_ARRAYS = 1076 };

static inline void damage_turn(FILE *file, unsigned char *bytes, size_t size)
{
    const uint16_t one = 1;
    int is_big = fseek(file, DAMAGE_ORDER, SEEK_SET) == 0 ? getc(file) : EOF;
    size_t i;

    if (is_big == (*(const unsigned char *)&one == 0))
        return;
    for (i = 0; i < size / 2; i++) {
        unsigned char byte = bytes[i];

        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

/* Read a number, or write it with the mode "r+". 1, or 0 if it failed. */
static inline int damage_move(const char *path, const char *mode, long offset, void *number,
                              size_t size)
{
    FILE *file = fopen(path, mode);
    unsigned char bytes[8];
    int done = 0;

    if (!file)
        return 0;
    memcpy(bytes, number, size);
    if (mode[1])
        damage_turn(file, bytes, size);
    if (fseek(file, offset, SEEK_SET) == 0)
        done = (mode[1] ? fwrite(bytes, 1, size, file) : fread(bytes, 1, size, file)) == size;
    if (!mode[1]) {
        damage_turn(file, bytes, size);
        memcpy(number, bytes, size);
    }
    return fclose(file) == 0 && done;
}

/* Offset of the number of chunks of a task; of a chunk's used bytes, from chunk 0 on. -1: failed.
 */
static inline long damage_count_at(const char *path, int task)
{
    int32_t ntasks;
    int64_t start;

    if (!damage_move(path, "r", DAMAGE_NTASKS, &ntasks, sizeof ntasks) ||
        !damage_move(path, "r", DAMAGE_ARRAYS + 16 * (long)ntasks + 4, &start, sizeof start))
        return -1;
    return (long)start + 8 * (long)task;
}

static inline long damage_used_at(const char *path, int task, int chunk)
{
    int32_t ntasks;
    long counts = damage_count_at(path, 0);

    if (counts < 0 || !damage_move(path, "r", DAMAGE_NTASKS, &ntasks, sizeof ntasks))
        return -1;
    return counts + 8 * ((long)ntasks * (1 + chunk) + task);
}

/* Offset of the size of the mapping of a set, in file 0. The pairs follow it. -1: failed. */
static inline long damage_mapping_at(const char *path)
{
    int32_t ntasks, maxchunks;
    long counts = damage_count_at(path, 0);

    if (counts < 0 || !damage_move(path, "r", DAMAGE_NTASKS, &ntasks, sizeof ntasks) ||
        !damage_move(path, "r", DAMAGE_ARRAYS + 16L * ntasks, &maxchunks, sizeof maxchunks))
        return -1;
    return counts + 8L * ntasks * (1 + maxchunks);
}

static inline int damage_set_mapping_size(const char *path, int32_t size)
{
    return damage_move(path, "r+", damage_mapping_at(path), &size, sizeof size);
}

/* The file and the place in it of a rank. */
static inline int damage_set_pair(const char *path, int rank, int32_t file, int32_t lrank)
{
    long at = damage_mapping_at(path) + 4 + 8L * rank;

    return damage_move(path, "r+", at, &file, sizeof file) &&
           damage_move(path, "r+", at + 4, &lrank, sizeof lrank);
}

/* 1, or 0 if it could not be written. */
static inline int damage_write(const char *path, long offset, int64_t number)
{
    return offset > 0 && damage_move(path, "r+", offset, &number, sizeof number);
}

#endif

/* Damages numbers of META2 in a file of this host's byte order. */
#ifndef TEST_DAMAGE_H
#define TEST_DAMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DAMAGE_NTASKS = 24, DAMAGE_ARRAYS = 1076 };

static inline int damage_move(const char *path, const char *mode, long offset, void *bytes,
                              size_t size)
{
    FILE *file = fopen(path, mode);
    int done = 0;

    if (!file)
        return 0;
    if (fseek(file, offset, SEEK_SET) == 0)
        done = (mode[1] ? fwrite(bytes, 1, size, file) : fread(bytes, 1, size, file)) == size;
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

/* 1, or 0 if it could not be written. */
static inline int damage_write(const char *path, long offset, int64_t number)
{
    return offset > 0 && damage_move(path, "r+", offset, &number, sizeof number);
}

#endif

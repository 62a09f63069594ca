/* A container with checksums, sum.sion, of which two tests know every byte. */
#ifndef TEST_API_CHECKSUM_H
#define TEST_API_CHECKSUM_H

#include "sion.h"
#include "sion_checksum.h"

#include "support.h"

enum { TASKS = 3, PIECE = 1 << 20, HEAD = 40, FSBLKSIZE = 512 };

/* Where the tables are, computed from the container's sizes. */
enum {
    META1 = 1088 + 16 * TASKS,
    START = (META1 + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE,
    SKIP = 1024 + 3 * PIECE + 512,
    CHUNKS = 2,
    META2 = START + CHUNKS * SKIP,
    END = META2 + 8 * TASKS * (1 + CHUNKS) + 4,
    CRCS = 1 + 1 + 3 + 2
};

static inline int create(const char *mode)
{
    int ntasks = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *ranks_pointer = ranks;
    sion_int64 sizes[TASKS] = {700, 3 * PIECE, 100}, *sizes_pointer = sizes;
    sion_int32 fsblksize = FSBLKSIZE;

    support_catch();
    return sion_open("sum.sion", mode, &ntasks, &nfiles, &sizes_pointer, &fsblksize, &ranks_pointer,
                     NULL);
}

static sion_int64 position; /* in the test's data */

static inline void put(int sid, int task, size_t bytes)
{
    static unsigned char data[3 * PIECE];

    check_fill(data, task, (long)position, bytes);
    position += (sion_int64)bytes;
    CHECK_INT(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS), 1);
    CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
}

/* Records of the tasks in turn, some of which begin new chunks or exactly fill a piece. */
static inline void write_container(const char *mode)
{
    int sid = create(mode);

    CHECK(sid >= 0);
    put(sid, 0, 500);
    put(sid, 1, 2 * PIECE);
    put(sid, 0, 600);
    put(sid, 1, 5);
    put(sid, 1, PIECE + 7);
    put(sid, 0, 1);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(support_errors, 0);
}

static inline int open_for_reading(const char *mode)
{
    int ntasks, nfiles;
    sion_int32 fsblksize;

    support_catch();
    return sion_open("sum.sion", mode, &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
}

/* Read all of the selected task, `record` bytes at a time. 1: that is refused. */
static inline int fails_to_read(int sid, size_t record)
{
    static unsigned char bytes[3 * PIECE];
    size_t now;

    while (sion_feof(sid) == 0) {
        now = (size_t)sion_bytes_avail_in_block(sid);
        now = now < record ? now : record;
        if (sion_fread(bytes, 1, now, sid) != now)
            return 1;
    }
    return support_errors > 0;
}

static inline int fails_for_task(int sid, int task)
{
    support_catch();
    return sion_seek(sid, task, 0, 0) != 1 || fails_to_read(sid, PIECE / 3);
}

/* Change a byte; the size of the file stays. */
static inline void change(size_t offset, unsigned char mask)
{
    FILE *file = fopen("sum.sion", "r+b");
    int byte;

    CHECK(file && fseek(file, (long)offset, SEEK_SET) == 0);
    byte = fgetc(file);
    CHECK(fseek(file, (long)offset, SEEK_SET) == 0 && fputc(byte ^ mask, file) >= 0);
    CHECK_INT(fclose(file), 0);
}

#endif

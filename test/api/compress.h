/* A container of three tasks whose streams are compressed. */
#ifndef TEST_COMPRESS_H
#define TEST_COMPRESS_H

#include "sion.h"
#include "support.h"

#define NAME "zip.sion"

enum { TASKS = 3, FSBLKSIZE = 512 };

/* Text that shrinks; every third of so many bytes is noise, which does not. */
static void fill_task(unsigned char *data, size_t bytes, size_t third)
{
    static unsigned state = 1;
    size_t i;

    for (i = 0; i < bytes; i++) {
        state = state * 1103515245u + 12345u;
        data[i] = (unsigned char)(i / third % 3 == 2 ? state >> 16 : 'a' + i % 10);
    }
}

/* Chunks of tasks 0 and 1 have so many bytes, those of task 2 fewer. */
static int create_with(const char *mode, sion_int64 chunksize)
{
    int ntasks = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *ranks_pointer = ranks;
    sion_int64 chunks[TASKS] = {chunksize, chunksize, 1000}, *chunks_pointer = chunks;
    sion_int32 fsblksize = FSBLKSIZE;

    support_catch();
    return sion_open(NAME, mode, &ntasks, &nfiles, &chunks_pointer, &fsblksize, &ranks_pointer,
                     NULL);
}

/* Otherwise the test is skipped. */
static int can_compress(void)
{
    if (sion_close(create_with("wb,compress=zstd", 1000)) == 1 ||
        !strstr(support_message, "libzstd"))
        return 1;
    printf("1..0 # SKIP %s\n", support_message);
    return 0;
}

static int open_for_reading(const char *mode)
{
    int ntasks, nfiles;

    support_catch();
    return sion_open(NAME, mode, &ntasks, &nfiles, NULL, NULL, NULL, NULL);
}

#endif

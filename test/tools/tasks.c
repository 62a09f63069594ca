/*
 * tasks write NAME MODE: a serial container of three tasks with several chunks.
 * tasks read NAME MODE: the data of all tasks to stdout.
 * tasks rank NAME MODE N: the same of N tasks, each through an open of its own.
 * tasks keys NAME MODE: the records of all tasks, with key and length.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sion_common.h"
#include "sion_serial.h"
#ifdef HAVE_CHECKSUM
#include "sion_checksum.h"
#endif

enum { TASKS = 3, PIECE = 100, MOST = 4096 };

static int write_all(char *name, const char *mode)
{
    int ntasks = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *ranks_pointer = ranks, t, good = 1;
    sion_int64 sizes[TASKS] = {600, 1200, 100}, *sizes_pointer = sizes;
    sion_int32 fsblksize = 512;
    int sid =
        sion_open(name, mode, &ntasks, &nfiles, &sizes_pointer, &fsblksize, &ranks_pointer, NULL);

    for (t = 0; t < TASKS && sid >= 0 && good; t++) {
        unsigned char data[PIECE];
        int i, pieces = 7 + 9 * t;

        good = sion_seek(sid, t, 0, 0) == 1;
        for (i = 0; i < pieces && good; i++) {
            check_fill(data, t, (long)i * PIECE, PIECE);
            good = sion_fwrite(data, 1, PIECE, sid) == PIECE;
        }
    }
    return sid < 0 || sion_close(sid) != 1 || !good;
}

/* The rest of the selected task. 0: a failure. */
static int copy_task(int sid, int task)
{
    static char data[MOST];

    printf("task %d\n", task);
    while (!sion_feof(sid)) {
        sion_int64 left = sion_bytes_avail_in_block(sid);
        size_t now = left < MOST ? (size_t)left : MOST;

        if (left <= 0 || sion_fread(data, 1, now, sid) != now)
            return 0;
        fwrite(data, 1, now, stdout);
    }
    return 1;
}

static int read_all(char *name, const char *mode)
{
    int ntasks = 0, nfiles = 0, t, good = 1;
    sion_int32 fsblksize;
    int sid = sion_open(name, mode, &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);

    for (t = 0; sid >= 0 && t < ntasks && good; t++)
        good = sion_seek(sid, t, 0, 0) == 1 && copy_task(sid, t);
    return sid < 0 || sion_close(sid) != 1 || !good;
}

/* The records of the selected task. 0: a failure. */
static int copy_records(int sid, int task)
{
    uint64_t key;
    size_t size;

    printf("task %d\n", task);
    if (sion_key_full_scan(sid) != 1)
        return 0;
    sion_fread_key_iterator_reset(sid);
    while (sion_fread_key_iterator_next(sid, &key, &size) == 1) {
        static char data[MOST];

        printf("%llu %zu:", (unsigned long long)key, size);
        if (size > MOST || (size > 0 && sion_fread_key(data, key, 1, size, sid) != size))
            return 0;
        fwrite(data, 1, size, stdout);
    }
    return 1;
}

static int read_keys(char *name, const char *mode)
{
    int ntasks = 0, nfiles = 0, t, good = 1;
    sion_int32 fsblksize;
    int sid = sion_open(name, mode, &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    int has_keys = sid >= 0 && sion_get_keyval_mode(sid) == SION_KEYVAL_INLINE;

    if (sid >= 0 && !has_keys)
        printf("no records\n");
    for (t = 0; has_keys && t < ntasks && good; t++)
        good = sion_seek(sid, t, 0, 0) == 1 && copy_records(sid, t);
    return sid < 0 || sion_close(sid) != 1 || !good;
}

static int read_ranks(char *name, const char *mode, int n)
{
    int rank, good = 1;

    for (rank = 0; rank < n && good; rank++) {
        int sid = sion_open_rank(name, mode, NULL, NULL, &rank, NULL);

        good = sid >= 0 && copy_task(sid, rank);
        good = sid >= 0 && sion_close(sid) == 1 && good;
    }
    return !good;
}

int main(int argc, char **argv)
{
#ifdef HAVE_CHECKSUM
    sion_checksum_use(sion_crc32);
#endif
    if (argc < 4)
        return 2;
    if (strcmp(argv[1], "write") == 0)
        return write_all(argv[2], argv[3]);
    if (strcmp(argv[1], "keys") == 0)
        return read_keys(argv[2], argv[3]);
    return argc == 4 ? read_all(argv[2], argv[3]) : read_ranks(argv[2], argv[3], atoi(argv[4]));
}

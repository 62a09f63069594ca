/*
 * make_bomb KIND NAME: a file that takes a few KiB on the disk, but claims to have much more.
 *
 * data:   one task with a chunk of 8 TiB, all used; the file has 5 bytes of it
 * keys:   the same with key-value records
 * tasks:  2^26 tasks, of which the file has nothing
 * chunks: two tasks, one with 2^23 empty chunks
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "format/meta1.h"
#include "sion_const.h"

enum { FSBLKSIZE = 512 };

static int file, failed;

static void put(sion_int64 offset, const void *bytes, size_t size)
{
    failed |= pwrite(file, bytes, size, (off_t)offset) != (ssize_t)size;
}

static void put_number(sion_int64 offset, sion_int64 number)
{
    put(offset, &number, sizeof number);
}

/* Write everything except the tables of the tasks. Returns where the data begin. */
static sion_int64 put_head(int keyval, int ntasks, int maxchunks, sion_int64 globalskip)
{
    unsigned char bytes[SCION_META1_FIXED], tail[SCION_META1_TAIL];
    sion_int64 size = scion_meta1_size(ntasks);
    sion_int64 start = (size + FSBLKSIZE - 1) / FSBLKSIZE * FSBLKSIZE;
    struct scion_meta1 head;

    scion_meta1_init(&head, keyval, 0);
    head.fsblksize = FSBLKSIZE;
    head.ntasks = ntasks;
    head.nfiles = 1;
    head.filenumber = 1;
    strcpy(head.prefix, "bomb.sion");
    scion_meta1_encode(&head, bytes);
    put(0, bytes, sizeof bytes);
    scion_meta1_encode_tail(maxchunks, start + maxchunks * globalskip, tail);
    put(size - SCION_META1_TAIL, tail, sizeof tail);
    return start;
}

static void make_data(int keyval)
{
    sion_int64 chunk = 8LL << 40, start = put_head(keyval, 1, 1, chunk);

    put_number(SCION_META1_FIXED + 8, chunk);
    put(start + (1 << 30), "bytes", keyval == SION_KEYVAL_NONE ? 5 : 0);
    put_number(start + chunk, 1);
    put_number(start + chunk + 8, chunk);
}

static void make_tasks(void)
{
    int ntasks = 1 << 26;
    sion_int64 start = put_head(SION_KEYVAL_NONE, ntasks, 1, 0);

    failed |= ftruncate(file, (off_t)(start + 16LL * ntasks)) != 0;
}

static void make_chunks(void)
{
    int maxchunks = 1 << 23;
    sion_int64 start = put_head(SION_KEYVAL_NONE, 2, maxchunks, 0);

    put_number(start, maxchunks);
    put_number(start + 8, 1);
    failed |= ftruncate(file, (off_t)(start + 16 * (1LL + maxchunks))) != 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 1;
    file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (strcmp(argv[1], "data") == 0)
        make_data(SION_KEYVAL_NONE);
    else if (strcmp(argv[1], "keys") == 0)
        make_data(SION_KEYVAL_INLINE);
    else if (strcmp(argv[1], "tasks") == 0)
        make_tasks();
    else
        make_chunks();
    return failed || close(file) != 0;
}

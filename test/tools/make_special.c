/*
 * make_special KIND FILE: containers for the tests of sionmount and siondiff:
 *
 *     make       one task of three chunks of 2 MiB, with data here and there
 *     keys       key-value records, empty ones and the largest key among them
 *     more       the same, and one more record
 *     ranks201   three tasks with these ranks, each with its digit as data
 *
 * and output about a file:
 *
 *     list       where the file system has data: a line for each run, from and to
 *     map        all bytes, by mapping them into memory
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sion_common.h"
#include "sion_serial.h"

enum { MIB = 1 << 20 };

static int open_new(char *name, const char *mode, int ntasks, sion_int64 chunksize)
{
    sion_int64 chunksizes[] = {chunksize, chunksize}, *sizes = chunksizes;
    int numbers[] = {0, 1}, *ranks = numbers, nfiles = 1, fsblksize = 1 << 16;

    return sion_open(name, mode, &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
}

/* Chunks of 2 MiB: data, hole; hole, data; hole, data. */
static int make(char *name)
{
    static char data[MIB];
    int sid = open_new(name, "wb,posix", 1, 2 * MIB), good = sid >= 0;

    memset(data, 'x', sizeof data);
    good = good && sion_fwrite(data, 1, MIB, sid) == MIB;
    good = good && lseek(sion_get_fd(sid), MIB, SEEK_CUR) >= 0;
    good = good && sion_ensure_free_space(sid, 2 * MIB) == 1;
    good = good && lseek(sion_get_fd(sid), MIB, SEEK_CUR) >= 0;
    good = good && write(sion_get_fd(sid), data, MIB) == MIB;
    good = good && sion_ensure_free_space(sid, 2 * MIB) == 1;
    good = good && lseek(sion_get_fd(sid), MIB, SEEK_CUR) >= 0;
    good = good && write(sion_get_fd(sid), data, MIB) == MIB;
    return good && sion_close(sid) == 1 ? 0 : 1;
}

static int put(int sid, uint64_t key, const char *text)
{
    return sion_fwrite_key(text, key, 1, strlen(text), sid) == strlen(text);
}

static int make_keys(char *name, int more)
{
    int sid = open_new(name, "wb,keyval=inline", 2, 50), good;

    good = sid >= 0 && sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS) == 1;
    good = good && put(sid, 5, "") && put(sid, 5, "one") && put(sid, UINT64_MAX, "last") &&
           put(sid, 0, "") && put(sid, 5, "two") && put(sid, 5, "") && put(sid, 5, "three");
    good = good && (!more || put(sid, 6, ""));
    return good && sion_close(sid) == 1 ? 0 : 1;
}

static int make_ranks(char *name, const char *digits)
{
    sion_int64 chunksizes[] = {10, 10, 10}, *sizes = chunksizes;
    int numbers[3], *ranks = numbers, ntasks = 3, nfiles = 1, fsblksize = 1, sid, t, good;

    for (t = 0; t < 3; t++)
        numbers[t] = digits[t] - '0';
    sid = sion_open(name, "wb", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    good = sid >= 0;
    for (t = 0; t < 3 && good; t++)
        good = sion_seek(sid, t, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               sion_fwrite(&digits[t], 1, 1, sid) == 1;
    return good && sion_close(sid) == 1 ? 0 : 1;
}

static int list(int fd)
{
    off_t from = 0, to;

    while ((from = lseek(fd, from, SEEK_DATA)) >= 0) {
        to = lseek(fd, from, SEEK_HOLE);
        if (to < 0)
            return 1;
        printf("%lld %lld\n", (long long)from, (long long)to);
        from = to;
    }
    return 0;
}

static int map(int fd)
{
    struct stat status;
    void *data;

    if (fstat(fd, &status) != 0)
        return 1;
    data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        return 1;
    return fwrite(data, 1, (size_t)status.st_size, stdout) == (size_t)status.st_size ? 0 : 1;
}

int main(int argc, char **argv)
{
    int fd;

    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "make") == 0)
        return make(argv[2]);
    if (strcmp(argv[1], "keys") == 0 || strcmp(argv[1], "more") == 0)
        return make_keys(argv[2], argv[1][0] == 'm');
    if (strncmp(argv[1], "ranks", 5) == 0 && strlen(argv[1]) == 8)
        return make_ranks(argv[2], argv[1] + 5);
    fd = open(argv[2], O_RDONLY);
    if (fd < 0)
        return 1;
    return strcmp(argv[1], "list") == 0 ? list(fd) : map(fd);
}

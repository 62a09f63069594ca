/*
 * What it costs to publish a container very often: four tasks write a record each, and publish.
 *
 *     publish FILE [TIMES [CHUNK_BYTES [RECORD_BYTES]]]
 *
 * Prints after each tenth of the times: publishes, seconds since the begin, and the bytes of the
 * file, as CSV. Both are straight lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "sion.h"

enum { TASKS = 4 };

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "publish: %s\n", what);
    return 1;
}

static int write_all(int sid, const char *record, size_t bytes)
{
    int task, good = 1;

    for (task = 0; task < TASKS; task++)
        good = good && sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               sion_fwrite(record, 1, bytes, sid) == bytes;
    return good && sion_publish(sid) == 1;
}

static int create(char *name, sion_int64 chunk)
{
    sion_int64 sizes[TASKS] = {chunk, chunk, chunk, chunk}, *chunksizes = sizes;
    int ranks[TASKS] = {0, 1, 2, 3}, *globalranks = ranks, ntasks = TASKS, nfiles = 1;
    sion_int32 fsblksize = -1;

    return sion_open(name, "wb", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
}

static long number(int argc, char **argv, int i, long otherwise)
{
    return argc > i ? strtol(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    long times = number(argc, argv, 2, 10000), chunk = number(argc, argv, 3, 4096),
         bytes = number(argc, argv, 4, 64), i;
    char *record = calloc(1, bytes > 0 ? (size_t)bytes : 1);
    double begin = seconds();
    struct stat status;
    int sid;

    if (argc < 2 || times < 1 || chunk < 1 || bytes < 1 || !record)
        return fail("FILE [TIMES [CHUNK_BYTES [RECORD_BYTES]]]");
    sid = create(argv[1], chunk);
    if (sid < 0)
        return fail("cannot create the container");
    puts("publishes,seconds,bytes");
    for (i = 1; i <= times; i++) {
        if (!write_all(sid, record, (size_t)bytes))
            return fail("cannot publish");
        if (i % (times < 10 ? 1 : times / 10) == 0 && stat(argv[1], &status) == 0)
            printf("%ld,%.3f,%lld\n", i, seconds() - begin, (long long)status.st_size);
    }
    free(record);
    return sion_close(sid) == 1 ? 0 : fail("cannot close the container");
}

/*
 * What it costs to publish a container very often: four tasks, or more, write a record each, and
 * publish each time, or each so many times (0: never).
 *
 *     publish FILE [TIMES [CHUNK_BYTES [RECORD_BYTES [TASKS [EVERY]]]]]
 *
 * Prints after each tenth of the times: records of each task, seconds since the beginning, and the
 * bytes of the file, as CSV. Both are straight lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "sion.h"

static int ntasks;

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

    for (task = 0; task < ntasks; task++)
        good = good && sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == 1 &&
               sion_fwrite(record, 1, bytes, sid) == bytes;
    return good;
}

static int create(char *name, sion_int64 chunk)
{
    sion_int64 *sizes = calloc((size_t)ntasks, sizeof *sizes);
    int *ranks = calloc((size_t)ntasks, sizeof *ranks), nfiles = 1, sid = -1, i;
    sion_int32 fsblksize = -1;

    for (i = 0; sizes && ranks && i < ntasks; i++) {
        sizes[i] = chunk;
        ranks[i] = i;
    }
    if (sizes && ranks)
        sid = sion_open(name, "wb", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    free(sizes);
    free(ranks);
    return sid;
}

static long number(int argc, char **argv, int i, long otherwise)
{
    return argc > i ? strtol(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    long times = number(argc, argv, 2, 10000), chunk = number(argc, argv, 3, 4096),
         bytes = number(argc, argv, 4, 64), every = number(argc, argv, 6, 1), i;
    char *record = calloc(1, bytes > 0 ? (size_t)bytes : 1);
    double begin = seconds();
    struct stat status;
    int sid;

    ntasks = (int)number(argc, argv, 5, 4);
    if (argc < 2 || times < 1 || chunk < 1 || bytes < 1 || ntasks < 1 || every < 0 || !record)
        return fail("FILE [TIMES [CHUNK_BYTES [RECORD_BYTES [TASKS [EVERY]]]]]");
    sid = create(argv[1], chunk);
    if (sid < 0)
        return fail("cannot create the container");
    puts("records,seconds,bytes");
    for (i = 1; i <= times; i++) {
        if (!write_all(sid, record, (size_t)bytes) ||
            (every > 0 && i % every == 0 && sion_publish(sid) != 1))
            return fail("cannot publish");
        if (i % (times < 10 ? 1 : times / 10) == 0 && stat(argv[1], &status) == 0)
            printf("%ld,%.3f,%lld\n", i, seconds() - begin, (long long)status.st_size);
    }
    free(record);
    return sion_close(sid) == 1 ? 0 : fail("cannot close the container");
}

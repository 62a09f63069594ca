/*
 * Compares arrays with plain records, in one process: how fast sion_array_put and sion_fwrite write
 * the same bytes, in turn. And measures how long it takes to build, write and read the index of
 * many blocks.
 *
 *     array_test write FILE [MiB [BLOCK_KiB [ROUNDS]]]
 *     array_test index FILE [BLOCKS]
 *
 * Prints one line for each result: name, value, unit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sion_array.h"
#include "sion_common.h"
#include "sion_serial.h"

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;

    return (one > two) - (one < two);
}

static double median(double *list, int n)
{
    qsort(list, (size_t)n, sizeof *list, compare);
    return list[n / 2];
}

static int open_tasks(char *file, int ntasks, sion_int64 chunksize)
{
    sion_int64 *chunksizes = malloc((size_t)ntasks * sizeof *chunksizes);
    int *globalranks = malloc((size_t)ntasks * sizeof *globalranks), nfiles = 1, t, sid;
    sion_int32 fsblksize = 4096;

    if (!chunksizes || !globalranks)
        return -1;
    for (t = 0; t < ntasks; t++) {
        chunksizes[t] = chunksize;
        globalranks[t] = t;
    }
    sid = sion_open(file, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize, &globalranks, NULL);
    free(chunksizes);
    free(globalranks);
    return sid;
}

/* Write all blocks into a new container. Returns the seconds, or -1 after a failure. */
static double write_blocks(char *file, int as_arrays, const double *data, sion_int64 blocks,
                           sion_int64 bytes)
{
    sion_int64 shape[] = {blocks, bytes / 8}, offset[] = {0, 0}, count[] = {1, bytes / 8};
    int sid, good;
    double start;

    unlink(file);
    start = now();
    sid = open_tasks(file, 1, blocks * (bytes + 4096));
    good = sid >= 0 && (!as_arrays || sion_array_define(sid, "T", SION_F64, 2, shape));
    for (; offset[0] < blocks && good; offset[0]++)
        good = as_arrays ? sion_array_put(sid, "T", 0, offset, count, data)
                         : sion_fwrite(data, 1, (size_t)bytes, sid) == (size_t)bytes;
    return good && sion_close(sid) == 1 ? now() - start : -1;
}

static int measure_writing(char *file, sion_int64 mib, sion_int64 kib, int rounds)
{
    sion_int64 bytes = kib << 10, blocks = (mib << 20) / bytes;
    double *data = malloc((size_t)bytes), *times[2];
    int i, kind;
    sion_int64 j;

    times[0] = malloc((size_t)rounds * sizeof(double));
    times[1] = malloc((size_t)rounds * sizeof(double));
    if (!data || !times[0] || !times[1] || blocks < 1)
        return 1;
    for (j = 0; j < bytes / 8; j++)
        data[j] = (double)(j * 7919 % 10007);
    for (i = -1; i < rounds; i++) {
        for (kind = 0; kind < 2; kind++) {
            double seconds = write_blocks(file, kind, data, blocks, bytes);

            if (seconds < 0)
                return 1;
            if (i >= 0)
                times[kind][i] = seconds;
        }
    }
    printf("sion_fwrite %.0f MiB/s\nsion_array_put %.0f MiB/s\n",
           (double)mib / median(times[0], rounds), (double)mib / median(times[1], rounds));
    printf("ratio %.3f -\n", median(times[0], rounds) / median(times[1], rounds));
    free(data);
    free(times[0]);
    free(times[1]);
    return 0;
}

static long memory_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

enum { TASKS = 1000, ROW = 4 };

/* Blocks of one row of four numbers, from 1000 tasks, at as many steps as are needed. */
static int measure_index(char *file, sion_int64 blocks)
{
    sion_int64 shape[] = {TASKS, ROW}, offset[] = {0, 0}, count[] = {1, ROW},
               steps = blocks / TASKS;
    float data[ROW] = {1, 2, 3, 4};
    sion_int64 step, chunk = steps * 192 + 65536;
    struct sion_array_info info;
    double start, put, closed;
    sion_arrays *arrays;
    int sid = open_tasks(file, TASKS, chunk), good = sid >= 0;
    int status = 0;

    good = good && sion_array_define(sid, "T", SION_F32, 2, shape);
    start = now();
    for (offset[0] = 0; offset[0] < TASKS && good; offset[0]++) {
        good = sion_seek(sid, (int)offset[0], SION_CURRENT_BLK, SION_CURRENT_POS) == 1;
        for (step = 0; step < steps && good; step++)
            good = sion_array_put(sid, "T", step, offset, count, data);
    }
    put = now();
    good = good && sion_close(sid) == 1;
    closed = now();
    printf("put %.3f s\nclose, with indexes built and written %.3f s\n", put - start, closed - put);
    fflush(stdout);
    if (!good)
        return 1;
    if (fork() == 0) { /* reads in a process of its own, to measure its memory */
        start = now();
        arrays = sion_arrays_open(file);
        good = arrays && sion_arrays_info(arrays, "T", &info) && info.blocks == steps * TASKS;
        printf("open for reading %.3f s\nmemory %ld MiB\n", now() - start, memory_kib() >> 10);
        sion_arrays_close(arrays);
        fflush(stdout);
        _exit(!good);
    }
    wait(&status);
    printf("memory of the writer %ld MiB\n", memory_kib() >> 10);
    return status != 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "write") == 0)
        return measure_writing(argv[2], argc > 3 ? atoi(argv[3]) : 256,
                               argc > 4 ? atoi(argv[4]) : 1024, argc > 5 ? atoi(argv[5]) : 9);
    if (argc >= 3 && strcmp(argv[1], "index") == 0)
        return measure_index(argv[2], argc > 3 ? atoi(argv[3]) : 1000000);
    fprintf(stderr, "Usage: array_test write FILE [MiB [BLOCK_KiB [ROUNDS]]]\n"
                    "       array_test index FILE [BLOCKS]\n");
    return 2;
}

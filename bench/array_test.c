/*
 * Compares arrays with plain records, in one process: how fast sion_array_put and sion_fwrite write
 * the same bytes, in turn, with data in the cache and with data in the memory. And measures how
 * long it takes to build, write and read the index of many blocks.
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

#include "median.h"
#include "sion_array.h"
#include "sion_common.h"
#include "sion_serial.h"

static double now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
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

/* The clocks: elapsed time, and processor time of this process, including system calls. */
enum { WALL, PROCESSOR, CLOCKS };
static const clockid_t clocks[CLOCKS] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};
enum { RECORDS, ARRAYS, KINDS };

struct writing {
    char *file;
    const double *data;
    sion_int64 blocks, bytes; /* of each */
    int is_fresh;             /* 1: each block has its own data, from the memory; 0: all the same */
    int rounds;
    double *seconds[KINDS][CLOCKS], *ratios[CLOCKS]; /* [rounds] */
};

/* Write all blocks into a new container. Returns 1, or 0 after a failure. */
static int write_blocks(const struct writing *writing, int kind, double seconds[CLOCKS])
{
    sion_int64 numbers = writing->bytes / 8, shape[] = {writing->blocks, numbers};
    sion_int64 offset[] = {0, 0}, count[] = {1, numbers};
    size_t bytes = (size_t)writing->bytes;
    int sid, good, clock;

    unlink(writing->file);
    for (clock = 0; clock < CLOCKS; clock++)
        seconds[clock] = -now(clocks[clock]);
    sid = open_tasks(writing->file, 1, writing->blocks * (writing->bytes + 4096));
    good = sid >= 0 && (kind == RECORDS || sion_array_define(sid, "T", SION_F64, 2, shape));
    for (; offset[0] < writing->blocks && good; offset[0]++) {
        const double *data = writing->data + (writing->is_fresh ? offset[0] * numbers : 0);

        good = kind == ARRAYS ? sion_array_put(sid, "T", 0, offset, count, SION_F64, data, bytes)
                              : sion_fwrite(data, 1, bytes, sid) == bytes;
    }
    good = good && sion_close(sid) == 1;
    for (clock = 0; clock < CLOCKS; clock++)
        seconds[clock] += now(clocks[clock]);
    return good;
}

/* One round: both kinds, one after the other. A negative round does not count. Returns 1, or 0
   after a failure. */
static int write_round(struct writing *writing, int round)
{
    double seconds[KINDS][CLOCKS];
    int kind, clock;

    for (kind = 0; kind < KINDS; kind++) {
        int now_kind = round % 2 == 0 ? kind : KINDS - 1 - kind;

        if (!write_blocks(writing, now_kind, seconds[now_kind]))
            return 0;
    }
    for (clock = 0; clock < CLOCKS && round >= 0; clock++) {
        for (kind = 0; kind < KINDS; kind++)
            writing->seconds[kind][clock][round] = seconds[kind][clock];
        writing->ratios[clock][round] = seconds[RECORDS][clock] / seconds[ARRAYS][clock];
    }
    return 1;
}

static void print_writing(struct writing *writing)
{
    const char *data = writing->is_fresh ? "fresh" : "same";
    double mib = (double)(writing->blocks * writing->bytes) / 1048576;

    printf("sion_fwrite, %s data %.0f MiB/s\n", data,
           mib / bench_median(writing->seconds[RECORDS][WALL], writing->rounds));
    printf("sion_array_put, %s data %.0f MiB/s\n", data,
           mib / bench_median(writing->seconds[ARRAYS][WALL], writing->rounds));
    printf("ratio, %s data %.3f -\n", data, bench_median(writing->ratios[WALL], writing->rounds));
    printf("ratio of processor time, %s data %.3f -\n", data,
           bench_median(writing->ratios[PROCESSOR], writing->rounds));
}

static int need_lists(struct writing *writing)
{
    size_t bytes = (size_t)writing->rounds * sizeof(double);
    int kind, clock, good = 1;

    for (clock = 0; clock < CLOCKS; clock++) {
        for (kind = 0; kind < KINDS; kind++)
            good = (writing->seconds[kind][clock] = malloc(bytes)) && good;
        good = (writing->ratios[clock] = malloc(bytes)) && good;
    }
    return good;
}

static void free_lists(struct writing *writing)
{
    int kind, clock;

    for (clock = 0; clock < CLOCKS; clock++) {
        for (kind = 0; kind < KINDS; kind++)
            free(writing->seconds[kind][clock]);
        free(writing->ratios[clock]);
    }
}

/* The ratios are medians of the ratios of each round, because a disturbance affects both kinds. */
static int measure_writing(char *file, sion_int64 mib, sion_int64 kib, int rounds)
{
    struct writing writing = {.file = file, .bytes = kib << 10, .rounds = rounds};
    sion_int64 numbers = (mib << 20) / 8, i;
    double *data = malloc((size_t)mib << 20);
    int round, good = data && rounds > 0 && need_lists(&writing);

    writing.blocks = (mib << 20) / writing.bytes;
    good = good && writing.blocks > 0;
    for (i = 0; i < numbers && good; i++)
        data[i] = (double)(i * 7919 % 10007);
    writing.data = data;
    for (; writing.is_fresh < 2 && good; writing.is_fresh++) {
        for (round = -2; round < rounds && good; round++)
            good = write_round(&writing, round);
        if (good)
            print_writing(&writing);
    }
    free_lists(&writing);
    free(data);
    return !good;
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
    struct sion_array_info info = {.size = sizeof info};
    double start, put, closed;
    sion_array_reader *arrays;
    int sid = open_tasks(file, TASKS, chunk), good = sid >= 0;
    int status = 0;

    good = good && sion_array_define(sid, "T", SION_F32, 2, shape);
    start = now(CLOCK_MONOTONIC);
    for (offset[0] = 0; offset[0] < TASKS && good; offset[0]++) {
        good = sion_seek(sid, (int)offset[0], SION_CURRENT_BLK, SION_CURRENT_POS) == 1;
        for (step = 0; step < steps && good; step++)
            good = sion_array_put(sid, "T", step, offset, count, SION_F32, data, sizeof data);
    }
    put = now(CLOCK_MONOTONIC);
    good = good && sion_close(sid) == 1;
    closed = now(CLOCK_MONOTONIC);
    printf("put %.3f s\nclose, with indexes built and written %.3f s\n", put - start, closed - put);
    fflush(stdout);
    if (!good)
        return 1;
    if (fork() == 0) { /* reads in a process of its own, to measure its memory */
        start = now(CLOCK_MONOTONIC);
        arrays = sion_array_reader_open(file);
        good = arrays && sion_array_reader_info(arrays, "T", &info) && info.blocks == steps * TASKS;
        printf("open for reading %.3f s\nmemory %ld MiB\n", now(CLOCK_MONOTONIC) - start,
               memory_kib() >> 10);
        sion_array_reader_close(arrays);
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

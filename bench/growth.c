/*
 * How processor time and memory of one process grow with the number of tasks: a serial container,
 * and the first task of a parallel one, for which a communicator makes up the other tasks.
 *
 *     growth FILE [ROUNDS [MOST_TASKS]]
 *
 * Prints tasks, files, operation, the median of its milliseconds of processor time, the most memory
 * in KiB of a process that does it, and its calls on files and the bytes that they move, as CSV. A
 * set of several files is that of many tasks. From 2^19 tasks on, equal tasks and
 * readers send it nothing of their own, and unequal ones little.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "src/comm/echo_unequal.h"
#include "counted.h"
#include "median.h"
#include "sion.h"

enum { MOST_ROUNDS = 100 };

/* What is measured. Those that read need the file that the one before them has left. */
enum {
    CREATE,
    CLOSE,
    READ,
    RANK,
    FIRST_WRITES,
    FIRST_CLOSES,
    FIRST_READS,
    UNEQUAL_WRITES,
    UNEQUAL_CLOSES,
    OPERATIONS
};

static const char *const names[OPERATIONS] = {
    "create",
    "close",
    "open for reading",
    "open for one task",
    "first task: open",
    "first task: close",
    "first task: open for reading",
    "first task: open of unequal tasks",
    "first task: close of unequal tasks",
};

struct figure {
    double milliseconds;
    long kibibytes;
    long long calls, bytes; /* of the process on files */
};

static char *path;
static int tasks, files = 1;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int open_serial(const char *mode)
{
    sion_int64 *chunksizes = malloc((size_t)tasks * sizeof *chunksizes);
    int *ranks = malloc((size_t)tasks * sizeof *ranks);
    sion_int32 fsblksize = 8;
    int one = 1, i, sid;

    for (i = 0; chunksizes && ranks && i < tasks; i++) {
        chunksizes[i] = 8;
        ranks[i] = i;
    }
    sid = sion_open(path, mode, &tasks, &one, &chunksizes, &fsblksize, &ranks, NULL);
    free(chunksizes);
    free(ranks);
    return sid;
}

/* In a set, the first task checks what the others say of their places. */
static void number_tasks(const struct scion_comm *comm, void *sent, size_t bytes, int rank)
{
    struct scion_request *request = sent;
    sion_int64 *pair = sent;

    if (bytes == sizeof *request) {
        request->leader = request->lrank = rank;
    } else if (comm->size == tasks && bytes == 2 * sizeof *pair) { /* the mapping */
        pair[0] = rank / (tasks / files);
        pair[1] = rank % (tasks / files);
    }
}

static struct scion_container *open_first(enum scion_access access, int is_unequal)
{
    struct scion_parallel_args args = {
        .name = path,
        .chunksize = 8,
        .fsblksize = 8,
        .nfiles = files,
        .mode = {.access = access, .keyval = 55},
    };
    struct scion_container *container = NULL;

    echo_files = files;
    echo_be_unequal(is_unequal);
    if (files > 1)
        echo_vary = number_tasks;
    if (scion_parallel_open(echo_comm(tasks), &args, &container) != 0)
        return NULL;
    return container;
}

static int open_one_rank(void)
{
    sion_int64 chunksize;
    sion_int32 fsblksize;
    int rank = tasks / 2;

    return sion_open_rank(path, "br", &chunksize, &fsblksize, &rank, NULL);
}

/* ---- one operation ---- */

static struct figure noted;
static double begin;

static void begin_part(void)
{
    memset(counted, 0, sizeof counted);
    begin = now();
}

static void end_part(void)
{
    int i;

    noted = (struct figure){.milliseconds = now() - begin};
    for (i = 0; i < COUNTED_FILES; i++) {
        noted.calls += counted[i].calls;
        noted.bytes += counted[i].bytes;
    }
}

/* Between an open and its close. */
static void change_parts(int is_close)
{
    if (!is_close)
        end_part();
    else
        begin_part();
}

/* 0, or -1: it has failed. */
static int measure_serial(int operation)
{
    int sid, rc;

    begin_part();
    sid = operation == RANK ? open_one_rank() : open_serial(operation == READ ? "br" : "bw");
    if (sid < 0)
        return -1;
    change_parts(operation == CLOSE);
    rc = sion_close(sid);
    if (operation == CLOSE)
        end_part();
    return rc == SION_SUCCESS ? 0 : -1;
}

static int measure_first(int operation)
{
    struct scion_container *container;
    int rc;

    begin_part();
    container = open_first(operation == FIRST_READS ? SCION_ACCESS_READ : SCION_ACCESS_WRITE,
                           operation >= UNEQUAL_WRITES);
    if (!container)
        return -1;
    change_parts(operation == FIRST_CLOSES || operation == UNEQUAL_CLOSES);
    rc = scion_parallel_close(container, NULL);
    if (operation == FIRST_CLOSES || operation == UNEQUAL_CLOSES)
        end_part();
    return rc;
}

static int is_reading(int operation)
{
    return operation == READ || operation == RANK || operation == FIRST_READS;
}

/* In a process of its own, whose memory is that of the operation. */
static int measure(int operation, struct figure *figure)
{
    struct rusage usage = {0};
    int ends[2], status = -1, received;
    pid_t child;

    if (!is_reading(operation))
        remove(path);
    if (pipe(ends) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        int rc = operation < FIRST_WRITES ? measure_serial(operation) : measure_first(operation);

        if (rc != 0)
            fprintf(stderr, "growth: %s\n", scion_error_text());
        _exit(rc != 0 || write(ends[1], &noted, sizeof noted) != sizeof noted);
    }
    close(ends[1]);
    received = child > 0 && read(ends[0], figure, sizeof *figure) == sizeof *figure;
    close(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0 || !received)
        return -1;
    figure->kibibytes = usage.ru_maxrss;
    return 0;
}

static int report(int operation, int rounds)
{
    double times[MOST_ROUNDS];
    struct figure figure = {0};
    int i;

    for (i = 0; i < rounds; i++) {
        if (measure(operation, &figure) != 0) {
            fprintf(stderr, "growth: %s of %d tasks in %s has failed\n", names[operation], tasks,
                    path);
            return -1;
        }
        times[i] = figure.milliseconds;
    }
    printf("%d,%d,%s,%.3f,%ld,%lld,%lld\n", tasks, files, names[operation],
           bench_median(times, rounds), figure.kibibytes, figure.calls, figure.bytes);
    return 0;
}

static int report_all(int rounds)
{
    int operation;

    for (operation = files > 1 ? FIRST_WRITES : 0; operation < OPERATIONS; operation++) {
        int is_measured = files == 1 || operation <= FIRST_READS;

        if (is_measured && report(operation, rounds) != 0)
            return -1;
    }
    return 0;
}

static void remove_all(void)
{
    char name[4096];
    int i;

    remove(path);
    for (i = 1; i < files; i++) {
        snprintf(name, sizeof name, "%s.%06d", path, i);
        remove(name);
    }
}

int main(int argc, char **argv)
{
    static const int sizes[][2] = {{1000, 1},     {3000, 1},     {10000, 1},    {30000, 1},
                                   {100000, 1},   {300000, 1},   {500000, 1},   {1000000, 1},
                                   {10000000, 1}, {1000000, 10}, {10000000, 10}};
    int rounds = argc > 2 ? atoi(argv[2]) : 5, rc = 0;
    int most = argc > 3 ? atoi(argv[3]) : INT_MAX;
    size_t i;

    if (argc < 2 || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "Usage: growth FILE [ROUNDS [MOST_TASKS]]\n");
        return EXIT_FAILURE;
    }
    path = argv[1];
    counted_begin();
    puts("tasks,files,operation,milliseconds,kibibytes,calls,bytes");
    for (i = 0; i < sizeof sizes / sizeof *sizes && rc == 0; i++) {
        if (sizes[i][0] > most)
            continue;
        tasks = sizes[i][0];
        files = sizes[i][1];
        rc = report_all(rounds);
        fflush(stdout);
        remove_all();
    }
    return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

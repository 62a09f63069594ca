/*
 * Simulates a larger machine with many tasks in each process. Compares a file for each task,
 * created one after the other, with one container.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sion_common.h>
#include <sion_mpi.h>

#include "methods.h"

enum { TASK_BYTES = 1024 };

static void fill(char *data, int task)
{
    int i;

    for (i = 0; i < TASK_BYTES; i++)
        data[i] = (char)(task * 31 + i);
}

static void check(const struct bench *bench, const char *data, int task)
{
    char expected[TASK_BYTES];

    fill(expected, task);
    if (memcmp(data, expected, TASK_BYTES) != 0)
        bench_fail(bench, "task %d reads other bytes than it wrote", task);
}

/* ---- a file for each task, in one folder ---- */

static void name_file(const struct bench *bench, int task, char *name, size_t size)
{
    snprintf(name, size, "%s.tasks/%08d", bench->options.filename, task);
}

static int first_task(const struct bench *bench)
{
    return bench->rank * bench->options.simulate;
}

/* Open a file for each of the process's tasks, and use it. */
static void each_file(const struct bench *bench, int flags, int moves)
{
    char name[1100], data[TASK_BYTES];
    int i;

    for (i = 0; i < bench->options.simulate; i++) {
        int task = first_task(bench) + i, fd;
        ssize_t moved = TASK_BYTES;

        name_file(bench, task, name, sizeof name);
        fd = open(name, flags, 0666);
        fill(data, task);
        if (fd >= 0 && moves)
            moved = flags & O_WRONLY ? write(fd, data, TASK_BYTES) : read(fd, data, TASK_BYTES);
        if (fd < 0 || moved != TASK_BYTES || close(fd) != 0)
            bench_fail(bench, "cannot open or use %s", name);
        if (moves)
            check(bench, data, task);
    }
}

static void run_files(const struct bench *bench, int writing, double seconds[BENCH_PHASES])
{
    double start;

    MPI_Barrier(bench->all);
    start = MPI_Wtime();
    if (writing)
        each_file(bench, O_WRONLY | O_CREAT | O_TRUNC, 0);
    seconds[BENCH_PHASE_OPEN] = bench_lap_of_all(bench, &start);
    each_file(bench, writing ? O_WRONLY : O_RDONLY, 1);
    seconds[BENCH_PHASE_MOVE] = bench_lap_of_all(bench, &start);
}

static void make_folder(const struct bench *bench, char *folder, size_t size)
{
    snprintf(folder, size, "%s.tasks", bench->options.filename);
    if (bench->rank == 0 && mkdir(folder, 0777) != 0)
        bench_fail(bench, "cannot make %s", folder);
    MPI_Barrier(bench->all);
}

static void remove_folder(const struct bench *bench, const char *folder)
{
    char name[1100];
    int i;

    MPI_Barrier(bench->all);
    for (i = 0; i < bench->options.simulate; i++) {
        name_file(bench, first_task(bench) + i, name, sizeof name);
        unlink(name);
    }
    MPI_Barrier(bench->all);
    if (bench->rank == 0)
        rmdir(folder);
    MPI_Barrier(bench->all);
}

/* ---- a container ---- */

struct lists {
    int *ranks, *files, *places;
    sion_int64 *chunksizes;
};

static void make_lists(const struct bench *bench, struct lists *lists)
{
    size_t count = (size_t)bench->options.simulate;
    int i;

    lists->ranks = calloc(count, sizeof(int));
    lists->files = calloc(count, sizeof(int));
    lists->places = calloc(count, sizeof(int));
    lists->chunksizes = calloc(count, sizeof(sion_int64));
    if (!lists->ranks || !lists->files || !lists->places || !lists->chunksizes)
        bench_fail(bench, "out of memory for %d tasks", bench->options.simulate);
    for (i = 0; i < bench->options.simulate; i++) {
        lists->ranks[i] = lists->places[i] = first_task(bench) + i;
        lists->chunksizes[i] = TASK_BYTES;
    }
}

static void free_lists(struct lists *lists)
{
    free(lists->ranks);
    free(lists->files);
    free(lists->places);
    free(lists->chunksizes);
}

static void move_tasks(const struct bench *bench, int sid, int writing)
{
    char data[TASK_BYTES];
    int i;

    for (i = 0; i < bench->options.simulate; i++) {
        int task = first_task(bench) + i;
        size_t moved = 0;

        fill(data, task);
        if (sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == SION_SUCCESS)
            moved = writing ? sion_fwrite(data, 1, TASK_BYTES, sid)
                            : sion_fread(data, 1, TASK_BYTES, sid);
        if (moved != TASK_BYTES)
            bench_fail(bench, "cannot %s task %d of the container", writing ? "write" : "read",
                       task);
        check(bench, data, task);
    }
}

static void run_container(const struct bench *bench, int writing, double seconds[BENCH_PHASES])
{
    int nfiles = 1, count = bench->options.simulate, sid;
    sion_int32 fsblksize = (sion_int32)bench->options.fsblksize;
    struct lists lists;
    double start;

    make_lists(bench, &lists);
    MPI_Barrier(bench->all);
    start = MPI_Wtime();
    sid = sion_paropen_mapped_mpi((char *)bench->options.filename, writing ? "bw" : "br", &nfiles,
                                  bench->all, &count, &lists.ranks, &lists.chunksizes, &lists.files,
                                  &lists.places, &fsblksize, NULL);
    if (sid < 0)
        bench_fail_together(bench, "open");
    seconds[BENCH_PHASE_OPEN] = bench_lap_of_all(bench, &start);
    move_tasks(bench, sid, writing);
    seconds[BENCH_PHASE_MOVE] = bench_lap_of_all(bench, &start);
    if (sion_parclose_mapped_mpi(sid) != SION_SUCCESS)
        bench_fail_together(bench, "close");
    seconds[BENCH_PHASE_CLOSE] = bench_lap_of_all(bench, &start);
    free_lists(&lists);
}

void bench_compare_many(struct bench *bench)
{
    static void (*const runs[])(const struct bench *, int, double *) = {run_container, run_files};
    long long bytes = (long long)bench->size * bench->options.simulate * TASK_BYTES;
    struct bench_series series[2];
    char folder[1100];
    int repeat, i, writing;

    bench_make_series(bench, &series[0], "container");
    bench_make_series(bench, &series[1], "file per task");
    for (repeat = 0; repeat < bench->options.repeats; repeat++) {
        make_folder(bench, folder, sizeof folder);
        for (i = 0; i < 2; i++) {
            for (writing = 1; writing >= 0; writing--) {
                double seconds[BENCH_PHASES] = {0};

                runs[i](bench, writing, seconds);
                bench_note(&series[i], writing, repeat, seconds);
            }
        }
        remove_folder(bench, folder);
        if (bench->rank == 0)
            unlink(bench->options.filename);
    }
    if (bench->rank == 0)
        bench_print_series(bench, "many tasks", bytes, series, 2);
    for (i = 0; i < 2; i++)
        bench_free_series(&series[i]);
}

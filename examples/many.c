/*
 * Shows what many files cost: one process writes and reads the data of many tasks, either in one
 * file for each task or in one container.
 *
 *   many files FOLDER 10000 4000       # makes the folder
 *   many container FILE 10000 4000     # 10000 tasks of 4000 bytes each
 *
 * Prints the seconds that writing and reading took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sion.h"
#include "sion_error.h"

struct data {
    const char *name;
    int tasks;
    size_t bytes; /* of each task */
    char *expected, *found;
};

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "many: cannot %s %s\n", what, name);
    return 0;
}

/* Fill the buffer with different bytes for each task; this must take almost no time. */
static void fill(const struct data *data, int task)
{
    memset(data->expected, task % 251, data->bytes);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- a file for each task ---- */

static int file_of_task(const struct data *data, int task, int writing)
{
    char name[4096];
    size_t moved;
    FILE *file;
    int closed;

    snprintf(name, sizeof name, "%s/task%06d", data->name, task);
    file = fopen(name, writing ? "wb" : "rb");
    if (!file)
        return fail("open", name);
    moved = writing ? fwrite(data->expected, 1, data->bytes, file)
                    : fread(data->found, 1, data->bytes, file);
    closed = fclose(file) == 0;
    return moved == data->bytes && closed ? 1 : fail(writing ? "write" : "read", name);
}

static int files(const struct data *data, int writing)
{
    int task;

    if (writing && mkdir(data->name, 0777) != 0)
        return fail("make the folder", data->name);
    for (task = 0; task < data->tasks; task++) {
        fill(data, task);
        if (!file_of_task(data, task, writing))
            return 0;
        if (!writing && memcmp(data->expected, data->found, data->bytes) != 0)
            return fail("read back what was written to", data->name);
    }
    return 1;
}

/* ---- a container ---- */

static int move_tasks(const struct data *data, int sid, int writing)
{
    int task;

    for (task = 0; task < data->tasks; task++) {
        size_t moved;

        fill(data, task);
        if (sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) != SION_SUCCESS)
            return 0;
        moved = writing ? sion_fwrite(data->expected, 1, data->bytes, sid)
                        : sion_fread(data->found, 1, data->bytes, sid);
        if (moved != data->bytes ||
            (!writing && memcmp(data->expected, data->found, data->bytes) != 0))
            return 0;
    }
    return 1;
}

/* One chunk for each task, which begins at a block of the file system. */
static int container(const struct data *data, int writing)
{
    int tasks = data->tasks, nfiles = 1, task, sid, good;
    sion_int32 fsblksize = -1;
    int *ranks = malloc((size_t)tasks * sizeof *ranks);
    sion_int64 *chunksizes = malloc((size_t)tasks * sizeof *chunksizes);

    if (!ranks || !chunksizes)
        return fail("allocate memory for", data->name);
    for (task = 0; task < tasks; task++) {
        ranks[task] = task;
        chunksizes[task] = (sion_int64)data->bytes;
    }
    if (writing)
        sid = sion_open((char *)data->name, "bw", &tasks, &nfiles, &chunksizes, &fsblksize, &ranks,
                        NULL);
    else
        sid = sion_open((char *)data->name, "br", &tasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    free(ranks);
    free(chunksizes);
    if (sid < 0)
        return fail("open", data->name);
    good = move_tasks(data, sid, writing);
    if (sion_close(sid) != SION_SUCCESS)
        good = 0;
    return good ? 1 : fail(writing ? "write" : "read back what was written to", data->name);
}

/* ---- both ---- */

int main(int argc, char **argv)
{
    int in_files = argc == 5 && strcmp(argv[1], "files") == 0;
    int (*move)(const struct data *, int) = in_files ? files : container;
    struct data data = {.name = argc == 5 ? argv[2] : ""};
    double start, written, done;
    int good;

    data.tasks = argc == 5 ? atoi(argv[3]) : 0;
    data.bytes = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
    if (data.tasks < 1 || data.bytes < 1 || (!in_files && strcmp(argv[1], "container") != 0)) {
        fprintf(stderr, "Usage: many files|container NAME TASKS BYTES\n");
        return 1;
    }
    data.expected = malloc(data.bytes);
    data.found = malloc(data.bytes);
    if (!data.expected || !data.found)
        return 1;
    start = now();
    good = move(&data, 1);
    written = now();
    good = good && move(&data, 0);
    done = now();
    if (good)
        printf("%.3f %.3f\n", written - start, done - written);
    free(data.expected);
    free(data.found);
    return good ? 0 : 1;
}

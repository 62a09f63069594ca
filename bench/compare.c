/* Compares methods: each repeat runs all of them, so that a disturbance affects all alike. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "methods.h"

enum { MOST_METHODS = 16 };

/* ---- sync and remove a method's files ---- */

/* The name of file `number` of a method, which is the file of all tasks, or of one. */
static void name_file(const struct bench *bench, const struct bench_method *method, int number,
                      char *name, size_t size)
{
    const char *base = bench->options.filename;

    if (number == 0 && !method->own_files)
        snprintf(name, size, "%s", base);
    else
        snprintf(name, size, "%s.%06d", base, number);
}

static int files_of(const struct bench *bench, const struct bench_method *method)
{
    return method->own_files || method->nfiles == 0 ? bench->size : method->nfiles;
}

/* A container that chooses their number itself may have fewer. Task t is in charge of file t. */
static void sync_files(const struct bench *bench, const struct bench_method *method)
{
    char name[1100];
    int fd;

    if (bench->rank >= files_of(bench, method))
        return;
    name_file(bench, method, bench->rank, name, sizeof name);
    fd = open(name, O_RDONLY);
    if (fd < 0 && errno == ENOENT && method->may_have_fewer)
        return;
    if (fd < 0 || fsync(fd) != 0)
        bench_fail(bench, "cannot sync %s", name);
    close(fd);
}

static void remove_files(const struct bench *bench, const struct bench_method *method)
{
    char name[1100];

    MPI_Barrier(bench->all);
    if (bench->rank < files_of(bench, method)) {
        name_file(bench, method, bench->rank, name, sizeof name);
        unlink(name);
    }
    MPI_Barrier(bench->all);
}

/* ---- one run ---- */

/* Every record has the bytes from the start of the buffer. */
static void check_data(const struct bench *bench, const char *name, const char *written)
{
    long long bytes = bench_task_bytes(bench, bench->rank), most = bench->options.bufsize;

    if (memcmp(bench->buffer, written, (size_t)(bytes < most ? bytes : most)) != 0)
        bench_fail(bench, "%s reads other bytes than it wrote", name);
}

static void run(struct bench *bench, const struct bench_method *method, int writing,
                double seconds[BENCH_PHASES])
{
    long long bytes = bench_task_bytes(bench, bench->rank);
    struct bench_target target = {.words = method->words};
    double start;
    int rc;

    name_file(bench, method, method->own_files ? bench->rank : 0, target.name, sizeof target.name);
    MPI_Barrier(bench->all);
    start = MPI_Wtime();
    rc = method->open(bench, &target, writing);
    seconds[BENCH_PHASE_OPEN] = bench_lap_of_all(bench, &start);
    bench_need_all(bench, rc, "open", method->name, target.name);
    bench_lap(&start);
    if (bench_transfer(bench, bytes, 0, writing ? method->put : method->get, &target) < 0)
        bench_fail(bench, "%s: cannot %s %s", method->name, writing ? "write" : "read",
                   target.name);
    seconds[BENCH_PHASE_MOVE] = bench_lap_of_all(bench, &start);
    rc = method->close(&target);
    seconds[BENCH_PHASE_CLOSE] = bench_lap_of_all(bench, &start);
    bench_need_all(bench, rc, "close", method->name, target.name);
    bench_lap(&start);
    if (writing && bench->options.sync)
        sync_files(bench, method);
    seconds[BENCH_PHASE_SYNC] = bench_lap_of_all(bench, &start);
}

/* Write and read with one method. written: the data; they are copied, as reading replaces them. */
static void repeat_method(struct bench *bench, const struct bench_method *method,
                          struct bench_series *series, int repeat, const char *written)
{
    size_t size = (size_t)bench_buffer_size(&bench->options);
    double seconds[BENCH_PHASES];

    memcpy(bench->buffer, written, size);
    run(bench, method, 1, seconds);
    bench_note(series, 1, repeat, seconds);
    memset(bench->buffer, 0, size);
    run(bench, method, 0, seconds);
    bench_note(series, 0, repeat, seconds);
    check_data(bench, method->name, written);
    remove_files(bench, method);
}

/* ---- which methods ---- */

static const struct bench_method *find_method(const struct bench_method *methods, const char *name,
                                              size_t length)
{
    while (methods->name &&
           (strlen(methods->name) != length || strncmp(methods->name, name, length) != 0))
        methods++;
    return methods->name ? methods : NULL;
}

/* Those that are asked for, in that order; the number of them. */
static int choose(const struct bench *bench, const struct bench_method *methods,
                  const struct bench_method *chosen[MOST_METHODS])
{
    const char *at = bench->options.methods;
    int count = 0;

    for (; !at && methods[count].name; count++)
        chosen[count] = &methods[count];
    while (at && *at) {
        size_t length = strcspn(at, ";");

        const struct bench_method *method = find_method(methods, at, length);

        if (!method || count == MOST_METHODS)
            bench_fail_together(bench, "--methods has a name that is none");
        chosen[count++] = method;
        at += length + (at[length] == ';');
    }
    if (count == 0)
        bench_fail_together(bench, "--methods has no name");
    return count;
}

void bench_compare(struct bench *bench, const struct bench_method *methods)
{
    const struct bench_method *chosen[MOST_METHODS];
    struct bench_series series[MOST_METHODS];
    char *written = bench->buffer;
    long long mine = bench_task_bytes(bench, bench->rank), bytes = 0;
    int count, i, repeat;

    bench->buffer = malloc((size_t)bench_buffer_size(&bench->options));
    if (!bench->buffer)
        bench_fail(bench, "out of memory for a buffer");
    count = choose(bench, methods, chosen);
    for (i = 0; i < count; i++)
        bench_make_series(bench, &series[i], chosen[i]->name);
    for (repeat = 0; repeat < bench->options.repeats; repeat++) {
        for (i = 0; i < count; i++) { /* each method follows each other one */
            int turn = (i + repeat) % count;

            repeat_method(bench, chosen[turn], &series[turn], repeat, written);
        }
    }
    MPI_Reduce(&mine, &bytes, 1, MPI_LONG_LONG, MPI_SUM, 0, bench->all);
    if (bench->rank == 0)
        bench_print_series(bench, "tasks", bytes, series, count);
    for (i = 0; i < count; i++)
        bench_free_series(&series[i]);
    free(bench->buffer);
    bench->buffer = written;
}

/*
 * Compares arrays in a container with plain records in a container, with parallel HDF5 and with
 * PnetCDF: every task writes and reads its block of a field, step by step.
 *
 *     mpiexec -n 4 fields -g 2x2 -b 1024x1024 [-s STEPS] [-n REPEATS] [-o FORMAT] [-y] FILE
 *
 * -g: blocks in each dimension, one for each task. -b: elements of a block (double). -o: table, csv
 * or json. -y: with fsync. Each repeat runs all methods in turn. The result is one table of the
 * elapsed times, those of the slowest task, and one of the processor times of all tasks together.
 */
#include "fields.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "methods.h"

/* ---- the command line ---- */

static _Noreturn void usage(const struct fields *fields)
{
    if (fields->bench.rank == 0)
        fprintf(stderr, "Usage: fields -g GRID -b BLOCK [-s STEPS] [-n REPEATS] [-o FORMAT] [-y] "
                        "FILE\n       GRID and BLOCK: 2x2, 2x2x1 and the like\n");
    MPI_Finalize();
    exit(EXIT_FAILURE);
}

/* Two or three positive numbers with an x between them. Returns how many; 0: they are not. */
static int parse_extents(const char *text, long long extents[FIELDS_DIMS])
{
    int n = 0;
    char *end;

    do {
        extents[n] = strtoll(text, &end, 10);
        if (extents[n] < 1 || end == text)
            return 0;
        text = end + 1;
    } while (++n < FIELDS_DIMS && *end == 'x');
    return *end == '\0' && n > 1 ? n : 0;
}

static int is_format(const char *text)
{
    return strcmp(text, "table") == 0 || strcmp(text, "csv") == 0 || strcmp(text, "json") == 0;
}

static void parse(struct fields *fields, int argc, char **argv)
{
    struct bench_options *o = &fields->bench.options;
    int option, blocks = 0;

    *o = (struct bench_options){.repeats = 5, .output = "table"};
    fields->steps = 4;
    while ((option = getopt(argc, argv, "g:b:s:n:o:y")) != -1) {
        switch (option) {
        case 'g':
            fields->ndims = parse_extents(optarg, fields->grid);
            break;
        case 'b':
            blocks = parse_extents(optarg, fields->count);
            break;
        case 's':
            fields->steps = atoi(optarg);
            break;
        case 'n':
            o->repeats = atoi(optarg);
            break;
        case 'o':
            o->output = optarg;
            break;
        case 'y':
            o->sync = 1;
            break;
        default:
            usage(fields);
        }
    }
    if (optind != argc - 1 || fields->ndims < 2 || blocks != fields->ndims || fields->steps < 1 ||
        o->repeats < 1 || !is_format(o->output))
        usage(fields);
    o->filename = argv[optind];
}

/* ---- the field ---- */

static void make_field(struct fields *fields)
{
    int rank = fields->bench.rank, d;
    long long tasks = 1;
    size_t i, all;

    fields->elements = 1;
    for (d = fields->ndims - 1; d >= 0; d--) {
        fields->shape[d] = fields->grid[d] * fields->count[d];
        fields->offset[d] = rank % fields->grid[d] * fields->count[d];
        rank /= (int)fields->grid[d];
        tasks *= fields->grid[d];
        fields->elements *= (size_t)fields->count[d];
    }
    if (tasks != fields->bench.size)
        usage(fields);
    all = fields->elements * (size_t)fields->steps;
    fields->data = malloc(all * sizeof *fields->data);
    fields->read = malloc(all * sizeof *fields->read);
    if (!fields->data || !fields->read)
        bench_fail(&fields->bench, "out of memory for %zu numbers", all);
    for (i = 0; i < all; i++)
        fields->data[i] = (double)((i * 7919 + (size_t)fields->bench.rank * 104729) % 1000003);
}

/* ---- one run ---- */

static double processor_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void sync_file(const struct fields *fields)
{
    const char *name = fields->bench.options.filename;
    int fd = fields->bench.rank == 0 ? open(name, O_RDONLY) : -1;

    if (fields->bench.rank == 0 && (fd < 0 || fsync(fd) != 0))
        bench_fail(&fields->bench, "cannot sync %s", name);
    if (fd >= 0)
        close(fd);
}

static int move_blocks(const struct fields *fields, const struct fields_method *method,
                       struct fields_target *target, int writing)
{
    int step, rc = 0;

    for (step = 0; step < fields->steps && rc == 0; step++) {
        size_t at = (size_t)step * fields->elements;

        rc = writing ? method->put(fields, target, step, fields->data + at)
                     : method->get(fields, target, step, fields->read + at);
    }
    return rc;
}

/* When a phase has begun: elapsed time, processor time of this task. */
struct beginning {
    double start, processor;
};

static struct beginning begin_phase(const struct fields *fields)
{
    MPI_Barrier(fields->bench.all);
    return (struct beginning){MPI_Wtime(), processor_time()};
}

/* The times of a phase: the longest of all tasks, and the processor time of all tasks. Waiting for
   the others does not count as processor time. */
static void end_phase(const struct fields *fields, struct beginning beginning, double *seconds,
                      double *all_processors)
{
    double mine = processor_time() - beginning.processor, sum = 0;

    *seconds = bench_lap_of_all(&fields->bench, &beginning.start);
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, fields->bench.all);
    *all_processors += sum;
}

static void run(const struct fields *fields, const struct fields_method *method, int writing,
                double seconds[BENCH_PHASES], double *all_processors)
{
    const struct bench *bench = &fields->bench;
    struct fields_target target = {.name = bench->options.filename};
    struct beginning beginning = begin_phase(fields);
    int rc = method->open(fields, &target, writing);

    *all_processors = 0;
    end_phase(fields, beginning, &seconds[BENCH_PHASE_OPEN], all_processors);
    bench_need_all(bench, rc, "open", method->name, target.name);
    beginning = begin_phase(fields);
    if (move_blocks(fields, method, &target, writing) != 0)
        bench_fail(bench, "%s: cannot %s %s", method->name, writing ? "write" : "read",
                   target.name);
    end_phase(fields, beginning, &seconds[BENCH_PHASE_MOVE], all_processors);
    beginning = begin_phase(fields);
    rc = method->close(&target);
    end_phase(fields, beginning, &seconds[BENCH_PHASE_CLOSE], all_processors);
    bench_need_all(bench, rc, "close", method->name, target.name);
    beginning = begin_phase(fields);
    if (writing && bench->options.sync)
        sync_file(fields);
    end_phase(fields, beginning, &seconds[BENCH_PHASE_SYNC], all_processors);
}

/* ---- all runs ---- */

enum { MOST = 8 };

struct comparison {
    const struct fields_method *methods[MOST];
    struct bench_series elapsed[MOST], processor[MOST];
    int count;
};

static void add_methods(const struct fields *fields, struct comparison *all,
                        const struct fields_method *methods)
{
    for (; methods->name; methods++) {
        all->methods[all->count] = methods;
        bench_make_series(&fields->bench, &all->elapsed[all->count], methods->name);
        bench_make_series(&fields->bench, &all->processor[all->count], methods->name);
        all->count++;
    }
}

static void remove_file(const struct fields *fields)
{
    MPI_Barrier(fields->bench.all);
    if (fields->bench.rank == 0)
        unlink(fields->bench.options.filename);
    MPI_Barrier(fields->bench.all);
}

/*
 * How fast a file is written depends on the one before, whose memory it gets: after many small
 * writes, large ones took four times as long, and after pieces of 1 MiB, those of 8 MiB twice as
 * long. So two files are written with the first method, and two with this one, before it counts.
 */
static void write_before(const struct fields *fields, const struct comparison *all, int i)
{
    double seconds[BENCH_PHASES], processor;
    int times;

    for (times = 0; times < 4; times++) {
        run(fields, all->methods[times < 2 ? 0 : i], 1, seconds, &processor);
        remove_file(fields);
    }
}

/* Write and read with one method. A repeat < 0 does not count. */
static void repeat_method(const struct fields *fields, struct comparison *all, int i, int repeat)
{
    size_t bytes = fields->elements * (size_t)fields->steps * sizeof(double);
    double seconds[BENCH_PHASES];
    int writing;

    write_before(fields, all, i);
    memset(fields->read, 0, bytes);
    for (writing = 1; writing >= 0; writing--) {
        double processor[BENCH_PHASES] = {0};

        run(fields, all->methods[i], writing, seconds, &processor[BENCH_PHASE_MOVE]);
        if (repeat < 0)
            continue;
        bench_note(&all->elapsed[i], writing, repeat, seconds);
        bench_note(&all->processor[i], writing, repeat, processor);
    }
    if (memcmp(fields->data, fields->read, bytes) != 0)
        bench_fail(&fields->bench, "%s reads other numbers than it wrote", all->methods[i]->name);
    remove_file(fields);
}

static void compare(const struct fields *fields)
{
    struct comparison all = {.count = 0};
    long long bytes = (long long)(fields->elements * sizeof(double)) * fields->steps;
    int i, repeat;

    add_methods(fields, &all, fields_sion);
    add_methods(fields, &all, fields_hdf5);
    add_methods(fields, &all, fields_pnetcdf);
    for (repeat = -1; repeat < fields->bench.options.repeats; repeat++) {
        for (i = 0; i < all.count; i++) /* each method is the first one in turn */
            repeat_method(fields, &all, (i + repeat + 1) % all.count, repeat);
    }
    bytes *= fields->bench.size;
    if (fields->bench.rank == 0) {
        bench_print_series(&fields->bench, "elapsed", bytes, all.elapsed, all.count);
        bench_print_series(&fields->bench, "processors", bytes, all.processor, all.count);
    }
    for (i = 0; i < all.count; i++) {
        bench_free_series(&all.elapsed[i]);
        bench_free_series(&all.processor[i]);
    }
}

int main(int argc, char **argv)
{
    struct fields fields = {.bench.all = MPI_COMM_WORLD};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(fields.bench.all, &fields.bench.rank);
    MPI_Comm_size(fields.bench.all, &fields.bench.size);
    opterr = fields.bench.rank == 0;
    parse(&fields, argc, argv);
    make_field(&fields);
    compare(&fields);
    free(fields.data);
    free(fields.read);
    MPI_Finalize();
    return 0;
}

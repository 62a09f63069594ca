/*
 * Heat conduction in a plate, with checkpoints in SION containers.
 *
 * The explicit scheme for the two-dimensional heat equation, one rectangle of the plate per task.
 * Every few steps all tasks write their rectangles into one container, each as a stream of its own:
 * a header, then one record per row. `--restart` goes on from there and ends, bit by bit, with the
 * field of a run that was never interrupted.
 *
 * Checkpoints go alternately to NAME.0 and NAME.1, so one is complete at any time, whenever the job
 * may be killed: a container that was never closed is refused when it is opened for reading, and
 * then the other one is taken.
 *
 *   mpiexec -n 4 heat --steps 400 --interval 50 --checkpoint ckpt --result field.raw
 *   mpiexec -n 4 heat --steps 400 --interval 50 --checkpoint ckpt --result field.raw --restart
 */
#include <mpi.h>

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sion.h"
#include "sion_error.h"

#define MAGIC       INT64_C(0x3150544b43544148)
#define CONDUCTANCE 0.2 /* alpha * dt / h^2; the scheme is stable up to 0.25 */
#define HOT         100.0

enum { ROWS, COLUMNS };             /* the two dimensions */
enum { ABOVE, BELOW, LEFT, RIGHT }; /* the four neighbours */
enum { SLOTS = 2 };                 /* containers that take the checkpoints in turn */

struct options {
    int extent[2]; /* of the plate, in cells */
    int steps;
    int interval; /* steps from one checkpoint to the next; 0: none */
    int nfiles;   /* physical files of a container */
    int restart;
    int pause_at;      /* step after which all wait to be killed; -1: never */
    int pause_writing; /* the same in the middle of that step's checkpoint */
    const char *checkpoint;
    const char *result; /* NULL: not wanted */
};

/* This task's part of the plate. */
struct plate {
    MPI_Comm comm; /* Cartesian */
    int rank;
    int whole[2];  /* cells of the whole plate */
    int start[2];  /* first cell of this part */
    int extent[2]; /* cells of this part */
    int neighbour[4];
    double *now, *next; /* (rows + 2) * (columns + 2), with a halo of one cell around the part */
    int step;
};

/* First in each task's stream. All numbers have 8 bytes, so sion_swap can turn them at once. */
struct header {
    int64_t magic, step;
    int64_t whole[2], start[2], extent[2];
};

#define HEADER_NUMBERS (sizeof(struct header) / sizeof(int64_t))

static int is_first_rank(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* One line on stdout, once. Called by all tasks. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;

    if (!is_first_rank())
        return;
    va_start(arguments, format);
    printf("heat: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
}

/* End the job. Called by all tasks together, so the message is printed once and always. */
__attribute__((format(printf, 1, 2))) static _Noreturn void give_up(const char *format, ...)
{
    va_list arguments;

    if (is_first_rank()) {
        va_start(arguments, format);
        fprintf(stderr, "heat: ");
        vfprintf(stderr, format, arguments);
        fprintf(stderr, "\n");
        va_end(arguments);
    }
    MPI_Finalize();
    exit(EXIT_FAILURE);
}

/* Whether something that each task does on its own has succeeded on every one. Collective. */
static int all_succeeded(int success)
{
    int all;

    MPI_Allreduce(&success, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

/* ---- options ---- */

static const char usage[] =
    "Usage: heat [options]\n"
    "  --rows N, --columns N    cells of the plate (256 each)\n"
    "  --steps N                steps to compute (400)\n"
    "  --interval N             steps between checkpoints; 0: no checkpoints (50)\n"
    "  --checkpoint NAME        write checkpoints to NAME.0 and NAME.1 in turn (heat.ckpt)\n"
    "  --files N                physical files of a checkpoint (1)\n"
    "  --restart                go on from the newest complete checkpoint\n"
    "  --result FILE            write the final field as raw doubles, row by row\n"
    "  --pause-at STEP          stop after this step and wait to be killed\n"
    "  --pause-writing STEP     the same, with the checkpoint of this step half written\n"
    "  --help                   show this text";

static int number_of(const char *text, int least)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > INT_MAX)
        give_up("'%s' is not a number from %d up", text, least);
    return (int)value;
}

static _Noreturn void show_usage(void)
{
    if (is_first_rank())
        puts(usage);
    MPI_Finalize();
    exit(EXIT_SUCCESS);
}

static void parse(struct options *options, int argc, char **argv)
{
    /* An option's number in names[] is its place in numbers[], or one of the letters below. */
    static const struct option names[] = {
        {"rows", 1, NULL, 0},          {"columns", 1, NULL, 1},      {"steps", 1, NULL, 2},
        {"interval", 1, NULL, 3},      {"files", 1, NULL, 4},        {"pause-at", 1, NULL, 5},
        {"pause-writing", 1, NULL, 6}, {"checkpoint", 1, NULL, 'c'}, {"result", 1, NULL, 'o'},
        {"restart", 0, NULL, 'r'},     {"help", 0, NULL, 'h'},       {NULL, 0, NULL, 0},
    };
    const struct {
        int *value, least;
    } numbers[] = {
        {&options->extent[ROWS], 1},  {&options->extent[COLUMNS], 1}, {&options->steps, 0},
        {&options->interval, 0},      {&options->nfiles, 1},          {&options->pause_at, 0},
        {&options->pause_writing, 0},
    };
    int name;

    opterr = is_first_rank();
    while ((name = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (name == 'c')
            options->checkpoint = optarg;
        else if (name == 'o')
            options->result = optarg;
        else if (name == 'r')
            options->restart = 1;
        else if (name == 'h')
            show_usage();
        else if (name == '?')
            give_up("wrong usage\n%s", usage);
        else
            *numbers[name].value = number_of(optarg, numbers[name].least);
    }
    if (optind < argc)
        give_up("'%s' is no option\n%s", argv[optind], usage);
}

/* ---- the plate ---- */

static size_t width(const struct plate *plate)
{
    return (size_t)plate->extent[COLUMNS] + 2;
}

/* A cell of this part; 0 and extent + 1 are the halo. */
static double *cell(const struct plate *plate, double *field, int row, int column)
{
    return field + (size_t)row * width(plate) + (size_t)column;
}

/* The upper edge of the plate is kept hot, the others cold; a hot spot is in the middle. */
static double initial_value(const struct plate *plate, int row, int column)
{
    const int y = 2 * row - plate->whole[ROWS], x = 2 * column - plate->whole[COLUMNS];
    const int radius = plate->whole[ROWS] / 4;

    return row < 0 || (long long)x * x + (long long)y * y < (long long)radius * radius ? HOT : 0;
}

/* Both fields, because the halo at the plate's edges is never written again. */
static void set_initial_field(struct plate *plate)
{
    int row, column;

    for (row = 0; row < plate->extent[ROWS] + 2; row++)
        for (column = 0; column < plate->extent[COLUMNS] + 2; column++)
            *cell(plate, plate->now, row, column) = *cell(plate, plate->next, row, column) =
                initial_value(plate, plate->start[ROWS] + row - 1,
                              plate->start[COLUMNS] + column - 1);
}

static void divide_plate(struct plate *plate, const int whole[2])
{
    int tasks, i, coordinate[2], parts[2] = {0, 0}, wraps[2] = {0, 0};

    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    MPI_Dims_create(tasks, 2, parts);
    MPI_Cart_create(MPI_COMM_WORLD, 2, parts, wraps, 0, &plate->comm);
    MPI_Comm_rank(plate->comm, &plate->rank);
    MPI_Cart_coords(plate->comm, plate->rank, 2, coordinate);
    MPI_Cart_shift(plate->comm, ROWS, 1, &plate->neighbour[ABOVE], &plate->neighbour[BELOW]);
    MPI_Cart_shift(plate->comm, COLUMNS, 1, &plate->neighbour[LEFT], &plate->neighbour[RIGHT]);
    for (i = 0; i < 2; i++) {
        if (whole[i] < parts[i])
            give_up("the plate is too small for %d tasks", tasks);
        plate->whole[i] = whole[i];
        plate->start[i] = (int)((long long)whole[i] * coordinate[i] / parts[i]);
        plate->extent[i] =
            (int)((long long)whole[i] * (coordinate[i] + 1) / parts[i]) - plate->start[i];
    }
}

static void create_plate(struct plate *plate, const struct options *options)
{
    size_t cells;

    divide_plate(plate, options->extent);
    cells = ((size_t)plate->extent[ROWS] + 2) * width(plate);
    plate->now = calloc(cells, sizeof *plate->now);
    plate->next = calloc(cells, sizeof *plate->next);
    if (!all_succeeded(plate->now && plate->next))
        give_up("out of memory");
    plate->step = 0;
    set_initial_field(plate);
}

static void destroy_plate(struct plate *plate)
{
    MPI_Comm_free(&plate->comm);
    free(plate->now);
    free(plate->next);
}

/* At the edges of the plate the neighbour is MPI_PROC_NULL, and the halo keeps its value. */
static void exchange_halo(struct plate *plate)
{
    const int rows = plate->extent[ROWS], columns = plate->extent[COLUMNS];
    const int *to = plate->neighbour;
    double *field = plate->now;
    MPI_Datatype a_column;

    MPI_Type_vector(rows, 1, (int)width(plate), MPI_DOUBLE, &a_column);
    MPI_Type_commit(&a_column);
    MPI_Sendrecv(cell(plate, field, 1, 1), columns, MPI_DOUBLE, to[ABOVE], 0,
                 cell(plate, field, rows + 1, 1), columns, MPI_DOUBLE, to[BELOW], 0, plate->comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(cell(plate, field, rows, 1), columns, MPI_DOUBLE, to[BELOW], 1,
                 cell(plate, field, 0, 1), columns, MPI_DOUBLE, to[ABOVE], 1, plate->comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(cell(plate, field, 1, 1), 1, a_column, to[LEFT], 2,
                 cell(plate, field, 1, columns + 1), 1, a_column, to[RIGHT], 2, plate->comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(cell(plate, field, 1, columns), 1, a_column, to[RIGHT], 3,
                 cell(plate, field, 1, 0), 1, a_column, to[LEFT], 3, plate->comm,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&a_column);
}

static void advance(struct plate *plate)
{
    const size_t line = width(plate);
    double *swap = plate->next;
    int row, column;

    exchange_halo(plate);
    for (row = 1; row <= plate->extent[ROWS]; row++)
        for (column = 1; column <= plate->extent[COLUMNS]; column++) {
            const double *old = cell(plate, plate->now, row, column);

            *cell(plate, plate->next, row, column) =
                *old + CONDUCTANCE * (old[-1] + old[1] + *(old - line) + old[line] - 4 * *old);
        }
    plate->next = plate->now;
    plate->now = swap;
    plate->step++;
}

/* ---- writing a checkpoint ---- */

/* All tasks wait to be killed; for trying out restarts. */
static void pause_forever(const struct plate *plate)
{
    int pid = (int)getpid(), tasks, i, *pids = NULL;

    MPI_Comm_size(plate->comm, &tasks);
    if (plate->rank == 0 && !(pids = calloc((size_t)tasks, sizeof *pids)))
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    MPI_Gather(&pid, 1, MPI_INT, pids, 1, MPI_INT, 0, plate->comm);
    if (plate->rank == 0) {
        printf("heat: paused at step %d; processes", plate->step);
        for (i = 0; i < tasks; i++)
            printf(" %d", pids[i]);
        printf(" wait to be killed\n");
        fflush(stdout);
    }
    for (;;)
        pause();
}

static void name_slot(char name[SION_FILENAME_LENGTH], const struct options *options, int slot)
{
    if (snprintf(name, SION_FILENAME_LENGTH, "%s.%d", options->checkpoint, slot) >=
        SION_FILENAME_LENGTH)
        give_up("the name of the checkpoint is too long");
}

static void fill_header(struct header *header, const struct plate *plate)
{
    int i;

    header->magic = MAGIC;
    header->step = plate->step;
    for (i = 0; i < 2; i++) {
        header->whole[i] = plate->whole[i];
        header->start[i] = plate->start[i];
        header->extent[i] = plate->extent[i];
    }
}

/*
 * A container open for writing; -1: refused on all tasks. A chunk holds a task's whole stream, so
 * the container has one block only. Collective.
 */
static int create_container(const struct plate *plate, const char *name, int nfiles)
{
    const size_t cells = (size_t)plate->extent[ROWS] * (size_t)plate->extent[COLUMNS];
    sion_int64 chunksize = (sion_int64)(sizeof(struct header) + cells * sizeof(double));
    sion_int32 fsblksize = -1; /* the file system's */
    int rank = plate->rank;

    return sion_paropen_mpi(name, "bw", &nfiles, plate->comm, &plate->comm, &chunksize, &fsblksize,
                            &rank, NULL, NULL);
}

/* This task's stream: 1 if all of it was taken, else 0. Local. */
static int write_stream(const struct plate *plate, int sid)
{
    const size_t columns = (size_t)plate->extent[COLUMNS];
    struct header header;
    int row;

    fill_header(&header, plate);
    if (sion_fwrite(&header, sizeof header, 1, sid) != 1)
        return 0;
    for (row = 1; row <= plate->extent[ROWS]; row++)
        if (sion_fwrite(cell(plate, plate->now, row, 1), sizeof(double), columns, sid) != columns)
            return 0;
    return 1;
}

/* Whatever fails, the other slot stays as it is. Collective. */
static void write_checkpoint(const struct plate *plate, const struct options *options, int slot)
{
    char name[SION_FILENAME_LENGTH];
    int sid;

    name_slot(name, options, slot);
    sid = create_container(plate, name, options->nfiles);
    if (sid < 0)
        give_up("checkpoint %s cannot be created", name);
    if (!all_succeeded(write_stream(plate, sid)))
        give_up("checkpoint %s cannot be written", name);
    if (plate->step == options->pause_writing)
        pause_forever(plate);
    if (sion_parclose_mpi(sid) != 1)
        give_up("checkpoint %s cannot be completed", name);
    say("step %d: checkpoint %s", plate->step, name);
}

/* Those of an earlier run: a restart of this one must not take them. Without its first file a set
   cannot be opened. */
static void remove_checkpoints(const struct options *options)
{
    char name[SION_FILENAME_LENGTH];
    int slot, removed = 1;

    for (slot = 0; slot < SLOTS; slot++) {
        name_slot(name, options, slot);
        if (is_first_rank() && unlink(name) != 0 && errno != ENOENT)
            removed = 0;
    }
    if (!all_succeeded(removed))
        give_up("old checkpoints of the name %s cannot be removed", options->checkpoint);
}

/* ---- restarting from a checkpoint ---- */

/* 8-byte numbers in the host's byte order, wherever they were written. */
static int read_numbers(int sid, void *numbers, size_t n)
{
    if (sion_fread(numbers, 8, n, sid) != n)
        return 0;
    sion_swap(numbers, numbers, 8, (int)n, sion_endianness_swap_needed(sid));
    return 1;
}

/* The step of this task's stream; -1 if it is not from a run like this one. Local. */
static int64_t read_header(const struct plate *plate, int sid)
{
    struct header expected, found;

    fill_header(&expected, plate);
    if (!read_numbers(sid, &found, HEADER_NUMBERS))
        return -1;
    expected.step = found.step;
    return found.step >= 0 && memcmp(&expected, &found, sizeof found) == 0 ? found.step : -1;
}

static int read_field(const struct plate *plate, int sid)
{
    int row;

    for (row = 1; row <= plate->extent[ROWS]; row++)
        if (!read_numbers(sid, cell(plate, plate->now, row, 1), (size_t)plate->extent[COLUMNS]))
            return 0;
    return 1;
}

static int open_container(const struct plate *plate, const char *name)
{
    int nfiles, rank;

    return sion_paropen_mpi(name, "br", &nfiles, plate->comm, &plate->comm, NULL, NULL, &rank, NULL,
                            NULL);
}

/* The step that all tasks have in common; -1: they have none. Collective. */
static int64_t common_step(const struct plate *plate, int64_t step)
{
    const int64_t mine[2] = {step, -step};
    int64_t least[2];

    MPI_Allreduce(mine, least, 2, MPI_INT64_T, MPI_MIN, plate->comm);
    return least[0] == -least[1] ? least[0] : -1;
}

/* The step of a checkpoint; -1 with the reason on stdout if it cannot be used. Collective. */
static int64_t examine_checkpoint(const struct plate *plate, const char *name)
{
    int64_t step;
    int sid = open_container(plate, name);

    if (sid < 0) {
        say("%s is of no use: %s", name, sion_error_text());
        return -1;
    }
    step = common_step(plate, read_header(plate, sid));
    if (sion_parclose_mpi(sid) != 1)
        step = -1;
    if (step < 0)
        say("%s is of no use: it is not from a run like this one", name);
    return step;
}

static void read_checkpoint(struct plate *plate, const char *name)
{
    int64_t step;
    int complete, sid = open_container(plate, name);

    if (sid < 0)
        give_up("checkpoint %s cannot be opened", name);
    step = read_header(plate, sid);
    complete = all_succeeded(step >= 0 && step <= INT_MAX && read_field(plate, sid));
    if (sion_parclose_mpi(sid) != 1 || !complete)
        give_up("checkpoint %s cannot be read", name);
    plate->step = (int)step;
}

/* While both slots are examined: that one cannot be used is not an error. */
static void ignore_message(int level, int rank, int rc, const char *text, void *user)
{
    (void)level, (void)rank, (void)rc, (void)text, (void)user;
}

/* Go on from the newest complete checkpoint. Returns the slot that the next one may overwrite. */
static int restart(struct plate *plate, const struct options *options)
{
    char name[SION_FILENAME_LENGTH];
    int64_t step, newest = -1;
    int slot, taken = 0;

    sion_error_set_handler(ignore_message, NULL);
    for (slot = 0; slot < SLOTS; slot++) {
        name_slot(name, options, slot);
        step = examine_checkpoint(plate, name);
        if (step > newest) {
            newest = step;
            taken = slot;
        }
    }
    sion_error_set_handler(NULL, NULL);
    if (newest < 0)
        give_up("there is no checkpoint to restart from");
    name_slot(name, options, taken);
    read_checkpoint(plate, name);
    say("restarted from %s at step %d", name, plate->step);
    return (taken + 1) % SLOTS;
}

/* ---- the result, and the run as a whole ---- */

/* This part without its halo, at its place in the file: 1, or 0 if that fails. Collective. */
static int write_part(const struct plate *plate, MPI_File file)
{
    const int memory[2] = {plate->extent[ROWS] + 2, plate->extent[COLUMNS] + 2}, inside[2] = {1, 1};
    MPI_Datatype in_memory, in_file;
    int rc;

    MPI_Type_create_subarray(2, memory, plate->extent, inside, MPI_ORDER_C, MPI_DOUBLE, &in_memory);
    MPI_Type_create_subarray(2, plate->whole, plate->extent, plate->start, MPI_ORDER_C, MPI_DOUBLE,
                             &in_file);
    MPI_Type_commit(&in_memory);
    MPI_Type_commit(&in_file);
    rc = MPI_File_set_view(file, 0, MPI_DOUBLE, in_file, "native", MPI_INFO_NULL);
    if (rc == MPI_SUCCESS)
        rc = MPI_File_write_all(file, plate->now, 1, in_memory, MPI_STATUS_IGNORE);
    MPI_Type_free(&in_memory);
    MPI_Type_free(&in_file);
    return rc == MPI_SUCCESS;
}

static void write_result(const struct plate *plate, const char *name)
{
    MPI_File file;
    int written;

    if (!all_succeeded(MPI_File_open(plate->comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                     MPI_INFO_NULL, &file) == MPI_SUCCESS))
        give_up("%s cannot be opened", name);
    written = all_succeeded(MPI_File_set_size(file, 0) == MPI_SUCCESS && write_part(plate, file));
    if (!all_succeeded(MPI_File_close(&file) == MPI_SUCCESS) || !written)
        give_up("%s cannot be written", name);
}

static void compute(struct plate *plate, const struct options *options, int slot)
{
    while (plate->step < options->steps) {
        advance(plate);
        if (plate->step == options->pause_at)
            pause_forever(plate);
        if (options->interval > 0 && plate->step % options->interval == 0) {
            write_checkpoint(plate, options, slot);
            slot = (slot + 1) % SLOTS;
        }
    }
    say("finished at step %d", plate->step);
}

int main(int argc, char **argv)
{
    struct options options = {.extent = {256, 256},
                              .steps = 400,
                              .interval = 50,
                              .nfiles = 1,
                              .pause_at = -1,
                              .pause_writing = -1,
                              .checkpoint = "heat.ckpt"};
    struct plate plate;
    int slot = 0;

    MPI_Init(&argc, &argv);
    parse(&options, argc, argv);
    create_plate(&plate, &options);
    if (options.restart)
        slot = restart(&plate, &options);
    else
        remove_checkpoints(&options);
    compute(&plate, &options, slot);
    if (options.result)
        write_result(&plate, options.result);
    destroy_plate(&plate);
    MPI_Finalize();
    return EXIT_SUCCESS;
}

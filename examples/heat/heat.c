/*
 * Heat conduction in a plate, with checkpoints in SION containers.
 *
 * The explicit scheme for the two-dimensional heat equation, one rectangle of the plate per task.
 * Every few steps all tasks write their rectangles into one container, each as a stream of its own:
 * a header, then one record per row. `--restart` continues from there, with any number of tasks,
 * and computes exactly the field of a run that was never interrupted.
 *
 * Checkpoints go alternately to NAME.0 and NAME.1, so one is complete at any time, even if the job
 * is killed: a container that was never closed cannot be opened for reading, and the restart takes
 * the other one.
 *
 * With `--stage DIR` the tasks write to DIR, a folder of their node, and the checkpoints are copied
 * to their place while the tasks compute. After a kill, `siondrain DIR` on each node comes first.
 *
 *   mpiexec -n 4 heat --steps 400 --interval 50 --checkpoint ckpt --result field.raw
 *   mpiexec -n 3 heat --steps 400 --interval 50 --checkpoint ckpt --result field.raw --restart
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

#include "plate.h"
#include "sion.h"
#include "sion_drain.h"
#include "sion_error.h"

#define MAGIC INT64_C(0x3150544b43544148)

enum { SLOTS = 2 }; /* containers that take the checkpoints in turn */

struct options {
    int extent[2]; /* of the plate, in cells */
    int steps;
    int interval; /* steps from one checkpoint to the next; 0: none */
    int nfiles;   /* physical files of a container */
    int restart;
    int pause_at;      /* step after which all tasks wait to be killed; -1: never */
    int pause_writing; /* the same, but in the middle of that step's checkpoint */
    const char *checkpoint;
    const char *stage;          /* NULL: write to the checkpoint's folder at once */
    const char *result, *times; /* NULL: not wanted */
};

/* The beginning of each task's stream. All numbers have 8 bytes, so one sion_swap converts them. */
struct header {
    int64_t magic, step;
    int64_t whole[2], start[2], extent[2];
};

#define HEADER_NUMBERS (sizeof(struct header) / sizeof(int64_t))

/* ---- options ---- */

static const char usage[] =
    "Usage: heat [options]\n"
    "  --rows N, --columns N    cells of the plate (256 each)\n"
    "  --steps N                steps to compute (400)\n"
    "  --interval N             steps between checkpoints; 0: no checkpoints (50)\n"
    "  --checkpoint NAME        write checkpoints to NAME.0 and NAME.1 in turn (heat.ckpt)\n"
    "  --files N                physical files of a checkpoint (1)\n"
    "  --stage DIR              write to this folder of each node first, for instance /dev/shm\n"
    "  --restart                continue from the newest complete checkpoint\n"
    "  --result FILE            write the final field as raw doubles, row by row\n"
    "  --times FILE             write what rank 0 does, and when, and how far drains are\n"
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
    /* The last member of names[] is an index into numbers[], or one of the letters below. */
    static const struct option names[] = {
        {"rows", 1, NULL, 0},          {"columns", 1, NULL, 1},      {"steps", 1, NULL, 2},
        {"interval", 1, NULL, 3},      {"files", 1, NULL, 4},        {"pause-at", 1, NULL, 5},
        {"pause-writing", 1, NULL, 6}, {"checkpoint", 1, NULL, 'c'}, {"result", 1, NULL, 'o'},
        {"stage", 1, NULL, 's'},       {"times", 1, NULL, 't'},      {"restart", 0, NULL, 'r'},
        {"help", 0, NULL, 'h'},        {NULL, 0, NULL, 0},
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
        else if (name == 's')
            options->stage = optarg;
        else if (name == 't')
            options->times = optarg;
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
        give_up("'%s' is not an option\n%s", argv[optind], usage);
}

/* ---- what rank 0 does, and when ---- */

static FILE *times; /* NULL: not wanted, or another rank */

static void open_times(const char *name)
{
    if (name && is_first_rank())
        times = fopen(name, "w");
    if (!all_succeeded(!name || !is_first_rank() || times != NULL))
        give_up("%s cannot be opened", name);
}

/* A line: the time, what begins now, and the bytes of checkpoints that are drained, and of all. */
static void note(const char *what)
{
    sion_drain_progress drains;

    if (!times)
        return;
    SION_INIT(&drains);
    sion_drain_get_progress(NULL, &drains);
    fprintf(times, "%.4f %s %d %lld %lld\n", MPI_Wtime(), what, drains.waiting, drains.drained,
            drains.total);
}

static void close_times(void)
{
    if (!all_succeeded(!times || fclose(times) == 0))
        give_up("the times cannot be written");
}

/* ---- writing a checkpoint ---- */

/* All tasks wait to be killed, to try out restarts. */
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
static int create_container(const struct plate *plate, const char *name,
                            const struct options *options)
{
    const size_t cells = (size_t)plate->extent[ROWS] * (size_t)plate->extent[COLUMNS];
    sion_int64 chunksize = (sion_int64)(sizeof(struct header) + cells * sizeof(double));
    sion_int32 fsblksize = -1; /* the file system's */
    int rank = plate->rank, nfiles = options->nfiles;
    char mode[PATH_MAX + 16];

    snprintf(mode, sizeof mode, "bw%s%s", options->stage ? ",stage=" : "",
             options->stage ? options->stage : "");
    return sion_paropen_mpi(name, mode, &nfiles, plate->comm, &plate->comm, &chunksize, &fsblksize,
                            &rank, NULL, NULL);
}

/* Write this task's stream. Returns 1, or 0 after a failure. Local. */
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

/* If this fails, the other slot is unchanged. Collective. */
static void write_checkpoint(const struct plate *plate, const struct options *options, int slot)
{
    char name[SION_FILENAME_LENGTH];
    int sid;

    name_slot(name, options, slot);
    sid = create_container(plate, name, options);
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

/* The staged ones may not be in their folder yet. */
static void wait_for_checkpoints(void)
{
    note("wait");
    if (!all_succeeded(sion_drain_wait(NULL) == SION_SUCCESS))
        give_up("a checkpoint cannot be completed: %s", sion_error_text());
    note("end");
}

/* Remove the checkpoints of an earlier run, so that a restart of this one does not take them. A set
   cannot be opened without its first file. */
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
        give_up("old checkpoints named %s cannot be removed", options->checkpoint);
}

/* ---- restarting from a checkpoint, with any number of tasks ---- */

/* A rectangle that a task of the earlier run had. */
struct part {
    struct header header;
    double *cells; /* NULL: only the header was read */
};

/* Read 8-byte numbers, and convert them to the host's byte order. */
static int read_numbers(int sid, void *numbers, size_t n)
{
    const sion_int64 bytes = 8 * (sion_int64)n;

    if (sion_stream_read(sid, numbers, bytes) != bytes)
        return 0;
    sion_swap(numbers, numbers, 8, (int)n, sion_endianness_swap_needed(sid));
    return 1;
}

/* Whether the rectangle is in a plate of this size. */
static int fits(const struct plate *plate, const struct header *header)
{
    int i, good = header->magic == MAGIC && header->step >= 0 && header->step <= INT_MAX;

    for (i = 0; i < 2; i++)
        good = good && header->whole[i] == plate->whole[i] && header->start[i] >= 0 &&
               header->extent[i] > 0 && header->extent[i] <= plate->whole[i] - header->start[i];
    return good;
}

/* Read the header of a task's stream. Returns 0 if this program cannot have written it. Local. */
static int read_header(const struct plate *plate, int sid, int task, struct part *part)
{
    part->cells = NULL;
    return sion_seek(sid, task, 0, 0) == SION_SUCCESS &&
           read_numbers(sid, &part->header, HEADER_NUMBERS) && fits(plate, &part->header);
}

static int read_part(const struct plate *plate, int sid, int task, struct part *part)
{
    int64_t row;

    if (!read_header(plate, sid, task, part))
        return 0;
    part->cells = calloc((size_t)part->header.extent[ROWS],
                         (size_t)part->header.extent[COLUMNS] * sizeof(double));
    for (row = 0; part->cells && row < part->header.extent[ROWS]; row++)
        if (!read_numbers(sid, part->cells + row * part->header.extent[COLUMNS],
                          (size_t)part->header.extent[COLUMNS]))
            return 0;
    return part->cells != NULL;
}

/* Send another task the cells of a rectangle that belong to its part of the plate. */
static void put_shared_cells(const struct plate *plate, const struct part *part, int task,
                             MPI_Win window)
{
    const struct header *old = &part->header;
    int start[2], extent[2], from[2], to[2], i, row;

    find_part(plate->comm, plate->whole, task, start, extent);
    for (i = 0; i < 2; i++) {
        const int end = (int)(old->start[i] + old->extent[i]), limit = start[i] + extent[i];

        from[i] = start[i] > old->start[i] ? start[i] : (int)old->start[i];
        to[i] = limit < end ? limit : end;
    }
    for (row = from[ROWS]; row < to[ROWS] && from[COLUMNS] < to[COLUMNS]; row++) {
        const double *cells = part->cells + (row - old->start[ROWS]) * old->extent[COLUMNS] +
                              (from[COLUMNS] - old->start[COLUMNS]);
        const MPI_Aint place = (MPI_Aint)(row - start[ROWS] + 1) * (extent[COLUMNS] + 2) +
                               (from[COLUMNS] - start[COLUMNS] + 1);
        const int n = to[COLUMNS] - from[COLUMNS];

        MPI_Put(cells, n, MPI_DOUBLE, task, place, n, MPI_DOUBLE, window);
    }
}

/* Send the cells of all parts to the tasks that compute them now. Collective. */
static void distribute(struct plate *plate, const struct part *parts, int n)
{
    const MPI_Aint cells = (MPI_Aint)((size_t)plate->extent[ROWS] + 2) * (MPI_Aint)width(plate);
    int tasks, task, i;
    MPI_Win window;

    MPI_Comm_size(plate->comm, &tasks);
    MPI_Win_create(plate->now, cells * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL,
                   plate->comm, &window);
    MPI_Win_fence(0, window);
    for (i = 0; i < n; i++)
        for (task = 0; task < tasks; task++)
            put_shared_cells(plate, &parts[i], task, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* The step of a container, if all its tasks have the same step and cover the plate; else -1.
   Collective. */
static int64_t common_step(const struct plate *plate, int sid, const int *ranks, int n)
{
    int64_t mine[2] = {INT64_MAX, INT64_MAX}, least[2], area = 0, whole;
    struct part part;
    int i;

    for (i = 0; i < n; i++) {
        const int64_t step = read_header(plate, sid, ranks[i], &part) ? part.header.step : -1;

        mine[0] = step < mine[0] ? step : mine[0];
        mine[1] = -step < mine[1] ? -step : mine[1];
        area += step < 0 ? 0 : part.header.extent[ROWS] * part.header.extent[COLUMNS];
    }
    MPI_Allreduce(mine, least, 2, MPI_INT64_T, MPI_MIN, plate->comm);
    MPI_Allreduce(&area, &whole, 1, MPI_INT64_T, MPI_SUM, plate->comm);
    return least[0] == -least[1] && whole == (int64_t)plate->whole[ROWS] * plate->whole[COLUMNS]
               ? least[0]
               : -1;
}

/* The step of a checkpoint; -1, with the reason on stdout, if it cannot be used. Collective. */
static int64_t examine_checkpoint(const struct plate *plate, const char *name)
{
    int64_t step;
    int n, *ranks,
        sid = sion_paropen_shared_mpi(name, "br", plate->comm, SION_SHARE_BYTES, &n, &ranks);

    if (sid < 0) {
        say("%s cannot be used: %s", name, sion_error_text());
        return -1;
    }
    step = common_step(plate, sid, ranks, n);
    if (sion_parclose_mpi(sid) != 1)
        step = -1;
    if (step < 0)
        say("%s cannot be used: it is not from a run like this one", name);
    return step;
}

static void read_checkpoint(struct plate *plate, const char *name, int64_t step)
{
    int n, i, *ranks, complete;
    int sid = sion_paropen_shared_mpi(name, "br", plate->comm, SION_SHARE_BYTES, &n, &ranks);
    struct part *parts;

    if (sid < 0)
        give_up("checkpoint %s cannot be opened", name);
    parts = calloc((size_t)n + 1, sizeof *parts);
    complete = parts != NULL;
    for (i = 0; i < n && complete; i++)
        complete = read_part(plate, sid, ranks[i], &parts[i]) && parts[i].header.step == step;
    if (!all_succeeded(complete))
        give_up("checkpoint %s cannot be read", name);
    if (sion_parclose_mpi(sid) != 1)
        give_up("checkpoint %s cannot be closed", name);
    distribute(plate, parts, n);
    for (i = 0; i < n; i++)
        free(parts[i].cells);
    free(parts);
    plate->step = (int)step;
}

/* The error handler while both slots are examined: one that cannot be used is not an error. */
static void ignore_message(int level, int rank, int rc, const char *text, void *user)
{
    (void)level, (void)rank, (void)rc, (void)text, (void)user;
}

/* Read the newest complete checkpoint. Returns the slot that the next checkpoint may
   overwrite. */
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
    read_checkpoint(plate, name, newest);
    say("restarted from %s at step %d", name, plate->step);
    return (taken + 1) % SLOTS;
}

/* ---- the result, and the run as a whole ---- */

/* Write this part, without its halo, to its place in the file. Returns whether it could.
 * Collective. */
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
        note("compute");
        advance(plate);
        if (plate->step == options->pause_at)
            pause_forever(plate);
        if (options->interval > 0 && plate->step % options->interval == 0) {
            note("checkpoint");
            write_checkpoint(plate, options, slot);
            slot = (slot + 1) % SLOTS;
        }
    }
    wait_for_checkpoints();
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
    create_plate(&plate, options.extent);
    if (options.restart)
        slot = restart(&plate, &options);
    else
        remove_checkpoints(&options);
    open_times(options.times);
    compute(&plate, &options, slot);
    close_times();
    if (options.result)
        write_result(&plate, options.result);
    destroy_plate(&plate);
    MPI_Finalize();
    return EXIT_SUCCESS;
}

/*
 * Heat conduction in a plate, as in heat.c, but the field is an array in a container: every few
 * steps, and at the last one, each task puts its rectangle, and sionarray, numpy or xarray can show
 * the result. A restart continues from the newest step of such a container with any number of
 * tasks: each task reads the rectangle that it has now.
 *
 *   mpiexec -n 4 arrays first.sion 200 50                # 200 steps; keeps every 50th and the last
 *   mpiexec -n 3 arrays second.sion 400 50 first.sion    # continues to step 400
 *   sionarray plot second.sion T
 *
 * Each step that is kept is flushed, and survives a kill: after sionrecover --in-place first.sion
 * the container is as if it had been closed.
 */
#include <mpi.h>

#include <limits.h>
#include <string.h>

#include "plate.h"
#include "sion.h"
#include "sion_array.h"
#include "sion_error.h"

enum { EXTENT = 128, NAME_AND_NUMBERS = 4096 };

/* This task's rectangle in the order of the array: row after row, without the halo. */
struct box {
    sion_int64 offset[2], count[2];
    double *cells;
};

static void make_box(const struct plate *plate, struct box *box)
{
    int i;

    for (i = 0; i < 2; i++) {
        box->offset[i] = plate->start[i];
        box->count[i] = plate->extent[i];
    }
    box->cells = malloc((size_t)(box->count[ROWS] * box->count[COLUMNS]) * sizeof *box->cells);
    if (!all_succeeded(box->cells != NULL))
        give_up("out of memory");
}

/* Copy between the box and the field, in either direction. */
static void copy_rows(const struct plate *plate, const struct box *box, int to_box)
{
    const size_t columns = (size_t)box->count[COLUMNS], bytes = columns * sizeof(double);
    int row;

    for (row = 0; row < plate->extent[ROWS]; row++) {
        double *in_field = cell(plate, plate->now, row + 1, 1);
        double *in_box = box->cells + (size_t)row * columns;

        memcpy(to_box ? in_box : in_field, to_box ? in_field : in_box, bytes);
    }
}

/* Create a container with room for `outputs` boxes in each task's chunk. Collective. */
static int create(const struct plate *plate, const struct box *box, const char *name, int outputs)
{
    const sion_int64 shape[] = {plate->whole[ROWS], plate->whole[COLUMNS]};
    sion_int64 cells = box->count[ROWS] * box->count[COLUMNS];
    sion_int64 chunksize = (outputs + 1) * (8 * cells + NAME_AND_NUMBERS);
    MPI_Comm local = plate->comm;
    sion_int32 fsblksize = -1;
    int nfiles = 1, rank = plate->rank;
    int sid = sion_paropen_mpi(name, "bw,recover", &nfiles, plate->comm, &local, &chunksize,
                               &fsblksize, &rank, NULL, NULL);

    if (sid < 0)
        give_up("%s cannot be created", name);
    if (!all_succeeded(sion_array_define(sid, "T", SION_F64, 2, shape) == SION_SUCCESS &&
                       sion_array_set_attribute(sid, "T", "units", "degrees") == SION_SUCCESS &&
                       sion_array_set_attribute(sid, "T", "dimensions", "y x") == SION_SUCCESS))
        give_up("%s cannot hold the field", name);
    return sid;
}

static size_t bytes_of(const struct box *box)
{
    return (size_t)(box->count[ROWS] * box->count[COLUMNS]) * sizeof *box->cells;
}

static void put(const struct plate *plate, const struct box *box, int sid)
{
    copy_rows(plate, box, 1);
    if (!all_succeeded(sion_array_put(sid, "T", plate->step, box->offset, box->count, SION_F64,
                                      box->cells, bytes_of(box)) == SION_SUCCESS &&
                       sion_flush(sid) == SION_SUCCESS))
        give_up("step %d cannot be written", plate->step);
    say("step %d is kept", plate->step);
}

/* Whether all rectangles of a step are there: a run that was killed may have kept some of them. */
static int is_whole(sion_array_reader *arrays, sion_int64 step, sion_int64 cells)
{
    struct sion_array_block block;
    sion_int64 i;

    SION_INIT(&block);
    for (i = 0; sion_array_reader_blocks(arrays, "T", step, i, 1, &block) > 0; i++)
        cells -= block.count[ROWS] * block.count[COLUMNS];
    return cells == 0;
}

/* The newest step that is whole; -1: there is none. */
static sion_int64 newest_step(sion_array_reader *arrays, const struct sion_array_info *info)
{
    sion_int64 i = info->steps - 1, step;

    while ((step = sion_array_reader_step(arrays, "T", i)) >= 0 &&
           !is_whole(arrays, step, info->shape[ROWS] * info->shape[COLUMNS]))
        i--;
    return step;
}

/*
 * Read the newest step of an earlier run's container, which every task opens on its own. There must
 * be something left to compute: the new container, maybe of the same name, would have no field.
 */
static void restart(struct plate *plate, const struct box *box, const char *name, int steps)
{
    sion_array_reader *arrays = sion_array_reader_open(name);
    struct sion_array_info info;
    sion_int64 step = -1;
    int good;

    SION_INIT(&info);
    good = arrays && sion_array_reader_info(arrays, "T", &info) == SION_SUCCESS &&
           info.type == SION_F64 && info.ndims == 2 && info.shape[ROWS] == plate->whole[ROWS] &&
           info.shape[COLUMNS] == plate->whole[COLUMNS];

    if (good)
        step = newest_step(arrays, &info);
    good = step >= 0 && step <= INT_MAX &&
           sion_array_reader_get(arrays, "T", step, box->offset, box->count, SION_F64, box->cells,
                                 bytes_of(box)) == SION_SUCCESS;
    sion_array_reader_close(arrays);
    if (!all_succeeded(good))
        give_up("%s has no field of this plate", name);
    if (step >= steps)
        give_up("%s is at step %lld, and %d are wanted", name, step, steps);
    copy_rows(plate, box, 0);
    plate->step = (int)step;
    say("restarted from %s at step %d", name, plate->step);
}

/* How many steps are kept: the multiples of the interval after plate->step, and the last one. */
static int count_outputs(const struct plate *plate, int steps, int interval)
{
    return (steps - 1) / interval + 1 - plate->step / interval;
}

int main(int argc, char **argv)
{
    const int whole[2] = {EXTENT, EXTENT};
    int steps, interval, sid;
    struct plate plate;
    struct box box;

    MPI_Init(&argc, &argv);
    steps = argc > 2 ? atoi(argv[2]) : 0;
    interval = argc > 3 ? atoi(argv[3]) : 0;
    if (argc > 5 || steps < 1 || interval < 1)
        give_up("Usage: arrays CONTAINER STEPS INTERVAL [EARLIER_CONTAINER]");
    create_plate(&plate, whole);
    make_box(&plate, &box);
    if (argc > 4)
        restart(&plate, &box, argv[4], steps);
    sid = create(&plate, &box, argv[1], count_outputs(&plate, steps, interval));
    while (plate.step < steps) {
        advance(&plate);
        if (plate.step % interval == 0 || plate.step == steps)
            put(&plate, &box, sid);
    }
    if (sion_parclose_mpi(sid) != SION_SUCCESS)
        give_up("%s cannot be completed", argv[1]);
    free(box.cells);
    destroy_plate(&plate);
    MPI_Finalize();
    return EXIT_SUCCESS;
}

/*
 * Heat conduction in a plate, as in heat.c, with the last three checkpoints in one container. It
 * can be killed at any time. A restart continues from the newest checkpoint that is not damaged,
 * with any number of tasks; with the same number it can go on in the same container. With
 * SION_CHECKSUM=1 that also holds for data that the disk has changed.
 *
 *   mpiexec -n 4 rolling plate.sion 400 20                 # 400 steps, a checkpoint every 20
 *   mpiexec -n 4 rolling plate.sion 400 20 plate.sion      # after a kill: goes on in plate.sion
 *   mpiexec -n 3 rolling more.sion 800 20 plate.sion       # ... or in another container
 *
 * Meanwhile `draw more.sion 800` shows what is there, and sionls --generations plate.sion lists the
 * checkpoints.
 */
#include <mpi.h>

#include <string.h>

#include "part.h"
#include "plate.h"
#include "sion.h"

enum { EXTENT = 128 };

static int good_read(int sid, void *data, size_t bytes)
{
    return sion_fread(data, 1, bytes, sid) == bytes;
}

/* ---- restart ---- */

/* Read a task of the earlier run to its place in the whole plate. */
static int read_part(const struct plate *plate, int sid, int task, double *cells, int *step)
{
    struct part part;
    int row, good = sion_seek(sid, task, 0, 0) == SION_SUCCESS &&
                    good_read(sid, &part, sizeof part) &&
                    memcmp(part.whole, plate->whole, sizeof part.whole) == 0;

    for (row = 0; good && row < part.extent[ROWS]; row++)
        good =
            good_read(sid, cells + (size_t)(part.start[ROWS] + row) * EXTENT + part.start[COLUMNS],
                      (size_t)part.extent[COLUMNS] * sizeof *cells);
    if (good)
        *step = part.step;
    return good;
}

static void take_own(const struct plate *plate, const double *cells)
{
    int row;

    for (row = 0; row < plate->extent[ROWS]; row++)
        memcpy(cell(plate, plate->now, row + 1, 1),
               cells + (size_t)(plate->start[ROWS] + row) * EXTENT + plate->start[COLUMNS],
               (size_t)plate->extent[COLUMNS] * sizeof *cells);
}

/*
 * The open takes the newest checkpoint that all tasks can read. Each task reads some of the parts;
 * the sum of all is the whole plate, which is small enough for each of them here.
 */
static void restart(struct plate *plate, const char *name)
{
    double *cells = calloc((size_t)EXTENT * EXTENT, sizeof *cells);
    int ntasks, *tasks, i, good, step = 0;
    int sid = sion_paropen_shared_mpi(name, "br", plate->comm, SION_SHARE_TASKS, &ntasks, &tasks);

    if (sid < 0)
        give_up("%s has no checkpoint", name);
    good = cells != NULL;
    for (i = 0; good && i < ntasks; i++)
        good = read_part(plate, sid, tasks[i], cells, &step);
    sion_parclose_mpi(sid);
    if (!all_succeeded(good))
        give_up("%s has no checkpoint of this plate", name);
    MPI_Allreduce(MPI_IN_PLACE, cells, EXTENT * EXTENT, MPI_DOUBLE, MPI_SUM, plate->comm);
    MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_INT, MPI_MAX, plate->comm);
    take_own(plate, cells);
    free(cells);
    plate->step = step;
    say("restarted from %s at step %d", name, step);
}

/* ---- checkpoints ---- */

/* A new container, or the earlier one, which has to be of as many tasks. */
static int open_to_write(const struct plate *plate, const char *name, int goes_on)
{
    sion_int64 chunksize = (sion_int64)sizeof(struct part) + (sion_int64)plate->extent[ROWS] *
                                                                 plate->extent[COLUMNS] *
                                                                 (sion_int64)sizeof(double);
    MPI_Comm local = plate->comm;
    sion_int32 fsblksize = -1;
    int nfiles = 1, rank = plate->rank;
    int sid = sion_paropen_mpi(name, goes_on ? "ba,keep=3" : "bw,keep=3", &nfiles, plate->comm,
                               &local, &chunksize, &fsblksize, &rank, NULL, NULL);

    if (sid < 0)
        give_up("%s cannot be written", name);
    return sid;
}

/* What is written from one publish to the next is a checkpoint. */
static void keep(const struct plate *plate, int sid)
{
    const size_t bytes = (size_t)plate->extent[COLUMNS] * sizeof(double);
    struct part part = {.step = plate->step};
    int row, good;

    memcpy(part.whole, plate->whole, sizeof part.whole);
    memcpy(part.start, plate->start, sizeof part.start);
    memcpy(part.extent, plate->extent, sizeof part.extent);
    good = sion_fwrite(&part, 1, sizeof part, sid) == sizeof part;
    for (row = 1; good && row <= plate->extent[ROWS]; row++)
        good = sion_fwrite(cell(plate, plate->now, row, 1), 1, bytes, sid) == bytes;
    if (!all_succeeded(good) || sion_parpublish_mpi(sid) != SION_SUCCESS)
        give_up("step %d cannot be kept", plate->step);
    say("step %d is kept", plate->step);
}

int main(int argc, char **argv)
{
    const int whole[2] = {EXTENT, EXTENT};
    int steps, interval, sid;
    struct plate plate;

    MPI_Init(&argc, &argv);
    steps = argc > 2 ? atoi(argv[2]) : 0;
    interval = argc > 3 ? atoi(argv[3]) : 0;
    if (argc > 5 || steps < 1 || interval < 1)
        give_up("Usage: rolling CONTAINER STEPS INTERVAL [EARLIER_CONTAINER]");
    create_plate(&plate, whole);
    if (argc > 4)
        restart(&plate, argv[4]);
    sid = open_to_write(&plate, argv[1], argc > 4 && strcmp(argv[1], argv[4]) == 0);
    while (plate.step < steps) {
        advance(&plate);
        if (plate.step % interval == 0 || plate.step == steps)
            keep(&plate, sid);
    }
    if (sion_parclose_mpi(sid) != SION_SUCCESS)
        give_up("%s cannot be completed", argv[1]);
    destroy_plate(&plate);
    MPI_Finalize();
    return EXIT_SUCCESS;
}

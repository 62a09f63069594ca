/* The plate of heat.c and arrays.c, and what each task computes. Checkpoints are not in here. */
#ifndef PLATE_H
#define PLATE_H

#include <mpi.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CONDUCTANCE 0.2 /* alpha * dt / h^2; the scheme is stable up to 0.25 */
#define HOT         100.0

enum { ROWS, COLUMNS };             /* the two dimensions */
enum { ABOVE, BELOW, LEFT, RIGHT }; /* the four neighbours */

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

/* ---- messages and failures of all tasks ---- */

static int is_first_rank(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* Print one line on stdout, once. Called by all tasks. */
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

/* End the job. All tasks call it together, so that the message is printed exactly once. */
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

/* Whether a local operation succeeded on all tasks. Collective. */
static int all_succeeded(int success)
{
    int all;

    MPI_Allreduce(&success, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
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

/* Set both fields, because the halo at the plate's edges is never written again. */
static void set_initial_field(struct plate *plate)
{
    int row, column;

    for (row = 0; row < plate->extent[ROWS] + 2; row++)
        for (column = 0; column < plate->extent[COLUMNS] + 2; column++)
            *cell(plate, plate->now, row, column) = *cell(plate, plate->next, row, column) =
                initial_value(plate, plate->start[ROWS] + row - 1,
                              plate->start[COLUMNS] + column - 1);
}

/* The part of the plate that a task computes. */
static void find_part(MPI_Comm comm, const int whole[2], int task, int start[2], int extent[2])
{
    int parts[2], wraps[2], own[2], coordinate[2], i;

    MPI_Cart_get(comm, 2, parts, wraps, own);
    MPI_Cart_coords(comm, task, 2, coordinate);
    for (i = 0; i < 2; i++) {
        start[i] = (int)((long long)whole[i] * coordinate[i] / parts[i]);
        extent[i] = (int)((long long)whole[i] * (coordinate[i] + 1) / parts[i]) - start[i];
    }
}

static void divide_plate(struct plate *plate, const int whole[2])
{
    int tasks, i, parts[2] = {0, 0}, wraps[2] = {0, 0};

    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    MPI_Dims_create(tasks, 2, parts);
    MPI_Cart_create(MPI_COMM_WORLD, 2, parts, wraps, 0, &plate->comm);
    MPI_Comm_rank(plate->comm, &plate->rank);
    MPI_Cart_shift(plate->comm, ROWS, 1, &plate->neighbour[ABOVE], &plate->neighbour[BELOW]);
    MPI_Cart_shift(plate->comm, COLUMNS, 1, &plate->neighbour[LEFT], &plate->neighbour[RIGHT]);
    for (i = 0; i < 2; i++) {
        if (whole[i] < parts[i])
            give_up("the plate is too small for %d tasks", tasks);
        plate->whole[i] = whole[i];
    }
    find_part(plate->comm, whole, plate->rank, plate->start, plate->extent);
}

static void create_plate(struct plate *plate, const int whole[2])
{
    size_t cells;

    divide_plate(plate, whole);
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

#endif

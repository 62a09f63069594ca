/*
 * Draws the plate of rolling.c each time that there is a new checkpoint, until that of a step: in
 * the terminal, or as a picture (PPM), which is written anew each time.
 *
 *   draw plate.sion 400
 *   draw plate.sion 400 plate.ppm
 *
 * A container with generations is opened again for the newest one; it may be missing yet, or not
 * have been published.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "part.h"
#include "sion.h"
#include "sion_error.h"

enum { ROWS, COLUMNS, LARGEST = 4096, LINES = 24, SIGNS_IN_LINE = 48 };

static void say_nothing(int level, int rank, int rc, const char *text, void *user)
{
    (void)level, (void)rank, (void)rc, (void)text, (void)user;
}

/* ---- reading ---- */

static double *read_cells(int sid, const struct part *part, double *cells)
{
    const size_t columns = (size_t)part->extent[COLUMNS];
    int row;

    if (!cells)
        cells = calloc((size_t)part->whole[ROWS] * (size_t)part->whole[COLUMNS], sizeof *cells);
    for (row = 0; cells && row < part->extent[ROWS]; row++)
        if (sion_fread(cells + (size_t)(part->start[ROWS] + row) * (size_t)part->whole[COLUMNS] +
                           part->start[COLUMNS],
                       sizeof *cells, columns, sid) != columns)
            return NULL;
    return cells;
}

/* The newest checkpoint: its cells, to be freed, and what its last part says. NULL: none. */
static double *read_plate(char *name, struct part *part)
{
    int ntasks, nfiles, task, sid;
    sion_int32 fsblksize;
    double *cells = NULL;

    sion_error_set_handler(say_nothing, NULL);
    sid = sion_open(name, "br", &ntasks, &nfiles, NULL, &fsblksize, NULL, NULL);
    for (task = 0; sid >= 0 && task < ntasks; task++) {
        if (sion_seek(sid, task, 0, 0) != SION_SUCCESS ||
            sion_fread(part, sizeof *part, 1, sid) != 1 || part->whole[ROWS] > LARGEST ||
            part->whole[COLUMNS] > LARGEST || !(cells = read_cells(sid, part, cells)))
            break;
    }
    if (sid >= 0)
        sion_close(sid);
    if (sid < 0 || task < ntasks) {
        free(cells);
        return NULL;
    }
    return cells;
}

/* ---- drawing ---- */

static double at(const struct part *part, const double *cells, int line, int sign)
{
    int row = line * part->whole[ROWS] / LINES,
        column = sign * part->whole[COLUMNS] / SIGNS_IN_LINE;

    return cells[(size_t)row * (size_t)part->whole[COLUMNS] + (size_t)column];
}

static void draw_in_terminal(const struct part *part, const double *cells)
{
    static const char signs[] = " .:-=+*#%@";
    int line, i;

    for (line = 0; line < LINES; line++) {
        for (i = 0; i < SIGNS_IN_LINE; i++)
            putchar(signs[(int)(at(part, cells, line, i) * (double)(sizeof signs - 2) / 100)]);
        putchar('\n');
    }
}

/* From blue to red. */
static int draw_picture(const struct part *part, const double *cells, const char *picture)
{
    FILE *file = fopen(picture, "wb");
    size_t n = (size_t)part->whole[ROWS] * (size_t)part->whole[COLUMNS], i;

    if (!file)
        return 0;
    fprintf(file, "P6 %d %d 255\n", part->whole[COLUMNS], part->whole[ROWS]);
    for (i = 0; i < n; i++) {
        int red = (int)(cells[i] * 255 / 100);

        putc(red, file);
        putc(0, file);
        putc(255 - red, file);
    }
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    static const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
    int last = argc == 3 || argc == 4 ? atoi(argv[2]) : 0, drawn = 0;

    if (last < 1) {
        fprintf(stderr, "Usage: draw CONTAINER LAST_STEP [PICTURE.ppm]\n");
        return EXIT_FAILURE;
    }
    while (drawn < last) {
        struct part part = {0};
        double *cells = read_plate(argv[1], &part);

        if (cells && part.step != drawn) {
            drawn = part.step;
            if (argc == 3)
                draw_in_terminal(&part, cells);
            else if (!draw_picture(&part, cells, argv[3]))
                return perror(argv[3]), EXIT_FAILURE;
            printf("step %d\n", drawn);
            fflush(stdout);
        }
        free(cells);
        if (drawn < last)
            nanosleep(&pause, NULL);
    }
    return EXIT_SUCCESS;
}

#include "siondump/svg_density.h"

#include <stdlib.h>

#include "base/memory.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "siondump/svg_frame.h"

enum {
    COLUMNS = 250, /* most cells side by side */
    ROWS = 80,     /* and below each other */
    LEAST_CELL = 4,
    LARGEST_CELL = 24,
    LEAST_TABLE = 320, /* height of the table, if its cells are not too high then */
    PROFILE = 110,     /* height of the curve above the table */
    PROFILE_GAP = 44,
    BOTTOM = 60,
    TICKS = 10,
    LABELLED_FILES = 24
};

/* The chunks of tasks next to each other, and of blocks below each other. */
struct cell {
    double used, reserved; /* bytes */
};

/* The bytes of the tasks of a column. */
struct column {
    sion_int64 least, most;
    double sum, tasks;
};

struct grid {
    const struct input *input;
    int columns, rows;
    double width, height; /* of a cell */
    double top;           /* of the table */
    struct cell *cells;   /* [rows * columns] */
    struct column *column;
    sion_int64 most; /* bytes of any task */
};

static int all_tasks(const struct input *input)
{
    int i, tasks = 0;

    for (i = 0; i < scion_container_nopen(input->container); i++)
        tasks += scion_container_file(input->container, i)->head.ntasks;
    return tasks;
}

/* Tasks stand in the order in which their chunks are in the files, file after file. */
static int column_of(const struct grid *grid, int position)
{
    return (int)((sion_int64)position * grid->columns / all_tasks(grid->input));
}

static void measure(struct grid *grid, const struct input *input)
{
    int tasks = all_tasks(input);

    grid->input = input;
    grid->columns = tasks < COLUMNS ? tasks : COLUMNS;
    grid->rows = input->maxchunks < ROWS ? input->maxchunks : ROWS;
    grid->width = (double)SVG_WIDTH / grid->columns;
    grid->height = (double)LEAST_TABLE / grid->rows;
    if (grid->height > LARGEST_CELL)
        grid->height = LARGEST_CELL;
    if (grid->height < LEAST_CELL)
        grid->height = LEAST_CELL;
    grid->top = SVG_TOP + PROFILE + PROFILE_GAP;
}

int svg_density_height(const struct input *input)
{
    struct grid grid = {0};

    measure(&grid, input);
    return (int)(grid.top + grid.rows * grid.height) + BOTTOM;
}

/* ---- sums ---- */

static void add_chunks(struct grid *grid, const struct scion_physical *file, int first)
{
    const sion_int64 *used = file->used;
    int tasks = all_tasks(grid->input), block, t;

    for (block = 0; block < file->maxchunks; block++) {
        struct cell *row =
            grid->cells + (sion_int64)block * grid->rows / grid->input->maxchunks * grid->columns;

        for (t = 0; t < file->head.ntasks; t++, used++) {
            struct cell *cell = row + (sion_int64)(first + t) * grid->columns / tasks;

            if (block < file->counts[t]) {
                cell->used += (double)*used;
                cell->reserved += (double)svg_chunksize(file, t);
            }
        }
    }
}

static void add_task(struct grid *grid, int position, sion_int64 bytes)
{
    struct column *column = &grid->column[column_of(grid, position)];

    if (column->tasks == 0 || bytes < column->least)
        column->least = bytes;
    if (bytes > column->most)
        column->most = bytes;
    if (bytes > grid->most)
        grid->most = bytes;
    column->sum += (double)bytes;
    column->tasks++;
}

/* Where each file's tasks begin in the order of the picture; [nopen], or NULL. */
static int *find_firsts(const struct scion_container *container)
{
    int *firsts = scion_array((size_t)scion_container_nopen(container), sizeof *firsts), i,
        first = 0;

    for (i = 0; firsts && i < scion_container_nopen(container); i++) {
        firsts[i] = first;
        first += scion_container_file(container, i)->head.ntasks;
    }
    return firsts;
}

static int collect(struct grid *grid)
{
    const struct input *input = grid->input;
    int *firsts = find_firsts(input->container), i, task, file, lrank;

    grid->cells = calloc((size_t)grid->rows * (size_t)grid->columns, sizeof *grid->cells);
    grid->column = calloc((size_t)grid->columns, sizeof *grid->column);
    if (!firsts || !grid->cells || !grid->column) {
        tool_error("out of memory for the picture");
        free(firsts);
        return TOOL_FAILED;
    }
    for (i = 0; i < scion_container_nopen(input->container); i++)
        add_chunks(grid, scion_container_file(input->container, i), firsts[i]);
    for (task = 0; task < input->ntasks; task++) {
        scion_container_locate(input->container, task, &file, &lrank);
        add_task(grid, firsts[file] + lrank, input_bytes(input, task));
    }
    free(firsts);
    return TOOL_RUN;
}

/* ---- the table ---- */

/* The class of chunks that are this full: 0 only without data, 10 only if full. */
static int level_of_bytes(double used, double reserved)
{
    int level;

    if (used <= 0)
        return 0;
    if (used >= reserved)
        return SVG_LEVELS;
    level = 1 + (int)(used / reserved * (SVG_LEVELS - 1));
    return level < SVG_LEVELS ? level : SVG_LEVELS - 1;
}

static int level_of(const struct cell *cell)
{
    return cell->reserved > 0 ? level_of_bytes(cell->used, cell->reserved) : -1;
}

/* Cells of one level that stand side by side are one rectangle. */
static void put_row(const struct grid *grid, FILE *to, int row, int level)
{
    const struct cell *cells = grid->cells + row * grid->columns;
    double y = grid->top + row * grid->height;
    int first, end;

    for (first = 0; first < grid->columns; first = end) {
        end = first + 1;
        if (level_of(cells + first) != level)
            continue;
        while (end < grid->columns && level_of(cells + end) == level)
            end++;
        fprintf(to, "M%.6g %.6gh%.6gv%.6gh%.6gz", SVG_LEFT + first * grid->width, y,
                (end - first) * grid->width, grid->height, (first - end) * grid->width);
    }
}

static void put_cells(const struct grid *grid, FILE *to)
{
    int level, row;

    fputs("<g class=\"cells\">\n", to);
    for (level = -1; level <= SVG_LEVELS; level++) {
        if (level < 0)
            fputs("<path class=\"none\" d=\"", to);
        else
            fprintf(to, "<path class=\"f%d\" d=\"", level);
        for (row = 0; row < grid->rows; row++)
            put_row(grid, to, row, level);
        fputs("\"/>\n", to);
    }
    fprintf(to,
            "</g>\n<rect x=\"%d\" y=\"%.6g\" width=\"%d\" height=\"%.6g\" fill=\"none\" "
            "stroke=\"#555\"/>\n",
            SVG_LEFT, grid->top, SVG_WIDTH, grid->rows * grid->height);
}

/* The next round number up: 1, 2 or 5 and zeros. */
static int round_step(int count)
{
    int power = 1;

    for (;; power *= 10) {
        if (count / power <= TICKS)
            return power;
        if (count / power / 2 <= TICKS)
            return 2 * power;
        if (count / power / 5 <= TICKS)
            return 5 * power;
    }
}

static void put_rows_scale(const struct grid *grid, FILE *to)
{
    int blocks = grid->input->maxchunks, step = round_step(blocks), block;
    const struct scion_layout *layout = &scion_container_file(grid->input->container, 0)->layout;
    double height = grid->rows * grid->height;
    char offset[TEXT_SIZE];

    for (block = 0; block < blocks; block += step) {
        fprintf(to, "<text class=\"small end\" x=\"%d\" y=\"%.6g\">block %d", SVG_LEFT - 8,
                grid->top + 4 + height * (block + 0.5) / blocks, block);
        if (scion_container_nopen(grid->input->container) == 1)
            fprintf(to, " at %s",
                    text_size(offset, layout->start_of_data + block * layout->globalskip));
        fputs("</text>\n", to);
    }
}

static void put_tasks_scale(const struct grid *grid, FILE *to)
{
    int tasks = all_tasks(grid->input), step = round_step(tasks), task;
    double y = grid->top + grid->rows * grid->height;

    for (task = 0; task < tasks; task += step) {
        double x = SVG_LEFT + (task + 0.5) * SVG_WIDTH / tasks;

        fprintf(to,
                "<path class=\"line\" d=\"M%.6g %.6gv5\"/><text class=\"small middle\" x=\"%.6g\" "
                "y=\"%.6g\">%d</text>\n",
                x, y, x, y + 18, task);
    }
    fprintf(to, "<text class=\"note small middle\" x=\"%d\" y=\"%.6g\">%s</text>\n",
            SVG_LEFT + SVG_WIDTH / 2, y + 38,
            grid->input->is_set ? "tasks in the order of the files" : "tasks");
}

/* Lines between the files of a set, and their numbers where there is room. */
static void put_files(const struct grid *grid, FILE *to)
{
    const struct scion_container *container = grid->input->container;
    double height = grid->rows * grid->height;
    int tasks = all_tasks(grid->input), first = 0, i;

    if (scion_container_nopen(container) == 1 || scion_container_nopen(container) > COLUMNS)
        return;
    for (i = 0; i < scion_container_nopen(container); i++) {
        double x = SVG_LEFT + (double)first * SVG_WIDTH / tasks;

        fprintf(to, "<path stroke=\"#d62728\" d=\"M%.6g %.6gv%.6g\"/>", x, grid->top - 16,
                height + 16);
        if (scion_container_nopen(container) <= LABELLED_FILES)
            fprintf(to, "<text class=\"small\" x=\"%.6g\" y=\"%.6g\">file %d</text>", x + 3,
                    grid->top - 6, i);
        fputc('\n', to);
        first += scion_container_file(container, i)->head.ntasks;
    }
}

/* ---- the curve ---- */

static double height_of(const struct grid *grid, double bytes)
{
    return SVG_TOP + PROFILE - (grid->most > 0 ? bytes / (double)grid->most : 0) * PROFILE;
}

/* The range of the bytes of a column's tasks, and their mean. */
static void put_profile(const struct grid *grid, FILE *to)
{
    char most[TEXT_SIZE];
    int i;

    fprintf(
        to,
        "<text class=\"small end\" x=\"%d\" y=\"%d\">%s</text><text class=\"small end\" "
        "x=\"%d\" y=\"%d\">0 B</text><text class=\"small end note\" x=\"%d\" y=\"%d\">bytes per "
        "task</text>\n<path class=\"range\" d=\"",
        SVG_LEFT - 8, SVG_TOP + 10, text_size(most, grid->most), SVG_LEFT - 8, SVG_TOP + PROFILE,
        SVG_LEFT - 8, SVG_TOP + PROFILE / 2);
    for (i = 0; i < grid->columns; i++) {
        double top = height_of(grid, (double)grid->column[i].most);
        double bottom = height_of(grid, (double)grid->column[i].least);

        fprintf(to, "M%.6g %.6gh%.6gV%.6gh%.6gz", SVG_LEFT + i * grid->width, top, grid->width,
                bottom + 0.5, -grid->width);
    }
    fputs("\"/>\n<path class=\"mean\" d=\"", to);
    for (i = 0; i < grid->columns; i++) {
        const struct column *column = &grid->column[i];
        double mean = column->tasks > 0 ? column->sum / column->tasks : 0;

        fprintf(to, "%s%.6g %.6gh%.6g", i == 0 ? "M" : "L", SVG_LEFT + i * grid->width,
                height_of(grid, mean), grid->width);
    }
    fprintf(to,
            "\"/>\n<path class=\"line\" d=\"M%d %dh%d\"/>\n<text class=\"note small\" x=\"%d\" "
            "y=\"%d\">line: mean; band: least to most of the tasks that share a column</text>\n",
            SVG_LEFT, SVG_TOP + PROFILE, SVG_WIDTH, SVG_LEFT, SVG_TOP + PROFILE + 16);
}

int svg_density(const struct input *input, FILE *to)
{
    struct grid grid = {0};
    int status;

    measure(&grid, input);
    status = collect(&grid);
    if (status == TOOL_RUN) {
        put_profile(&grid, to);
        put_cells(&grid, to);
        put_files(&grid, to);
        put_rows_scale(&grid, to);
        put_tasks_scale(&grid, to);
    }
    free(grid.cells);
    free(grid.column);
    return status;
}

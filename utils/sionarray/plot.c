/*
 * sionarray plot: a heat map of two dimensions of an array, in characters on the terminal, or as a
 * picture. It has as many cells as fit; each shows the mean of its elements.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/memory.h"
#include "sionarray/commands.h"

struct heat {
    int rows, columns; /* cells */
    double *cells;     /* mean of each; NaN: no element */
    double low, high;
    const char *name;
    sion_int64 step;
};

/* ---- the cells ---- */

/* The value of an element; of a complex one its absolute value. */
static double value_of(int type, const unsigned char *element)
{
    double parts[2];

    array_parts(type, element, parts);
    return scion_array_kind(type) == SCION_COMPLEX ? hypot(parts[0], parts[1]) : parts[0];
}

/* Add a row of elements to the means of the cells of its row. A sum could be too large. */
static void add_row(struct heat *heat, double *counts, int type, const unsigned char *elements,
                    sion_int64 row, sion_int64 rows, sion_int64 n)
{
    size_t size = scion_array_size(type);
    int r = (int)(row * heat->rows / rows);
    sion_int64 i;

    for (i = 0; i < n; i++) {
        size_t cell = (size_t)r * (size_t)heat->columns + (size_t)(i * heat->columns / n);
        double value = value_of(type, elements + (size_t)i * size);

        if (!isfinite(value))
            continue;
        counts[cell]++;
        heat->cells[cell] += value / counts[cell] - heat->cells[cell] / counts[cell];
    }
}

static void finish_cells(struct heat *heat, const double *counts)
{
    size_t n = (size_t)heat->rows * (size_t)heat->columns, i;

    heat->low = INFINITY;
    heat->high = -INFINITY;
    for (i = 0; i < n; i++) {
        heat->cells[i] = counts[i] > 0 ? heat->cells[i] : (double)NAN;
        if (counts[i] > 0 && heat->cells[i] < heat->low)
            heat->low = heat->cells[i];
        if (counts[i] > 0 && heat->cells[i] > heat->high)
            heat->high = heat->cells[i];
    }
}

/* The two dimensions that are shown are those with several elements; the others must be cut to
   one. */
struct view {
    struct array_part part;
    int row, column; /* dimensions; row -1: there is one only */
    sion_int64 rows, columns;
};

static int find_view(const struct scion_array *array, struct view *view)
{
    int d, ndims = array->definition.ndims;

    if (scion_array_bytes(array->definition.type, ndims, view->part.count) == 0) {
        tool_error("array %s: the part to be shown has no elements", array->definition.name);
        return TOOL_USAGE;
    }
    view->row = view->column = -1;
    for (d = ndims - 1; d >= 0; d--) {
        if (view->part.count[d] == 1)
            continue;
        if (view->row >= 0) {
            tool_error("array %s: a heat map has two dimensions; cut the others with --slice, such "
                       "as 0,:,:",
                       array->definition.name);
            return TOOL_USAGE;
        }
        if (view->column < 0)
            view->column = d;
        else
            view->row = d;
    }
    view->rows = view->row >= 0 ? view->part.count[view->row] : 1;
    view->columns = view->column >= 0 ? view->part.count[view->column] : 1;
    return TOOL_RUN;
}

/* One row of the view at a time. */
static int read_cells(struct sion_array_reader *arrays, const struct scion_array *array,
                      const struct view *view, struct heat *heat)
{
    struct array_part row = view->part;
    struct scion_array_slab slab = {array, row.offset, row.count, NULL};
    size_t n = (size_t)heat->rows * (size_t)heat->columns;
    double *counts = calloc(n, sizeof *counts);
    sion_int64 i;
    int rc = 0;

    heat->cells = calloc(n, sizeof *heat->cells);
    slab.data = scion_array((uint64_t)view->columns, scion_array_size(array->definition.type));
    if (!counts || !heat->cells || !slab.data)
        rc = scion_fail_memory("heat map");
    for (i = 0; i < view->rows && rc == 0; i++) {
        if (view->row >= 0) {
            row.offset[view->row] = view->part.offset[view->row] + i;
            row.count[view->row] = 1;
        }
        rc = scion_array_read_slab(arrays, &slab, row.step);
        if (rc == 0)
            add_row(heat, counts, array->definition.type, slab.data, i, view->rows, view->columns);
    }
    if (rc == 0)
        finish_cells(heat, counts);
    free(counts);
    free(slab.data);
    return rc;
}

/* ---- colours ---- */

/* The value of a cell scaled to 0 .. 1; negative: it has no element. */
static double level(const struct heat *heat, int row, int column)
{
    double value = heat->cells[(size_t)row * (size_t)heat->columns + (size_t)column];
    double span = heat->high / 2 - heat->low / 2; /* the whole could be infinite */

    if (isnan(value))
        return -1;
    return span > 0 ? (value / 2 - heat->low / 2) / span : 0.5;
}

/* From dark blue over green to yellow, light by light; grey: no element. */
static void colour(double at, unsigned char rgb[3])
{
    static const unsigned char stops[][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    int stop = (int)(at * 4), i;
    double rest;

    if (at < 0) {
        rgb[0] = rgb[1] = rgb[2] = 200;
        return;
    }
    stop = stop > 3 ? 3 : stop;
    rest = at * 4 - stop;
    for (i = 0; i < 3; i++)
        rgb[i] =
            (unsigned char)(stops[stop][i] + rest * (stops[stop + 1][i] - stops[stop][i]) + 0.5);
}

/* ---- forms ---- */

static const char *caption(const struct heat *heat, char *into, size_t size)
{
    if (heat->low > heat->high)
        snprintf(into, size, ", step %lld: no finite element", heat->step);
    else
        snprintf(into, size, ", step %lld: %.6g to %.6g", heat->step, heat->low, heat->high);
    return into;
}

static void print_terminal(const struct heat *heat, FILE *to)
{
    static const char shades[] = " .:-=+*#%@";
    unsigned char rgb[3];
    char text[100];
    int coloured = isatty(fileno(to)), row, column;

    for (row = 0; row < heat->rows; row++) {
        for (column = 0; column < heat->columns; column++) {
            double at = level(heat, row, column);

            colour(at, rgb);
            if (coloured)
                fprintf(to, "\033[48;2;%d;%d;%dm ", rgb[0], rgb[1], rgb[2]);
            else
                putc(at < 0 ? '?' : shades[(int)(at * 9 + 0.5)], to);
        }
        fputs(coloured ? "\033[0m\n" : "\n", to);
    }
    scion_print_escaped(to, heat->name);
    fprintf(to, "%s\n", caption(heat, text, sizeof text));
}

enum { CELL = 4, CAPTION = 20 }; /* pixels */

static void put_xml(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '&' || *text == '<')
            fputs(*text == '&' ? "&amp;" : "&lt;", to);
        else
            putc(*text, to);
    }
}

static void print_svg(const struct heat *heat, FILE *to)
{
    int width = heat->columns * CELL, height = heat->rows * CELL, row, column;
    unsigned char rgb[3];
    char text[100];

    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "shape-rendering=\"crispEdges\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n",
            width, height + CAPTION);
    for (row = 0; row < heat->rows; row++) {
        for (column = 0; column < heat->columns; column++) {
            colour(level(heat, row, column), rgb);
            fprintf(to,
                    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n",
                    column * CELL, row * CELL, CELL, CELL, rgb[0], rgb[1], rgb[2]);
        }
    }
    fprintf(to, "<text x=\"2\" y=\"%d\" font-family=\"sans-serif\" font-size=\"12\">", height + 14);
    put_xml(to, heat->name);
    fprintf(to, "%s</text>\n</svg>\n", caption(heat, text, sizeof text));
}

static void put_big(unsigned char *to, unsigned long number)
{
    int i;

    for (i = 0; i < 4; i++)
        to[i] = (unsigned char)(number >> (24 - 8 * i));
}

/* The CRC of PNG, bit by bit: a picture is small. */
static unsigned long png_crc(const unsigned char *bytes, size_t n)
{
    unsigned long crc = 0xffffffffUL;
    int bit;

    for (; n > 0; n--, bytes++) {
        crc ^= *bytes;
        for (bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320UL : 0);
    }
    return crc ^ 0xffffffffUL;
}

/* A piece of a PNG: eight bytes in front of the data are left for length and name. */
static void put_piece(FILE *to, const char *name, unsigned char *piece, size_t n)
{
    unsigned char crc[4];

    put_big(piece, (unsigned long)n);
    memcpy(piece + 4, name, 4);
    put_big(crc, png_crc(piece + 4, n + 4));
    fwrite(piece, 1, n + 8, to);
    fwrite(crc, 1, 4, to);
}

/* The pixels in the format of deflate without compression: blocks of at most 65535 bytes. */
static size_t store(const unsigned char *pixels, size_t n, unsigned char *to)
{
    unsigned long a = 1, b = 0;
    size_t at = 0, i, part;

    to[at++] = 0x78;
    to[at++] = 0x01;
    for (i = 0; i < n; i += part) {
        part = n - i < 65535 ? n - i : 65535;
        to[at++] = i + part == n;
        to[at++] = (unsigned char)part;
        to[at++] = (unsigned char)(part >> 8);
        to[at++] = (unsigned char)~part;
        to[at++] = (unsigned char)(~part >> 8);
        memcpy(to + at, pixels + i, part);
        at += part;
    }
    for (i = 0; i < n; i++) {
        a = (a + pixels[i]) % 65521;
        b = (b + a) % 65521;
    }
    put_big(to + at, b << 16 | a);
    return at + 4;
}

static int print_png(const struct heat *heat, FILE *to)
{
    size_t width = (size_t)heat->columns * CELL, height = (size_t)heat->rows * CELL;
    size_t line = 1 + 3 * width, n = line * height, row, column;
    unsigned char head[8 + 13] = {0}, *pixels = calloc(n, 1), end[8];
    unsigned char *data = malloc(n + n / 65535 * 5 + 64);

    if (!pixels || !data) {
        free(pixels);
        free(data);
        return scion_fail_memory("picture");
    }
    for (row = 0; row < height; row++) {
        for (column = 0; column < width; column++)
            colour(level(heat, (int)(row / CELL), (int)(column / CELL)),
                   pixels + row * line + 1 + 3 * column);
    }
    put_big(head + 8, (unsigned long)width);
    put_big(head + 12, (unsigned long)height);
    head[16] = 8;
    head[17] = 2;
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, to);
    put_piece(to, "IHDR", head, 13);
    put_piece(to, "IDAT", data, store(pixels, n, data + 8));
    put_piece(to, "IEND", end, 0);
    free(pixels);
    free(data);
    return 0;
}

/* ---- all ---- */

static int ends_with(const char *name, const char *end)
{
    size_t length = strlen(name);

    return length >= strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

/* As many cells as fit on the terminal or into the picture, at most one for each element. */
static void choose_size(const struct view *view, struct heat *heat)
{
    struct winsize window;
    int rows = 24, columns = 80;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_row > 2 && window.ws_col > 0) {
        rows = window.ws_row;
        columns = window.ws_col;
    }
    heat->columns = view->columns < columns ? (int)view->columns : columns;
    heat->rows = view->rows < rows - 2 ? (int)view->rows : rows - 2;
}

static int draw(const struct heat *heat, const char *name, const char *input)
{
    struct array_output *output;
    FILE *to;
    int status, rc = 0;

    if (name && !ends_with(name, ".svg") && !ends_with(name, ".png")) {
        tool_error("a picture is a .svg or a .png, not '%s'", name);
        return TOOL_USAGE;
    }
    status = array_output_begin(name, input, &output, &to);
    if (status != TOOL_RUN)
        return status;
    if (!name)
        print_terminal(heat, to);
    else if (ends_with(name, ".svg"))
        print_svg(heat, to);
    else
        rc = print_png(heat, to);
    return array_output_end(output, rc == 0 ? TOOL_RUN : array_failed(name));
}

int array_plot(const void *given, int n, char **operands)
{
    const struct array_settings *settings = given;
    struct sion_array_reader *arrays = array_open_blocks(operands[0]);
    struct scion_array *array = arrays ? scion_arrays_find(arrays, operands[1]) : NULL;
    struct heat heat = {0};
    struct view view;
    int status = TOOL_FAILED;

    (void)n;
    if (arrays && !array)
        array_failed(operands[0]);
    if (array)
        status = array_select(arrays, array, settings, &view.part);
    if (status == TOOL_RUN)
        status = find_view(array, &view);
    if (status == TOOL_RUN) {
        heat.name = array->definition.name;
        heat.step = view.part.step;
        choose_size(&view, &heat);
        if (settings->output) { /* a picture has finer cells than a terminal */
            heat.columns = view.columns < 256 ? (int)view.columns : 256;
            heat.rows = view.rows < 256 ? (int)view.rows : 256;
        }
        status = read_cells(arrays, array, &view, &heat) == 0
                     ? draw(&heat, settings->output, operands[0])
                     : array_failed(operands[0]);
    }
    free(heat.cells);
    sion_array_reader_close(arrays);
    return status == TOOL_RUN ? TOOL_DONE : status;
}

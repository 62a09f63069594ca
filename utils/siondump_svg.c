/*
 * A picture of a container. A physical file is a sequence of blocks, each of which has a chunk for
 * every task: so a file is drawn as a table with a row for each block, and its bytes follow each
 * other from left to right and from top to bottom.
 */
#include <stdlib.h>
#include <string.h>

#include "sion_common.h"

#include "output.h"
#include "siondump.h"
#include "siondump_svg.h"
#include "text.h"
#include "tool.h"

enum {
    ROW = 30,
    ROW_GAP = 4,
    FILE_HEAD = 34, /* name of the file above its blocks */
    FILE_GAP = 14,
    LEAST_DATA = 2,     /* width of data that a chunk has */
    LEAST_CHUNK = 14,   /* width of a chunk that has bytes */
    LABELLED = 20,      /* width of one that has room for a number, */
    LABELLED_FULL = 84, /* or for what is in it */
    LONGEST_NAME = 110, /* bytes */
    DRAWN_TASKS = 48,   /* most tasks in a file, */
    DRAWN_ROWS = 48     /* and most blocks of all files, that are drawn one by one */
};

int svg_level(double used, double reserved)
{
    int level;

    if (used <= 0)
        return 0;
    if (used >= reserved)
        return SVG_LEVELS;
    level = 1 + (int)(used / reserved * (SVG_LEVELS - 1));
    return level < SVG_LEVELS ? level : SVG_LEVELS - 1;
}

/* ---- frame, title, legend ---- */

/* From light to dark, so that it survives printing and colour blindness. */
static const char *const shades[SVG_LEVELS + 1] = {"#ffffff", "#deebf7", "#cfe1f2", "#b5d4e9",
                                                   "#93c3df", "#6daed5", "#4b97c9", "#2f7ebc",
                                                   "#1864aa", "#0a4a90", "#08306b"};

static void put_style(FILE *to)
{
    int level;

    fputs(
        "<style>\n"
        "text{font-family:sans-serif;font-size:12px;fill:#222}\n"
        ".title{font-size:17px;font-weight:bold}.note{fill:#555}.small{font-size:11px}\n"
        ".end{text-anchor:end}.middle{text-anchor:middle}\n"
        ".chunk{fill:#fff;stroke:#555;stroke-width:1}.data{fill:#9ecae1}.line{stroke:#888}\n"
        ".none{fill:#e6e6e6}.range{fill:#b5d4e9}.mean{fill:none;stroke:#08306b;stroke-width:1.5}\n"
        ".cells{shape-rendering:crispEdges}\n",
        to);
    for (level = 0; level <= SVG_LEVELS; level++)
        fprintf(to, ".f%d{fill:%s}\n", level, shades[level]);
    fputs("</style>\n", to);
}

/* A name that is too long for the picture loses its beginning. */
static void put_name(FILE *to, const char *name)
{
    size_t length = strlen(name);

    if (length > LONGEST_NAME) {
        fputs("...", to);
        for (name += length - LONGEST_NAME; (*name & 0xc0) == 0x80; name++) {
        }
    }
    text_xml(to, name);
}

static void put_title(const struct input *input, FILE *to)
{
    struct usage usage;
    char used[TEXT_SIZE], reserved[TEXT_SIZE], fsblksize[TEXT_SIZE];
    double percent;

    usage_collect(&usage, input);
    percent = usage.reserved > 0 ? (double)input->total / (double)usage.reserved * 100.0 : 0.0;
    fputs("<title>", to);
    text_xml(to, input->name);
    fputs("</title>\n<text class=\"title\" x=\"20\" y=\"30\">", to);
    put_name(to, input->name);
    fprintf(
        to,
        "</text>\n<text class=\"note\" x=\"20\" y=\"52\">%d task%s, %d block%s%s, %d file%s, file "
        "system blocks of %s; %s of data in %s of chunks (%.1f%%)</text>\n",
        input->ntasks, input->ntasks == 1 ? "" : "s", input->maxchunks,
        input->maxchunks == 1 ? "" : "s",
        input->keyval == SION_KEYVAL_INLINE ? ", key-value records" : "", input->container->nopen,
        input->container->nopen == 1 ? "" : "s", text_size(fsblksize, input->fsblksize),
        text_size(used, input->total), text_size(reserved, (sion_int64)usage.reserved), percent);
}

static void put_legend_entry(FILE *to, int x, const char *class, const char *text)
{
    fprintf(to,
            "<rect class=\"%s\" x=\"%d\" y=\"66\" width=\"14\" height=\"12\" stroke=\"#555\"/>"
            "<text class=\"small\" x=\"%d\" y=\"76\">%s</text>\n",
            class, x, x + 20, text);
}

static void put_legend(FILE *to, int one_by_one)
{
    int level;

    if (one_by_one) {
        put_legend_entry(to, 20, "data", "data");
        put_legend_entry(to, 90, "f0", "free");
        put_legend_entry(to, 160, "none", "chunk that the task does not have");
        fputs("<text class=\"small note\" x=\"400\" y=\"76\">numbers are tasks</text>\n", to);
        return;
    }
    put_legend_entry(to, 20, "none", "no chunk");
    put_legend_entry(to, 110, "f0", "empty");
    for (level = 1; level < SVG_LEVELS; level++)
        fprintf(to, "<rect class=\"f%d\" x=\"%d\" y=\"66\" width=\"14\" height=\"12\"/>", level,
                205 + 14 * level);
    fputs("\n<text class=\"small end\" x=\"214\" y=\"76\">1%</text>"
          "<text class=\"small\" x=\"350\" y=\"76\">99%</text>\n",
          to);
    put_legend_entry(to, 395, "f10", "full");
}

static void put_frame(const struct input *input, FILE *to, int height, int one_by_one)
{
    int width = SVG_LEFT + SVG_WIDTH + SVG_RIGHT;

    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
            width, height, width, height);
    put_style(to);
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", to);
    put_title(input, to);
    put_legend(to, one_by_one);
}

/* ---- chunks one by one ---- */

/* Where the chunks of one file stand in a row, [ntasks], and who they are. */
struct columns {
    double x[DRAWN_TASKS], width[DRAWN_TASKS];
    int task[DRAWN_TASKS]; /* number in the container */
};

static void find_tasks(struct columns *columns, const struct input *input, int number)
{
    int task, file, lrank;

    for (lrank = 0; lrank < DRAWN_TASKS; lrank++)
        columns->task[lrank] = -1;
    for (task = 0; task < input->ntasks; task++) {
        scion_container_locate(input->container, task, &file, &lrank);
        if (file == number)
            columns->task[lrank] = task;
    }
}

/* Widths follow the sizes, but for chunks that would be too small to be seen. */
static void place_columns(struct columns *columns, const struct scion_physical *file)
{
    double sum = 0, left = SVG_WIDTH, x = SVG_LEFT;
    int t;

    for (t = 0; t < file->head.ntasks; t++) {
        sum += (double)svg_chunksize(file, t);
        left -= svg_chunksize(file, t) > 0 ? LEAST_CHUNK : 0;
    }
    for (t = 0; t < file->head.ntasks; t++) {
        double size = (double)svg_chunksize(file, t);

        columns->x[t] = x;
        columns->width[t] = size > 0 ? LEAST_CHUNK + left * size / sum : 0;
        x += columns->width[t];
    }
}

static void put_chunk_label(FILE *to, double x, double width, double y, int task, sion_int64 used)
{
    char text[TEXT_SIZE];

    if (width < LABELLED)
        return;
    fprintf(to, "<text class=\"small middle\" x=\"%.1f\" y=\"%.1f\">", x + width / 2, y + 19);
    if (width < LABELLED_FULL)
        fprintf(to, "%d</text>\n", task);
    else
        fprintf(to, "%d: %s</text>\n", task, text_size(text, used));
}

static void put_chunk_title(FILE *to, const struct scion_physical *file, int t, int task, int block,
                            sion_int64 used)
{
    fputs("<title>", to);
    if (block < file->counts[t])
        fprintf(to, "task %d, global rank %lld, block %d: %lld of %lld bytes at offset %lld", task,
                file->globalranks[t], block, used, svg_chunksize(file, t),
                file->starts[t] + block * file->layout.globalskip);
    else
        fprintf(to, "task %d has no chunk in block %d", task, block);
    fputs("</title>", to);
}

/* A rectangle as wide as the chunk, the data in it, a number, and all of it for the mouse. */
static void put_chunk(FILE *to, const struct scion_physical *file, const struct columns *columns,
                      int t, int block, double y)
{
    double x = columns->x[t], width = columns->width[t];
    sion_int64 size = svg_chunksize(file, t), used = 0;
    double filled;
    int exists = block < file->counts[t];

    if (size == 0)
        return;
    if (exists)
        used = file->used[(size_t)block * (size_t)file->head.ntasks + (size_t)t];
    filled = (width - 1) * (double)used / (double)size;
    fputs("<g>", to);
    put_chunk_title(to, file, t, columns->task[t], block, used);
    fprintf(to, "<rect class=\"chunk%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
            exists ? "" : " none", x, y, width, ROW);
    if (used > 0)
        fprintf(to, "<rect class=\"data\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\"/>",
                x + 0.5, y + 0.5, filled > LEAST_DATA ? filled : LEAST_DATA, ROW - 1);
    if (exists)
        put_chunk_label(to, x, width, y, columns->task[t], used);
    fputs("</g>\n", to);
}

static double put_file(const struct input *input, FILE *to, int number, double y)
{
    const struct scion_physical *file = input->container->files[number];
    struct columns columns;
    char size[TEXT_SIZE];
    int block, t;

    find_tasks(&columns, input, number);
    place_columns(&columns, file);
    fprintf(to, "<text x=\"20\" y=\"%.1f\">", y + 22);
    put_name(to, file->path);
    fprintf(to, "</text>\n");
    y += FILE_HEAD;
    for (block = 0; block < file->maxchunks; block++) {
        sion_int64 offset = file->layout.start_of_data + block * file->layout.globalskip;

        fprintf(to,
                "<text class=\"small end\" x=\"%d\" y=\"%.1f\">block %d</text>"
                "<text class=\"small end note\" x=\"%d\" y=\"%.1f\">at %s</text>\n",
                SVG_LEFT - 10, y + 12, block, SVG_LEFT - 10, y + 26, text_size(size, offset));
        for (t = 0; t < file->head.ntasks; t++)
            put_chunk(to, file, &columns, t, block, y);
        y += ROW + ROW_GAP;
    }
    return y + FILE_GAP;
}

/* Height of the picture, or 0 if there are too many chunks for one by one. */
static int height_one_by_one(const struct input *input)
{
    const struct scion_container *container = input->container;
    sion_int64 rows = 0;
    int i;

    for (i = 0; i < container->nopen; i++) {
        rows += container->files[i]->maxchunks;
        if (container->files[i]->head.ntasks > DRAWN_TASKS || rows > DRAWN_ROWS)
            return 0;
    }
    return SVG_TOP + (int)rows * (ROW + ROW_GAP) + container->nopen * (FILE_HEAD + FILE_GAP);
}

static int draw(const struct input *input, FILE *to)
{
    int height = height_one_by_one(input), i, status = TOOL_RUN;
    double y = SVG_TOP - FILE_GAP;

    put_frame(input, to, height > 0 ? height : svg_density_height(input), height > 0);
    for (i = 0; height > 0 && i < input->container->nopen; i++)
        y = put_file(input, to, i, y);
    if (height == 0)
        status = svg_density(input, to);
    fputs("</svg>\n", to);
    return status;
}

int dump_svg(const struct input *input, const char *name)
{
    struct output output;
    int status = output_open(&output, strcmp(name, "-") == 0 ? NULL : name, input);

    return status == TOOL_RUN ? output_close(&output, draw(input, output.file)) : status;
}

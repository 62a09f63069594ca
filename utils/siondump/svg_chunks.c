#include "siondump/svg_chunks.h"

#include "lib/text.h"
#include "siondump/svg_frame.h"
#include "siondump/xml.h"

enum {
    ROW = 30,
    ROW_GAP = 4,
    FILE_HEAD = 34, /* name of the file above its blocks */
    FILE_GAP = 14,
    LEAST_DATA = 2,     /* width of data that a chunk has */
    LEAST_CHUNK = 14,   /* width of a chunk that has bytes */
    LABELLED = 20,      /* width of one that has room for a number, */
    LABELLED_FULL = 84, /* or for what is in it */
    DRAWN_TASKS = 48,   /* most tasks in a file, */
    DRAWN_ROWS = 48     /* and most blocks of all files, that are drawn one by one */
};

/* Where the chunks of one file are drawn in a row, [ntasks], and the tasks that they belong to. */
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

/* Widths are proportional to sizes, except that chunks too small to be seen are drawn wider. */
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

/* A rectangle as wide as the chunk, the data in it, a number, and a title that the mouse shows. */
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
    const struct scion_physical *file = scion_container_file(input->container, number);
    struct columns columns;
    char size[TEXT_SIZE];
    int block, t;

    find_tasks(&columns, input, number);
    place_columns(&columns, file);
    fprintf(to, "<text x=\"20\" y=\"%.1f\">", y + 22);
    xml_name(to, file->path);
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

int svg_chunks_height(const struct input *input)
{
    const struct scion_container *container = input->container;
    sion_int64 rows = 0;
    int i;

    for (i = 0; i < scion_container_nopen(container); i++) {
        rows += scion_container_file(container, i)->maxchunks;
        if (scion_container_file(container, i)->head.ntasks > DRAWN_TASKS || rows > DRAWN_ROWS)
            return 0;
    }
    return SVG_TOP + (int)rows * (ROW + ROW_GAP) +
           scion_container_nopen(container) * (FILE_HEAD + FILE_GAP);
}

void svg_chunks(const struct input *input, FILE *to)
{
    double y = SVG_TOP - FILE_GAP;
    int i;

    for (i = 0; i < scion_container_nopen(input->container); i++)
        y = put_file(input, to, i, y);
}

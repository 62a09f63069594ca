/*
 * A picture of a container. A physical file is a sequence of blocks, each of which has a chunk for
 * every task: so a file is drawn as a table with a row for each block, and its bytes follow each
 * other from left to right and from top to bottom.
 */
#include <string.h>

#include "sion_common.h"

#include "lib/output.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "siondump/parts.h"
#include "siondump/svg_chunks.h"
#include "siondump/svg_density.h"
#include "siondump/svg_frame.h"
#include "siondump/xml.h"

/* From light to dark, so that it can be read in print and by colour-blind people. */
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

static void put_title(const struct input *input, FILE *to)
{
    struct usage usage;
    char used[TEXT_SIZE], reserved[TEXT_SIZE], fsblksize[TEXT_SIZE];
    double percent;

    usage_collect(&usage, input);
    percent = usage.reserved > 0 ? (double)input->total / (double)usage.reserved * 100.0 : 0.0;
    fputs("<title>", to);
    xml_text(to, input->name);
    fputs("</title>\n<text class=\"title\" x=\"20\" y=\"30\">", to);
    xml_name(to, input->name);
    fprintf(
        to,
        "</text>\n<text class=\"note\" x=\"20\" y=\"52\">%d task%s, %d block%s%s, %d file%s, file "
        "system blocks of %s; %s of data in %s of chunks (%.1f%%)</text>\n",
        input->ntasks, text_plural(input->ntasks), input->maxchunks, text_plural(input->maxchunks),
        input->keyval == SION_KEYVAL_INLINE ? ", key-value records" : "",
        scion_container_nopen(input->container),
        text_plural(scion_container_nopen(input->container)),
        text_size(fsblksize, input->fsblksize), text_size(used, input->total),
        text_size(reserved, (sion_int64)usage.reserved), percent);
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

static int draw(const struct input *input, FILE *to)
{
    int height = svg_chunks_height(input), status = TOOL_RUN;

    put_frame(input, to, height > 0 ? height : svg_density_height(input), height > 0);
    if (height > 0)
        svg_chunks(input, to);
    else
        status = svg_density(input, to);
    fputs("</svg>\n", to);
    return status;
}

int dump_svg(const struct input *input, const char *name)
{
    struct output output;
    int status = output_open(&output, NULL, strcmp(name, "-") == 0 ? NULL : name, input);

    return status == TOOL_RUN ? output_close(&output, draw(input, output.file)) : status;
}

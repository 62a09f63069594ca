/* siondump: show the metadata of a container. */
#include <stdio.h>
#include <string.h>

#include "sion_common.h"

#include "format/places.h"
#include "lib/text.h"
#include "lib/tool.h"
#include "siondump/parts.h"

static const char usage[] = "Usage: %s options <sionfn>\n\n"
                            "Dump meta data information of SIONlib file <sionfn>.\n\n"
                            "Options:\n"
                            "  [-a]   print all information about all blocks\n"
                            "  [-m]   print all mapping information\n"
                            "  [-M]   print all mapping information (table) \n"
                            "  [-l]   print all sizes in number of bytes\n"
                            "  [-k]   print key-value statistic for each task\n"
                            "  [-K]   print key-value list for each task\n"
                            "  [-S]   print size of internal data structure in memory\n"
                            "  [-V]   show version number of SIONlib\n"
                            "  [-v]   verbose mode\n"
                            "  [-h]   show this help\n";

static void dump_file(const struct input *input)
{
    const struct scion_meta1 *head = input->head;

    tool_line(stdout, TOOL_LABEL, "file set:", "%s", head->nfiles > 1 ? "Yes" : "No");
    tool_line(stdout, TOOL_LABEL, "file number:", "%d", head->filenumber);
    tool_line(stdout, TOOL_LABEL, "number of files:", "%d", head->nfiles);
    tool_line(stdout, TOOL_LABEL, "flag1:", "%lld (%d+%d)", head->flag1, (int)(head->flag1 >> 32),
              (int)(head->flag1 & 0xffffffff));
    tool_line(stdout, TOOL_LABEL, "flag2:", "%lld", head->flag2);
    input_report_keyval(input, stdout);
    tool_line(stdout, TOOL_LABEL, "file format version:", "%d", head->format_version);
    tool_line(stdout, TOOL_LABEL, "file SIONlib version:", "%d.%dp%d (current %d.%dp%d)",
              head->version / 1000, head->version % 1000, head->patch, SION_MAIN_VERSION,
              SION_SUB_VERSION, SION_VERSION_PATCHLEVEL);
}

static void dump_cost(const struct input *input)
{
    sion_int64 bytes;
    int descriptors;

    scion_container_cost(input->container, &bytes, &descriptors);
    tool_line(stdout, TOOL_LABEL, "sizeof internal struct:", "%lld bytes %d file descriptors",
              bytes, descriptors);
}

/* Print the tables that were asked for. A container without keys, or with damaged ones, is shown
   anyway. */
static int dump_tables(const struct dump_settings *settings, const struct input *input,
                       const struct input *plain)
{
    int status = TOOL_RUN, other = TOOL_RUN;

    if (settings->blocks)
        dump_blocks(input, settings->bytes);
    if (settings->blocks && plain)
        dump_zips(plain, 1);
    if (settings->blocks && input->is_merged)
        status = dump_members(input);
    if (settings->keys)
        other = dump_key_statistic(input);
    status = status != TOOL_RUN ? status : other;
    if (settings->records)
        other = dump_key_list(input);
    status = status != TOOL_RUN ? status : other;
    if (input->head->nfiles > 1)
        other = dump_files(input, settings);
    status = status != TOOL_RUN ? status : other;
    return status == TOOL_RUN ? TOOL_DONE : status;
}

/* Where every so manyth task begins, in large files. */
static void dump_places(const struct input *input)
{
    struct scion_places places;
    int found = scion_places_decode(input->head, &places);

    if (found > 0)
        tool_line(stdout, TOOL_LABEL, "places of tasks:", "%d, every %d tasks", places.n,
                  places.step);
    else if (found < 0)
        tool_line(stdout, TOOL_LABEL, "places of tasks:", "damaged");
}

static int dump_report(const struct dump_settings *settings, const struct input *input,
                       const struct input *plain)
{
    input_report_name(input, stdout);
    tool_line(stdout, TOOL_LABEL, "prefix:", "%-30s", input->head->prefix);
    tool_line(stdout, TOOL_LABEL, "number of tasks:", "%d", input->ntasks);
    input_report_endianness(input, stdout);
    tool_line(stdout, TOOL_LABEL, "filesystem blocksize:", "%d bytes (%6.2f MB)", input->fsblksize,
              text_mb(input->fsblksize));
    dump_file(input);
    tool_line(stdout, TOOL_LABEL + 1, "number of blocks:", "%d", input->maxchunks);
    dump_places(input);
    dump_states(input);
    if (plain)
        dump_zips(plain, 0);
    if (settings->cost)
        dump_cost(input);
    dump_usage(input);
    return dump_tables(settings, input, plain);
}

/* The report, or what is asked for instead of it. */
static int dump_by(const struct dump_settings *settings, const struct input *input,
                   const struct input *plain)
{
    int status = TOOL_RUN;

    if (!settings->json && !settings->svg)
        return dump_report(settings, input, plain);
    if (settings->json && settings->svg && strcmp(settings->svg, "-") == 0) {
        tool_error("--json and --svg=- would both write to standard output");
        return TOOL_USAGE;
    }
    if (settings->json)
        status = dump_json(input, plain, settings);
    if (settings->svg && status == TOOL_RUN)
        status = dump_svg(input, settings->svg);
    return status == TOOL_RUN ? TOOL_DONE : status;
}

/* What is shown is stored; of compressed streams the plain sizes, too. */
static int dump(const struct dump_settings *settings, const struct input *input)
{
    struct input plain;
    int status;

    if (!input_is_zipped(input))
        return dump_by(settings, input, NULL);
    status = input_open(input->name, &plain);
    return status == TOOL_RUN ? input_close(&plain, dump_by(settings, input, &plain)) : status;
}

static const struct tool_option options[] = {
    TOOL_FLAG("all", 'a', struct dump_settings, blocks),
    TOOL_FLAG("mapping", 'm', struct dump_settings, mapping),
    TOOL_FLAG("mapping-table", 'M', struct dump_settings, mapping_table),
    TOOL_FLAG("long", 'l', struct dump_settings, bytes),
    TOOL_FLAG("keys", 'k', struct dump_settings, keys),
    TOOL_FLAG("key-list", 'K', struct dump_settings, records),
    TOOL_FLAG("sizeof", 'S', struct dump_settings, cost),
    TOOL_FLAG("verbose", 'v', struct dump_settings, verbose),
    TOOL_FLAG("json", 0, struct dump_settings, json),
    TOOL_TEXT("svg", 0, struct dump_settings, svg),
    TOOL_PROGRESS_OPTION,
    TOOL_FORCE_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {
    .name = "siondump",
    .usage = usage,
    .options = options,
    .more_help = "  --json             print everything as JSON\n"
                 "  --svg=<file>       draw where data are and how full\n"
                 "                     chunks are (- is standard output)\n" TOOL_PROGRESS_HELP
                     TOOL_FORCE_HELP,
    .operands = 1,
    .as_sionlib = 1};

int main(int argc, char **argv)
{
    struct dump_settings settings = {0};
    struct input input;
    int status = tool_parse(&tool, argc, argv, &settings);

    if (status == TOOL_RUN) {
        status = input_open_tables(argv[optind], &input);
        if (status == TOOL_RUN)
            status = input_close(&input, dump(&settings, &input));
    }
    return tool_finish(status);
}

/* sionarray: arrays in containers. */
#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "lib/input.h"
#include "lib/tool.h"
#include "sionarray/commands.h"

static const struct command command_list[] = {
    {"ls", "FILE [ARRAY...]", "list arrays: type, shape, steps, blocks, range, size", "j", NULL, 1,
     -1, array_ls, 0},
    {"info", "FILE [ARRAY...]", "show arrays and their attributes", "j", NULL, 1, -1, array_info,
     0},
    {"dump", "FILE ARRAY", "print a part of an array", "tsC", NULL, 2, 2, array_dump, 0},
    {"stats", "FILE [ARRAY...]", "read all data: range, mean, NaN, and whether CRCs are right", "j",
     NULL, 1, -1, array_stats, 0},
    {"export", "-o DIR FILE [ARRAY...]", "write each array to a file of numpy, or its bytes", "oNR",
     "o", 1, -1, array_export, 0},
    {"refs", "FILE [ARRAY...]", "write references by which zarr and xarray read it in place",
     "oruU", NULL, 1, -1, array_refs, 0},
    {"xdmf", "FILE [ARRAY...]", "write an XDMF file by which ParaView and VisIt read it in place",
     "op", NULL, 1, -1, array_xdmf, 0},
    {"plot", "FILE ARRAY", "draw a heat map of two dimensions", "tso", NULL, 2, 2, array_plot, 0},
    {"copy", "-c CODEC IN OUT", "write a container of the arrays with another codec", "c", "c", 2,
     2, array_copy, 0},
    {.name = NULL},
};

static const struct command_options option_list[] = {
    {"ls, info, stats", "  [-j, --json]   print JSON\n"},
    {"dump, plot", "  [-t, --step=<n>]\n"
                   "                 which step (default: the last one)\n"
                   "  [-s, --slice=<n>|<n>:<m>|:,...]\n"
                   "                 which part of each dimension (default: all)\n"},
    {"dump", "  [-C, --csv]    commas between the numbers\n"},
    {"export", "   -o, --output=<folder>\n"
               "                 folder for the files, <array>.npy or <array>.raw\n"
               "  [-N, --npy]    files of numpy (default)\n"
               "  [-R, --raw]    the elements alone\n"},
    {"refs, xdmf, plot", "  [-o, --output=<name>]\n"
                         "                 file to write; of plot a .svg or a .png (default:\n"
                         "                 standard output)\n"},
    {"refs", "  [-r, --relative]\n"
             "                 names of files without folders: relative to the reader's\n"
             "  [-u, --url=<prefix>]\n"
             "                 names of files with this prefix, such as https://host/folder/,\n"
             "                 in place of their folders\n"
             "  [-U, --update] make the file of -o for a container that grows, or make it again:\n"
             "                 arrays of one step, too, have their steps as a dimension\n"},
    {"xdmf", "  [-p, --spacing=<n>|<n>,...]\n"
             "                 distance of elements in each dimension (default: 1)\n"},
    {"copy", "   -c, --codec=[<array>=]<codec>\n"
             "                 how an array, or each, is compressed: none, zstd[:<level>]\n"
             "                 [,shuffle], zfp:accuracy=<number> or zfp:rate=<bits>; may be\n"
             "                 repeated, the last one counts\n"},
    {.text = NULL},
};

static const struct commands commands = {
    .about = "Show and convert arrays in containers, which programs write with sion_array.h.\n"
             "Without names of arrays, all are meant.\n",
    .command = command_list,
    .options = option_list,
    .remark = INPUT_GENERATION_HELP
    "  [--progress=auto|always|never]\n"
    "                 copy, export, stats: show on stderr how far the work is\n",
};

static int read_step(const struct tool_option *option, const char *value, void *into)
{
    struct array_settings *settings = into;
    char *end;

    errno = 0;
    settings->step = strtoll(value, &end, 10);
    settings->has_step = 1;
    if (end != value && !*end && errno == 0 && settings->step >= 0)
        return TOOL_RUN;
    tool_error("-%c takes the number of a step, not '%s'", option->letter, value);
    return TOOL_USAGE;
}

static int read_codec(const struct tool_option *option, const char *value, void *into)
{
    struct array_settings *settings = into;
    const char **codecs =
        scion_array_grown(settings->codecs, (uint64_t)settings->ncodecs + 1, sizeof *codecs);

    (void)option;
    if (!codecs) {
        tool_error("out of memory");
        return TOOL_FAILED;
    }
    settings->codecs = codecs;
    settings->codecs[settings->ncodecs++] = value;
    return TOOL_RUN;
}

static const struct tool_option options[] = {
    TOOL_FLAG("json", 'j', struct array_settings, json),
    {"step", 't', read_step, 0, 0},
    TOOL_TEXT("slice", 's', struct array_settings, slice),
    TOOL_FLAG("csv", 'C', struct array_settings, csv),
    TOOL_NAME("output", 'o', struct array_settings, output),
    TOOL_FLAG("npy", 'N', struct array_settings, npy),
    TOOL_FLAG("raw", 'R', struct array_settings, raw),
    TOOL_FLAG("relative", 'r', struct array_settings, relative),
    TOOL_TEXT("url", 'u', struct array_settings, url),
    TOOL_FLAG("update", 'U', struct array_settings, update),
    {"codec", 'c', read_codec, 0, 0},
    TOOL_TEXT("spacing", 'p', struct array_settings, spacing),
    INPUT_GENERATION_OPTION,
    TOOL_PROGRESS_OPTION,
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sionarray",
                                 .commands = &commands,
                                 .options = options,
                                 .operands = 1,
                                 .more_operands = 1};

int main(int argc, char **argv)
{
    struct array_settings settings = {0};
    const struct command *command;
    int status = tool_parse_command(&tool, argc, argv, &settings, &command);

    if (status == TOOL_RUN && settings.npy && settings.raw) {
        tool_error("--npy and --raw cannot be used together");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN && settings.relative && settings.url) {
        tool_error("--relative and --url cannot be used together");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN && settings.update && !settings.output) {
        tool_error("--update needs the name of the file (--output)");
        status = TOOL_USAGE;
    }
    if (status == TOOL_RUN) {
        scion_log_begin_quiet(); /* the command reports failures, once */
        status = command->run(&settings, argc - optind, argv + optind);
    }
    free(settings.codecs);
    return tool_finish(status);
}

/* sionfti: checkpoints of the Fault Tolerance Interface in its file format FTI-FF. */
#include "base/log.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/layout.h"

static const struct command command_list[] = {
    {"dump", "FILE...", "print the data structure", "j", NULL, 1, -1, fti_dump, 0},
    {"check", "FILE...", "read everything and verify all digests", "crn", NULL, 1, -1, fti_check,
     0},
    {"extract", "-o DIR FILE", "write the variables to var_<id>.bin", "o", "o", 1, 1, fti_extract,
     0},
    {"pack", "-o SIONFN FILE...", "put the files into a container", "ocrn", "o", 1, -1, fti_pack,
     0},
    {"unpack", "-o DIR SIONFN", "extract the files from a container", "ocnl", "o", 1, 1, fti_unpack,
     0},
    {"restore", "RANKFILE FILE...", "make a lost Rank file from its partner's copy", "", NULL, 2,
     -1, fti_restore, 0},
    {"convert", "-l RELEASE -o NEW FILE", "write a file in the layout of another release of FTI",
     "loc", "lo", 1, 1, fti_convert, 0},
    {"rehash", "FILE", "copy a file with the checksum that FTI 1.3 and later expect", "o", NULL, 1,
     1, fti_rehash, 0},
    {.name = NULL},
};

static const struct command_options option_list[] = {
    {"dump", "  [-j, --json]   print JSON\n"},
    {"extract, pack, unpack, convert", "   -o, --output=<name>\n"
                                       "                 folder or file to write to\n"},
    {"rehash", "  [-o, --output=<name>]\n"
               "                 file to write to (default: <file>.rehashed)\n"},
    {"check, pack", "  [-c, --checkpoint=<id>]\n"
                    "                 only this checkpoint of a folder\n"},
    {"unpack", "  [-c, --checkpoint=<id>]\n"
               "                 only this checkpoint; its number, if the container lacks it\n"},
    {"convert", "  [-c, --checkpoint=<id>]\n"
                "                 number of the checkpoint, if the file lacks it\n"},
    {"unpack, convert", "   -l, --layout=<release>\n"
                        "                 write the layout of this release of FTI: 1.1 to 1.6, or\n"
                        "                 latest\n"},
    {"check, pack", "  [-r, --ranks=<n>]\n"
                    "                 so many ranks of the application must have files\n"},
    {"check, pack, unpack",
     "  [-n, --node-size=<n>]\n"
     "                 FTI ran with head = 1 and so many processes on each node\n"},
    {.text = NULL},
};

static const struct commands commands = {
    .about = "Show, check and convert checkpoints in FTI-FF, the file format of FTI. Where\n"
             "several files are allowed, a folder stands for the checkpoint files in it.\n",
    .command = command_list,
    .options = option_list,
};

static const struct tool_option options[] = {
    TOOL_FLAG("json", 'j', struct fti_settings, json),
    TOOL_NAME("output", 'o', struct fti_settings, output),
    TOOL_NUMBER("checkpoint", 'c', struct fti_settings, ckptid, 0),
    {"layout", 'l', fti_read_release, offsetof(struct fti_settings, version), 0},
    TOOL_NUMBER("ranks", 'r', struct fti_settings, ranks, 1),
    TOOL_NUMBER("node-size", 'n', struct fti_settings, node_size, 2),
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sionfti",
                                 .commands = &commands,
                                 .options = options,
                                 .operands = 1,
                                 .more_operands = 1};

int main(int argc, char **argv)
{
    struct fti_settings settings = {.ckptid = -1};
    const struct command *command;
    int status = tool_parse_command(&tool, argc, argv, &settings, &command);

    if (status == TOOL_RUN) {
        scion_log_begin_quiet(); /* the command reports failures, once */
        status = command->run(&settings, argc - optind, argv + optind);
    }
    return tool_finish(status);
}

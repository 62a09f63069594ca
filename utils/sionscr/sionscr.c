/* sionscr: files of the Scalable Checkpoint/Restart library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tool.h"
#include "sionscr/commands.h"
#include "sionscr/help.h"
#include "sionscr/processes.h"

static const struct command command_list[] = {
    {"dump", "FILE...", "print trees of keys", "ja", NULL, 1, -1, scr_dump, 0},
    {"export", "CONTAINER", "write the map of a SION container", "lcCopintSfDx", NULL, 1, 1,
     scr_export, 0},
    {"check", "DIR", "check a map and its files, or all datasets of a prefix", "CcfAbvRw", NULL, 1,
     1, scr_check, 0},
    {"fetch", "-o OUT DIR", "extract every rank's files, as located by the map", "oCcfAbv", "o", 1,
     1, scr_fetch, 1},
    {"pack", "-s SIZE -o DIR FILE...", "put the files of all ranks into containers of SCR", "sopLi",
     "so", 0, -1, scr_pack, 1},
    {"import", "DIR CONTAINER", "put the files of a map into a SION container", "CcfAbP", NULL, 2,
     2, scr_import, 0},
    {"convert", "DIR CONTAINER", "import, and export with the layout of another release of SCR",
     "CcfAblopintSDx", NULL, 2, 2, scr_convert, 0},
    {"seal", "DIR", "add sizes and CRCs to a map that lacks them", "CcfAb", NULL, 1, 1, scr_seal,
     1},
    {"list", "PREFIX", "show the datasets in the index of a prefix", "j", NULL, 1, 1, scr_list, 0},
    {"index", "PREFIX", "change the index of a prefix; its form stays", "udrBXkEN", NULL, 1, 1,
     scr_index, 0},
    {.name = NULL},
};

static const struct commands commands = {
    .about = "Show, write and use files of the Scalable Checkpoint/Restart library.\n",
    .command = command_list,
    .options = scr_option_help,
    .remark = "Under mpiexec, fetch, pack and seal divide the work; the others use one process.\n",
};

static int read_layout(const struct tool_option *option, const char *value, void *layout)
{
    static const char *const names[] = {
        [SION_SCR_LAYOUT_DATASET] = "dataset",
        [SION_SCR_LAYOUT_PREFIX] = "prefix",
        [SION_SCR_LAYOUT_3] = "scr3",
    };
    int i;

    for (i = SION_SCR_LAYOUT_DATASET; i <= SION_SCR_LAYOUT_3; i++) {
        if (strcmp(value, names[i]) == 0) {
            *(enum sion_scr_layout *)layout = (enum sion_scr_layout)i;
            return TOOL_RUN;
        }
    }
    tool_error("-%c takes dataset, prefix or scr3, not '%s'", option->letter, value);
    return TOOL_USAGE;
}

/* By the layout of its maps. */
static int read_release(const struct tool_option *option, const char *value, void *into)
{
    enum sion_scr_layout *release = into;

    if (strncmp(value, "1.1", 3) == 0)
        *release = SION_SCR_LAYOUT_DATASET;
    else if (strncmp(value, "1.2", 3) == 0 || strncmp(value, "2", 1) == 0)
        *release = SION_SCR_LAYOUT_PREFIX;
    else if (strncmp(value, "3", 1) == 0)
        *release = SION_SCR_LAYOUT_3;
    else
        tool_error("--%s takes 1.1, 1.2 or 3, not '%s'", option->name, value);
    return *release ? TOOL_RUN : TOOL_USAGE;
}

static const struct tool_option options[] = {
    TOOL_FLAG("json", 'j', struct scr_settings, json),
    TOOL_FLAG("all", 'a', struct scr_settings, all),
    {"layout", 'l', read_layout, offsetof(struct scr_settings, export.layout), 0},
    TOOL_TEXT("output", 'o', struct scr_settings, out),
    TOOL_NAME("prefix", 'p', struct scr_settings, prefix),
    TOOL_NUMBER("dataset-id", 'i', struct scr_settings, export.id, 1),
    TOOL_TEXT("name", 'n', struct scr_settings, export.name),
    TOOL_BYTES("segment", 't', struct scr_settings, map.segment),
    /* One takes the other back. */
    {"crc", 'c', tool_flag, offsetof(struct scr_settings, no_crc), 0},
    TOOL_FLAG("no-crc", 'C', struct scr_settings, no_crc),
    TOOL_FLAG("force", 'f', struct scr_settings, force),
    TOOL_FLAG("allow-outside", 'A', struct scr_settings, map.allow_outside),
    TOOL_NAME("base", 'b', struct scr_settings, map.base),
    TOOL_FLAG("verbose", 'v', struct scr_settings, verbose),
    TOOL_BYTES("size", 's', struct scr_settings, size),
    TOOL_TEXT("list", 'L', struct scr_settings, list),
    TOOL_FLAG("segments", 'S', struct scr_settings, export.segments),
    TOOL_TEXT("dataset", 'D', struct scr_settings, export.dataset),
    TOOL_FLAG("index", 'x', struct scr_settings, export.index),
    TOOL_TEXT("current", 'u', struct scr_settings, current),
    TOOL_TEXT("add", 'd', struct scr_settings, add),
    TOOL_FLAG("repair", 'r', struct scr_settings, repair),
    TOOL_FLAG("plain", 'P', struct scr_settings, plain),
    TOOL_NUMBER("restart", 'R', struct scr_settings, restart, 1),
    {"scr", 'w', read_release, offsetof(struct scr_settings, release), 0},
    TOOL_NAME("drop", 'X', struct scr_settings, drop.name),
    TOOL_NUMBER("keep", 'k', struct scr_settings, drop.keep, 1),
    TOOL_FLAG("delete", 'E', struct scr_settings, drop.delete_files),
    TOOL_FLAG("dry-run", 'N', struct scr_settings, drop.dry_run),
    TOOL_FLAG("build", 'B', struct scr_settings, build),
    TOOL_COMMON_OPTIONS,
};

static const struct tool tool = {.name = "sionscr",
                                 .commands = &commands,
                                 .options = options,
                                 .operands = 1,
                                 .more_operands = 1};

/* If the command runs in one process, the others have nothing to do. */
static int run(const struct command *command, struct scr_settings *settings, int *argc,
               char ***argv)
{
    int first = optind, status = TOOL_DONE;

    settings->comm = scr_processes_begin(argc, argv, &settings->rank, &settings->alone);
    if (!settings->comm)
        return TOOL_FAILED;
    if (command->together || settings->rank == 0)
        status = command->run(settings, *argc - first, *argv + first);
    scr_processes_end(settings->comm);
    return status;
}

/* Names made from an empty one would be in the root folder. */
static int check_operands(int n, char **operands)
{
    int i;

    for (i = 0; i < n; i++) {
        if (!operands[i][0]) {
            tool_error("an empty name of a file or folder");
            return TOOL_USAGE;
        }
    }
    return TOOL_RUN;
}

int main(int argc, char **argv)
{
    struct scr_settings settings = {0};
    const struct command *command;
    int status;

    /* All processes read the same command line. */
    tool_mute(!scr_processes_is_first());
    status = tool_parse_command(&tool, argc, argv, &settings, &command);
    if (status == TOOL_RUN)
        status = check_operands(argc - optind, argv + optind);
    tool_mute(0);
    if (status == TOOL_RUN)
        status = run(command, &settings, &argc, &argv);
    return tool_finish(status);
}

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
    {"check", "DIR", "check a map and its files, or all datasets of a prefix", "CcfAbvRw", NULL, 1, 1,
     scr_check, 0},
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

static int set_layout(const char *value, struct sion_scr_export_options *export)
{
    static const char *const names[] = {
        [SION_SCR_LAYOUT_DATASET] = "dataset",
        [SION_SCR_LAYOUT_PREFIX] = "prefix",
        [SION_SCR_LAYOUT_3] = "scr3",
    };
    int i;

    for (i = SION_SCR_LAYOUT_DATASET; i <= SION_SCR_LAYOUT_3; i++) {
        if (strcmp(value, names[i]) == 0) {
            export->layout = (enum sion_scr_layout)i;
            return TOOL_RUN;
        }
    }
    tool_error("-l takes dataset, prefix or scr3, not '%s'", value);
    return TOOL_USAGE;
}

/* By the layout of its maps. */
static int set_release(const char *value, enum sion_scr_layout *release)
{
    if (strncmp(value, "1.1", 3) == 0)
        *release = SION_SCR_LAYOUT_DATASET;
    else if (strncmp(value, "1.2", 3) == 0 || strncmp(value, "2", 1) == 0)
        *release = SION_SCR_LAYOUT_PREFIX;
    else if (strncmp(value, "3", 1) == 0)
        *release = SION_SCR_LAYOUT_3;
    else
        tool_error("--scr takes 1.1, 1.2 or 3, not '%s'", value);
    return *release ? TOOL_RUN : TOOL_USAGE;
}

static int set_bytes(int letter, const char *value, sion_int64 *bytes)
{
    const char option[] = {'-', (char)letter, '\0'};

    return tool_bytes(option, value, bytes);
}

static int set(int letter, const char *value, void *into)
{
    struct scr_settings *settings = into;

    switch (letter) {
    case 'j':
        settings->json = 1;
        break;
    case 'a':
        settings->all = 1;
        break;
    case 'c':
    case 'C':
        settings->no_crc = letter == 'C';
        break;
    case 'D':
        settings->export.dataset = value;
        break;
    case 'x':
        settings->export.index = 1;
        break;
    case 'S':
        settings->export.segments = 1;
        break;
    case 'f':
        settings->force = 1;
        break;
    case 'A':
        settings->map.allow_outside = 1;
        break;
    case 'P':
        settings->plain = 1;
        break;
    case 'v':
        settings->verbose = 1;
        break;
    case 'o':
        settings->out = value;
        break;
    case 'p':
        return tool_name(letter, value, &settings->prefix);
    case 'b':
        return tool_name(letter, value, &settings->map.base);
    case 'n':
        settings->export.name = value;
        break;
    case 'L':
        settings->list = value;
        break;
    case 'u':
        settings->current = value;
        break;
    case 'd':
        settings->add = value;
        break;
    case 'r':
        settings->repair = 1;
        break;
    case 'B':
        settings->build = 1;
        break;
    case 'X':
        return tool_name(letter, value, &settings->drop.name);
    case 'k':
        return tool_number(letter, value, 1, &settings->drop.keep);
    case 'E':
        settings->drop.delete_files = 1;
        break;
    case 'N':
        settings->drop.dry_run = 1;
        break;
    case 'R':
        return tool_number(letter, value, 1, &settings->restart);
    case 'w':
        return set_release(value, &settings->release);
    case 'l':
        return set_layout(value, &settings->export);
    case 'i':
        return tool_number(letter, value, 1, &settings->export.id);
    case 't':
        return set_bytes(letter, value, &settings->map.segment);
    case 's':
        return set_bytes(letter, value, &settings->size);
    default:
        break;
    }
    return TOOL_RUN;
}

static const struct option options[] = {
    {"json", no_argument, NULL, 'j'},         {"all", no_argument, NULL, 'a'},
    {"layout", required_argument, NULL, 'l'}, {"output", required_argument, NULL, 'o'},
    {"prefix", required_argument, NULL, 'p'}, {"dataset-id", required_argument, NULL, 'i'},
    {"name", required_argument, NULL, 'n'},   {"segment", required_argument, NULL, 't'},
    {"crc", no_argument, NULL, 'c'},          {"no-crc", no_argument, NULL, 'C'},
    {"force", no_argument, NULL, 'f'},        {"allow-outside", no_argument, NULL, 'A'},
    {"base", required_argument, NULL, 'b'},   {"verbose", no_argument, NULL, 'v'},
    {"size", required_argument, NULL, 's'},   {"list", required_argument, NULL, 'L'},
    {"segments", no_argument, NULL, 'S'},     {"dataset", required_argument, NULL, 'D'},
    {"index", no_argument, NULL, 'x'},        {"current", required_argument, NULL, 'u'},
    {"add", required_argument, NULL, 'd'},    {"repair", no_argument, NULL, 'r'},
    {"plain", no_argument, NULL, 'P'},        {"restart", required_argument, NULL, 'R'},
    {"scr", required_argument, NULL, 'w'},    {"drop", required_argument, NULL, 'X'},
    {"keep", required_argument, NULL, 'k'},   {"delete", no_argument, NULL, 'E'},
    {"dry-run", no_argument, NULL, 'N'},      {"build", no_argument, NULL, 'B'},
    TOOL_COMMON_OPTIONS};

static const struct tool tool = {.name = "sionscr",
                                 .commands = &commands,
                                 .letters =
                                     "jal:o:p:i:n:t:cCfAb:vs:L:SD:xu:d:rBPR:w:X:k:EN" TOOL_COMMON_LETTERS,
                                 .options = options,
                                 .operands = 1,
                                 .more_operands = 1,
                                 .set = set};

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

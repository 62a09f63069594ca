/* sionscr: files of the Scalable Checkpoint/Restart library. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sionscr.h"
#include "lib/tool.h"

struct command {
    const char *name;
    const char *letters; /* options that mean something to it */
    int least, most;     /* operands; most < 0: any number */
    int together;        /* all processes work; else one does, and the others wait */
    scr_command *run;
};

static const struct command commands[] = {
    {"dump", "ja", 1, -1, 0, scr_dump},      {"export", "lcCopintSfDx", 1, 1, 0, scr_export},
    {"check", "CcfAbv", 1, 1, 0, scr_check}, {"fetch", "oCcfAbv", 1, 1, 1, scr_fetch},
    {"pack", "sopLi", 0, -1, 1, scr_pack},   {"import", "CcfAb", 2, 2, 0, scr_import},
    {"seal", "CcfAb", 1, 1, 1, scr_seal},    {"list", "j", 1, 1, 0, scr_list},
    {"index", "udr", 1, 1, 0, scr_index},
};

struct given {
    struct scr_settings settings;
    char letters[32]; /* options that were given */
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

/* A number of bytes, > 0; k, M, G, T multiply by powers of 1024. */
static int set_bytes(int letter, const char *value, sion_int64 *bytes)
{
    static const char units[] = "kMGT";
    char *end;
    const char *unit;

    errno = 0;
    *bytes = strtoll(value, &end, 10);
    unit = *end ? strchr(units, *end) : NULL;
    if (end != value && errno == 0 && *bytes > 0 && (!*end || (unit && !end[1]))) {
        int shift = unit ? 10 * (int)(unit - units + 1) : 0;

        if (*bytes <= INT64_MAX >> shift) {
            *bytes <<= shift;
            return TOOL_RUN;
        }
    }
    tool_error("-%c takes a number of bytes, not '%s'", letter, value);
    return TOOL_USAGE;
}

static int set(int letter, const char *value, void *into)
{
    struct given *given = into;
    struct scr_settings *settings = &given->settings;
    size_t used = strlen(given->letters);

    if (used < sizeof given->letters - 1 && !strchr(given->letters, letter))
        given->letters[used] = (char)letter;
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
        settings->allow_outside = 1;
        break;
    case 'v':
        settings->verbose = 1;
        break;
    case 'o':
        settings->out = value;
        break;
    case 'p':
        settings->prefix = value;
        break;
    case 'b':
        settings->base = value;
        break;
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
    case 'l':
        return set_layout(value, &settings->export);
    case 'i':
        return tool_number(letter, value, 1, &settings->export.id);
    case 't':
        return set_bytes(letter, value, &settings->export.map.segment);
    case 's':
        return set_bytes(letter, value, &settings->size);
    default:
        break;
    }
    return TOOL_RUN;
}

static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                        {"all", no_argument, NULL, 'a'},
                                        {"layout", required_argument, NULL, 'l'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"prefix", required_argument, NULL, 'p'},
                                        {"dataset-id", required_argument, NULL, 'i'},
                                        {"name", required_argument, NULL, 'n'},
                                        {"segment", required_argument, NULL, 't'},
                                        {"crc", no_argument, NULL, 'c'},
                                        {"no-crc", no_argument, NULL, 'C'},
                                        {"force", no_argument, NULL, 'f'},
                                        {"allow-outside", no_argument, NULL, 'A'},
                                        {"base", required_argument, NULL, 'b'},
                                        {"verbose", no_argument, NULL, 'v'},
                                        {"size", required_argument, NULL, 's'},
                                        {"list", required_argument, NULL, 'L'},
                                        {"segments", no_argument, NULL, 'S'},
                                        {"dataset", required_argument, NULL, 'D'},
                                        {"index", no_argument, NULL, 'x'},
                                        {"current", required_argument, NULL, 'u'},
                                        {"add", required_argument, NULL, 'd'},
                                        {"repair", no_argument, NULL, 'r'},
                                        TOOL_COMMON_OPTIONS};

static const struct tool tool = {.name = "sionscr",
                                 .print_usage = scr_print_usage,
                                 .print_help_of = scr_print_help_of,
                                 .letters =
                                     "jal:o:p:i:n:t:cCfAb:vs:L:SD:xu:d:r" TOOL_COMMON_LETTERS,
                                 .options = options,
                                 .operands = 1,
                                 .more_operands = 1,
                                 .set = set};

static const struct command *find_command(const char *name)
{
    size_t i;

    for (i = 0; name && i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    }
    return NULL;
}

static const struct command *choose_command(const struct given *given, int n, char **operands)
{
    const struct command *command = n > 0 ? find_command(operands[0]) : NULL;
    size_t wrong;

    if (!command) {
        tool_error("there is no command '%s': see sionscr --help", operands[0]);
        return NULL;
    }
    if (n - 1 < command->least || (command->most >= 0 && n - 1 > command->most)) {
        tool_error("%s takes %s%d operand%s, not %d: see sionscr --help", command->name,
                   command->most < 0 ? "at least " : "", command->least,
                   command->least == 1 ? "" : "s", n - 1);
        return NULL;
    }
    wrong = strspn(given->letters, command->letters);
    if (given->letters[wrong]) {
        tool_error("-%c is no option of %s", given->letters[wrong], command->name);
        return NULL;
    }
    return command;
}

/* Commands of one process: the others have nothing to do. */
static int run_alone(const struct command *command, struct scr_settings *settings, int n,
                     char **operands)
{
    int status = TOOL_DONE;

    if (settings->rank == 0)
        status = command->run(settings, n, operands);
    return status;
}

static int run(const struct given *given, int *argc, char ***argv)
{
    struct scr_settings settings = given->settings;
    int first = optind, status;
    const struct command *command = choose_command(given, *argc - first, *argv + first);

    if (!command)
        return TOOL_USAGE;
    tool_mute(0);
    settings.comm = scr_processes_begin(argc, argv, &settings.rank, &settings.alone);
    if (!settings.comm)
        return TOOL_FAILED;
    if (command->together)
        status = command->run(&settings, *argc - first - 1, *argv + first + 1);
    else
        status = run_alone(command, &settings, *argc - first - 1, *argv + first + 1);
    scr_processes_end(settings.comm);
    return status;
}

int main(int argc, char **argv)
{
    struct given given = {0};
    int status;

    /* All processes read the same command line. */
    tool_mute(!scr_processes_is_first());
    status = tool_parse(&tool, argc, argv, &given);
    if (status == TOOL_RUN)
        status = run(&given, &argc, &argv);
    return tool_finish(status);
}

/* sionfti: checkpoints of the Fault Tolerance Interface in its file format FTI-FF. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "lib/tool.h"
#include "sionfti/commands.h"

struct command {
    const char *name;
    const char *letters; /* options that mean something to it */
    const char *needs;   /* options that it cannot do without */
    int most;            /* operands; at least 1 */
    fti_command *run;
};

static const struct command commands[] = {
    {"dump", "j", "", INT_MAX, fti_dump},  {"check", "c", "", INT_MAX, fti_check},
    {"extract", "o", "o", 1, fti_extract}, {"pack", "oc", "o", INT_MAX, fti_pack},
    {"unpack", "oc", "o", 1, fti_unpack},  {"rehash", "o", "", 1, fti_rehash},
};

static void print_usage(FILE *to, const char *argv0)
{
    fprintf(to,
            "Usage: %s command options <file>...\n\n"
            "Show, check and convert checkpoints in FTI-FF, the file format of FTI. Where\n"
            "several files are possible, a folder stands for the checkpoint files in it.\n\n"
            "Commands:\n"
            "  dump <file>...             print the data structure\n"
            "  check <file>...            compare everything with all digests\n"
            "  extract -o <dir> <file>    write the variables to var_<id>.bin\n"
            "  pack -o <sionfn> <file>... put the files into a container\n"
            "  unpack -o <dir> <sionfn>   get the files out of a container\n"
            "  rehash <file>              mend the checksum that FTI 1.3 and later have\n"
            "                             written and refuse, in a new file\n\n"
            "Options:\n"
            "  [-j]             dump: print JSON\n"
            "  [-o <name>]      folder or file to write to; rehash: if not specified,\n"
            "                   <file>.rehashed\n"
            "  [-c <id>]        check, pack: of a folder only this checkpoint;\n"
            "                   unpack: its number, if the container does not know it\n"
            "  [-V]             show version of SIONlib\n"
            "  [-h]             show this help\n",
            argv0);
}

struct given {
    struct fti_settings settings;
    char letters[8]; /* options that were given */
};

static int set(int letter, const char *value, void *into)
{
    struct given *given = into;
    size_t used = strlen(given->letters);

    if (used < sizeof given->letters - 1 && !strchr(given->letters, letter))
        given->letters[used] = (char)letter;
    switch (letter) {
    case 'j':
        given->settings.json = 1;
        break;
    case 'o':
        if (!*value) {
            tool_error("-o needs a name");
            return TOOL_USAGE;
        }
        given->settings.output = value;
        break;
    default:
        return tool_number(letter, value, 0, &given->settings.ckptid);
    }
    return TOOL_RUN;
}

static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"checkpoint", required_argument, NULL, 'c'},
                                        TOOL_COMMON_OPTIONS};

static const struct tool tool = {.name = "sionfti",
                                 .print_usage = print_usage,
                                 .letters = "jo:c:" TOOL_COMMON_LETTERS,
                                 .options = options,
                                 .operands = 0,
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

/* n operands and the options that were given, or NULL with a message. */
static const struct command *choose(const struct given *given, const char *argv0, int n,
                                    char **operands)
{
    const struct command *command = n > 1 ? find_command(operands[0]) : NULL;
    size_t wrong, missing;

    if (!command || n - 1 > command->most) {
        print_usage(stderr, argv0);
        return NULL;
    }
    wrong = strspn(given->letters, command->letters);
    if (given->letters[wrong]) {
        tool_error("-%c is no option of %s", given->letters[wrong], command->name);
        return NULL;
    }
    missing = strspn(command->needs, given->letters);
    if (command->needs[missing]) {
        tool_error("%s needs -%c", command->name, command->needs[missing]);
        return NULL;
    }
    return command;
}

int main(int argc, char **argv)
{
    struct given given = {.settings = {.ckptid = -1}};
    int status = tool_parse(&tool, argc, argv, &given);

    if (status == TOOL_RUN) {
        const struct command *command = choose(&given, argv[0], argc - optind, argv + optind);

        scion_log_begin_quiet(); /* what fails is told once, by the command */
        status = command ? command->run(&given.settings, argc - optind - 1, argv + optind + 1)
                         : TOOL_USAGE;
    }
    return tool_finish(status);
}

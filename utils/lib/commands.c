#include "lib/commands.h"

#include <string.h>

#include "lib/message.h"
#include "lib/text.h"
#include "lib/tool.h"

enum { MARGIN = 24 }; /* where the purpose of a command stands */

static const char of_all[] =
    "  [-V, --version]\n"
    "                 show version number of SIONlib\n"
    "  [-h, --help]   show this help, or that of the command before it\n" TOOL_QUIET_HELP;

static const struct command *find(const struct commands *commands, const char *name)
{
    const struct command *command;

    for (command = commands->command; command->name; command++) {
        if (strcmp(name, command->name) == 0)
            return command;
    }
    return NULL;
}

/* ---- help ---- */

static void print_command(const struct command *command, FILE *to)
{
    int width = fprintf(to, "  %s %s", command->name, command->usage);

    if (width > MARGIN - 2)
        width = fprintf(to, "\n") - 1;
    fprintf(to, "%*s%s\n", MARGIN - width, "", command->purpose);
}

void commands_print(const struct commands *commands, const char *argv0, FILE *to)
{
    const struct command *command;
    const struct command_options *options;

    fprintf(to, "Usage: %s COMMAND options operands\n\n%s\nCommands:\n", argv0, commands->about);
    for (command = commands->command; command->name; command++)
        print_command(command, to);
    fputc('\n', to);
    for (options = commands->options; options->text; options++)
        fprintf(to, "Options of %s:\n%s", options->commands, options->text);
    fprintf(to, "Options of all:\n%s", of_all);
    if (commands->remark)
        fprintf(to, "\n%s", commands->remark);
}

static int has_name(const char *list, const char *name)
{
    size_t length = strlen(name);

    while (list) {
        if (strncmp(list, name, length) == 0 && (!list[length] || list[length] == ','))
            return 1;
        list = strchr(list, ' ');
        list = list ? list + 1 : NULL;
    }
    return 0;
}

int commands_print_one(const struct commands *commands, const char *tool, const char *name)
{
    const struct command *command = find(commands, name);
    const struct command_options *options;

    if (!command)
        return 0;
    printf("Usage: %s %s options %s\n\nTo %s.\n\nOptions:\n", tool, name, command->usage,
           command->purpose);
    for (options = commands->options; options->text; options++) {
        if (has_name(options->commands, name))
            fputs(options->text, stdout);
    }
    fputs(of_all, stdout);
    return 1;
}

/* ---- the choice ---- */

static int has_right_count(const struct command *command, const char *tool, int n)
{
    int is_most = n >= command->least, limit = is_most ? command->most : command->least;

    if (is_most && (command->most < 0 || n <= command->most))
        return 1;
    tool_error("%s takes %s%d operand%s, not %d: see %s %s --help", command->name,
               command->least == command->most ? ""
               : is_most                       ? "at most "
                                               : "at least ",
               limit, text_plural(limit), n, tool, command->name);
    return 0;
}

static int has_right_options(const struct command *command, const char *tool, const char *given)
{
    const char *wrong = given + strspn(given, command->letters);
    const char *missing = command->needs ? command->needs + strspn(command->needs, given) : "";

    if (*wrong)
        tool_error("-%c is not an option of %s: see %s %s --help", *wrong, command->name, tool,
                   command->name);
    else if (*missing)
        tool_error("%s needs -%c: see %s %s --help", command->name, *missing, tool, command->name);
    return !*wrong && !*missing;
}

const struct command *commands_choose(const struct commands *commands, const char *tool,
                                      const char *given, int n, char **words)
{
    const struct command *command = find(commands, words[0]);

    if (!command) {
        tool_error("there is no command '%s': see %s --help", words[0], tool);
        return NULL;
    }
    return has_right_count(command, tool, n - 1) && has_right_options(command, tool, given)
               ? command
               : NULL;
}

#include "lib/tool.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sion_const.h"

#include "lib/help.h"
#include "lib/progress.h"
#include "vfs/stdio_named.h"

enum { MOST_OPTIONS = 64, NAMES_ONLY = 512 };

/* The options as getopt takes them; one without a letter has the value NAMES_ONLY + its place. */
static struct option names[MOST_OPTIONS + 1];
static char letters[1 + 2 * MOST_OPTIONS + 1];

static int is_forced, is_quiet, is_alone;

int tool_is_forced(void)
{
    return is_forced;
}

int tool_is_alone(void)
{
    return is_alone;
}

/* As SIONlib's tools do. */
static void print_version(const char *argv0)
{
    printf("SIONlib utility %s (Version %d.%dp%d, fileformat version %d)\n", argv0,
           SION_MAIN_VERSION, SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, SION_FILEFORMAT_VERSION);
}

static void print_own_version(void)
{
    printf("Scion %s (interface %d.%d.%d, format %d)\n", PACKAGE_VERSION, SION_MAIN_VERSION,
           SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, SION_FILEFORMAT_VERSION);
}

static void list_options(const struct tool *tool)
{
    const struct tool_option *option;
    char *letter = letters;
    int i;

    if (tool->runs_operands)
        *letter++ = '+';
    for (i = 0; i < MOST_OPTIONS && tool->options[i].name; i++) {
        option = &tool->options[i];
        names[i] = (struct option){option->name, tool_takes_value(option), NULL,
                                   option->letter ? option->letter : NAMES_ONLY + i};
        if (option->letter && option->letter < TOOL_OPTION_PROGRESS) {
            *letter++ = (char)option->letter;
            if (names[i].has_arg)
                *letter++ = ':';
        }
    }
}

static void print_usage(const struct tool *tool, FILE *to, const char *argv0)
{
    if (tool->commands)
        commands_print(tool->commands, argv0, to);
    else
        help_print_usage(tool->usage, to, argv0);
}

/* Print the help of the command, if one is on the command line, else of the tool. */
static void print_help(const struct tool *tool, int argc, char **argv)
{
    while (getopt_long(argc, argv, letters, names, NULL) != -1)
        ;
    if (tool->commands && optind < argc &&
        commands_print_one(tool->commands, tool->name, argv[optind]))
        return;
    if (tool->commands)
        commands_print(tool->commands, argv[0], stdout);
    else
        help_print(tool, argv[0]);
}

/* Report wrong operands, after a message; the status to exit with. */
static int tool_wrong_usage(const struct tool *tool, const char *argv0)
{
    if (!tool_is_muted())
        print_usage(tool, stderr, argv0);
    return TOOL_USAGE;
}

/* An option that getopt refused: it leaves the letter, or 0 for an unknown long name. */
static int wrong_option(const struct tool *tool, char **argv)
{
    const struct option *option = names;

    while (option->name && option->val != optopt)
        option++;
    if (!optopt)
        tool_error("unknown option %s: see %s --help", argv[optind - 1], tool->name);
    else if (!option->name)
        tool_error("unknown option -%c: see %s --help", optopt, tool->name);
    else
        tool_error("--%s takes %s value: see %s --help", option->name,
                   option->has_arg == required_argument ? "a" : "no", tool->name);
    return tool->as_sionlib ? tool_wrong_usage(tool, argv[0]) : TOOL_USAGE;
}

/* The first one that is wrong is named. Without any argument, all that helps is the usage. */
int tool_unexpected(const struct tool *tool, const char *argv0, const char *operand)
{
    tool_error("unexpected operand '%s': see %s --help", operand, tool->name);
    return tool->as_sionlib ? tool_wrong_usage(tool, argv0) : TOOL_USAGE;
}

static int check_operands(const struct tool *tool, int argc, char **argv)
{
    int given = argc - optind;

    if (given >= tool->operands && (given == tool->operands || tool->more_operands))
        return TOOL_RUN;
    if (given > tool->operands)
        return tool_unexpected(tool, argv[0], argv[optind + tool->operands]);
    if (argc > 1)
        tool_error("operand %d of %d is missing: see %s --help", given + 1, tool->operands,
                   tool->name);
    return argc == 1 || tool->as_sionlib ? tool_wrong_usage(tool, argv[0]) : TOOL_USAGE;
}

/* What is for people goes nowhere. */
static int be_quiet(const struct tool *tool)
{
    int errnum = tool->writes_data ? 0 : scion_stdio_discard(stdout);

    tool_quieten();
    progress_choose("never");
    if (errnum == 0)
        return TOOL_RUN;
    tool_error("cannot write /dev/null: %s", strerror(errnum));
    return TOOL_FAILED;
}

static int choose_progress(const char *when)
{
    if (progress_choose(when) == 0)
        return TOOL_RUN;
    tool_error("--progress takes auto, always or never, not '%s'", when);
    return TOOL_USAGE;
}

static int print_version_or_help(const struct tool *tool, int letter, int is_long, int argc,
                                 char **argv)
{
    if (tool_is_muted())
        return TOOL_DONE;
    if (letter == 'h')
        print_help(tool, argc, argv);
    else if (is_long)
        print_own_version();
    else
        print_version(argv[0]);
    return TOOL_DONE;
}

static int set_option(const struct tool *tool, int letter, void *settings, char *given)
{
    size_t used = strlen(given);
    const struct tool_option *option = tool->options;
    int i;

    if (letter < TOOL_OPTION_PROGRESS && used < MOST_OPTIONS && !strchr(given, letter))
        given[used] = (char)letter;
    if (letter == TOOL_OPTION_PROGRESS)
        return choose_progress(optarg);
    for (i = 0; names[i].val != letter; i++)
        option++;
    if (option->read)
        return option->read(option, optarg, (char *)settings + option->member);
    *(letter == TOOL_OPTION_FORCE   ? &is_forced
      : letter == TOOL_OPTION_QUIET ? &is_quiet
                                    : &is_alone) = 1;
    return TOOL_RUN;
}

/* given: room for MOST_OPTIONS and a NUL; all 0. */
static int parse_options(const struct tool *tool, int argc, char **argv, void *settings,
                         char *given)
{
    int letter, status = TOOL_RUN, name = -1; /* name: of options; -1: a letter was given */

    opterr = 0;
    while (status == TOOL_RUN && (letter = getopt_long(argc, argv, letters, names, &name)) != -1) {
        if (letter == 'h' || letter == 'V')
            return print_version_or_help(tool, letter, name >= 0, argc, argv);
        if (letter == '?')
            return wrong_option(tool, argv);
        status = set_option(tool, letter, settings, given);
        name = -1;
    }
    return status;
}

static int begin(const struct tool *tool, int argc, char **argv, void *settings, char *given)
{
    int status;

    /* Numbers in the output have a decimal point, whatever a library has set at its start. */
    setlocale(LC_ALL, "C");
    tool_set_name(tool->name);
    list_options(tool);
    /* Messages must not go into a data file that has the number of a closed stderr. */
    scion_stdio_occupy();
    status = parse_options(tool, argc, argv, settings, given);
    if (status == TOOL_RUN)
        status = check_operands(tool, argc, argv);
    return status == TOOL_RUN && is_quiet ? be_quiet(tool) : status;
}

int tool_parse(const struct tool *tool, int argc, char **argv, void *settings)
{
    char given[MOST_OPTIONS + 1] = "";

    return begin(tool, argc, argv, settings, given);
}

int tool_parse_command(const struct tool *tool, int argc, char **argv, void *settings,
                       const struct command **command)
{
    char given[MOST_OPTIONS + 1] = "";
    int status = begin(tool, argc, argv, settings, given);

    if (status != TOOL_RUN)
        return status;
    *command = commands_choose(tool->commands, tool->name, given, argc - optind, argv + optind);
    optind++;
    return *command ? TOOL_RUN : TOOL_USAGE;
}

int tool_takes_value(const struct tool_option *option)
{
    return option->read ? option->read != tool_flag : option->letter == TOOL_OPTION_PROGRESS;
}

const char *tool_spelling(const struct tool_option *option)
{
    static char text[64];

    if (option->letter)
        snprintf(text, sizeof text, "-%c", option->letter);
    else
        snprintf(text, sizeof text, "--%s", option->name);
    return text;
}

int tool_flag(const struct tool_option *option, const char *value, void *member)
{
    (void)value;
    *(int *)member = option->number;
    return TOOL_RUN;
}

int tool_text(const struct tool_option *option, const char *value, void *member)
{
    (void)option;
    *(const char **)member = value;
    return TOOL_RUN;
}

int tool_name(const struct tool_option *option, const char *value, void *member)
{
    if (!*value) {
        tool_error("-%c needs a name", option->letter);
        return TOOL_USAGE;
    }
    return tool_text(option, value, member);
}

int tool_number(const struct tool_option *option, const char *value, void *member)
{
    int lowest = option->number;
    char *end;
    long number;

    errno = 0;
    number = strtol(value, &end, 10);
    if (end == value || *end || errno || number > INT_MAX || number < lowest) {
        tool_error("%s takes a number from %d to %d, not '%s'", tool_spelling(option), lowest,
                   INT_MAX, value);
        return TOOL_USAGE;
    }
    *(int *)member = (int)number;
    return TOOL_RUN;
}

int tool_bytes(const struct tool_option *option, const char *text, void *into)
{
    static const char units[] = "kMGT";
    char *end;
    const char *unit;
    sion_int64 *bytes = into;

    errno = 0;
    *bytes = strtoll(text, &end, 10);
    unit = *end ? strchr(units, *end) : NULL;
    if (end != text && errno == 0 && *bytes > 0 && (!*end || (unit && !end[1]))) {
        int shift = unit ? 10 * (int)(unit - units + 1) : 0;

        if (*bytes <= INT64_MAX >> shift) {
            *bytes <<= shift;
            return TOOL_RUN;
        }
    }
    tool_error("%s takes a number of bytes, not '%s'", tool_spelling(option), text);
    return TOOL_USAGE;
}

#include "lib/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sion_const.h"

#include "lib/progress.h"

static const char *tool_name; /* NULL: as the program was called */
static int is_muted;

void tool_mute(int muted)
{
    is_muted = muted;
}

/* As SIONlib's tools do. */
static void print_version(const char *argv0)
{
    if (is_muted)
        return;
    printf("SIONlib utility %s (Version %d.%dp%d, fileformat version %d)\n", argv0,
           SION_MAIN_VERSION, SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, SION_FILEFORMAT_VERSION);
}

static void print_own_version(void)
{
    printf("Scion %s (interface %d.%d.%d, format %d)\n", PACKAGE_VERSION, SION_MAIN_VERSION,
           SION_SUB_VERSION, SION_VERSION_PATCHLEVEL, SION_FILEFORMAT_VERSION);
}

/* "tool command --help": the help of the command. */
static int print_help_of_command(const struct tool *tool, char **argv)
{
    while (tool->print_help_of && *++argv) {
        if (argv[0][0] != '-')
            return tool->print_help_of(*argv);
    }
    return 0;
}

static void print_help(const struct tool *tool, char **argv)
{
    const char *argv0 = argv[0];
    const struct option *option;

    if (is_muted || print_help_of_command(tool, argv))
        return;
    tool->print_usage(stdout, argv0);
    printf("\nLong options:\n");
    for (option = tool->options; option->name; option++) {
        if (option->val < TOOL_OPTION_PROGRESS)
            printf("  -%c, --%s%s\n", option->val, option->name,
                   option->has_arg == required_argument ? "=<value>" : "");
    }
    if (tool->more_help)
        fputs(tool->more_help, stdout);
}

int tool_wrong_usage(const struct tool *tool, const char *argv0)
{
    if (!is_muted)
        tool->print_usage(stderr, argv0);
    return TOOL_USAGE;
}

/*
 * A closed stdin, stdout or stderr must not become the number of a data file, into which messages
 * would go then. Not writable, so that output to a closed stdout still fails.
 */
static void occupy_standard_descriptors(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

static int choose_progress(const char *when)
{
    if (progress_choose(when) == 0)
        return TOOL_RUN;
    tool_error("--progress takes auto, always or never, not '%s'", when);
    return TOOL_USAGE;
}

int tool_parse(const struct tool *tool, int argc, char **argv, void *settings)
{
    int letter, status = TOOL_RUN, name = -1; /* name: of options; -1: a letter was given */

    tool_name = tool->name;
    opterr = 0;
    occupy_standard_descriptors();
    while (status == TOOL_RUN &&
           (letter = getopt_long(argc, argv, tool->letters, tool->options, &name)) != -1) {
        switch (letter) {
        case 'h':
            print_help(tool, argv);
            return TOOL_DONE;
        case 'V':
            if (name < 0)
                print_version(argv[0]);
            else
                print_own_version();
            return TOOL_DONE;
        case '?':
            return tool_wrong_usage(tool, argv[0]);
        case TOOL_OPTION_PROGRESS:
            status = choose_progress(optarg);
            break;
        default:
            status = tool->set(letter, optarg, settings);
        }
        name = -1;
    }
    if (status == TOOL_RUN && (argc - optind < tool->operands ||
                               (argc - optind > tool->operands && !tool->more_operands)))
        return tool_wrong_usage(tool, argv[0]);
    return status;
}

int tool_number(int letter, const char *text, int lowest, int *number)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end || errno || value > INT_MAX || value < lowest) {
        tool_error("-%c takes a number from %d to %d, not '%s'", letter, lowest, INT_MAX, text);
        return TOOL_USAGE;
    }
    *number = (int)value;
    return TOOL_RUN;
}

void tool_error(const char *format, ...)
{
    const char *name = tool_name ? tool_name : program_invocation_short_name;
    va_list arguments;
    char *text;
    int length;

    if (is_muted)
        return;
    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    /* In one write, so that the lines of several processes do not mix. */
    fprintf(stderr, "%s: %s\n", name, length < 0 ? "out of memory" : text);
    if (length >= 0)
        free(text);
}

void tool_line(FILE *to, int width, const char *label, const char *format, ...)
{
    va_list arguments;

    fprintf(to, "%s: %-*s", tool_name, width, label);
    va_start(arguments, format);
    vfprintf(to, format, arguments);
    va_end(arguments);
    fputc('\n', to);
}

int tool_finish(int status)
{
    int failed = ferror(stdout);

    errno = 0;
    if (fclose(stdout) != 0)
        failed = 1;
    if (!failed || (status != TOOL_DONE && status != TOOL_RUN))
        return status;
    tool_error("cannot write standard output: %s", errno ? strerror(errno) : "write error");
    return TOOL_FAILED;
}

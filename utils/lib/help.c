#include "lib/help.h"

#include <stdlib.h>
#include <string.h>

static const char shown_first[] = "  [-"; /* a line of a usage text that shows an option */

void help_print_usage(const char *usage, FILE *to, const char *argv0)
{
    const char *name;

    while ((name = strstr(usage, "%s"))) {
        fprintf(to, "%.*s%s", (int)(name - usage), usage, argv0);
        usage = name + strlen("%s");
    }
    fputs(usage, to);
}

/* To be freed; NULL: out of memory. */
static char *usage_of(const struct tool *tool, const char *argv0)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to) {
        help_print_usage(tool->usage, to, argv0);
        fclose(to);
    }
    return text;
}

/* What a usage text calls the value of an option: "<task>". */
static const char *find_argument(const char *usage, int letter, int *length)
{
    const char *at = usage;

    while (at && (at = strstr(at, shown_first))) {
        at += strlen(shown_first);
        if (*at == letter && at[1] == ' ' && at[2] == '<') {
            *length = (int)strcspn(at + 2, "]");
            return at + 2;
        }
    }
    *length = (int)strlen("<value>");
    return "<value>";
}

static const struct tool_option *find_option(const struct tool *tool, int letter)
{
    const struct tool_option *option = tool->options;

    while (option->name && option->letter != letter)
        option++;
    return option->name ? option : NULL;
}

/* "  -t, --task=<task>"; how long it is. */
static int print_option(const struct tool_option *option, const char *usage)
{
    int length, width = printf("  -%c, --%s", option->letter, option->name);
    const char *argument = find_argument(usage, option->letter, &length);

    if (tool_takes_value(option))
        width += printf("=%.*s", length, argument);
    return width;
}

/* ---- SIONlib's tools ---- */

static void print_list(const struct tool *tool, const char *usage)
{
    const struct tool_option *option;

    printf("%s\nLong options:\n", usage);
    for (option = tool->options; option->name; option++) {
        if (option->letter && option->letter < TOOL_OPTION_PROGRESS) {
            print_option(option, usage);
            putchar('\n');
        }
    }
}

/* ---- others ---- */

/* The text of an option stands where it stood, or, after a long one, in a line of its own. */
static void print_line(const struct tool *tool, const char *usage, const char *line)
{
    size_t intro = strlen(shown_first);
    const struct tool_option *option =
        strncmp(line, shown_first, intro) == 0 ? find_option(tool, line[intro]) : NULL;
    const char *text = option ? strchr(line, ']') : NULL;
    int column, width;

    if (!text) {
        printf("%.*s", (int)strcspn(line, "\n") + 1, line);
        return;
    }
    text += 1 + strspn(text + 1, " ");
    column = (int)(text - line);
    width = print_option(option, usage);
    if (width >= column)
        width = printf("\n") - 1;
    printf("%*s%.*s", column - width, "", (int)strcspn(text, "\n") + 1, text);
}

static int has_letter_for_quiet(const struct tool *tool)
{
    const struct tool_option *option = find_option(tool, 'q');

    return option && strcmp(option->name, "quiet") == 0;
}

void help_print(const struct tool *tool, const char *argv0)
{
    char *usage = usage_of(tool, argv0), *line;

    if (usage && tool->as_sionlib)
        print_list(tool, usage);
    for (line = usage; line && *line && !tool->as_sionlib; line += strcspn(line, "\n") + 1)
        print_line(tool, usage, line);
    if (tool->more_help)
        fputs(tool->more_help, stdout);
    if (!has_letter_for_quiet(tool))
        fputs(TOOL_QUIET_HELP, stdout);
    free(usage);
}

/* What the command line tools share: the command line, lines of a report, errors, the end. */
#ifndef UTILS_LIB_TOOL_H
#define UTILS_LIB_TOOL_H

#include <getopt.h>
#include <stdio.h>

/* Exit statuses; TOOL_RUN: no reason to exit yet. */
enum { TOOL_RUN = -1, TOOL_DONE = 0, TOOL_USAGE = 1, TOOL_FAILED = 2 };

enum {
    /* Width of the labels in reports. */
    TOOL_LABEL = 27
};

struct tool {
    const char *name;
    void (*print_usage)(FILE *to, const char *argv0);
    const char *letters;          /* as getopt takes them */
    const struct option *options; /* long names of all letters, TOOL_COMMON_OPTIONS at the end */
    const char *more_help;        /* on options without a letter, each "  --name  text"; or NULL */
    int (*print_help_of)(const char *command); /* 0: there is no such; NULL: it has no commands */
    int operands;                              /* how many there have to be */
    int more_operands;                         /* 1: or more */

    /* One option was given; settings as passed to tool_parse. TOOL_RUN or an exit status. */
    int (*set)(int letter, const char *value, void *settings);
};

#define TOOL_COMMON_LETTERS "Vh"
/* Values of options without a letter; each tool's own begin with the last one. */
enum { TOOL_OPTION_PROGRESS = 256, TOOL_OPTION_OWN };

/* clang-format off */
/* Of tools whose work may be long; tool_parse sees to it. */
#define TOOL_PROGRESS_OPTION {"progress", required_argument, NULL, TOOL_OPTION_PROGRESS}
#define TOOL_PROGRESS_HELP                                                                         \
    "  --progress=auto|always|never\n"                                                             \
    "                   show on stderr how far the work is; auto: on a terminal,\n"                \
    "                   after a second\n"
#define TOOL_COMMON_OPTIONS                                                                        \
    {"version", no_argument, NULL, 'V'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}
/* clang-format on */

/*
 * Read the command line, answer -h and -V, complain about wrong use. The operands are argv[optind]
 * and on. TOOL_RUN, or the status to exit with.
 */
int tool_parse(const struct tool *tool, int argc, char **argv, void *settings);

/* Complain about wrong use; the status to exit with. */
int tool_wrong_usage(const struct tool *tool, const char *argv0);

/* A number in decimal, whole and in range; else a message and TOOL_USAGE. TOOL_RUN if good. */
int tool_number(int letter, const char *text, int lowest, int *number);

/* 1: from now on nothing is said, no message and no help: another process says the same. 0: no
 * more. */
void tool_mute(int muted);

/* One line on stderr, the tool's name before it. */
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line "tool: label value", the label padded to width. */
void tool_line(FILE *to, int width, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Close stdout. What could not be written is a failure: reported, unless one was before. */
int tool_finish(int status);

#endif

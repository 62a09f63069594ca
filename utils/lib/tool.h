/* The command line of a tool. */
#ifndef UTILS_LIB_TOOL_H
#define UTILS_LIB_TOOL_H

#include <getopt.h>
#include <stdio.h>

#include "sion_datatypes.h"

#include "lib/commands.h"
#include "lib/message.h"

struct tool {
    const char *name;
    void (*print_usage)(FILE *to, const char *argv0); /* of a tool without commands */
    const struct commands *commands;                  /* or NULL */
    const char *letters;                              /* as getopt takes them */
    const struct option *options; /* long names of all letters, TOOL_COMMON_OPTIONS at the end */
    const char *more_help; /* help on options without a letter, each "  --name  text"; or NULL */
    int operands;          /* how many are required */
    int more_operands;     /* 1: or more */
    int as_sionlib;        /* 1: after wrong use print the usage as well, as SIONlib's tool does */
    int writes_data;       /* 1: stdout carries data, which --quiet leaves */

    /* Called for each option; settings as passed to tool_parse. TOOL_RUN or an exit status. */
    int (*set)(int letter, const char *value, void *settings);
};

#define TOOL_COMMON_LETTERS "Vh"
/* Values of options without a letter; each tool's own begin with the last one. */
enum {
    TOOL_OPTION_PROGRESS = 256,
    TOOL_OPTION_FORCE,
    TOOL_OPTION_QUIET,
    TOOL_OPTION_ALONE,
    TOOL_OPTION_OWN
};

/* clang-format off */
/* For tools whose work may take long; tool_parse handles it. */
#define TOOL_PROGRESS_OPTION {"progress", required_argument, NULL, TOOL_OPTION_PROGRESS}
#define TOOL_PROGRESS_HELP                                                                         \
    "  --progress=auto|always|never\n"                                                             \
    "                   show on stderr how far the work is; auto: on a terminal,\n"                \
    "                   after a second\n"
/* Of tools that take a list of tasks (-t) and of keys: lib/numbers.h reads them. */
#define NUMBERS_HELP                                                                               \
    "  --task=<list>    only data of these tasks: numbers from 0 on, and ranges of\n"              \
    "                   them, as in 3,5-8\n"                                                       \
    "  --keys=<list>    key-value containers: only the values of these keys\n"
/* For tools that may write, or read, much more than a file holds. */
#define TOOL_FORCE_OPTION {"force", no_argument, NULL, TOOL_OPTION_FORCE}
#define TOOL_FORCE_HELP                                                                            \
    "  --force            take holes of the input for data, however large they are\n"
/* Of tools that share their work with others under mpiexec (lib/share.h, lib/team.h). */
#define TOOL_ALONE_OPTION {"alone", no_argument, NULL, TOOL_OPTION_ALONE}
#define TOOL_ALONE_HELP                                                                            \
    "  --alone          do all the work, also under mpiexec, which has started several\n"          \
    "                   processes\n"
#define TOOL_QUIET_HELP "  --quiet          print nothing but errors\n"
#define TOOL_COMMON_OPTIONS                                                                        \
    {"quiet", no_argument, NULL, TOOL_OPTION_QUIET}, {"version", no_argument, NULL, 'V'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}
/* clang-format on */

/*
 * Read the command line, answer -h and -V, report wrong use. The operands are argv[optind] and on.
 * TOOL_RUN, or the status to exit with.
 */
int tool_parse(const struct tool *tool, int argc, char **argv, void *settings);

/* The same for a tool with commands: sets *command, whose operands are argv[optind] and on. */
int tool_parse_command(const struct tool *tool, int argc, char **argv, void *settings,
                       const struct command **command);

/* Whether --force, --alone was given. */
int tool_is_forced(void);
int tool_is_alone(void);

/*
 * A number of bytes, more than 0, as the option takes it; k, M, G, T multiply by powers of 1024.
 * TOOL_RUN, or a message and TOOL_USAGE.
 */
int tool_bytes(const char *option, const char *text, sion_int64 *bytes);

/* A number in decimal, whole and in range; else a message and TOOL_USAGE. TOOL_RUN if good. */
int tool_number(int letter, const char *text, int lowest, int *number);

/* A name of a file, which is not empty; else a message and TOOL_USAGE. TOOL_RUN if good. */
int tool_name(int letter, const char *text, const char **name);

/* The same of an option that has no letter. */
int tool_long_number(const char *option, const char *text, int lowest, int *number);

#endif

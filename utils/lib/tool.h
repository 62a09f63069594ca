/* The command line of a tool. */
#ifndef UTILS_LIB_TOOL_H
#define UTILS_LIB_TOOL_H

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>

#include "sion_datatypes.h"

#include "lib/commands.h"
#include "lib/message.h"

struct tool_option;

/*
 * Reads the value of an option into a member of the tool's settings. TOOL_RUN, or a message and the
 * status to exit with.
 */
typedef int tool_read(const struct tool_option *option, const char *value, void *member);

struct tool_option {
    const char *name;
    int letter; /* 0: it has only a name; TOOL_OPTION_*: tool_parse handles it */
    tool_read *read;
    size_t member; /* its offset in the settings */
    int number;    /* that a flag sets, or the lowest that is allowed */
};

/* clang-format off */
/* Options whose members have a checked type. TOOL_COMMON_OPTIONS ends a list. */
#define TOOL_MEMBER(settings, member, type)                                                        \
    _Generic(((settings *)NULL)->member, type: offsetof(settings, member))
#define TOOL_FLAG(name, letter, settings, member)                                                  \
    {name, letter, tool_flag, TOOL_MEMBER(settings, member, int), 1}
#define TOOL_TEXT(name, letter, settings, member)                                                  \
    {name, letter, tool_text, TOOL_MEMBER(settings, member, const char *), 0}
#define TOOL_NAME(name, letter, settings, member)                                                  \
    {name, letter, tool_name, TOOL_MEMBER(settings, member, const char *), 0}
#define TOOL_NUMBER(name, letter, settings, member, lowest)                                        \
    {name, letter, tool_number, TOOL_MEMBER(settings, member, int), lowest}
#define TOOL_BYTES(name, letter, settings, member)                                                 \
    {name, letter, tool_bytes, TOOL_MEMBER(settings, member, sion_int64), 0}
/* clang-format on */

tool_read tool_flag; /* has no value */
tool_read tool_text;
tool_read tool_name;   /* of a file; not empty */
tool_read tool_number; /* decimal, whole and in range */
tool_read tool_bytes;  /* more than 0; k, M, G, T multiply by powers of 1024 */

/* Whether the option takes a value. */
int tool_takes_value(const struct tool_option *option);

/* "-t", or "--keys" of an option without a letter; static, until the next call. */
const char *tool_spelling(const struct tool_option *option);

struct tool {
    const char *name;
    const char *usage; /* of a tool without commands; in it, %s is the tool as it was called */
    const struct commands *commands;   /* or NULL */
    const struct tool_option *options; /* TOOL_COMMON_OPTIONS at the end */
    const char *more_help; /* help on options without a letter, each "  --name  text"; or NULL */
    int operands;          /* how many are required */
    int more_operands;     /* 1: or more */
    int as_sionlib;        /* 1: after wrong use print the usage as well, as SIONlib's tool does */
    int runs_operands;     /* 1: they are a command, whose options are not the tool's */
    int writes_data;       /* 1: stdout carries data, which --quiet leaves */
};

/* Instead of letters. */
enum { TOOL_OPTION_PROGRESS = 256, TOOL_OPTION_FORCE, TOOL_OPTION_QUIET, TOOL_OPTION_ALONE };

/* clang-format off */
/* For tools whose work may take long; tool_parse handles it. */
#define TOOL_PROGRESS_OPTION {"progress", TOOL_OPTION_PROGRESS, NULL, 0, 0}
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
#define TOOL_FORCE_OPTION {"force", TOOL_OPTION_FORCE, NULL, 0, 0}
#define TOOL_FORCE_HELP                                                                            \
    "  --force            take holes of the input for data, however large they are\n"
/* Of tools that share their work with others under mpiexec (lib/share.h, lib/team.h). */
#define TOOL_ALONE_OPTION {"alone", TOOL_OPTION_ALONE, NULL, 0, 0}
#define TOOL_ALONE_HELP                                                                            \
    "  --alone          do all the work, also under mpiexec, which has started several\n"          \
    "                   processes\n"
#define TOOL_QUIET_HELP "  --quiet          print nothing but errors\n"
#define TOOL_COMMON_OPTIONS                                                                        \
    {"quiet", TOOL_OPTION_QUIET, NULL, 0, 0}, {"version", 'V', NULL, 0, 0}, {"help", 'h', NULL, 0, 0}, {NULL, 0, NULL, 0, 0}
/* clang-format on */

/*
 * Read the command line, answer -h and -V, report wrong use. The operands are argv[optind] and on.
 * TOOL_RUN, or the status to exit with.
 */
int tool_parse(const struct tool *tool, int argc, char **argv, void *settings);

/* The same for a tool with commands: sets *command, whose operands are argv[optind] and on. */
int tool_parse_command(const struct tool *tool, int argc, char **argv, void *settings,
                       const struct command **command);

/* Report an operand that the tool takes only with other options; the status to exit with. */
int tool_unexpected(const struct tool *tool, const char *argv0, const char *operand);

/* Whether --force, --alone was given. */
int tool_is_forced(void);
int tool_is_alone(void);

#endif

/* Tools that are many in one: "sionscr COMMAND options operands". */
#ifndef UTILS_LIB_COMMANDS_H
#define UTILS_LIB_COMMANDS_H

#include <stdio.h>

/* The tool's settings, the operands behind the command's name. An exit status of message.h. */
typedef int command_run(const void *settings, int n, char **operands);

struct command {
    const char *name;
    const char *usage;   /* its operands, and the options that it cannot do without, for the help */
    const char *purpose; /* of "to ..." */
    const char *letters; /* options that mean something to it */
    const char *needs;   /* those of them that it cannot do without; or NULL */
    int least, most;     /* operands; most < 0: any number */
    command_run *run;
    int together; /* 1: all processes that mpiexec has started run it; else one does */
};

/* Options as the help shows them: of a command, or of several with ", " between their names. */
struct command_options {
    const char *commands, *text;
};

struct commands {
    const char *about;                     /* what the tool is for: a paragraph */
    const struct command *command;         /* the last one has no name */
    const struct command_options *options; /* the last one has no text */
    const char *remark;                    /* behind all options; or NULL */
};

/* The help of all. argv0: the tool as it was called. */
void commands_print(const struct commands *commands, const char *argv0, FILE *to);

/* The help of one of them on stdout. tool: its name. 0: there is no such command. */
int commands_print_one(const struct commands *commands, const char *tool, const char *name);

/*
 * The command that the first of n words names, for the others as operands and the options that were
 * given; NULL and a message if that is wrong. tool: its name.
 */
const struct command *commands_choose(const struct commands *commands, const char *tool,
                                      const char *given, int n, char **words);

#endif

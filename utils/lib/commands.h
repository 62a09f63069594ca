/* Tools with several commands: "sionscr COMMAND options operands". */
#ifndef UTILS_LIB_COMMANDS_H
#define UTILS_LIB_COMMANDS_H

#include <stdio.h>

/* The tool's settings, the operands after the command's name. An exit status of message.h. */
typedef int command_run(const void *settings, int n, char **operands);

struct command {
    const char *name;
    const char *usage;   /* its operands, and the options that it requires, for the help */
    const char *purpose; /* completes "to ..." */
    const char *letters; /* options that it takes */
    const char *needs;   /* those of them that it requires; or NULL */
    int least, most;     /* operands; most < 0: any number */
    command_run *run;
    int together; /* 1: all processes that mpiexec has started run it; 0: only one does */
};

/* Options as the help shows them: of a command, or of several with ", " between their names. */
struct command_options {
    const char *commands, *text;
};

struct commands {
    const char *about;                     /* what the tool is for: a paragraph */
    const struct command *command;         /* the last one has no name */
    const struct command_options *options; /* the last one has no text */
    const char *remark;                    /* after all options; or NULL */
};

/* Print the help of the tool. argv0: the tool as it was called. */
void commands_print(const struct commands *commands, const char *argv0, FILE *to);

/* Print the help of a command on stdout. tool: the tool's name. 0: there is no such command. */
int commands_print_one(const struct commands *commands, const char *tool, const char *name);

/*
 * The command that the first of n words names; NULL, and a message, if there is none, or if the
 * other words are not its operands or the options not its options. tool: the tool's name.
 */
const struct command *commands_choose(const struct commands *commands, const char *tool,
                                      const char *given, int n, char **words);

#endif

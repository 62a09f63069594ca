/* What --help prints: the usage of a tool, and its options with their long forms. */
#ifndef UTILS_LIB_HELP_H
#define UTILS_LIB_HELP_H

#include "lib/tool.h"

/* A tool's usage, with argv0 where it has %s. */
void help_print_usage(const char *usage, FILE *to, const char *argv0);

/*
 * On stdout. Usage texts show options as "  [-t <task>]  text"; here they are "  -t,
 * --task=<task>", but SIONlib's texts stay as they are, and a list of the options comes after
 * them.
 */
void help_print(const struct tool *tool, const char *argv0);

#endif

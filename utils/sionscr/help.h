/* The help on the options of sionscr. */
#ifndef UTILS_SIONSCR_HELP_H
#define UTILS_SIONSCR_HELP_H

#include "lib/commands.h"

/* The last one has no text. */
extern const struct command_options scr_option_help[];

#endif
